//! `incrowd verify`.

use super::columns::{HierarchyArgs, RoleArgs};
use super::output::SpreadsheetArgs;
use super::privacy::{BudgetArgs, PromiseArgs};
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;
use std::path::PathBuf;

/// Is this published file safe? Whoever made it; also against the original
///
/// Groups the rows by their quasi-identifiers as they stand and measures every promise. Without a promise it
/// measures all models and judges nothing. Either way it tells which classes are single rows or share one sensitive
/// value, and which columns beside them single people out. With --original it also checks that no row was invented and,
/// with --max-suppressed, that not too many were lost; give the same hierarchies as for the release.
///
/// With --certificate, roles and promises are those of the certificate: its hashes are compared, every promise and
/// every figure is counted again from the file, and what cannot be checked with the files given is listed. With --job,
/// it must also be the answer to that job.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd verify safe.csv -q age,sex,race,education -k 5
  incrowd verify safe.csv -q age,sex -s salary-class
  incrowd verify safe.csv -q age,sex -k 5 --original adult.csv --hierarchies hierarchies/
  incrowd verify safe.csv --certificate safe.json --original adult.csv
  incrowd verify --certificate certificate.json --job incrowd.toml

Exit codes: 0 safe, or nothing to judge; 1 not safe, or the certificate does not hold; 2 an error.")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The table the release was made from
    #[arg(long, value_name = "DATA")]
    pub(crate) original: Option<String>,
    /// The certificate that came with the file, as JSON, to be checked
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) promises: PromiseArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}
