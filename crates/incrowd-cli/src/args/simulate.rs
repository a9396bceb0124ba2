//! `incrowd simulate`.

use super::FlagPart;
use super::columns::HierarchyArgs;
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;
use incrowd_job::{Error, Job, SimulateOptions, share};
use std::path::PathBuf;

/// Simulate how many rows it takes before a table can be published at all
///
/// Computes the chance that a table of N rows is k-anonymous as it is: every combination of values that occurs at all
/// occurs at least k times. No row is suppressed, and nothing is generalized unless --levels says so. The chance is
/// computed by an exact formula, and tried out on random tables besides.
///
/// The columns are given by how many they are (--attributes), by their numbers of values (--domain), or by a table (DATA
/// with -q). Values are equally likely, or as likely as in the table. Each column is drawn by itself, since a larger study
/// will also meet combinations that a small table does not have; how columns depend on each other is ignored.
/// --whole-rows respects it, but draws only combinations that the table has. The larger answer is the safer one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd simulate --attributes 7 -k 5 --rows 1200
  incrowd simulate --domain 2,7,16 -k 5 --rows-needed 95%
  incrowd simulate adult.csv -q sex,race -k 5 --rows-needed 95% --plot pictures/
  incrowd simulate adult.csv -q age,sex -k 5 --hierarchy age=interval:10,20 --levels 2,0")]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Columns of the table to combine
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with_all = ["attributes", "domain"],
        help_heading = "Columns")]
    quasi_identifiers: Option<Vec<String>>,
    /// Draw whole combinations of the table, rather than each column by itself
    #[arg(long, conflicts_with_all = ["attributes", "domain"], help_heading = "Columns")]
    whole_rows: bool,
    /// Generalize the columns of the table to these levels first, in the order of -q, such as 2,0
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', conflicts_with_all = ["attributes", "domain"],
        help_heading = "Columns")]
    levels: Option<Vec<u8>>,
    /// Number of columns, rather than a table
    #[arg(long, value_name = "M", allow_negative_numbers = true, conflicts_with_all = ["data", "domain"], help_heading = "Columns")]
    attributes: Option<u64>,
    /// With --attributes: number of values of each column [default: 2]
    #[arg(
        long,
        value_name = "V",
        allow_negative_numbers = true,
        requires = "attributes",
        conflicts_with_all = ["data", "domain"],
        help_heading = "Columns"
    )]
    values: Option<u64>,
    /// Number of values of every column, such as 2,7,16, rather than a table
    #[arg(
        long,
        value_name = "NUMBERS",
        allow_hyphen_values = true,
        value_delimiter = ',',
        conflicts_with = "data",
        help_heading = "Columns"
    )]
    domain: Option<Vec<u64>>,
    /// k-anonymity: every combination that occurs must occur at least N times
    #[arg(
        short,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Privacy"
    )]
    k: Option<String>,
    /// Number of rows [default: those of the table, or those of --rows-needed]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Simulation"
    )]
    rows: Option<u64>,
    /// Ask the other way round: the least number of rows from which on the chance stays at or above this, such as 95%
    #[arg(
        long,
        value_name = "CHANCE",
        allow_hyphen_values = true,
        help_heading = "Simulation"
    )]
    rows_needed: Option<String>,
    /// Random tables to try, at least 50 [default: 500, fewer if that is much work]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Simulation"
    )]
    repeats: Option<u64>,
    /// Seed for random tables [default: 1]
    #[arg(long, value_name = "N", help_heading = "Simulation")]
    seed: Option<u64>,
    /// Time limit for reading the table, and again for simulating
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        help_heading = "Simulation"
    )]
    time_limit: Option<String>,
    /// Write plots to this folder: the rows needed by number of columns, and the chance by number of rows
    #[arg(long, value_name = "FOLDER", help_heading = "Simulation")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl SimulateArgs {
    /// What the flags say beside the job.
    pub(crate) fn options(&self) -> Result<SimulateOptions, Error> {
        Ok(SimulateOptions {
            attributes: self.attributes,
            values: self.values,
            domain: self.domain.clone(),
            whole_rows: self.whole_rows,
            levels: self.levels.clone(),
            rows: self.rows,
            repeats: self.repeats,
            rows_needed: self.rows_needed.as_deref().map(share).transpose()?,
            plot: self.plot.clone(),
        })
    }
}

impl FlagPart for SimulateArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let columns = &mut job.columns;
        columns
            .quasi_identifiers
            .clone_from(&self.quasi_identifiers);
        let k = self.k.as_ref();
        job.privacy.models = k.map(|k| vec![format!("k-anonymity(k={k})")]);
        job.search.seed = self.seed;
        let limit = self.time_limit.as_deref();
        job.search.time_limit = limit.map(str::parse).transpose()?;
        Ok(())
    }
}
