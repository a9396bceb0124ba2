//! `incrowd inspect`.

use super::columns::RoleArgs;
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;

/// What is in this file? Types, missing and distinct values, what singles people out, proposed roles
///
/// Reads the table twice and prints numbers about it, never a cell of it. For every column it proposes a role
/// with the reason: identifying columns name a person, quasi-identifying ones are known to others, sensitive
/// ones must not be linked to a person.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  incrowd inspect adult.csv")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}
