//! Shared by algorithms that move a cut through every hierarchy: the values a cut may contain, how well they predict
//! the target, and whether a class satisfies the models.
//!
//! A *cut* is a set of values, one above every raw value that has rows. Going up replaces siblings by their parent,
//! going down replaces a value by its children; nothing else changes.

mod entropy;
mod judge;
mod tree;

pub(super) use entropy::Target;
pub(super) use judge::{Judge, Kept, RowsOfValues};
pub(super) use tree::{ValueTree, groupings};

use super::AlgorithmEntry;
use crate::Error;
use crate::counts::Work;
use crate::problem::{Guarantee, Interruption, Meter, Problem, Progress, Proposal};
use crate::recode::ColumnRecoding;

/// The effort of finding a recoding, to compare with repeated passes over the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Values replaced, one after the other.
    pub steps: u64,
    /// Replacements that would tell something, over all steps: also those that are known never to be safe.
    pub candidates: u64,
    /// Classes or distinct tuples examined over all steps, including the first counts.
    pub visits: u64,
}

/// Records the effort, and spends it as work.
#[derive(Debug)]
pub(super) struct Spending<'a> {
    meter: &'a Meter<'a>,
    pub(super) effort: Effort,
}

impl<'a> Spending<'a> {
    pub(super) fn new(meter: &'a Meter<'a>) -> Self {
        Spending {
            meter,
            effort: Effort::default(),
        }
    }

    /// This many classes or tuples were examined.
    pub(super) fn visit(&mut self, visits: u64) -> Result<(), Interruption> {
        self.effort.visits += visits;
        self.meter.spend(Work(visits))
    }

    /// This many values were examined, which the effort does not count.
    pub(super) fn touch(&self, values: usize) -> Result<(), Interruption> {
        self.meter.spend(Work::of(values))
    }

    /// Some replacements were evaluated.
    pub(super) fn weigh(&mut self, candidates: u64) {
        self.effort.candidates += candidates;
        self.meter.note(Progress {
            nodes_checked: self.effort.candidates,
            ..Progress::default()
        });
    }

    /// The error if it must stop without a result.
    pub(super) fn unfinished(&self, interruption: Interruption) -> Error {
        interruption.with_nothing_found(self.effort.candidates, self.meter.spent())
    }
}

/// A cut as a result without a guarantee.
pub(super) fn proposal(recoding: ColumnRecoding, effort: Effort) -> Proposal {
    Proposal {
        recoding: recoding.into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: effort.candidates,
        steps: Vec::new(),
    }
}

/// The one target column, or what is wrong with the problem.
pub(super) fn target(problem: &Problem<'_>, entry: &AlgorithmEntry) -> Result<usize, Error> {
    let algorithm = entry.name;
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
