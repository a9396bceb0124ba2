//! The budget in a plot: how many rows, and where that comes from.

use crate::frame::Frame;
use crate::legend::{LegendEntry, Sample};
use crate::svg::grouped;

/// The color of everything about the budget, which no series has.
pub(crate) const COLOR: &str = "#b5003c";

/// How many rows may be suppressed.
#[derive(Debug, Clone)]
pub struct PlotBudget {
    /// The number.
    pub rows: u64,
    /// Such as `requested: 1%`; a default must be shown as such.
    pub from: String,
}

impl PlotBudget {
    /// In words.
    pub(crate) fn text(&self) -> String {
        format!("budget: {} rows ({})", grouped(self.rows as f64), self.from)
    }

    pub(crate) fn entry(&self) -> LegendEntry {
        LegendEntry {
            sample: Sample::Limit { color: COLOR },
            text: self.text(),
        }
    }

    pub(crate) fn draw(&self, frame: &mut Frame) {
        frame.limit(self.rows as f64, COLOR);
    }
}
