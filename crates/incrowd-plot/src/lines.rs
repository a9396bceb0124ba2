//! Lines with their legend, for figures that depend on one number.

use crate::axis::{Axis, Scale, range};
use crate::frame::{Frame, Labels};
use crate::legend::{LegendEntry, Sample};
use crate::svg::{FAINT, INK, style};

/// A line of a plot.
pub struct Line {
    /// What it is about.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// What the line depends on.
    pub x: f64,
    /// The result.
    pub y: f64,
    /// Whether the result is final; drawn hollow if not.
    pub is_final: bool,
}

/// A number that no point should exceed, and where it comes from.
pub struct Limit {
    /// On the vertical axis.
    pub at: f64,
    /// Its words in the legend.
    pub text: String,
}

/// The texts around the lines.
pub struct Around<'a> {
    /// Above, in bold.
    pub title: &'a str,
    /// Below the title, each a line of its own.
    pub subtitles: &'a [String],
    /// What the lines depend on, in whole numbers.
    pub x: &'a str,
    /// What the lines show.
    pub y: &'a str,
    /// A line right across.
    pub limit: Option<Limit>,
    /// What a hollow point means.
    pub hollow: &'a str,
}

/// Lines over whole numbers.
pub fn lines(around: &Around<'_>, lines: &[Line]) -> String {
    let points = lines.iter().flat_map(|line| &line.points);
    let limit = around.limit.iter().map(|limit| limit.at);
    let scale = Scale::of(points.map(|point| point.y).chain(limit));
    lines_by(scale, around, lines)
}

/// The same with a vertical axis of this scale, whatever the numbers.
pub fn lines_by(scale: Scale, around: &Around<'_>, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let labels = Labels {
        title: around.title,
        subtitles: around.subtitles,
        x: around.x,
        y: around.y,
    };
    let x = Axis::exactly(
        range(points().map(|point| point.x)),
        Scale::of(points().map(|point| point.x)),
        true,
    );
    let limit = around.limit.iter().map(|limit| limit.at);
    let y = || points().map(|point| point.y).chain(limit.clone());
    let y = Axis::covering(range(y()), scale, false);
    let mut legend = entries(lines);
    if points().any(|point| !point.is_final) {
        legend.push(LegendEntry {
            sample: Sample::Dot {
                color: INK,
                is_filled: false,
            },
            text: around.hollow.to_owned(),
        });
    }
    if let Some(limit) = &around.limit {
        legend.push(LegendEntry {
            sample: Sample::Limit { color: FAINT },
            text: limit.text.clone(),
        });
    }
    let mut frame = Frame::new(&labels, x, y, &legend);
    if let Some(limit) = &around.limit {
        frame.limit(limit.at, FAINT);
    }
    draw(&mut frame, lines);
    frame.svg.finish()
}

/// What the lines mean.
pub(crate) fn entries(lines: &[Line]) -> Vec<LegendEntry> {
    let entries = lines.iter().enumerate().map(|(at, line)| {
        let (color, dash) = style(at);
        LegendEntry {
            sample: Sample::Line { color, dash },
            text: line.label.clone(),
        }
    });
    entries.collect()
}

/// Draws lines into a frame.
pub(crate) fn draw(frame: &mut Frame, lines: &[Line]) {
    for (at, line) in lines.iter().enumerate() {
        let (color, dash) = style(at);
        let place = |point: &Point| (frame.x(point.x), frame.y(point.y));
        let places: Vec<(f64, f64)> = line.points.iter().map(place).collect();
        frame.svg.polyline(&places, color, dash);
        for (point, place) in line.points.iter().zip(places) {
            match point.is_final {
                true => frame.svg.dot(place, 3.0, color),
                false => frame.svg.ring(place, 3.5, color),
            }
        }
    }
}
