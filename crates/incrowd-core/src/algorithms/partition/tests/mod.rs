//! The paper's figures and examples, and spaces against what they are by definition.

mod definition;
mod paper;

pub(super) use definition::any_values;

use super::blocks::Partition;
use super::scheme::{Space, find};
use super::values::Values;
use crate::algorithms::partition::settings::Scheme;

/// Values with a hierarchy given as the group of each value at each level above the values.
pub(super) fn values(levels: &[&[u32]]) -> Values {
    let count = levels[0].len() as u32;
    let mut all = vec![(0..count).collect::<Vec<u32>>()];
    all.extend(levels.iter().map(|level| level.to_vec()));
    Values {
        values_of_leaves: (0..count).map(Some).collect(),
        rows: vec![1; count as usize],
        levels: all,
    }
}

pub(super) fn space(scheme: Scheme, levels: &[&[u32]]) -> Space {
    find(scheme).space(&values(levels))
}

/// A partition written as `1|2 3|4`, values counted from 1.
pub(super) fn partition(text: &str) -> Partition {
    let mut numbers = Vec::new();
    for (block, values) in (0..).zip(text.split('|')) {
        for value in values.split_whitespace() {
            numbers.push((value.parse::<u32>().unwrap(), block));
        }
    }
    numbers.sort_unstable();
    Partition::from_numbers(numbers.into_iter().map(|(_, block)| block))
}

pub(super) fn text(partition: &Partition) -> String {
    let blocks = partition.members().into_iter().map(|block| {
        let values = block.iter().map(|value| (value + 1).to_string());
        values.collect::<Vec<_>>().join(" ")
    });
    blocks.collect::<Vec<_>>().join("|")
}

/// Every partition below the first in the tree of steps, itself included, parents before children.
pub(super) fn walk(
    first: Partition,
    step: impl Fn(&Partition) -> Vec<Partition>,
) -> Vec<Partition> {
    let mut found = vec![first];
    let mut next = 0;
    while next < found.len() {
        let children = step(&found[next]);
        found.extend(children);
        next += 1;
    }
    found
}

pub(super) fn bottom_up(space: &Space) -> Vec<Partition> {
    walk(space.finest(), |partition| space.joins(partition))
}

pub(super) fn top_down(space: &Space) -> Vec<Partition> {
    walk(space.coarsest(), |partition| {
        space.splits(partition).unwrap()
    })
}
