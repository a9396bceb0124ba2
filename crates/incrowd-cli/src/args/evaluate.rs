//! `incrowd evaluate`.

use super::output::SpreadsheetArgs;
use super::request::RequestArgs;
use super::research::ResearchArgs;
use super::search::{SearchArgs, SettingArgs, ThreadArgs};
use clap::Args;

/// Evaluate what a release is still worth: predictions, counts, distributions, associations
///
/// Learns to predict each target from released rows, and tests it on raw rows that were not learned from; next to it
/// stand the same models learned from raw rows, and the plain guess of the most frequent class or the mean. Also answers
/// random COUNT queries, and compares the distribution of every column and the association of every pair, before
/// and after.
///
/// With RELEASE it judges that file; give the quasi-identifiers and hierarchies it was made with. Without it, give a
/// job: the rows are split into folds, all but one fold are anonymized again and again, and what is learned from them
/// is tested on the fold left out. Without quasi-identifiers and privacy models, only the raw table is judged. Columns
/// that are not named are ignored unless --others keep is given. Nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd evaluate adult.csv safe.csv -q age,sex,race,education --target salary-class
  incrowd evaluate adult.csv -q age,sex,race,education --target salary-class -k 5 --max-suppressed 1%
  incrowd evaluate adult.csv --target salary-class --columns age,education-num,capital-gain \\
      --partitioning 3")]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Published file to judge [default: what the job would publish]
    #[arg(value_name = "RELEASE")]
    pub(crate) release: Option<String>,
    /// Columns to learn from [default: all that are published, except targets]
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        help_heading = "Evaluation"
    )]
    pub(crate) columns: Option<Vec<String>>,
    /// Number of parts the rows are split into, each tested in turn (see --seed)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        help_heading = "Evaluation"
    )]
    pub(crate) folds: usize,
    /// Cut the rows N times by the rules that reveal most about the first target, before and after
    #[arg(long, value_name = "N", help_heading = "Evaluation")]
    pub(crate) partitioning: Option<usize>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) research: ResearchArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}
