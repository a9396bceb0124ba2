//! What remains of the rows once they are counted.
//!
//! A [`RowCounter`] takes rows in batches and keeps only distinct tuples. With hierarchies it becomes a
//! [`CountedTable`], whose [`FrequencySet`] holds the distinct quasi-identifier tuples with their row counts and,
//! per counted column, the histogram of that column's values. A set at a higher node is [rolled up](roll_up()) from
//! any set below it ([`KnownSets`] picks the smallest); rows are never needed again.

mod beside;
mod cells;
mod counting_column;
mod engine;
mod finish;
mod frequency_set;
mod histogram;
mod in_parallel;
mod keys;
mod known;
mod layout;
mod leaf_order;
mod list;
mod lookups;
mod missing;
mod outside;
mod overflow;
mod partition;
mod people;
mod roll_up;
mod row_counter;
mod row_order;
mod shared_counter;
#[cfg(test)]
pub(crate) mod shelf;
mod work;

pub use beside::{CountedRows, RowsBeside};
pub(crate) use cells::HistogramBuffer;
pub use engine::CountEngine;
pub use frequency_set::{FrequencySet, Histograms};
pub(crate) use frequency_set::{Present, count_bits};
pub use histogram::Histogram;
pub(crate) use histogram::MOST_PRESENT;
pub(crate) use in_parallel::{SpareThreads, in_parallel, pieces};
pub(crate) use keys::Keys;
pub use known::KnownSets;
pub(crate) use known::Start;
pub use layout::Layout;
pub use leaf_order::{LeafOrder, LeafSet};
pub(crate) use list::List;
pub use missing::{Missing, MissingCells};
pub(crate) use outside::Room;
pub use overflow::{ListOutside, NotHeld, NumbersOutside, Overflow};
pub use roll_up::{Scratch, roll_up};
pub(crate) use roll_up::{
    Step, regroup, roll_up_at_most, roll_up_classes, roll_up_columns, roll_up_tracked,
};
pub use row_counter::RowCounter;
pub use row_order::RowNumbers;
pub use shared_counter::{CountWorker, CountingSizes, SharedCounter};
pub use work::Work;

use crate::error::Error;
use crate::hierarchy::{ANY, Group, Hierarchy, Leaf};
use crate::lattice::{Lattice, Level, Node};
use crate::table::{Dictionary, Kind, parse_date, parse_number};
use jiff::civil::Date;
use std::borrow::Cow;
use std::sync::Arc;

/// A quasi-identifier of a counted table.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The column's name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Its levels. Every value of the data is a leaf of it.
    pub hierarchy: Hierarchy,
    /// Rows in each group, for each level.
    pub rows_of_groups: Vec<Vec<u32>>,
    /// The leaf of a missing cell, when the hierarchy has one.
    pub missing: Option<Leaf>,
}

impl Attribute {
    /// How many groups of a level hold rows of the table.
    pub fn distinct(&self, level: Level) -> u32 {
        let rows = self.rows_of_groups[level.index()].iter();
        rows.filter(|&&rows| rows > 0).count() as u32
    }

    /// For each group of level `from`, its group at level `to`.
    pub(crate) fn groups_between(&self, from: Level, to: Level) -> Cow<'_, [u32]> {
        let above = self.hierarchy.groups_of_leaves(to);
        if from == Level::RAW {
            return Cow::Borrowed(above);
        }
        let mut groups = vec![0; self.hierarchy.groups(from)];
        for (&group, &above) in self.hierarchy.groups_of_leaves(from).iter().zip(above) {
            groups[group as usize] = above;
        }
        Cow::Owned(groups)
    }

    /// The leaves as numbers, dates as days, a missing or unlisted one as NaN; none if there are other leaves.
    pub fn numbers_of_leaves(&self) -> Option<Vec<f64>> {
        let number = |leaf: Leaf| match self.hierarchy.text(leaf) {
            "" | ANY => Some(f64::NAN),
            _ if self.missing == Some(leaf) => Some(f64::NAN),
            label => self.number_of(label),
        };
        let leaves = 0..self.hierarchy.leaves() as u32;
        leaves.map(|leaf| number(Leaf(leaf))).collect()
    }

    /// A text as one of the numbers of this column, a date as days; none if it is neither, or the column is text.
    pub fn number_of(&self, text: &str) -> Option<f64> {
        match self.kind {
            Kind::Number => parse_number(text).map(|number| number.get()),
            Kind::Date => parse_date(text).map(days),
            Kind::Text => None,
        }
    }
}

/// Days since 1970-01-01.
fn days(date: Date) -> f64 {
    let since = date.duration_since(jiff::civil::date(1970, 1, 1));
    (since.as_hours() / 24) as f64
}

/// A sensitive or target column of a counted table.
#[derive(Debug, Clone)]
pub struct CountedColumn {
    /// The column's name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Its values: numbers and dates in their order, text in byte order, a missing cell (empty text) first.
    pub values: Dictionary,
    /// Rows of the table with each value.
    pub rows_of_values: Vec<u32>,
    /// Needed only by distances along a hierarchy.
    pub hierarchy: Option<Hierarchy>,
}

/// A table after its one counting pass.
#[derive(Debug, Clone)]
pub struct CountedTable {
    /// Rows counted.
    pub rows: u32,
    /// Rows excluded because a counted cell is missing; not part of `rows`.
    pub rows_excluded: u32,
    /// What counts as missing, and how it is treated.
    pub missing: Missing,
    /// The quasi-identifiers, in the order the user gave.
    pub attributes: Vec<Attribute>,
    /// The sensitive and target columns.
    pub columns: Vec<CountedColumn>,
    /// How keys are packed.
    pub layout: Layout,
    /// The distinct raw tuples; its histograms are those of `columns`, in that order.
    pub tuples: FrequencySet,
    /// Whether every row is a tuple by itself, so that equal rows may be published differently. Searches over levels
    /// take tuples for distinct and are not for such tables.
    pub rows_are_apart: bool,
    /// Everyone whom the rows could be about, counted with the same hierarchies and without further columns, for promises
    /// about them.
    pub population: Option<Arc<CountedTable>>,
    /// Threads that may go over its tuples at once. Nothing found depends on it.
    pub threads: usize,
    /// Where its tuples and sets of its classes go that memory has no room for; all is in memory if none. Nothing found depends
    /// on it.
    pub(crate) room: Option<Room>,
}

impl CountedTable {
    /// The same table, with its population. Refused unless both have the same quasi-identifiers with the same leaves.
    pub fn with_population(self, population: CountedTable) -> Result<Self, Error> {
        let leaves = |table: &CountedTable| -> Vec<(String, usize)> {
            let attributes = table.attributes.iter();
            attributes
                .map(|attribute| (attribute.name.clone(), attribute.hierarchy.leaves()))
                .collect()
        };
        let (given, expected) = (leaves(&population), leaves(&self));
        if given != expected {
            return Err(Error::NotOnePerColumn {
                what: "columns of the population",
                given: given.len(),
                expected: expected.len(),
            });
        }
        Ok(CountedTable {
            population: Some(Arc::new(population)),
            ..self
        })
    }

    /// All combinations of one level per quasi-identifier.
    pub fn lattice(&self) -> Lattice {
        Lattice::new(Node::from_levels(
            self.attributes
                .iter()
                .map(|attribute| attribute.hierarchy.height()),
        ))
    }

    /// How many attributes are at their last level.
    pub fn attributes_at_top(&self, node: &Node) -> usize {
        let levels = self.attributes.iter().zip(node.levels());
        let is_top =
            |(attribute, level): &(&Attribute, Level)| *level == attribute.hierarchy.height();
        levels.filter(is_top).count()
    }

    /// The group of an attribute in a class.
    #[inline]
    pub fn group(&self, classes: &FrequencySet, class: usize, attribute: usize) -> Group {
        Group(self.layout.field(attribute).read(classes.key(class)))
    }

    /// The raw value of an attribute in one of [`tuples`](CountedTable::tuples).
    #[inline]
    pub fn leaf(&self, tuple: usize, attribute: usize) -> Leaf {
        Leaf(self.layout.field(attribute).read(self.tuples.key(tuple)))
    }

    /// Whether a column has few enough values to keep only their presence.
    pub(crate) fn can_be_present_only(&self, column: usize) -> bool {
        self.columns[column].values.len() <= MOST_PRESENT
    }

    /// The same, except that of some columns only the presence of values is known, and of columns that are neither
    /// among them nor `counted` nothing at all.
    pub(crate) fn with_present_only(&self, present: &[usize], counted: &[usize]) -> CountedTable {
        let histograms = |column: usize| {
            let histograms = || self.tuples.histograms(column);
            if present.contains(&column) {
                let values = self.columns[column].values.len();
                let present = Present::of(histograms(), values);
                return Some(Histograms::of_present(present));
            }
            counted.contains(&column).then(|| histograms().clone())
        };
        CountedTable {
            missing: self.missing.clone(),
            attributes: self.attributes.clone(),
            columns: self.columns.clone(),
            layout: self.layout.clone(),
            population: self.population.clone(),
            room: self.room.clone(),
            tuples: FrequencySet {
                keys: self.tuples.keys.clone(),
                words: self.tuples.words,
                sizes: self.tuples.sizes.clone(),
                people: Vec::new(),
                histograms: (0..self.columns.len()).map(histograms).collect(),
            },
            ..*self
        }
    }

    /// The position of a counted column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}
