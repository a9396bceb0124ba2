//! What the published rows contain: the text of every raw value, or of every raw tuple.
//!
//! The check, the recoder and every report about a release use only these texts, so what is judged is what is written:
//! values with equal texts are one value to readers of the release, whatever the algorithm made of them.

use crate::Error;
use crate::counts::{Attribute, CountedTable, LeafSet};
use crate::hierarchy::Group;
use crate::lattice::Level;
use crate::recode::{Labels, PublishedCells, PublishedColumn, PublishedNumbers, Recoding};
use crate::table::{Kind, parse_number};

/// The texts of one quasi-identifier.
#[derive(Debug, Clone)]
pub(super) struct PublishedTexts {
    /// All different, in byte order.
    texts: Vec<Box<str>>,
    /// The level the texts come from, when it is one.
    level: Option<Level>,
    /// For each text its number among the values of the recoding.
    values: Vec<u32>,
    cells: TextsOf,
}

/// The position of the text of each leaf, or of each tuple.
#[derive(Debug, Clone)]
pub(super) enum TextsOf {
    /// Of each leaf.
    Leaves(Vec<u32>),
    /// Of each tuple.
    Tuples {
        texts: Vec<u32>,
        /// The leaves that each text stands for.
        covers: Vec<LeafSet>,
    },
}

impl PublishedTexts {
    /// The texts of every quasi-identifier, in the order of the table. A recoding that is incomplete or inconsistent,
    /// or whose texts do not say what they stand for, has none.
    pub(super) fn of(recoding: &dyn Recoding, table: &CountedTable) -> Result<Vec<Self>, Error> {
        let columns = recoding.columns(table);
        let texts: Option<Vec<_>> = (columns.len() == table.attributes.len())
            .then(|| (0..columns.len()).map(|at| PublishedTexts::read(table, at, &columns[at])))
            .and_then(Iterator::collect);
        texts.ok_or(Error::CheckFailed {
            what: "a published text does not say which values it stands for",
        })
    }

    fn read(table: &CountedTable, attribute: usize, column: &PublishedColumn<'_>) -> Option<Self> {
        if !says_what_it_stands_for(table, attribute, column) {
            return None;
        }
        let mut values: Vec<u32> = (0..column.texts.len() as u32).collect();
        values.sort_unstable_by_key(|&value| column.texts[value as usize]);
        let text = |value: u32| column.texts[value as usize];
        if values.windows(2).any(|two| text(two[0]) == text(two[1])) {
            return None;
        }
        let mut texts_of_values = vec![0; values.len()];
        for (&value, position) in values.iter().zip(0..) {
            texts_of_values[value as usize] = position;
        }
        let position = |&value: &u32| texts_of_values[value as usize];
        Some(PublishedTexts {
            texts: values.iter().map(|&value| text(value).into()).collect(),
            level: column.level,
            cells: match column.cells {
                PublishedCells::ByLeaf(of_leaves) => {
                    TextsOf::Leaves(of_leaves.iter().map(position).collect())
                }
                PublishedCells::ByTuple {
                    values: of_tuples,
                    covers,
                    ..
                } => TextsOf::Tuples {
                    texts: of_tuples.iter().map(position).collect(),
                    covers: (values.iter().map(|&value| &covers[value as usize]))
                        .cloned()
                        .collect(),
                },
            },
            values,
        })
    }

    /// The position of each text.
    pub(super) fn cells(&self) -> &TextsOf {
        &self.cells
    }

    /// The level the texts come from, when it is one.
    pub(super) fn level(&self) -> Option<Level> {
        self.level
    }

    /// The number of each text among the values of the recoding.
    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }

    /// The text at a position.
    pub(super) fn text(&self, position: u32) -> &str {
        &self.texts[position as usize]
    }

    /// All texts, in byte order.
    pub(super) fn texts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }
}

/// Whether a column covers all values, or all tuples, and every text says which values it stands for.
fn says_what_it_stands_for(
    table: &CountedTable,
    position: usize,
    column: &PublishedColumn<'_>,
) -> bool {
    let attribute = &table.attributes[position];
    let is_a_value = |value: &u32| (*value as usize) < column.texts.len();
    match column.cells {
        PublishedCells::ByLeaf(values) => {
            values.len() == attribute.hierarchy.leaves()
                && values.iter().all(is_a_value)
                && match column.level {
                    Some(level) => is_level(attribute, level, column, values),
                    None => {
                        let labels = Labels::new(attribute);
                        let covers: Vec<LeafSet> = (members(values, column.texts.len())
                            .into_iter())
                        .map(|leaves| labels.order().set(leaves))
                        .collect();
                        let any_is_a_leaf = column.texts.len() > 1;
                        reads_back(&labels, column, &covers, &[any_is_a_leaf], |_| false)
                    }
                }
        }
        PublishedCells::ByTuple {
            values,
            covers,
            numbers,
        } => {
            let labels = Labels::new(attribute);
            // Whether they are right is seen when the classes are known.
            let centre = |text: &str| may_be_centre(attribute, numbers, text);
            let is_covered = |(tuple, &value): (usize, &u32)| {
                let leaf = labels.order().position(table.leaf(tuple, position));
                covers[value as usize].contains(leaf)
            };
            column.level.is_none()
                && values.len() == table.tuples.len()
                && covers.len() == column.texts.len()
                && values.iter().all(is_a_value)
                && reads_back(&labels, column, covers, &[false, true], centre)
                && values.iter().enumerate().all(is_covered)
        }
    }
}

/// Whether a text of a column may be the mean or median of numbers.
fn may_be_centre(attribute: &Attribute, numbers: PublishedNumbers, text: &str) -> bool {
    numbers != PublishedNumbers::Interval
        && attribute.kind == Kind::Number
        && parse_number(text).is_some()
}

/// Whether the values and texts are those of a level, looked up leaf by leaf, not group by group as in the searches.
fn is_level(
    attribute: &Attribute,
    level: Level,
    column: &PublishedColumn<'_>,
    values: &[u32],
) -> bool {
    let hierarchy = &attribute.hierarchy;
    level <= hierarchy.height()
        && column.texts.len() == hierarchy.groups(level)
        && (values.iter().zip(hierarchy.groups_of_leaves(level))).all(|(value, group)| {
            value == group && column.texts[*value as usize] == hierarchy.label(level, Group(*group))
        })
}

/// Whether every text stands for exactly these leaves, in one of the ways to read `*`; see [`Labels::read`]. A centre
/// need not.
fn reads_back(
    labels: &Labels<'_>,
    column: &PublishedColumn<'_>,
    covers: &[LeafSet],
    any_is_a_leaf: &[bool],
    is_centre: impl Fn(&str) -> bool,
) -> bool {
    (column.texts.iter().zip(covers)).all(|(text, leaves)| {
        let mut ways = any_is_a_leaf.iter();
        ways.any(|&is_a_leaf| labels.read(text, is_a_leaf).as_ref() == Some(leaves))
            || is_centre(text)
    })
}

/// The leaves of each value, ascending.
fn members(values_of_leaves: &[u32], values: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); values];
    for (&value, leaf) in values_of_leaves.iter().zip(0..) {
        members[value as usize].push(leaf);
    }
    members
}
