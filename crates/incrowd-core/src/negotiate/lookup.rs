//! What every way to look into a lattice answers, whatever is known of it in advance.

use super::counting::Counting;
use super::request::Quality;
use crate::error::Error;
use crate::lattice::Node;
use crate::privacy::{Decimal, Monotonicity, PrivacyModel};
use crate::problem::{Interruption, Meter};

/// A node that meets wishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) node: Node,
    pub(super) rows_suppressed: u32,
}

/// What to look for in the lattice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'r> {
    pub(super) model: &'r dyn PrivacyModel,
    pub(super) quality: Quality<'r>,
    /// Only nodes at or below this one.
    pub(super) max_levels: &'r Node,
    /// Only nodes of at least this height.
    pub(super) least_height: u32,
    /// Only nodes that suppress at most so many rows.
    pub(super) max_suppressed: u32,
}

impl Wanted<'_> {
    /// Whether a node that suppresses too many rows proves the same of every node below it.
    pub(super) fn pruning_is_sound(&self) -> bool {
        match self.model.monotonicity() {
            Monotonicity::UnionWithAny => true,
            Monotonicity::UnionOfKept => self.max_suppressed == 0,
            Monotonicity::None => false,
        }
    }
}

/// Spends what was counted; false when it was enough and the best so far is wanted.
pub(super) fn may_go_on(counting: &mut Counting<'_>, meter: &Meter<'_>) -> Result<bool, Error> {
    match meter.spend(counting.take_work()) {
        Ok(()) => Ok(true),
        Err(Interruption::Cancelled) => Err(Error::Cancelled),
        Err(_) => Ok(false),
    }
}

/// A lattice that can be asked, whatever is known of it in advance.
pub(super) trait Lookup {
    /// The best node wanted.
    fn best(&mut self, wanted: &Wanted<'_>) -> Result<Option<Candidate>, Error>;

    /// The fewest rows suppressed at or below a node, for models that survive no merging.
    fn fewest_suppressed(&mut self, wanted: &Wanted<'_>) -> Result<Option<u32>, Error>;

    /// The rows suppressed at the node of the acceptable levels, when it is known.
    fn at_limit(&mut self, wanted: &Wanted<'_>) -> Result<Option<u32>, Error>;

    /// The strongest promise within the budget.
    fn strongest(&mut self, wanted: &Wanted<'_>) -> Result<Option<(Candidate, Decimal)>, Error>;

    /// Whether everything asked so far was answered for the whole lattice.
    fn is_complete(&self) -> bool;

    /// Nodes looked at so far, each once.
    fn visited(&self) -> u64;
}
