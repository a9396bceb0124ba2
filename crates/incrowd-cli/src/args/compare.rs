//! `incrowd compare`.

use super::request::RequestArgs;
use super::search::{SearchArgs, SettingArgs, ThreadArgs};
use clap::Args;

/// Try several algorithms on one job: privacy reached, every metric, rows suppressed, seconds, memory
///
/// Counts the table once and runs every algorithm on it, ten seconds each unless --time-limit says otherwise. Each
/// answer passes the same check as a release; nothing is written. Take the one you like with `incrowd anonymize --algorithm NAME`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd compare adult.csv -q age,race,sex -s salary-class -k 10 --max-suppressed 1%
  incrowd compare adult.csv -q age,race,sex --target salary-class -k 10 \\
      --algorithms optimal,datafly,top-down --csv")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// The algorithms to try; all when none is named
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "algorithm",
        help_heading = "What to compare"
    )]
    algorithms: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    /// Print a line of CSV for each algorithm
    #[arg(long, conflicts_with = "json", help_heading = "Answers")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl CompareArgs {
    /// The algorithms to try. Whoever names one the way other commands do wants that one.
    pub(crate) fn algorithms(&self) -> Option<&[String]> {
        let one = self.search.algorithm.as_ref().map(std::slice::from_ref);
        self.algorithms.as_deref().or(one)
    }
}
