//! Lines with their legend, for figures that depend on one number.

use super::frame::{Frame, Labels};
use super::svg::{Anchor, COLOURS, DASHES, Font, INK};

/// A line of a picture.
pub(crate) struct Line {
    /// What it is about.
    pub(crate) label: String,
    /// Its points, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

/// What stands around the lines.
pub(crate) struct Around<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: &'a str,
    /// What the lines depend on, in whole numbers.
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
}

/// Kept free on the right for a legend.
pub(super) const LEGEND: f64 = 150.0;

/// Lines over whole numbers.
pub(crate) fn lines(around: &Around<'_>, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let most = points().map(|point| point.1).fold(0.0, f64::max);
    let least_x = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let most_x = points().map(|point| point.0).fold(0.0, f64::max);
    let labels = Labels {
        title: around.title,
        subtitle: around.subtitle,
        x: around.x,
        y: around.y,
        x_is_whole: true,
    };
    let range = (least_x.min(most_x), most_x.max(least_x.min(most_x) + 1.0));
    let mut frame = Frame::new(&labels, range, most, LEGEND);
    draw(&mut frame, lines);
    frame.svg.finish()
}

/// Draws lines into a frame, and the legend beside it.
pub(super) fn draw(frame: &mut Frame, lines: &[Line]) {
    let left = frame.right + 16.0;
    let font = Font::new(13, INK, Anchor::Start);
    let styles = COLOURS.iter().zip(DASHES).cycle();
    for ((at, line), (colour, dash)) in lines.iter().enumerate().zip(styles) {
        let points = line.points.iter();
        let points: Vec<(f64, f64)> = points.map(|&(x, y)| (frame.x(x), frame.y(y))).collect();
        frame.svg.polyline(&points, colour, dash);
        for &point in &points {
            frame.svg.dot(point, 3.0, colour);
        }
        let y = frame.top() + 10.0 + 22.0 * at as f64;
        let sample = [(left, y), (left + 28.0, y)];
        frame.svg.polyline(&sample, colour, dash);
        frame.svg.dot((left + 14.0, y), 3.0, colour);
        frame.svg.text((left + 36.0, y + 4.0), font, &line.label);
    }
}
