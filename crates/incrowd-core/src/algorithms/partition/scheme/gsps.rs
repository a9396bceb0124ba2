//! Any sets, guided by the hierarchy: the guided set partitioning scheme.

use super::{Joins, PartitionScheme, Space};
use crate::algorithms::partition::values::Values;

#[derive(Debug)]
pub(super) struct Gsps;

impl PartitionScheme for Gsps {
    fn space(&self, values: &Values) -> Space {
        Space::of_tree(&values.levels, Joins::Any)
    }
}
