//! The budget in a picture: how many rows, and where that comes from.

use super::frame::Frame;
use super::legend::{LegendEntry, Sample};
use super::svg::grouped;

/// The colour of everything about the budget, which no series has.
pub(super) const COLOUR: &str = "#b5003c";

/// How many rows may be suppressed.
#[derive(Debug, Clone)]
pub(crate) struct PlotBudget {
    pub(crate) rows: u64,
    /// Such as `asked for: 1%`; a budget that nobody asked for must say so.
    pub(crate) from: String,
}

impl PlotBudget {
    /// In words.
    pub(super) fn text(&self) -> String {
        format!("budget: {} rows ({})", grouped(self.rows as f64), self.from)
    }

    pub(super) fn entry(&self) -> LegendEntry {
        LegendEntry {
            sample: Sample::Limit { colour: COLOUR },
            text: self.text(),
        }
    }

    pub(super) fn draw(&self, frame: &mut Frame) {
        frame.limit(self.rows as f64, COLOUR);
    }
}
