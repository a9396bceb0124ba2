//! All nodes between two corners.

use crate::lattice::{Level, Node};
use crate::problem::Problem;
use crate::utility::{Known, Loss};
use std::cmp::Ordering;
use std::sync::Arc;

/// All nodes between two corners, and what is known of every one of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LatticeBox {
    /// A lower bound of the loss.
    pub(super) floor: Loss,
    pub(super) low: Node,
    pub(super) high: Node,
    /// Rows that are suppressed.
    pub(super) rows_lost: u32,
    /// What these rows add to the loss of each attribute.
    pub(super) added: Arc<[f64]>,
    /// Whether the floor already uses the classes of the low corner.
    pub(super) low_is_counted: bool,
    /// Of boxes with equal floors, those with the least of this are examined first.
    pub(super) rank: u32,
    /// The [attribute to split at](LatticeBox::attribute_to_split), if that was worked out since the box became what it is.
    pub(super) split: Option<usize>,
}

impl LatticeBox {
    /// Of which nothing is known.
    pub(super) fn new(low: Node, high: Node) -> Self {
        LatticeBox {
            floor: Loss(0.0),
            low,
            high,
            rows_lost: 0,
            added: Arc::new([]),
            low_is_counted: false,
            rank: 0,
            split: None,
        }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> u128 {
        let levels = self.low.levels().zip(self.high.levels());
        levels.fold(1u128, |nodes, (low, high)| {
            nodes.saturating_mul(u128::from(high.steps_above(low)) + 1)
        })
    }

    /// What is known of its nodes, as a metric wants it.
    pub(super) fn known(&self, smallest_safe: u32) -> Known<'_> {
        Known {
            rows_suppressed: self.rows_lost,
            smallest_safe,
            added: &self.added,
        }
    }

    /// The nodes up to the middle level of an attribute, and those above it.
    pub(super) fn halves(&self, attribute: usize) -> (Self, Self) {
        let middle = self.middle(attribute);
        let lower = LatticeBox {
            high: self.high.with(attribute, middle),
            split: None,
            ..self.clone()
        };
        let upper = LatticeBox {
            low: self.low.with(attribute, middle.above()),
            low_is_counted: false,
            split: None,
            ..self.clone()
        };
        (lower, upper)
    }

    /// Where an attribute's levels are cut in two: the last level of the lower half.
    fn middle(&self, attribute: usize) -> Level {
        let (low, high) = (self.low.level(attribute), self.high.level(attribute));
        Level(low.0 + high.steps_above(low) / 2)
    }

    /// The attribute to split at; none if the box is a single node.
    ///
    /// If classes matter, the one whose upper half has the fewest groups for each of the lower: neither the upper half nor what
    /// the high corner of the lower one rules out is a small matter then. Otherwise, the one whose upper half costs the most; of
    /// equal ones, the one whose lower half has the most groups for each of the whole, so that it is the likeliest to be ruled out.
    pub(super) fn attribute_to_split(
        &self,
        problem: &Problem<'_>,
        classes_matter: bool,
        smallest_safe: u32,
    ) -> Option<usize> {
        (0..self.low.len())
            .filter(|&attribute| self.low.level(attribute) < self.high.level(attribute))
            .max_by_key(|&attribute| {
                let (low, high) = (self.low.level(attribute), self.high.level(attribute));
                let middle = self.middle(attribute);
                let groups =
                    |level| problem.table.attributes[attribute].hierarchy.groups(level) as f64;
                let fewer = |from, to| Loss(groups(from) / groups(to));
                let (cost, tied) = match classes_matter {
                    true => (
                        fewer(low, middle.above()),
                        Loss(f64::from(high.steps_above(low))),
                    ),
                    false => {
                        let raised = self.low.with(attribute, middle.above());
                        let known = self.known(smallest_safe);
                        (problem.metric.floor(&raised, known), fewer(middle, high))
                    }
                };
                (cost, tied, std::cmp::Reverse(attribute))
            })
    }
}

impl Eq for LatticeBox {}

/// The heap's greatest box is the next one to examine: lowest floor, then lowest rank, then first in lattice order.
impl Ord for LatticeBox {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |of: &Self| (of.floor, of.rank);
        let by_place = || (&other.low, &other.high).cmp(&(&self.low, &self.high));
        key(other).cmp(&key(self)).then_with(by_place)
    }
}

impl PartialOrd for LatticeBox {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
