//! `incrowd init`.

use super::columns::RoleArgs;
use super::privacy::PrivacyArgs;
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;
use std::path::PathBuf;

/// Write a job file and hierarchies as a starting point
///
/// Inspects the table like `incrowd inspect` and writes `incrowd.toml`, with every key explained, and a hierarchy
/// for each quasi-identifier. Edit them, then run `incrowd anonymize --job incrowd.toml`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd init adult.csv
  incrowd init adult.csv -q age,sex,race -s salary-class --folder study/")]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) privacy: PrivacyArgs,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}
