//! A plot that a program shows by itself, outside of any page.

use serde::Serialize;

/// A plot as self-contained SVG.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// What it shows, such as the name of a column.
    pub name: String,
    /// The plot.
    pub svg: String,
}
