//! What algorithms share that move a cut through every hierarchy: the values a cut may hold, how well they tell the
//! target, and whether a class keeps its promises.
//!
//! A *cut* is a set of values, one above every raw value that has rows. Going up replaces siblings by their parent,
//! going down a value by its children; what else is published does not change.

mod entropy;
mod judge;
mod tree;

pub(super) use entropy::Target;
pub(super) use judge::{Judge, RowsOfValues};
pub(super) use tree::{ValueTree, groupings};

use super::Card;
use crate::Error;
use crate::problem::{Guarantee, Interruption, Problem, Progress, Proposal, Watch};
use crate::recode::Recoding;

/// What it cost to find a recoding, to be compared with going over the table again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Values replaced, one after the other.
    pub steps: u64,
    /// Replacements weighed over all steps.
    pub candidates: u64,
    /// Classes or distinct tuples looked at over all steps, the first counts included.
    pub visits: u64,
}

/// Tells the watch how far it has come. False when time is up.
pub(super) fn may_go_on(watch: &dyn Watch, effort: Effort) -> Result<bool, Error> {
    let progress = Progress {
        nodes_checked: effort.candidates,
        best: None,
        lower_bound: None,
    };
    match watch.step(progress) {
        Ok(()) => Ok(true),
        Err(Interruption::TimeUp) => Ok(false),
        Err(Interruption::Cancelled) => Err(Error::Cancelled),
    }
}

/// A cut as an answer of which nothing is proven.
pub(super) fn proposal(recoding: Recoding, effort: Effort) -> Proposal {
    Proposal {
        recoding,
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: effort.candidates,
        steps: Vec::new(),
    }
}

/// The one target column, or what is wrong with the problem.
pub(super) fn target(problem: &Problem<'_>, card: &Card) -> Result<usize, Error> {
    let algorithm = card.name;
    if problem.crowds_overlap() {
        return Err(Error::MatchAnyRefused { algorithm });
    }
    match problem.settings.targets[..] {
        [target] => Ok(target),
        ref targets => Err(Error::OneTargetNeeded {
            algorithm,
            given: targets.len(),
        }),
    }
}
