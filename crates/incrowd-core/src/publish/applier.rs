//! Publishing where the rows are.

use super::{Confirmation, Release, ReleaseMap, Tally};
use crate::Error;
use std::sync::Arc;

/// Holds the rows of a table and can publish them: a file, a process, a database.
///
/// What is written stays invisible until [`Applier::appear`], which takes a [`Confirmation`]; only a release gives one,
/// for a tally of the rows that were read.
pub trait Applier {
    /// The result of publishing the rows.
    type Published;
    /// What may go wrong.
    type Error: From<Error>;

    /// Writes every row as the map says, where nobody sees it yet, and tells how many rows of each class were met,
    /// with which values of the counted columns.
    fn apply(&mut self, map: &Arc<ReleaseMap>) -> Result<Tally, Self::Error>;

    /// Makes what was written visible.
    fn appear(self, confirmation: Confirmation) -> Result<Self::Published, Self::Error>;
}

/// Rows that are written and confirmed, and that nobody sees yet.
#[derive(Debug)]
pub struct Applied<A> {
    applier: A,
    tally: Tally,
    confirmation: Confirmation,
}

impl<A: Applier> Applied<A> {
    /// Who wrote them.
    pub fn applier(&self) -> &A {
        &self.applier
    }

    /// What was met.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Makes them visible.
    pub fn appear(self) -> Result<A::Published, A::Error> {
        self.applier.appear(self.confirmation)
    }
}

impl Release<'_> {
    /// Has the rows that an applier holds written, if they are the rows that were counted.
    pub fn apply<A: Applier>(&self, mut applier: A) -> Result<Applied<A>, A::Error> {
        let tally = applier.apply(self.map())?;
        let confirmation = self.confirm(&tally)?;
        Ok(Applied {
            applier,
            tally,
            confirmation,
        })
    }
}
