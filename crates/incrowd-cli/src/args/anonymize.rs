//! `incrowd anonymize`.

use super::output::OutputArgs;
use super::request::RequestArgs;
use super::research::ResearchArgs;
use super::search::{SearchArgs, SettingArgs, ThreadArgs};
use clap::Args;

/// Anonymize a table: find the best safe recoding, check it, write and certify the release
///
/// Every quasi-identifier is published at a level of its hierarchy: `39` as `35-39`, `Bachelors` as `Higher`.
/// Among all combinations of levels that satisfy the privacy models, the one with the lowest loss is used.
/// Hierarchies that you do not provide are built from the data. Without -o, results are reported but nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd anonymize adult.csv -q age,sex,race -s salary-class -k 5 --others drop -o safe.csv
  incrowd anonymize adult.csv -q age,sex -s salary-class --others drop \\
      --privacy 't-closeness(t=0.2)' --max-suppressed 1% --hierarchies hierarchies/ \\
      -o safe.csv --certificate safe.json --report safe.html
  incrowd anonymize --job incrowd.toml")]
pub(crate) struct AnonymizeArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) research: ResearchArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
