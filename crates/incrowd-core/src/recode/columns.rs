//! Recodings by columns: every value of a column belongs to one group, whatever its row.
//!
//! They differ in the groups they allow: those of one level, those of a cut through the hierarchy, or any. A
//! [`Grouping`] describes one quasi-identifier in the general case.

use super::{Grouping, PublishedCells, PublishedColumn, Recoding};
use crate::counts::{CountedTable, FrequencySet, Scratch, Step, regroup};
use crate::hierarchy::Group;
use crate::lattice::Node;
use crate::utility::PublishedAttribute;
use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

/// A recoding by columns: a raw value is published the same in every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRecoding {
    /// Every value of a column at the same level of its hierarchy.
    FullDomain(Node),
    /// The values of a column at different levels, each under one published ancestor; numbers also in intervals of
    /// their own.
    Cuts(Vec<Grouping>),
    /// The values of a column in blocks of any kind.
    Partitions(Vec<Grouping>),
}

impl ColumnRecoding {
    /// The levels, if every value of a column is published at the same one.
    pub fn node(&self) -> Option<&Node> {
        match self {
            ColumnRecoding::FullDomain(node) => Some(node),
            ColumnRecoding::Cuts(_) | ColumnRecoding::Partitions(_) => None,
        }
    }

    /// The groups, if they do not follow levels.
    pub fn groupings(&self) -> Option<&[Grouping]> {
        match self {
            ColumnRecoding::FullDomain(_) => None,
            ColumnRecoding::Cuts(groupings) | ColumnRecoding::Partitions(groupings) => {
                Some(groupings)
            }
        }
    }

    /// The quasi-identifiers as published, as far as that is known before classes are judged.
    pub fn attributes<'a>(&'a self, table: &'a CountedTable) -> Vec<PublishedAttribute<'a>> {
        match self {
            ColumnRecoding::FullDomain(node) => (table.attributes.iter().zip(node.levels()))
                .map(|(attribute, level)| PublishedAttribute::at_level(attribute, level, &[]))
                .collect(),
            ColumnRecoding::Cuts(groupings) | ColumnRecoding::Partitions(groupings) => {
                groupings.iter().map(Grouping::published).collect()
            }
        }
    }

    /// The classes, with the histograms of these columns.
    pub fn count(&self, table: &CountedTable, columns: &[usize]) -> FrequencySet {
        let shown = self.attributes(table);
        let steps: Vec<Step<'_>> = (shown.iter())
            .map(|shown| Step {
                above: Some(Cow::Borrowed(shown.groups_of_leaves())),
                groups: shown.leaves.len(),
            })
            .collect();
        let (scratch, mut classes) = (&mut Scratch::of_table(table), FrequencySet::default());
        regroup(table, &table.tuples, &steps, columns, scratch, &mut classes);
        classes
    }
}

impl Recoding for ColumnRecoding {
    fn name(&self) -> &'static str {
        match self {
            ColumnRecoding::FullDomain(_) => "full-domain",
            ColumnRecoding::Cuts(_) => "cuts",
            ColumnRecoding::Partitions(_) => "partitions",
        }
    }

    fn columns<'a>(&'a self, table: &'a CountedTable) -> Vec<PublishedColumn<'a>> {
        match self {
            // A recoding that does not fit publishes nothing, and is refused for that.
            ColumnRecoding::FullDomain(node) if !node.is_at_or_below(table.lattice().top()) => {
                Vec::new()
            }
            ColumnRecoding::FullDomain(node) => (table.attributes.iter().zip(node.levels()))
                .map(|(attribute, level)| {
                    let hierarchy = &attribute.hierarchy;
                    let groups = 0..hierarchy.groups(level) as u32;
                    PublishedColumn {
                        level: Some(level),
                        texts: groups
                            .map(|group| hierarchy.label(level, Group(group)))
                            .collect(),
                        cells: PublishedCells::ByLeaf(hierarchy.groups_of_leaves(level)),
                    }
                })
                .collect(),
            ColumnRecoding::Cuts(groupings) | ColumnRecoding::Partitions(groupings) => groupings
                .iter()
                .map(|grouping| PublishedColumn {
                    level: None,
                    texts: grouping.labels().collect(),
                    cells: PublishedCells::ByLeaf(grouping.groups_of_leaves()),
                })
                .collect(),
        }
    }

    fn by_columns(&self) -> Option<&ColumnRecoding> {
        Some(self)
    }

    fn is_same(&self, other: &dyn Recoding) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

impl From<ColumnRecoding> for Arc<dyn Recoding> {
    fn from(recoding: ColumnRecoding) -> Self {
        Arc::new(recoding)
    }
}
