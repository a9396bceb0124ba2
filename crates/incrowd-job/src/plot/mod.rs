//! Pictures as self-contained SVG: plain data in, text out.
//!
//! Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart; lines differ in
//! their dashes too. No script, no font to load, nothing from elsewhere. Texts have places of their own, as large as they
//! need, so that no text covers another whatever the columns are called.

mod axis;
mod budget;
mod by_height;
mod cumulative;
mod frame;
mod lattice;
mod legend;
mod lines;
mod measure;
mod svg;
#[cfg(test)]
mod tests;

pub(crate) use budget::PlotBudget;
pub(crate) use by_height::{Series, by_height};
pub(crate) use cumulative::cumulative;
pub(crate) use lattice::{LatticeNode, LatticePicture, lattice};
pub(crate) use lines::{Around, Limit, Line, Point, lines};
