//! What a page shows of a release in plots, besides its figures.

mod plots;

pub(crate) use plots::{before_and_after, column, draw};

/// What is drawn of a release.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pictured {
    /// How wide the published values of each quasi-identifier are: 0 if raw, 1 if nothing is left.
    pub(crate) widths: Vec<f64>,
    /// The sizes of published classes, ascending, each with the number of classes of that size.
    pub(crate) class_sizes: Vec<(u32, u32)>,
    /// Every quasi-identifier.
    pub(crate) columns: Vec<ColumnPictured>,
}

/// A quasi-identifier before and after.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnPictured {
    /// Its name.
    pub(crate) name: String,
    /// Distinct values of the table.
    pub(crate) values_before: u32,
    /// Distinct texts of the release.
    pub(crate) values_after: u32,
    /// How the rows are spread, from top to bottom.
    pub(crate) bars: Vec<Spread>,
    /// Whether the release says only roughly how its rows are spread, since what it publishes overlaps.
    pub(crate) is_estimated: bool,
    /// What shares are rounded to; none if they are exact.
    pub(crate) rounded_to: Option<f64>,
}

/// How many rows have a value, as a share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spread {
    /// The value, in texts of the release.
    pub(crate) label: String,
    /// Of all rows of the table; none where that would tell too much.
    pub(crate) before: Option<f64>,
    /// Of the rows of the release.
    pub(crate) after: f64,
}
