//! One level for all values: the basic hierarchical scheme.

use super::{PartitionScheme, Shape, Space};
use crate::algorithms::partition::blocks::Partition;
use crate::algorithms::partition::tree::Tree;
use crate::algorithms::partition::values::Values;

#[derive(Debug)]
pub(super) struct Bhs;

impl PartitionScheme for Bhs {
    fn space(&self, values: &Values) -> Space {
        let (_, order) = Tree::of_levels(&values.levels);
        let at = |groups: &Vec<u32>| {
            Partition::from_numbers(order.iter().map(|&value| groups[value as usize]))
        };
        let mut chain: Vec<Partition> = values.levels.iter().map(at).collect();
        chain.dedup();
        Space {
            shape: Shape::Chain(chain),
            order,
        }
    }
}
