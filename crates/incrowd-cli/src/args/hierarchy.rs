//! `incrowd hierarchy`.

use super::table::{FormatArgs, TableArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Build, check or show a hierarchy: which values may stand for which
///
/// A hierarchy is a CSV file with a line for each value of a column: the value, then the groups it belongs to,
/// coarser and coarser, up to `*`. Files in the form that ARX writes work too.
#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyCommand {
    Build(HierarchyBuildArgs),
    Check(HierarchyCheckArgs),
    Show(HierarchyShowArgs),
}

/// Build a hierarchy from the values of a column
///
/// Without --rule the rule is chosen from the data: intervals for numbers, prefixes for codes such as zip,
/// months and years for dates, "the value or `*`" for the rest.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy build adult.csv --column age --rule interval:5,10,20@17 -o age.csv
  incrowd hierarchy build patients.csv --column zip --rule mask:2")]
pub(crate) struct HierarchyBuildArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The column
    #[arg(long, value_name = "NAME")]
    pub(crate) column: String,
    /// How: interval:5,10,20@17, quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1,
    /// date:month,year, order, countries, us-states, education, icd10, uk-postcode or suppress; chosen from the data
    /// when not given
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// Where to write it; standard output when not given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it is already there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Check a hierarchy file, by itself or against the data
///
/// Against the data it lists the values that are missing from the hierarchy: these are cells of your table.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy check zip.csv --data patients.csv --column zip")]
pub(crate) struct HierarchyCheckArgs {
    /// The hierarchy
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The table to hold it against
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// The column of the table; the name of the file when not given
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Show the levels of a hierarchy file, with examples
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy show age.csv
  incrowd hierarchy show age.csv --examples 20")]
pub(crate) struct HierarchyShowArgs {
    /// The hierarchy
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// How many groups of each level to print
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) examples: usize,
}
