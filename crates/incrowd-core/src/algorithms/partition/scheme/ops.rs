//! Neighbors of an order: the ordered partitioning scheme of Bayardo and Agrawal.

use super::{Joins, PartitionScheme, Space};
use crate::algorithms::partition::values::Values;

#[derive(Debug)]
pub(super) struct Ops;

impl PartitionScheme for Ops {
    fn space(&self, values: &Values) -> Space {
        // A run of the order that the highest acceptable level cuts in two is two runs.
        let highest = &values.levels[values.levels.len() - 1];
        let mut run = 0;
        let runs = highest.iter().enumerate().map(|(at, group)| {
            run += u32::from(at > 0 && *group != highest[at - 1]);
            run
        });
        Space::of_tree(&[values.levels[0].clone(), runs.collect()], Joins::Runs)
    }
}
