//! The safe nodes that a search met, the best first.

use crate::lattice::Node;
use crate::utility::Loss;
use std::collections::BTreeSet;

/// Safe nodes that a search met, the best first; those beyond the number wanted are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundStrings {
    most: usize,
    kept: BTreeSet<FoundString>,
}

/// A safe node: a generalization string of the paper on research values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundString {
    /// Its loss by the metric searched.
    pub loss: Loss,
    /// How many attributes are at their last level.
    pub at_top: usize,
    /// The levels.
    pub node: Node,
}

impl FoundStrings {
    pub(super) fn new(most: usize) -> Self {
        FoundStrings {
            most,
            kept: BTreeSet::new(),
        }
    }

    pub(super) fn add(&mut self, loss: Loss, at_top: usize, node: &Node) {
        let node = node.clone();
        self.kept.insert(FoundString { loss, at_top, node });
        if self.kept.len() > self.most {
            self.kept.pop_last();
        }
    }

    pub(super) fn absorb(&mut self, other: FoundStrings) {
        for FoundString { loss, at_top, node } in other.kept {
            self.add(loss, at_top, &node);
        }
    }

    /// Whether there is room for any node.
    pub(super) fn has_room(&self) -> bool {
        self.kept.len() < self.most
    }

    /// What the last of them loses.
    pub(super) fn worst(&self) -> Option<Loss> {
        self.kept.last().map(|it| it.loss)
    }

    /// The best first: the least loss, then the fewest attributes at their last level, then lattice order.
    pub fn iter(&self) -> impl Iterator<Item = &FoundString> {
        self.kept.iter()
    }
}
