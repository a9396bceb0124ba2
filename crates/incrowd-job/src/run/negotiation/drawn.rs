//! The lattice as it is drawn: rows suppressed at every node, or at the best nodes of each height if there are many.

use super::Ground;
use incrowd_core::lattice::Node;
use serde::{Deserialize, Serialize};

/// Nodes shown unless others are asked for.
const SHOWN: usize = 2000;

/// Which nodes to show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatticeFilter {
    /// None below this height.
    pub min_height: Option<u32>,
    /// None above this height.
    pub max_height: Option<u32>,
    /// None that suppresses more rows.
    pub at_most_suppressed: Option<u64>,
    /// No more nodes than this: those of each height that suppress fewest rows.
    #[serde(skip)]
    pub most: Option<usize>,
}

/// A lattice with the rows that a promise suppresses at each node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrawnLattice {
    /// The quasi-identifiers, in their order.
    pub attributes: Vec<DrawnAttribute>,
    /// All nodes.
    pub nodes_total: u64,
    /// Nodes listed.
    pub shown: u64,
    /// Every height, whatever is shown of it.
    pub heights: Vec<DrawnHeight>,
    /// The nodes, in lattice order.
    pub nodes: Vec<DrawnNode>,
}

/// A quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrawnAttribute {
    /// The column.
    pub name: String,
    /// Its highest level.
    pub height: u8,
}

/// The nodes of one height.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrawnHeight {
    /// The height.
    pub height: u32,
    /// Its nodes.
    pub nodes: u64,
    /// The fewest rows that one of them suppresses.
    pub least: u64,
    /// The most.
    pub greatest: u64,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrawnNode {
    /// The level of every quasi-identifier.
    pub levels: Vec<u8>,
    /// Their sum.
    pub height: u32,
    /// Rows in classes that break the promise.
    pub rows_suppressed: u64,
    /// Whether its levels are acceptable and it suppresses no more rows than it may.
    pub meets: bool,
}

/// What is known of the lattice, by position.
pub(super) struct Seen<'a> {
    pub(super) ground: &'a Ground,
    pub(super) nodes: &'a [Node],
    pub(super) rows: &'a [u32],
    /// Rows are told apart in steps of so many.
    pub(super) step: u32,
    pub(super) budget: u32,
    pub(super) limit: &'a Node,
}

impl Seen<'_> {
    fn rows(&self, at: usize) -> u64 {
        match self.step {
            1 => self.rows[at].into(),
            step => u64::from(self.rows[at] / step + 1) * u64::from(step),
        }
    }

    pub(super) fn draw(&self, filter: &LatticeFilter) -> DrawnLattice {
        let mut heights: Vec<DrawnHeight> = Vec::new();
        for at in 0..self.nodes.len() {
            let (height, rows) = (self.nodes[at].height(), self.rows(at));
            match heights.last_mut().filter(|last| last.height == height) {
                Some(last) => {
                    last.nodes += 1;
                    last.least = last.least.min(rows);
                    last.greatest = last.greatest.max(rows);
                }
                None => heights.push(DrawnHeight {
                    height,
                    nodes: 1,
                    least: rows,
                    greatest: rows,
                }),
            }
        }
        let shown = self.best_of_each_height(&self.wanted(filter), filter.most.unwrap_or(SHOWN));
        let quasi_identifiers = self.ground.quasi_identifiers();
        DrawnLattice {
            attributes: quasi_identifiers
                .map(|(name, height)| DrawnAttribute {
                    name: name.to_owned(),
                    height,
                })
                .collect(),
            nodes_total: self.nodes.len() as u64,
            shown: shown.len() as u64,
            heights,
            nodes: shown.into_iter().map(|at| self.node(at)).collect(),
        }
    }

    fn node(&self, at: usize) -> DrawnNode {
        let (node, rows) = (&self.nodes[at], self.rows(at));
        DrawnNode {
            levels: node.levels().map(|level| level.0).collect(),
            height: node.height(),
            rows_suppressed: rows,
            meets: rows <= self.budget.into() && node.is_at_or_below(self.limit),
        }
    }

    /// The nodes that the filter lets through, by position.
    fn wanted(&self, filter: &LatticeFilter) -> Vec<usize> {
        let at_most = filter.at_most_suppressed.unwrap_or(u64::MAX);
        let (low, high) = (filter.min_height.unwrap_or(0), filter.max_height);
        (0..self.nodes.len())
            .filter(|&at| {
                let height = self.nodes[at].height();
                height >= low && high.is_none_or(|high| height <= high) && self.rows(at) <= at_most
            })
            .collect()
    }

    /// Every height keeps its share of the nodes, at least one, and of its nodes those that suppress fewest rows.
    fn best_of_each_height(&self, wanted: &[usize], most: usize) -> Vec<usize> {
        if wanted.len() <= most {
            return wanted.to_vec();
        }
        let of_height =
            |one: &usize, other: &usize| self.nodes[*one].height() == self.nodes[*other].height();
        let mut shown: Vec<usize> = Vec::new();
        for height in wanted.chunk_by(of_height) {
            let share = (height.len() * most / wanted.len()).max(1);
            let mut best = height.to_vec();
            best.sort_by_key(|&at| (self.rows(at), at));
            best.truncate(share);
            best.sort_unstable();
            shown.extend(best);
        }
        shown.truncate(most);
        shown
    }
}
