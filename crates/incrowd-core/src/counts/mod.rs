//! What is left of the rows once they are counted.
//!
//! A [`FrequencySet`] holds the distinct quasi-identifier tuples (at level 0) or classes (above) with their row
//! counts and, per counted column, the histogram of that column's values in each class. A set at a higher node
//! is rolled up from any set below it; rows are never needed again.

mod frequency_set;

pub use frequency_set::{FrequencySet, Histogram, Histograms};

use crate::hierarchy::Hierarchy;
use crate::table::{Dictionary, Kind};

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
}

/// A sensitive or target column of a counted table.
#[derive(Debug, Clone)]
pub struct CountedColumn {
    /// The column's name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Its values: numbers and dates in their order, text in byte order.
    pub values: Dictionary,
    /// Rows of the table with each value.
    pub rows_of_values: Vec<u32>,
    /// Needed by distances that move along a hierarchy only.
    pub hierarchy: Option<Hierarchy>,
}

/// A table after its one counting pass.
#[derive(Debug, Clone)]
pub struct CountedTable {
    /// Rows counted.
    pub rows: u32,
    /// The quasi-identifiers, in the order the user gave.
    pub attributes: Vec<Attribute>,
    /// The sensitive and target columns.
    pub columns: Vec<CountedColumn>,
    /// The distinct raw tuples; its histograms are those of `columns`, in that order.
    pub tuples: FrequencySet,
}
