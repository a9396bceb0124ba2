//! Sets of leaves, kept small: as runs of an order in which the groups that are published lie together.
//!
//! A class of its own region may cover half of a million numbers, and there may be a hundred thousand such classes.

use super::Attribute;
use crate::hierarchy::Leaf;
use crate::lattice::Level;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The leaves of an attribute in the order that [`LeafSet`]s are runs of: numbers and dates by size, after those that are
/// neither; other leaves with those of the same group of the hierarchy next to each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeafOrder {
    /// The number of the leaf at each position.
    leaves: Vec<u32>,
    /// The position of each leaf.
    positions: Vec<u32>,
    /// Of numbers and dates: the number at each position, NaN at the first ones.
    numbers: Option<Vec<f64>>,
}

impl LeafOrder {
    /// The order of an attribute's leaves.
    pub fn new(attribute: &Attribute) -> Self {
        let hierarchy = &attribute.hierarchy;
        let mut leaves: Vec<u32> = (0..hierarchy.leaves() as u32).collect();
        let numbers = attribute.numbers_of_leaves();
        match &numbers {
            Some(numbers) => leaves.sort_by(|&one, &other| {
                let (one, other) = (numbers[one as usize], numbers[other as usize]);
                (other.is_nan().cmp(&one.is_nan())).then(one.total_cmp(&other))
            }),
            None => {
                let levels: Vec<&[u32]> = (Level::under(hierarchy.height()).rev())
                    .map(|level| hierarchy.groups_of_leaves(level))
                    .collect();
                let path = |leaf: u32| levels.iter().map(move |groups| groups[leaf as usize]);
                leaves.sort_by(|&one, &other| path(one).cmp(path(other)));
            }
        }
        let mut positions = vec![0; leaves.len()];
        for (position, &leaf) in (0..).zip(&leaves) {
            positions[leaf as usize] = position;
        }
        let in_order = |numbers: Vec<f64>| leaves.iter().map(|&it| numbers[it as usize]).collect();
        LeafOrder {
            numbers: numbers.map(in_order),
            leaves,
            positions,
        }
    }

    /// The number of leaves.
    pub fn len(&self) -> u32 {
        self.leaves.len() as u32
    }

    /// Whether there is no leaf.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The leaf at a position.
    pub fn leaf(&self, position: u32) -> Leaf {
        Leaf(self.leaves[position as usize])
    }

    /// The position of a leaf.
    pub fn position(&self, leaf: Leaf) -> u32 {
        self.positions[leaf.index()]
    }

    /// Of numbers and dates: the number at each position, NaN at the first ones. None for text.
    pub fn numbers(&self) -> Option<&[f64]> {
        self.numbers.as_deref()
    }

    /// A set of leaves, given by their numbers in any order.
    pub fn set(&self, leaves: impl IntoIterator<Item = u32>) -> LeafSet {
        let positions = leaves.into_iter().map(|leaf| self.position(Leaf(leaf)));
        let mut positions: Vec<u32> = positions.collect();
        positions.sort_unstable();
        let mut set = LeafSet::default();
        for position in positions {
            match set.0.last_mut() {
                Some(run) if run.end >= position => run.end = run.end.max(position + 1),
                _ => set.0.push(Run {
                    start: position,
                    end: position + 1,
                }),
            }
        }
        set
    }

    /// The leaves between the positions, both included.
    pub fn between(&self, first: u32, last: u32) -> LeafSet {
        LeafSet(smallvec![Run {
            start: first,
            end: last + 1,
        }])
    }

    /// All leaves.
    pub fn all(&self) -> LeafSet {
        match self.len() {
            0 => LeafSet::default(),
            leaves => self.between(0, leaves - 1),
        }
    }

    /// Whether some sets have a leaf in common.
    pub(crate) fn overlap(&self, sets: &[LeafSet]) -> bool {
        let mut runs: Vec<Run> = sets.iter().flat_map(|set| set.0.iter().copied()).collect();
        runs.sort_unstable_by_key(|run| (run.start, run.end));
        runs.windows(2).any(|two| two[1].start < two[0].end)
    }

    /// All leaves from the first of two sets to the last of them.
    pub fn hull(&self, one: &LeafSet, other: &LeafSet) -> LeafSet {
        match (one.ends(), other.ends()) {
            (Some(one), Some(other)) => self.between(one.0.min(other.0), one.1.max(other.1)),
            (None, _) => other.clone(),
            (_, None) => one.clone(),
        }
    }

    /// The numbers of the leaves of a set, ascending.
    pub fn leaves(&self, set: &LeafSet) -> Vec<u32> {
        let mut leaves: Vec<u32> = (set.positions())
            .map(|position| self.leaves[position as usize])
            .collect();
        leaves.sort_unstable();
        leaves
    }
}

/// A set of leaves of one [`LeafOrder`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct LeafSet(SmallVec<[Run; 1]>);

/// Leaves next to each other, from one position up to another, which is no longer part of it. Runs of a set ascend and
/// do not touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Run {
    start: u32,
    end: u32,
}

impl LeafSet {
    /// How many leaves there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|run| run.end - run.start).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of its leaves lie from one position up to another, which is no longer counted.
    pub(crate) fn len_between(&self, start: u32, end: u32) -> u32 {
        let inside = |run: &Run| run.end.min(end).saturating_sub(run.start.max(start));
        self.0.iter().map(inside).sum()
    }

    /// Whether the leaf at this position is part of it.
    pub fn contains(&self, position: u32) -> bool {
        let after = self.0.partition_point(|run| run.start <= position);
        after > 0 && position < self.0[after - 1].end
    }

    /// The positions of the leaves, ascending.
    pub fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|run| run.start..run.end)
    }

    /// The positions of the leaves as ranges, ascending.
    pub fn runs(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        self.0.iter().map(|run| run.start..run.end)
    }

    /// The first and the last position; none if the set is empty.
    pub fn ends(&self) -> Option<(u32, u32)> {
        Some((self.0.first()?.start, self.0.last()?.end - 1))
    }

    /// The first and the last position of the leaves that are not before a position; none if there is no such leaf.
    pub(crate) fn ends_from(&self, position: u32) -> Option<(u32, u32)> {
        let run = self.0.iter().find(|run| run.end > position)?;
        Some((run.start.max(position), self.0.last()?.end - 1))
    }

    /// Whether all leaves are in one group, given the group at each position and how often it changed up to each
    /// position, not counting that position itself.
    pub(crate) fn is_in_one<G: PartialEq>(
        &self,
        changes: &[u64],
        group: impl Fn(u32) -> G,
    ) -> bool {
        let is_one = |run: &Run| changes[run.end as usize] == changes[run.start as usize + 1];
        let is_same = |run: &Run| group(run.start) == group(self.0[0].start);
        self.0.iter().all(|run| is_one(run) && is_same(run))
    }

    /// The sum of what the leaves have, given for each position the sum of what is before it and, at the end, of all.
    pub(crate) fn sum_of(&self, before: &[u64]) -> u64 {
        let sums = (self.0.iter()).map(|run| before[run.end as usize] - before[run.start as usize]);
        sums.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use std::collections::BTreeSet;

    fn order_of(leaves: Vec<u32>) -> LeafOrder {
        let mut positions = vec![0; leaves.len()];
        for (position, &leaf) in (0..).zip(&leaves) {
            positions[leaf as usize] = position;
        }
        LeafOrder {
            leaves,
            positions,
            numbers: None,
        }
    }

    #[test]
    fn a_set_is_what_a_set_of_numbers_would_be() {
        let rng = &mut Rng::with_seed(7);
        for _ in 0..500 {
            let mut leaves: Vec<u32> = (0..rng.u32(1..12)).collect();
            rng.shuffle(&mut leaves);
            let order = order_of(leaves.clone());
            let plain: BTreeSet<u32> = (leaves.iter().copied()).filter(|_| rng.bool()).collect();
            let set = order.set(plain.iter().copied());
            assert_eq!(order.leaves(&set), Vec::from_iter(plain.iter().copied()));
            assert_eq!(set.len() as usize, plain.len());
            assert_eq!(set.is_empty(), plain.is_empty());
            for leaf in 0..order.len() {
                let position = order.position(Leaf(leaf));
                assert_eq!(set.contains(position), plain.contains(&leaf));
                assert_eq!(order.leaf(position), Leaf(leaf));
            }
            let positions: BTreeSet<u32> = set.positions().collect();
            let ends = positions.first().copied().zip(positions.last().copied());
            assert_eq!(set.ends(), ends);
            let mut before = vec![0];
            before.extend(leaves.iter().scan(0, |sum, &leaf| {
                *sum += u64::from(leaf);
                Some(*sum)
            }));
            let sum: u32 = plain.iter().sum();
            assert_eq!(set.sum_of(&before), u64::from(sum));
            if let Some((first, last)) = set
                .ends()
                .filter(|(first, last)| last - first + 1 == set.len())
            {
                assert_eq!(order.between(first, last), set, "one form for one set");
            }
        }
    }
}
