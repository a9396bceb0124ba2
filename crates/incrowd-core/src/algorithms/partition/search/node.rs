//! A node of the tree, and the order in which nodes are examined.

use super::super::blocks::Partition;
use super::super::classes::Classes;
use std::cmp::Ordering;

/// Partitions, what is known about them, and what may change below.
pub(super) struct Node {
    /// A lower bound of the cost of everything below.
    pub(super) bound: f64,
    /// Increases as nodes are created.
    pub(super) number: u64,
    /// The partitions; that of the attribute left out is the finest.
    pub(super) partitions: Vec<Partition>,
    /// The fine corner.
    pub(super) fine: Vec<Partition>,
    /// Its classes.
    pub(super) classes: Classes,
    /// The position, in the order of attributes, of the one changed last.
    pub(super) changed: usize,
    /// Attributes, as bits, that do not change below.
    pub(super) fixed: u64,
    pub(super) is_visited: bool,
    /// Nodes by their number, not by their bound.
    pub(super) is_by_age: bool,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

/// The greatest is examined next.
impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_age = other.number.cmp(&self.number);
        match self.is_by_age {
            true => by_age,
            false => other.bound.total_cmp(&self.bound).then(by_age),
        }
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Node {
    /// Approximate bytes it takes.
    pub(super) fn memory(&self) -> usize {
        let blocks: usize = (self.partitions.iter())
            .map(|partition| 8 * partition.of_values().len())
            .sum();
        self.classes.memory() + blocks + 256
    }
}
