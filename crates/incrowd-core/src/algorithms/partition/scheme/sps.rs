//! Any partition: the set partitioning scheme.

use super::{Joins, PartitionScheme, Space};
use crate::algorithms::partition::values::Values;

#[derive(Debug)]
pub(super) struct Sps;

impl PartitionScheme for Sps {
    fn space(&self, values: &Values) -> Space {
        let highest = values.levels[values.levels.len() - 1].clone();
        Space::of_tree(&[values.levels[0].clone(), highest], Joins::Any)
    }
}
