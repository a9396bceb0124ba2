//! What most commands are about: a table and what is wished for it.

use super::FlagPart;
use super::columns::{HierarchyArgs, RoleArgs};
use super::privacy::PrivacyArgs;
use super::table::TableArgs;
use clap::Args;
use incrowd_job::{Error, Job};

/// A table, the roles of its columns, and the privacy it needs.
#[derive(Debug, Args)]
pub(crate) struct RequestArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    roles: RoleArgs,
    #[command(flatten)]
    hierarchies: HierarchyArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl FlagPart for RequestArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        self.table.fill(job)?;
        self.roles.fill(job)?;
        self.hierarchies.fill(job)?;
        self.privacy.fill(job)
    }
}
