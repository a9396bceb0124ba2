//! `incrowd negotiate`.

use super::request::RequestArgs;
use super::research::ResearchArgs;
use super::search::{SearchArgs, ThreadArgs};
use super::words::word;
use clap::Args;
use incrowd_core::negotiate::{Estimator, Search};
use incrowd_job::{Error, Options, Preparation};
use std::path::PathBuf;

/// Negotiate a release: the best one that meets your request, or three that each relax one part of it
///
/// A request has three parts: privacy (such as -k 10), the number of rows that may be suppressed (--max-suppressed),
/// and detail (--max-levels: how far each column may be generalized). If all three can be met, the answer is the
/// release that generalizes least. If not, you get up to three offers: more suppression, higher levels, or weaker
/// privacy, each with its cost. Nothing is published until you say so.
///
/// In a terminal this is a dialogue: accept an offer, change the request, ask again, write the job file, release.
/// Otherwise, or with --json, it answers one request; with --batch, one per line of JSON.
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

Exit codes: 0 request met, 1 met only with a relaxation, 2 error.")]
pub(crate) struct NegotiateArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Read requests as lines of JSON from a file, or - for standard input, and answer each with a line of JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) batch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) preparation: PreparationArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) research: ResearchArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// What to count before the first request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Preparation")]
pub(crate) struct PreparationArgs {
    /// Which combinations of levels to count in advance: all, the most promising, those and the highest acceptable
    /// one, none, or whatever suits the table. `full` and `lazy` are exact
    #[arg(long, value_name = "HOW", default_value = "auto",
        value_parser = word(Preparation::ALL))]
    how: Preparation,
    /// Share of the combinations at each height to count in advance (partial, partial-top)
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "5%",
        allow_hyphen_values = true
    )]
    partial: String,
    /// Estimator that ranks combinations (partial, partial-top)
    #[arg(long, value_name = "NAME", default_value = "lambda",
        value_parser = word(Estimator::ALL))]
    estimator: Estimator,
    /// Heights that the higher-levels offer may use: the whole lattice, or from --max-levels upward
    #[arg(long, value_name = "HEIGHTS", default_value = "whole",
        value_parser = word(Search::ALL))]
    search: Search,
    /// Save the counts to this file, and reuse them as long as data and hierarchies are unchanged
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
}

impl PreparationArgs {
    /// The options that the flags describe; the caller knows whether there are `many_questions`.
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
