//! Judging a published file, whoever made it.
//!
//! Rows that are `*` in every column of the file are suppressed rows. They carry nothing, and whoever counts a
//! published file leaves them out, so that they can neither swell a class nor be taken for values.

use super::classes::{Class, Classes, Reached};
use crate::counts::CountedTable;
use crate::lattice::Node;
use crate::privacy::PrivacyModel;

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
}

impl Verification {
    /// Whether every promise holds in every class.
    pub fn is_safe(&self) -> bool {
        self.reached.iter().all(|reached| reached.holds)
    }
}

/// Judges a published table: its values are taken as they stand, so its hierarchies do not matter.
pub fn verify(published: &CountedTable, models: &[Box<dyn PrivacyModel>]) -> Verification {
    let classes = Classes::of_node(published, &published.lattice().bottom());
    Verification {
        reached: classes.reached(models),
        rows: published.rows,
        classes: classes.published().count(),
        smallest_class: classes.published().map(Class::size).min().unwrap_or(0),
    }
}

/// What a published file made of its original.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgainstOriginal {
    /// The level every quasi-identifier is published at; `None` when a column mixes levels.
    pub levels: Option<Vec<u8>>,
    /// Rows of the original that are not published.
    pub rows_suppressed: u32,
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
    /// The values of a column come from different levels, so rows cannot be compared one to one.
    MixedLevels {
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
pub fn compare_with_original(published: &CountedTable, original: &CountedTable) -> AgainstOriginal {
    let classes = Classes::of_node(published, &published.lattice().bottom());
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
    let mut levels = Vec::with_capacity(original.attributes.len());
    for position in 0..original.attributes.len() {
        match level_of_column(published, original, &classes, position) {
            Ok(level) => levels.push(level),
            Err(violation) => result.violations.push(violation),
        }
    }
    if levels.len() < original.attributes.len() {
        return result;
    }
    let node = Node::from_levels(levels.iter().copied());
    let originals = Classes::of_node(original, &node);
    for class in classes.published() {
        let groups: Vec<u32> = (0..levels.len())
            .map(|position| {
                let label = published.attributes[position]
                    .hierarchy
                    .label(0, class.groups[position]);
                let hierarchy = &original.attributes[position].hierarchy;
                hierarchy
                    .group(levels[position], label)
                    .expect("the level was chosen to have every label")
            })
            .collect();
        result.rows_invented += match originals.find(&groups) {
            Some(original) => class.rows_beyond(original),
            None => class.size(),
        };
    }
    if result.rows_invented > 0 {
        result.violations.push(Violation::InventedRows {
            rows: result.rows_invented,
        });
    }
    result.levels = Some(levels);
    result
}

/// The highest level that has all published values of a column. Where several levels do, their labels stand for
/// more rows the higher the level, so a row that some level accounts for is accounted for there.
fn level_of_column(
    published: &CountedTable,
    original: &CountedTable,
    classes: &Classes,
    position: usize,
) -> Result<u8, Violation> {
    let column = &original.attributes[position];
    let mut leaves: Vec<u32> = classes
        .published()
        .map(|class| class.groups[position])
        .collect();
    leaves.sort_unstable();
    leaves.dedup();
    let labels: Vec<&str> = leaves
        .iter()
        .map(|&leaf| published.attributes[position].hierarchy.label(0, leaf))
        .collect();
    let levels = 0..=column.hierarchy.height();
    let is_at = |level: u8, label: &str| column.hierarchy.group(level, label).is_some();
    if let Some(level) = levels
        .clone()
        .rev()
        .find(|&level| labels.iter().all(|label| is_at(level, label)))
    {
        return Ok(level);
    }
    let unknown = labels
        .iter()
        .filter(|label| !levels.clone().any(|level| is_at(level, label)))
        .count();
    Err(if unknown > 0 {
        Violation::UnknownValues {
            column: column.name.clone(),
            values: unknown,
        }
    } else {
        Violation::MixedLevels {
            column: column.name.clone(),
        }
    })
}
