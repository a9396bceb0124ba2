//! `incrowd verify`.

use super::FlagPart;
use super::columns::{HierarchyArgs, RoleArgs};
use super::output::SpreadsheetArgs;
use super::privacy::{BudgetArgs, PopulationArgs, PromiseArgs};
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;
use incrowd_job::{Error, Job};
use std::path::PathBuf;

/// Verify that a published file is safe, whatever tool made it, optionally against the original
///
/// Groups the published rows by their quasi-identifiers and evaluates every privacy model you name. If you name none,
/// it measures all models and gives no verdict. Either way it reports classes that are single rows or share one
/// sensitive value, and other columns that single people out. With --original it also checks that no row was invented
/// and, with --max-suppressed, that not too many were suppressed; give the hierarchies used for the release.
///
/// With --certificate, roles and models come from the certificate: its hashes are compared, every model and every
/// figure is recomputed from the file, and whatever cannot be checked with the given files is listed. With --job, the
/// certificate must also match that job.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd verify safe.csv -q age,sex,race,education -k 5
  incrowd verify safe.csv -q age,sex -s salary-class
  incrowd verify safe.csv -q age,sex -k 5 --original adult.csv --hierarchies hierarchies/
  incrowd verify safe.csv --certificate safe.json --original adult.csv
  incrowd verify --certificate certificate.json --job incrowd.toml

Exit codes: 0 safe, or no verdict; 1 not safe, or the certificate is not valid; 2 error.")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Original table that the release was made from
    #[arg(long, value_name = "DATA")]
    pub(crate) original: Option<String>,
    /// Certificate to check, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) promises: PromiseArgs,
    #[command(flatten)]
    pub(crate) population: PopulationArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) numbers: NumbersArgs,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// What a release publishes of numbers, which its cells alone do not say.
#[derive(Debug, Args)]
pub(crate) struct NumbersArgs {
    /// What the release publishes of the numbers of a class; a mean or median is compared with --original as if it could
    /// stand for any number [default: interval]
    #[arg(long, value_name = "WORD", value_parser = ["interval", "mean", "median"])]
    numbers: Option<String>,
}

impl FlagPart for NumbersArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        if let Some(numbers) = &self.numbers {
            job.search.settings.set("numbers", vec![numbers.clone()]);
        }
        Ok(())
    }
}
