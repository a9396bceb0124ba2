//! What the lines of a plot mean, in a column of its own to the right.
//!
//! Every text about a plot is here and none within it, so that no text can cover a line or another text.

use crate::measure::{line_height, width, wrapped};
use crate::svg::{Anchor, Font, INK, Svg};

/// The sample before a text of a legend.
#[derive(Debug, Clone, Copy)]
pub enum Sample {
    /// A line with a dot.
    Line {
        /// Of both.
        color: &'static str,
        /// Of the line.
        dash: &'static str,
    },
    /// A thin dashed line.
    Limit {
        /// Of the line.
        color: &'static str,
    },
    /// An area.
    Band {
        /// Of the area, which is pale.
        color: &'static str,
    },
    /// A bar.
    Bar {
        /// Of the bar.
        color: &'static str,
    },
    /// A dot, filled or not.
    Dot {
        /// Of the dot or of its edge.
        color: &'static str,
        /// Whether it is filled.
        is_filled: bool,
    },
}

impl Sample {
    /// How wide a sample is.
    pub const WIDTH: f64 = 28.0;

    /// Draws it; `left` is where it begins, `y` its middle.
    pub fn draw(self, svg: &mut Svg, (left, y): (f64, f64)) {
        const WIDTH: f64 = Sample::WIDTH;
        let (from, to) = ((left, y), (left + WIDTH, y));
        match self {
            Sample::Line { color, dash } => {
                svg.polyline(&[from, to], color, dash);
                svg.dot((left + WIDTH / 2.0, y), 3.0, color);
            }
            Sample::Limit { color } => svg.dashed(from, to, color, "6 4"),
            Sample::Band { color } => {
                let corners = [
                    (left, y - 5.0),
                    (left + WIDTH, y - 5.0),
                    (left + WIDTH, y + 5.0),
                    (left, y + 5.0),
                ];
                svg.area(&corners, color, 0.15);
            }
            Sample::Bar { color } => {
                let (top, floor) = (y - 5.0, y + 5.0);
                let right = left + WIDTH;
                let corners = [(left, top), (right, top), (right, floor), (left, floor)];
                svg.area(&corners, color, 1.0);
            }
            Sample::Dot { color, is_filled } => match is_filled {
                true => svg.dot((left + WIDTH / 2.0, y), 4.0, color),
                false => svg.ring((left + WIDTH / 2.0, y), 4.0, color),
            },
        }
    }
}

/// A text with its sample.
#[derive(Debug, Clone)]
pub(crate) struct LegendEntry {
    pub(crate) sample: Sample,
    pub(crate) text: String,
}

/// The entries as they will be drawn.
#[derive(Debug)]
pub(crate) struct Legend {
    entries: Vec<(Sample, Vec<String>)>,
    room: f64,
}

const FONT: Font = Font::new(12, INK, Anchor::Start);
/// From a sample to its text.
const INDENT: f64 = 36.0;
/// Texts wider than this are wrapped.
const WIDEST: f64 = 200.0;
/// Between two entries.
const GAP: f64 = 7.0;

impl Legend {
    pub(crate) fn new(entries: &[LegendEntry]) -> Legend {
        let wrap = |entry: &LegendEntry| (entry.sample, wrapped(&entry.text, FONT, WIDEST));
        let entries: Vec<(Sample, Vec<String>)> = entries.iter().map(wrap).collect();
        let lines = entries.iter().flat_map(|(_, lines)| lines);
        let widest = lines.map(|line| width(line, FONT)).fold(0.0, f64::max);
        Legend {
            room: match entries.is_empty() {
                true => 0.0,
                false => INDENT + widest,
            },
            entries,
        }
    }

    /// How wide it is.
    pub(crate) fn width(&self) -> f64 {
        self.room
    }

    /// How high it is.
    pub(crate) fn height(&self) -> f64 {
        let lines: usize = self.entries.iter().map(|(_, lines)| lines.len()).sum();
        lines as f64 * line_height(FONT) + self.entries.len() as f64 * GAP
    }

    pub(crate) fn draw(&self, svg: &mut Svg, (left, top): (f64, f64)) {
        let mut y = top + line_height(FONT) / 2.0;
        for (sample, lines) in &self.entries {
            sample.draw(svg, (left, y));
            for line in lines {
                svg.text((left + INDENT, y + 4.0), FONT, line);
                y += line_height(FONT);
            }
            y += GAP;
        }
    }
}
