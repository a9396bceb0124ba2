//! The schemes, each in its own file: which partitions of a column's values are allowed.
//!
//! Five of the six are similar. There is a tree over the values, and at every node whose values are not all in one
//! block, whole children may be joined into blocks while single ones are treated separately. Guided schemes use the
//! tree of the hierarchy, the others a tree without levels; [`Joins`] says which children may be joined.

mod bhs;
pub(super) mod ghs;
mod gops;
mod gsps;
mod ops;
mod sps;

use super::blocks::Partition;
use super::tree::Tree;
use super::values::Values;
use crate::algorithms::partition::settings::Scheme;
use std::fmt::Debug;

/// A scheme, which builds a space of partitions from values.
pub(super) trait PartitionScheme: Debug + Sync {
    fn space(&self, values: &Values) -> Space;
}

/// What a scheme means.
pub(super) fn find(scheme: Scheme) -> &'static dyn PartitionScheme {
    match scheme {
        Scheme::Bhs => &bhs::Bhs,
        Scheme::Ghs => &ghs::Ghs,
        Scheme::Gops => &gops::Gops,
        Scheme::Gsps => &gsps::Gsps,
        Scheme::Ops => &ops::Ops,
        Scheme::Sps => &sps::Sps,
    }
}

/// All partitions that a scheme allows for a column.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// The values, from the first to the last of the order that partitions are about.
    pub order: Vec<u32>,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone)]
pub(super) enum Shape {
    Tree {
        tree: Tree,
        joins: Joins,
    },
    /// These partitions and no others, each within the next.
    Chain(Vec<Partition>),
}

/// Which children of a node may be joined into a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joins {
    /// Any.
    Any,
    /// Neighbors.
    Runs,
    /// All or none.
    All,
}

impl Space {
    fn of_tree(levels: &[Vec<u32>], joins: Joins) -> Space {
        let (tree, order) = Tree::of_levels(levels);
        Space {
            order,
            shape: Shape::Tree { tree, joins },
        }
    }

    /// The number of values.
    pub(super) fn values(&self) -> usize {
        self.order.len()
    }

    /// Every value alone.
    pub(super) fn finest(&self) -> Partition {
        match &self.shape {
            Shape::Tree { tree, .. } => Partition::finest(tree.values()),
            Shape::Chain(chain) => chain[0].clone(),
        }
    }

    /// As few blocks as allowed.
    pub(super) fn coarsest(&self) -> Partition {
        match &self.shape {
            Shape::Tree { tree, .. } => {
                let roots = tree.roots().iter().zip(0..);
                Partition::from_numbers(
                    roots.flat_map(|(&root, number)| {
                        tree.nodes()[root].values().map(move |_| number)
                    }),
                )
            }
            Shape::Chain(chain) => chain[chain.len() - 1].clone(),
        }
    }

    /// How many groups there are, values included. Of two spaces that join neighbors within the same roots, the one with more
    /// groups has fewer partitions: those of a group are joined with others only as a whole.
    pub(super) fn groups(&self) -> usize {
        match &self.shape {
            Shape::Chain(chain) => chain.len(),
            Shape::Tree { tree, .. } => tree.nodes().len(),
        }
    }

    /// How many partitions there are, as exactly as a float allows; infinite beyond that, and never NaN.
    pub(super) fn size(&self) -> f64 {
        match &self.shape {
            Shape::Chain(chain) => chain.len() as f64,
            Shape::Tree { tree, joins } => {
                // Children come after their parent.
                let mut counts = vec![1.0; tree.nodes().len()];
                for (at, node) in tree.nodes().iter().enumerate().rev() {
                    if !node.is_value() {
                        let children: Vec<f64> =
                            node.children.iter().map(|&child| counts[child]).collect();
                        counts[at] = joins.count(&children);
                    }
                }
                tree.roots().iter().map(|&root| counts[root]).product()
            }
        }
    }

    /// Whether a partition is one of the space.
    pub(super) fn contains(&self, partition: &Partition) -> bool {
        let (tree, joins) = match &self.shape {
            Shape::Chain(chain) => return chain.contains(partition),
            Shape::Tree { tree, joins } => (tree, joins),
        };
        partition.members().iter().all(|block| {
            let (first, last) = (block[0], block[block.len() - 1]);
            let Some(top) = tree.lowest_above(first, last) else {
                return false;
            };
            let node = &tree.nodes()[top];
            let mut joined = Vec::new();
            let mut rest = block.as_slice();
            while let Some(&value) = rest.first() {
                if node.is_value() {
                    break;
                }
                // Children and the values of a block both ascend.
                let ends_before = |&child: &usize| tree.nodes()[child].end <= value;
                let place = node.children.partition_point(ends_before);
                let child = &tree.nodes()[node.children[place]];
                let inside = rest.partition_point(|&value| value < child.end);
                if inside as u32 != child.end - child.first {
                    return false;
                }
                joined.push(place);
                rest = &rest[inside..];
            }
            match joins {
                Joins::Any => true,
                Joins::Runs => joined.windows(2).all(|pair| pair[0] + 1 == pair[1]),
                Joins::All => joined.len() == node.children.len(),
            }
        })
    }
}

/// More things than this have more set partitions (Bell numbers) than a float can represent.
const MOST_COUNTED: usize = 218;

impl Joins {
    /// How many ways there are to join children, given the number of partitions of each.
    fn count(self, children: &[f64]) -> f64 {
        match self {
            Joins::All => 1.0 + children.iter().product::<f64>(),
            Joins::Runs => {
                // Ways for the first children: the last one is alone, or in a run that began before.
                let (mut ways, mut before) = (1.0, 0.0);
                for child in children {
                    let longer = ways * child + before;
                    before += ways;
                    ways = longer;
                }
                ways
            }
            Joins::Any if children.len() > MOST_COUNTED => f64::INFINITY,
            Joins::Any => {
                // By the number of children that are not single: the sum over them of set partitions without
                // single blocks, times the elementary symmetric sums of what the single ones have.
                let mut sums = vec![1.0];
                for &child in children {
                    sums.push(0.0);
                    for at in (1..sums.len()).rev() {
                        sums[at] += sums[at - 1] * child;
                    }
                }
                let joined = partitions_without_singles(children.len());
                // Zero ways stay zero, however many ways the single ones have: 0 times infinity is NaN.
                let ways = (sums.iter().rev().zip(&joined)).filter(|&(_, &joined)| joined > 0.0);
                ways.map(|(single, joined)| single * joined).sum()
            }
        }
    }
}

/// For 0 to `most` elements the set partitions in which no block is single.
fn partitions_without_singles(most: usize) -> Vec<f64> {
    let mut counts = vec![1.0];
    for elements in 1..=most {
        // The block of the last element has `others` more.
        let mut choose = 1.0;
        let mut count = 0.0;
        for others in 1..elements {
            choose *= (elements - others) as f64 / others as f64;
            count += choose * counts[elements - 1 - others];
        }
        counts.push(count);
    }
    counts
}
