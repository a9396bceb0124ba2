//! One quasi-identifier, its values sorted into arbitrary groups.

use super::Labels;
use crate::counts::Attribute;
use crate::utility::{Cover, PublishedAttribute};

/// How one quasi-identifier is published: each raw value belongs to a group, each group has a label.
///
/// Groups are numbered in the order of their first leaf, so equal groupings are equal values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    groups_of_leaves: Vec<u32>,
    labels: Vec<String>,
    /// Leaves of each group.
    leaves: Vec<u32>,
    /// Rows of the table in each group.
    rows: Vec<u32>,
}

impl Grouping {
    /// Groups the leaves of an attribute: those with equal numbers are published as the same label, which says which
    /// values it stands for.
    ///
    /// # Panics
    /// If there is not one number per leaf.
    pub fn new(attribute: &Attribute, groups_of_leaves: &[u32]) -> Self {
        assert_eq!(
            groups_of_leaves.len(),
            attribute.hierarchy.leaves(),
            "a group for each leaf"
        );
        let mut new_numbers = hashbrown::HashMap::new();
        let groups_of_leaves: Vec<u32> = (groups_of_leaves.iter())
            .map(|group| {
                let next = new_numbers.len() as u32;
                *new_numbers.entry(*group).or_insert(next)
            })
            .collect();
        let members = members(&groups_of_leaves, new_numbers.len());
        let rows_of_leaves = &attribute.rows_of_groups[0];
        let rows = |leaves: &Vec<u32>| -> u32 {
            let rows = leaves.iter().map(|&leaf| rows_of_leaves[leaf as usize]);
            rows.sum()
        };
        let labels = Labels::new(attribute);
        Grouping {
            groups_of_leaves,
            labels: (members.iter())
                .map(|leaves| labels.write(&labels.order().set(leaves.iter().copied())))
                .collect(),
            leaves: members.iter().map(|leaves| leaves.len() as u32).collect(),
            rows: members.iter().map(rows).collect(),
        }
    }

    /// The number of the group of each leaf.
    pub fn groups_of_leaves(&self) -> &[u32] {
        &self.groups_of_leaves
    }

    /// The text published for each group.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(String::as_str)
    }

    /// The same groups under other labels, true or not.
    #[cfg(test)]
    pub(crate) fn with_labels<const N: usize>(mut self, labels: [&str; N]) -> Self {
        self.labels = labels.map(String::from).into();
        self
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.labels.len()
    }

    /// The attribute as published, as far as that is known before classes are judged.
    pub(super) fn published(&self) -> PublishedAttribute<'_> {
        PublishedAttribute {
            level: None,
            cover: Cover::Disjoint(&self.groups_of_leaves),
            leaves: &self.leaves,
            rows: &self.rows,
            rows_suppressed: &[],
            leaves_suppressed: &[],
        }
    }
}

/// The leaves of each group, ascending.
fn members(groups_of_leaves: &[u32], groups: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); groups];
    for (&group, leaf) in groups_of_leaves.iter().zip(0..) {
        members[group as usize].push(leaf);
    }
    members
}
