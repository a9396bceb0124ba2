//! The boundaries between neighboring values, and what is decided about them.
//!
//! Where a scheme only joins neighbors, a partition is a set of boundaries that are gone. Guided schemes add that some
//! boundaries take others along: whoever joins two groups joins all values of both.

use super::super::blocks::Partition;
use super::super::scheme::{Joins, Shape, Space};
use super::super::tree::Tree;
use std::ops::Range;

/// What is decided about a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Boundary {
    /// Nothing yet.
    Open,
    /// The values on its two sides stay apart.
    Kept,
    /// They are in one block.
    Gone,
}

/// What is decided about every boundary, attribute by attribute.
pub(super) type Decisions = Vec<Boundary>;

/// The boundaries of all attributes.
#[derive(Debug)]
pub(super) struct Boundaries {
    /// Where those of each attribute begin, and the end.
    starts: Vec<usize>,
    /// Those that are gone if this one is.
    takes_along: Vec<Vec<u32>>,
    /// Those that are kept if this one is.
    holds: Vec<Vec<u32>>,
    /// By attribute, whether a boundary and those that it takes along follow one another.
    are_runs: Vec<bool>,
    /// What is decided from the beginning.
    first: Decisions,
}

impl Boundaries {
    /// None if some attribute may join values that are not neighbors.
    pub(super) fn new(spaces: &[Space]) -> Option<Self> {
        let mut all = Boundaries {
            starts: vec![0],
            takes_along: Vec::new(),
            holds: Vec::new(),
            are_runs: Vec::new(),
            first: Vec::new(),
        };
        for space in spaces {
            match &space.shape {
                Shape::Tree {
                    joins: Joins::Any, ..
                } => return None,
                Shape::Tree { tree, joins } => all.add_tree(tree, *joins),
                Shape::Chain(chain) => all.add_chain(chain)?,
            }
            all.are_runs.push(matches!(space.shape, Shape::Tree { .. }));
            all.starts.push(all.first.len());
        }
        all.holds = vec![Vec::new(); all.first.len()];
        for (boundary, along) in (0..).zip(&all.takes_along) {
            for &other in along {
                all.holds[other as usize].push(boundary);
            }
        }
        Some(all)
    }

    fn add_tree(&mut self, tree: &Tree, joins: Joins) {
        let start = self.first.len() as u32;
        for value in 1..tree.values() as u32 {
            let Some(top) = tree.lowest_above(value - 1, value) else {
                self.add(Boundary::Kept, []);
                continue;
            };
            let top = &tree.nodes()[top];
            // The boundary `i` of an attribute is the one before its value `i + 1`.
            let inside = |values: Range<u32>| (values.start..values.end - 1).map(|it| start + it);
            match joins {
                Joins::All => self.add(Boundary::Open, inside(top.values())),
                _ => {
                    let children = top.children.iter().map(|&child| &tree.nodes()[child]);
                    let beside = children
                        .filter(|child| child.end == value || child.first == value)
                        .flat_map(|child| inside(child.values()));
                    self.add(Boundary::Open, beside);
                }
            }
        }
    }

    /// None if a block has a gap.
    fn add_chain(&mut self, chain: &[Partition]) -> Option<()> {
        let is_run = |partition: &Partition| {
            let blocks = partition.of_values();
            blocks.windows(2).all(|pair| pair[0] <= pair[1])
        };
        if !chain.iter().all(is_run) {
            return None;
        }
        let start = self.first.len();
        let values = chain[0].of_values().len();
        let joined = |partition: &Partition, value: usize| {
            partition.of_values()[value - 1] == partition.of_values()[value]
        };
        // The first partition of the chain in which each is gone.
        let steps: Vec<Option<usize>> = (1..values)
            .map(|value| chain.iter().position(|partition| joined(partition, value)))
            .collect();
        for &step in &steps {
            let along = (start as u32..).zip(&steps);
            let along = along.filter(|&(_, other)| other.is_some() && *other <= step);
            match step {
                None => self.add(Boundary::Kept, []),
                Some(0) => self.add(Boundary::Gone, []),
                Some(_) => self.add(Boundary::Open, along.map(|(other, _)| other)),
            }
        }
        Some(())
    }

    fn add(&mut self, first: Boundary, along: impl IntoIterator<Item = u32>) {
        let own = self.first.len() as u32;
        self.first.push(first);
        let along = along.into_iter().filter(|&other| other != own);
        self.takes_along.push(along.collect());
    }

    pub(super) fn first(&self) -> &Decisions {
        &self.first
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// Those of an attribute.
    pub(super) fn of(&self, attribute: usize) -> Range<usize> {
        self.starts[attribute]..self.starts[attribute + 1]
    }

    /// Whether some boundary of an attribute takes others along, all of them in one [reach](Self::reach).
    pub(super) fn has_reaches(&self, attribute: usize) -> bool {
        self.are_runs[attribute]
            && self
                .of(attribute)
                .any(|it| !self.takes_along[it].is_empty())
    }

    /// The first and the last boundary that are gone if this one is.
    pub(super) fn reach(&self, boundary: usize) -> (usize, usize) {
        let along = self.takes_along[boundary].iter().map(|&it| it as usize);
        along.fold((boundary, boundary), |(first, last), it| {
            (first.min(it), last.max(it))
        })
    }

    /// Decides about an open boundary, and about all that follow from it.
    pub(super) fn decide(&self, decisions: &mut Decisions, boundary: usize, what: Boundary) {
        decisions[boundary] = what;
        let others = match what {
            Boundary::Gone => &self.takes_along[boundary],
            _ => &self.holds[boundary],
        };
        for &other in others {
            decisions[other as usize] = what;
        }
    }

    /// The block of every value of an attribute. Open boundaries separate blocks at the `fine` corner only.
    pub(super) fn blocks<'a>(
        &self,
        decisions: &'a Decisions,
        attribute: usize,
        fine: bool,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let of_attribute = &decisions[self.of(attribute)];
        let mut block = 0;
        std::iter::once(0).chain(of_attribute.iter().map(move |decision| {
            block += u32::from(match decision {
                Boundary::Open => fine,
                Boundary::Kept => true,
                Boundary::Gone => false,
            });
            block
        }))
    }

    /// The partitions of a corner.
    pub(super) fn partitions(&self, decisions: &Decisions, fine: bool) -> Vec<Partition> {
        let attributes = 0..self.starts.len() - 1;
        attributes
            .map(|attribute| Partition::from_numbers(self.blocks(decisions, attribute, fine)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{any_values, bottom_up};
    use super::*;
    use crate::algorithms::partition::scheme::find;
    use crate::algorithms::partition::settings::Scheme;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Every partition that deciding one boundary after the other can lead to.
    fn all(boundaries: &Boundaries, decisions: Decisions, found: &mut BTreeSet<Partition>) {
        let is_open = |it: &Boundary| *it == Boundary::Open;
        let Some(open) = decisions.iter().position(is_open) else {
            let partition = boundaries.partitions(&decisions, true).remove(0);
            assert!(found.insert(partition), "decided twice");
            return;
        };
        for what in [Boundary::Kept, Boundary::Gone] {
            let mut decided = decisions.clone();
            boundaries.decide(&mut decided, open, what);
            all(boundaries, decided, found);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn boundaries_lead_to_the_partitions_of_a_scheme_each_once(values in any_values()) {
            for scheme in [Scheme::Bhs, Scheme::Ghs, Scheme::Gops, Scheme::Ops] {
                let space = find(scheme).space(&values);
                let expected: BTreeSet<Partition> = bottom_up(&space).into_iter().collect();
                let boundaries = Boundaries::new(std::slice::from_ref(&space)).unwrap();
                let mut found = BTreeSet::new();
                all(&boundaries, boundaries.first().clone(), &mut found);
                prop_assert_eq!(found, expected, "{}", scheme);
            }
        }
    }

    #[test]
    fn sets_of_values_that_are_no_neighbors_have_no_boundaries() {
        let values = super::super::super::tests::values(&[&[0, 0, 1, 1], &[0, 0, 0, 0]]);
        for scheme in [Scheme::Gsps, Scheme::Sps] {
            let space = find(scheme).space(&values);
            assert!(Boundaries::new(std::slice::from_ref(&space)).is_none());
        }
    }
}
