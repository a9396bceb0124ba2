//! A cut through the hierarchy: the group hierarchical scheme.

use super::{Joins, PartitionScheme, Space};
use crate::algorithms::partition::values::Values;

#[derive(Debug)]
pub(super) struct Ghs;

impl PartitionScheme for Ghs {
    fn space(&self, values: &Values) -> Space {
        Space::of_tree(&values.levels, Joins::All)
    }
}

/// How many cuts there are. A cut through a group with a single value and one through that value publish the same,
/// and so there may be more cuts than partitions.
#[cfg(test)]
pub(in crate::algorithms::partition) fn cuts(values: &Values) -> u64 {
    let mut counts = vec![1; values.rows.len()];
    for pair in values.levels.windows(2) {
        let mut above = vec![1; values.rows.len()];
        let firsts =
            (0..counts.len()).filter(|&at| pair[0][..at].iter().all(|&group| group != pair[0][at]));
        for at in firsts {
            above[pair[1][at] as usize] *= counts[pair[0][at] as usize];
        }
        counts = above.into_iter().map(|below: u64| below + 1).collect();
    }
    let mut highest = values.levels[values.levels.len() - 1].clone();
    highest.sort_unstable();
    highest.dedup();
    highest
        .into_iter()
        .map(|group| counts[group as usize])
        .product()
}
