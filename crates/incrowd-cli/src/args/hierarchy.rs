//! `incrowd hierarchy`.

use super::table::{FormatArgs, TableArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Build, check or show a hierarchy of values
///
/// A hierarchy is a CSV file with one line for each value of a column: the value, then the groups it belongs to,
/// from finest to coarsest, up to `*`. Files written by ARX work too.
#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyCommand {
    Build(HierarchyBuildArgs),
    Check(HierarchyCheckArgs),
    Show(HierarchyShowArgs),
}

/// Build a hierarchy from the values of a column
///
/// Without --rule, a rule is chosen from the data: intervals for numbers, prefixes for codes such as ZIP codes,
/// months and years for dates, "the value or `*`" for everything else.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd hierarchy build adult.csv --column age --rule interval:5,10,20@17 -o age.csv
  incrowd hierarchy build patients.csv --column zip --rule mask:2")]
pub(crate) struct HierarchyBuildArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Column to build the hierarchy for
    #[arg(long, value_name = "NAME")]
    pub(crate) column: String,
    /// Rule: interval:5,10,20@17 (cut at 28 too: interval:5,10+28), quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1,
    /// date:month,year, order, countries, us-states, education, icd10, uk-postcode or suppress [default: chosen from
    /// the data]
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// Check a hierarchy file, alone or against a table
///
/// With --data, lists the values of the column that the hierarchy does not list. This prints cells of your table.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd hierarchy check zip.csv --data patients.csv --column zip")]
pub(crate) struct HierarchyCheckArgs {
    /// Hierarchy file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Table to check it against
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// Column of the table [default: the name of the hierarchy file]
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Show the levels of a hierarchy file, with examples
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd hierarchy show age.csv
  incrowd hierarchy show age.csv --examples 20")]
pub(crate) struct HierarchyShowArgs {
    /// Hierarchy file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Number of example groups to print per level
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) examples: usize,
}
