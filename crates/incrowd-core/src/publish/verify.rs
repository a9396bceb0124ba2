//! Judging a published file, whoever made it.
//!
//! Rows that are `*` in every column of the file are suppressed or blank rows (see [`Seen`](super::Seen)). They carry
//! nothing, and whoever counts a published file leaves them out, so that they can neither swell a class nor be taken for
//! values.

use super::classes::{Class, Classes, Exposure, Reached};
use crate::counts::CountedTable;
use crate::hierarchy::ANY;
use crate::privacy::PrivacyModel;
use crate::problem::Meter;
use crate::recode::Labels;
use std::collections::{BTreeMap, BTreeSet};

/// What a published file promises and keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// Every promise asked for, and what it has come to.
    pub reached: Vec<Reached>,
    /// Rows that are published.
    pub rows: u32,
    /// The number of classes.
    pub classes: usize,
    /// Rows of the smallest class; 0 when there is none.
    pub smallest_class: u32,
    /// What the file gives away whatever was promised.
    pub exposure: Exposure,
}

impl Verification {
    /// Whether every promise holds in every class.
    pub fn is_safe(&self) -> bool {
        self.reached.iter().all(|reached| reached.holds)
    }
}

/// Judges a published table: its values are taken as they stand, so its hierarchies do not matter.
pub fn verify(published: &CountedTable, models: &[Box<dyn PrivacyModel>]) -> Verification {
    let meter = &Meter::unlimited();
    let classes = Classes::as_published(published, meter);
    let classes = classes.expect("nobody stops this");
    let reached = classes.reached(models, meter);
    Verification {
        reached: reached.expect("nobody stops this"),
        rows: published.rows,
        classes: classes.published().count(),
        smallest_class: classes.published().map(Class::size).min().unwrap_or(0),
        exposure: classes.exposure(published),
    }
}

/// What a published file made of its original.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgainstOriginal {
    /// The level every quasi-identifier is published at; `None` when a column mixes levels or has
    /// values of no level.
    pub levels: Option<Vec<u8>>,
    /// Rows of the original that are not published.
    pub rows_suppressed: u32,
    /// Rows of the original that are `*` in every quasi-identifier as published: so many may be there as blank rows.
    pub rows_at_any: u32,
    /// Published rows that no row of the original accounts for.
    pub rows_invented: u32,
    /// What is wrong.
    pub violations: Vec<Violation>,
}

/// Something a release must not do to its original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// Values that are neither in the original nor above it in the hierarchy.
    UnknownValues {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
    },
    /// Published values of a column stand for some of the same raw values, so rows cannot be compared one to one.
    OverlappingValues {
        /// The column.
        column: String,
    },
    /// Rows that no row of the original accounts for.
    InventedRows {
        /// How many.
        rows: u32,
    },
    /// More rows than the original has.
    TooManyRows {
        /// How many more.
        rows: u32,
    },
}

/// Compares a published table with its original. Both must number the values of their counted columns alike;
/// the original's hierarchies say what may stand for what.
///
/// Rows are compared class by class: a class may not be larger than the original's rows that generalize to it,
/// nor hold a sensitive value more often than they do.
///
/// A hierarchy may use a text on several levels. A release that keeps to levels has it from the level of its column;
/// in another it stands for the group of the highest level that has it. Published texts alone do not tell which, so it
/// is enough that one of the two is right.
pub fn compare_with_original(published: &CountedTable, original: &CountedTable) -> AgainstOriginal {
    let by_level = compare_as(Reading::ByLevel, published, original);
    if by_level.violations.is_empty() {
        return by_level;
    }
    let by_label = compare_as(Reading::ByLabel, published, original);
    match by_label.violations.is_empty() {
        true => by_label,
        false => by_level,
    }
}

/// What texts of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The groups of one level, where a level has them all; else each by itself.
    ByLevel,
    /// Each by itself.
    ByLabel,
}

fn compare_as(
    reading: Reading,
    published: &CountedTable,
    original: &CountedTable,
) -> AgainstOriginal {
    let meter = &Meter::unlimited();
    let classes = Classes::as_published(published, meter);
    let classes = classes.expect("nobody stops this");
    let rows_published = published.rows;
    let rows_original = original.rows + original.rows_excluded;
    let mut result = AgainstOriginal {
        rows_suppressed: rows_original.saturating_sub(rows_published),
        ..Default::default()
    };
    if rows_published > rows_original {
        result.violations.push(Violation::TooManyRows {
            rows: rows_published - rows_original,
        });
    }
    let mut columns = Vec::with_capacity(original.attributes.len());
    for position in 0..original.attributes.len() {
        match Column::read(reading, (published, original), &classes, position) {
            Ok(column) => columns.push(column),
            Err(violation) => result.violations.push(violation),
        }
    }
    if columns.len() < original.attributes.len() {
        return result;
    }
    let groups_of_leaves: Vec<&[u32]> = columns.iter().map(|it| &*it.groups_of_leaves).collect();
    let originals = Classes::of_groups(original, &groups_of_leaves, meter);
    let originals = originals.expect("nobody stops this");
    for class in classes.published() {
        let groups: Vec<u32> = (columns.iter().zip(class.groups()))
            .map(|(column, &value)| column.groups_of_values[&value])
            .collect();
        result.rows_invented += match originals.find(&groups) {
            Some(original) => class.rows_beyond(original),
            None => class.size(),
        };
    }
    let at_any: Option<Vec<u32>> = columns.iter().map(|column| column.any).collect();
    let at_any = at_any.and_then(|groups| originals.find(&groups));
    result.rows_at_any = at_any.map_or(0, Class::size);
    if result.rows_invented > 0 {
        result.violations.push(Violation::InventedRows {
            rows: result.rows_invented,
        });
    }
    result.levels = columns.iter().map(|column| column.level).collect();
    result
}

/// What the published values of one column stand for in the original.
struct Column {
    /// The level they come from, when it is one.
    level: Option<u8>,
    /// For each leaf of the original, the group it is published in.
    groups_of_leaves: Vec<u32>,
    /// The group of each published value.
    groups_of_values: BTreeMap<u32, u32>,
    /// The group that `*` stands for, in published rows or in blank ones.
    any: Option<u32>,
}

impl Column {
    fn read(
        reading: Reading,
        (published, original): (&CountedTable, &CountedTable),
        classes: &Classes,
        position: usize,
    ) -> Result<Self, Violation> {
        let attribute = &original.attributes[position];
        let hierarchy = &attribute.hierarchy;
        let values: BTreeSet<u32> = (classes.published())
            .map(|class| class.groups()[position])
            .collect();
        let label = |value: u32| published.attributes[position].hierarchy.label(0, value);
        // Where several levels have all values, their labels stand for more rows the higher the level, so a row
        // that some level accounts for is accounted for at the highest.
        let levels = (0..=hierarchy.height()).rev();
        for level in levels.filter(|_| reading == Reading::ByLevel) {
            let group = |&value: &u32| Some((value, hierarchy.group(level, label(value))?));
            if let Some(groups_of_values) = values.iter().map(group).collect() {
                return Ok(Column {
                    level: Some(level),
                    groups_of_leaves: hierarchy.groups_of_leaves(level).to_vec(),
                    groups_of_values,
                    any: hierarchy.group(level, ANY),
                });
            }
        }
        let labels = Labels::new(attribute);
        let meanings: Vec<_> = values
            .iter()
            .map(|&value| labels.read(label(value), values.len() > 1))
            .collect();
        let unknown = meanings.iter().filter(|meaning| meaning.is_none()).count();
        if unknown > 0 {
            return Err(Violation::UnknownValues {
                column: attribute.name.clone(),
                values: unknown,
            });
        }
        // Leaves that no published value stands for share the group after the last.
        let unpublished = values.len() as u32;
        let mut groups_of_leaves = vec![unpublished; hierarchy.leaves()];
        for (group, leaf) in (0..)
            .zip(meanings.into_iter().flatten())
            .flat_map(|(group, leaves)| leaves.into_iter().map(move |leaf| (group, leaf)))
        {
            let place = &mut groups_of_leaves[leaf as usize];
            if *place != unpublished {
                return Err(Violation::OverlappingValues {
                    column: attribute.name.clone(),
                });
            }
            *place = group;
        }
        let any = labels.read(ANY, true);
        Ok(Column {
            level: None,
            any: any.map(|leaves| groups_of_leaves[leaves[0] as usize]),
            groups_of_leaves,
            groups_of_values: values.into_iter().zip(0..).collect(),
        })
    }
}
