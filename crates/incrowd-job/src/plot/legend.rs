//! What the lines of a plot mean, in a column of its own to the right.
//!
//! Every text about a plot stands here and none within it, so that no text can cover a line or another text.

use super::measure::{line_height, width, wrapped};
use super::svg::{Anchor, Font, INK, Svg};

/// What stands before a text of a legend.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sample {
    /// A line with a dot.
    Line {
        colour: &'static str,
        dash: &'static str,
    },
    /// A thin dashed line.
    Limit { colour: &'static str },
    /// An area.
    Band { colour: &'static str },
    /// A dot, filled or not.
    Dot {
        colour: &'static str,
        is_filled: bool,
    },
}

/// A text with its sample.
#[derive(Debug, Clone)]
pub(super) struct LegendEntry {
    pub(super) sample: Sample,
    pub(super) text: String,
}

/// The entries as they will be drawn.
#[derive(Debug)]
pub(super) struct Legend {
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
    pub(super) fn new(entries: &[LegendEntry]) -> Legend {
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
    pub(super) fn width(&self) -> f64 {
        self.room
    }

    /// How high it is.
    pub(super) fn height(&self) -> f64 {
        let lines: usize = self.entries.iter().map(|(_, lines)| lines.len()).sum();
        lines as f64 * line_height(FONT) + self.entries.len() as f64 * GAP
    }

    pub(super) fn draw(&self, svg: &mut Svg, (left, top): (f64, f64)) {
        let mut y = top + line_height(FONT) / 2.0;
        for (sample, lines) in &self.entries {
            let (from, to) = ((left, y), (left + 28.0, y));
            match *sample {
                Sample::Line { colour, dash } => {
                    svg.polyline(&[from, to], colour, dash);
                    svg.dot((left + 14.0, y), 3.0, colour);
                }
                Sample::Limit { colour } => svg.dashed(from, to, colour, "6 4"),
                Sample::Band { colour } => {
                    let corners = [
                        (left, y - 5.0),
                        (left + 28.0, y - 5.0),
                        (left + 28.0, y + 5.0),
                        (left, y + 5.0),
                    ];
                    svg.area(&corners, colour, 0.15);
                }
                Sample::Dot { colour, is_filled } => match is_filled {
                    true => svg.dot((left + 14.0, y), 4.0, colour),
                    false => svg.ring((left + 14.0, y), 4.0, colour),
                },
            }
            for line in lines {
                svg.text((left + INDENT, y + 4.0), FONT, line);
                y += line_height(FONT);
            }
            y += GAP;
        }
    }
}
