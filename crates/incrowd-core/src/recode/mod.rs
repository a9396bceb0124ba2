//! What an algorithm decides: how every row is published.
//!
//! A [`Recoding`] describes it column by column: the *values* that are published, the text of each, the raw values it
//! stands for (its cover), and which of them each row has. Rows whose texts are equal in every column are one class,
//! since readers cannot distinguish them; so a recoding does not mention classes.
//!
//! A [`ColumnRecoding`] publishes a raw value the same way in every row. Others may depend on the whole tuple: then
//! covers may overlap, and equal raw values may be published differently.

mod centre;
mod columns;
mod grouping;
mod labels;
mod regions;

pub use centre::PublishedNumbers;
pub use columns::ColumnRecoding;
pub use grouping::Grouping;
pub use labels::Labels;
pub(crate) use regions::BoxSides;
pub use regions::{Regions, Sides};

use crate::counts::{CountedTable, LeafSet};
use crate::lattice::{Level, Node};
use std::any::Any;
use std::fmt::Debug;

/// How the quasi-identifiers are published. Not trusted: the check reads every text back, and looks up every tuple.
pub trait Recoding: Any + Debug + Send + Sync {
    /// The name of this kind of recoding, such as `full-domain`.
    fn name(&self) -> &'static str;

    /// Every quasi-identifier as published, in the order of the table.
    fn columns<'a>(&'a self, table: &'a CountedTable) -> Vec<PublishedColumn<'a>>;

    /// The recoding, if it is by columns.
    fn by_columns(&self) -> Option<&ColumnRecoding> {
        None
    }

    /// Whether another recoding is the same.
    fn is_same(&self, other: &dyn Recoding) -> bool;
}

impl PartialEq for dyn Recoding {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl dyn Recoding {
    /// The levels, if every value of a column is published at the same one.
    pub fn node(&self) -> Option<&Node> {
        self.by_columns()?.node()
    }

    /// The groups, if it is by columns and does not follow levels.
    pub fn groupings(&self) -> Option<&[Grouping]> {
        self.by_columns()?.groupings()
    }
}

/// One quasi-identifier as published.
#[derive(Debug, Clone)]
pub struct PublishedColumn<'a> {
    /// The level whose groups are published, when it is one.
    pub level: Option<Level>,
    /// The text of each published value; no two are equal.
    pub texts: Vec<&'a str>,
    /// Which value each row has.
    pub cells: PublishedCells<'a>,
}

/// Which published value a row has.
#[derive(Debug, Clone, Copy)]
pub enum PublishedCells<'a> {
    /// The raw value alone decides: the number of the published value of each leaf. It stands for the leaves published as it.
    ByLeaf(&'a [u32]),
    /// The whole tuple decides.
    ByTuple {
        /// The number of the published value of each tuple, in the order of [`CountedTable::tuples`].
        values: &'a [u32],
        /// The leaves that each published value stands for: those of its tuples, and maybe others. `*` may stand for
        /// the leaf of that name, or for all.
        covers: &'a [LeafSet],
        /// What is published of numbers: where it is not an interval, a text may be the mean or median of its class.
        numbers: PublishedNumbers,
    },
}
