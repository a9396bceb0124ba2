//! `incrowd negotiate`.

use super::request::RequestArgs;
use super::search::{SearchArgs, ThreadArgs};
use super::words::word;
use clap::Args;
use incrowd_core::negotiate::{Estimator, Search};
use incrowd_job::{Error, Options, Preparation};
use std::path::PathBuf;

/// What can be had? The best release that meets every wish, or three that each give way on one
///
/// You wish for three things: privacy (such as -k 10), few rows left out (--max-suppressed), and detail
/// (--max-levels: how far each column may be generalized). If all can be had together, the answer is the release
/// that generalizes least. If not, you get up to three offers: more rows left out, higher levels, or weaker
/// privacy, each with its price. Nothing is published until you say so.
///
/// In a terminal this is a dialogue: take an offer, change a wish, ask again, write the job file, release.
/// Elsewhere, or with --json, one question is answered; with --batch, one for each line of JSON.
///
/// Levels count from 0, the raw value, to `*`; `incrowd hierarchy build DATA --column NAME` shows them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd negotiate adult.csv -q age,race,sex -k 10 --max-suppressed 1% --max-levels 2,1,0
  incrowd negotiate adult.csv -q age,race,sex -s salary-class -l 2 --json
  incrowd negotiate adult.csv -q age,race,sex -k 10 --index adult.index
  incrowd negotiate adult.csv -q age,race,sex --batch requests.jsonl
      where each line is a request such as
      {\"model\":\"k-anonymity\",\"parameter\":10,\"max_suppressed\":\"1%\",\"max_levels\":[2,1,0]}

Exit codes: 0 every wish can be met, 1 only with a relaxation, 2 an error.")]
pub(crate) struct NegotiateArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Answer lines of JSON from a file, or - for standard input, with a line of JSON each
    #[arg(long, value_name = "FILE", help_heading = "Answers")]
    pub(crate) batch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) preparation: PreparationArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// How to get ready for questions.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to get ready")]
pub(crate) struct PreparationArgs {
    /// What is counted before the first question: every choice of levels, the most promising, those and the
    /// highest acceptable, none, or what suits the table. `full` and `lazy` are exact
    #[arg(long, value_name = "HOW", default_value = "auto",
        value_parser = word(Preparation::ALL))]
    how: Preparation,
    /// How many choices of each height are promising, for partial and partial-top
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "5%",
        allow_hyphen_values = true
    )]
    partial: String,
    /// How promising is told, for partial and partial-top
    #[arg(long, value_name = "NAME", default_value = "lambda",
        value_parser = word(Estimator::ALL))]
    estimator: Estimator,
    /// Which heights the offer of higher levels may use: the whole lattice, or from --max-levels on
    #[arg(long, value_name = "HEIGHTS", default_value = "whole",
        value_parser = word(Search::ALL))]
    search: Search,
    /// Keep what was counted in this file, and use it again if data and hierarchies are the same
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
}

impl PreparationArgs {
    /// What they say; `many_questions` is for the caller to know.
    pub(crate) fn options(&self, many_questions: bool) -> Result<Options, Error> {
        Ok(Options {
            how: self.how,
            percent: incrowd_job::share(&self.partial)?,
            estimator: self.estimator,
            search: self.search,
            index: self.index.clone(),
            many_questions,
        })
    }
}
