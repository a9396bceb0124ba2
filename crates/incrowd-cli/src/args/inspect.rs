//! `incrowd inspect`.

use super::columns::RoleArgs;
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;

/// Inspect a table: types, missing and distinct values, what singles people out, proposed roles
///
/// Reads the table twice and prints figures about it, never its cells. Proposes a role for every column and says why:
/// identifying columns name a person, quasi-identifying columns may be known to others, sensitive columns must not be
/// linked to a person.
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
