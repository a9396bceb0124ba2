//! Plots as self-contained SVG: plain data in, text out.
//!
//! Colors are those of Okabe and Ito, which people with any kind of color vision can distinguish; lines also differ in
//! their dashes. No scripts, no fonts to load, nothing external. Texts have their own space, as large as they need, so
//! that no text covers another, whatever the column names.
//!
//! A plot is a function of plain data: [`lines`], [`bars`], [`by_height`], [`cumulative`], [`lattice`], [`levels`]. For another
//! kind of plot, use the parts: an [`Svg`] with its [`Font`]s, an [`Axis`], the [`Sample`]s of a legend.
//!
//! ```
//! use incrowd_plot::{Around, Line, Point, lines};
//! let around = Around { title: "Loss by k", subtitles: &[], x: "k", y: "loss", limit: None, hollow: "not proven" };
//! let point = |x, y| Point { x, y, is_final: true };
//! let line = Line { label: "Adult".into(), points: vec![point(2.0, 0.31), point(10.0, 0.44)] };
//! assert!(lines(&around, &[line]).starts_with("<svg"));
//! ```

mod axis;
mod bars;
mod budget;
mod by_height;
mod cumulative;
mod frame;
mod lattice;
mod legend;
mod levels;
mod lines;
mod measure;
mod svg;
#[cfg(test)]
mod tests;

pub use axis::{Axis, Scale};
pub use bars::{Bar, BarGroup, BarSeries, Bars, bars};
pub use budget::PlotBudget;
pub use by_height::{Series, by_height};
pub use cumulative::{StepCurve, cumulative};
pub use lattice::{LatticeNode, LatticePicture, lattice};
pub use legend::Sample;
pub use levels::{LevelNode, LevelRow, Levels, levels};
pub use lines::{Around, Limit, Line, Point, lines, lines_by};
pub use measure::width;
pub use svg::{Anchor, FAINT, Font, GRID, INK, Svg, grouped, style};
