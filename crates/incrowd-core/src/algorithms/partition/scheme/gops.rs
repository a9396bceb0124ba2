//! Neighbors, guided by the hierarchy: the guided ordered partitioning scheme.

use super::{Joins, PartitionScheme, Space};
use crate::algorithms::partition::values::Values;

#[derive(Debug)]
pub(super) struct Gops;

impl PartitionScheme for Gops {
    fn space(&self, values: &Values) -> Space {
        Space::of_tree(&values.levels, Joins::Runs)
    }
}
