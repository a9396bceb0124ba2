//! What an algorithm decides: how every raw value is published.
//!
//! Every recoding here sorts the values of each quasi-identifier into groups and publishes a label for each group,
//! whatever row the value stands in. What differs is which groups there may be: those of one level, those of a cut
//! through the hierarchy, or any. A [`Grouping`] is what the general case needs to know of one quasi-identifier.

mod grouping;
mod labels;

pub use grouping::Grouping;
pub(crate) use labels::Labels;

use crate::counts::{CountedTable, FrequencySet, Scratch, Step, regroup};
use crate::lattice::Node;
use crate::utility::PublishedAttribute;
use std::borrow::Cow;

/// How the quasi-identifiers are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recoding {
    /// Every value of a column at the same level of its hierarchy.
    FullDomain(Node),
    /// The values of a column at different levels, each under one published ancestor; numbers also in intervals of
    /// their own.
    Cuts(Vec<Grouping>),
    /// The values of a column in blocks of any kind.
    Partitions(Vec<Grouping>),
}

impl Recoding {
    /// What this kind of recoding is called.
    pub fn name(&self) -> &'static str {
        match self {
            Recoding::FullDomain(_) => "full-domain",
            Recoding::Cuts(_) => "cuts",
            Recoding::Partitions(_) => "partitions",
        }
    }

    /// The levels, when every value of a column is published at the same one.
    pub fn node(&self) -> Option<&Node> {
        match self {
            Recoding::FullDomain(node) => Some(node),
            Recoding::Cuts(_) | Recoding::Partitions(_) => None,
        }
    }

    /// The groups, when they do not follow levels.
    pub fn groupings(&self) -> Option<&[Grouping]> {
        match self {
            Recoding::FullDomain(_) => None,
            Recoding::Cuts(groupings) | Recoding::Partitions(groupings) => Some(groupings),
        }
    }

    /// Whether this recoding speaks of the quasi-identifiers of a table and of all their values.
    pub(crate) fn fits(&self, table: &CountedTable) -> bool {
        let attributes = &table.attributes;
        match self {
            Recoding::FullDomain(node) => node.is_at_or_below(table.lattice().top()),
            Recoding::Cuts(groupings) | Recoding::Partitions(groupings) => {
                groupings.len() == attributes.len()
                    && (groupings.iter().zip(attributes))
                        .all(|(grouping, attribute)| grouping.fits(attribute))
            }
        }
    }

    /// The quasi-identifiers as published, as far as that is known before classes are judged.
    pub fn attributes<'a>(&'a self, table: &'a CountedTable) -> Vec<PublishedAttribute<'a>> {
        match self {
            Recoding::FullDomain(node) => (table.attributes.iter().zip(node.levels()))
                .map(|(attribute, level)| PublishedAttribute::at_level(attribute, level, &[]))
                .collect(),
            Recoding::Cuts(groupings) | Recoding::Partitions(groupings) => {
                groupings.iter().map(Grouping::published).collect()
            }
        }
    }

    /// The text published for each group of an attribute.
    pub fn labels<'a>(&'a self, table: &'a CountedTable, attribute: usize) -> Vec<&'a str> {
        match self {
            Recoding::FullDomain(node) => {
                let level = node.level(attribute);
                let hierarchy = &table.attributes[attribute].hierarchy;
                (0..hierarchy.groups(level) as u32)
                    .map(|group| hierarchy.label(level, group))
                    .collect()
            }
            Recoding::Cuts(groupings) | Recoding::Partitions(groupings) => {
                groupings[attribute].labels().collect()
            }
        }
    }

    /// The classes, with the histograms of these columns.
    pub fn count(&self, table: &CountedTable, columns: &[usize]) -> FrequencySet {
        let shown = self.attributes(table);
        let steps: Vec<Step<'_>> = (shown.iter())
            .map(|shown| Step {
                above: Some(Cow::Borrowed(shown.groups_of_leaves)),
                groups: shown.leaves.len(),
            })
            .collect();
        let (scratch, mut classes) = (&mut Scratch::default(), FrequencySet::default());
        regroup(table, &table.tuples, &steps, columns, scratch, &mut classes);
        classes
    }
}
