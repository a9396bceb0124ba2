//! `incrowd compare`.

use super::request::RequestArgs;
use super::research::ResearchArgs;
use super::search::{SearchArgs, SettingArgs, ThreadArgs};
use clap::Args;
use incrowd_job::CompareOptions;
use std::path::PathBuf;

/// Compare algorithms on one job: privacy reached, every metric, rows suppressed, time, memory
///
/// Counts the table once and runs every algorithm on it, for up to ten seconds each (see --time-limit). Every result
/// passes the same check as a release; nothing is written but the page of --report. To use one of them, run `incrowd anonymize --algorithm NAME`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd compare adult.csv -q age,race,sex -s salary-class -k 10 --max-suppressed 1%
  incrowd compare adult.csv -q age,race,sex --target salary-class -k 10 \\
      --algorithms optimal,datafly,top-down --csv
  incrowd compare adult.csv -q age,race,sex -k 10 --others drop --report comparison.html")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Algorithms to compare [default: all]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "algorithm",
        help_heading = "Search"
    )]
    algorithms: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) research: ResearchArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Print one line of CSV per algorithm
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub(crate) csv: bool,
    /// Write a page about the comparison: tables that sort, plots of loss by k and by column, class sizes,
    /// distributions before and after, every term explained. One file that loads nothing. Takes longer, as every
    /// algorithm is also run with other strengths of a promise
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl CompareArgs {
    /// What to compare. `--algorithm NAME`, as other commands take it, means only that one.
    pub(crate) fn options(&self) -> CompareOptions {
        let one = self.search.algorithm.as_ref().map(|one| vec![one.clone()]);
        CompareOptions {
            algorithms: self.algorithms.clone().or(one),
            report: self.report.clone(),
        }
    }
}
