//! Suppression by height, for several parameters: the figures of chapter 3.

use super::frame::{Frame, Labels};
use super::svg::{Anchor, COLOURS, DASHES, FAINT, Font, INK};

/// What one parameter does.
pub(crate) struct Series {
    /// Such as `k = 10`.
    pub(crate) label: String,
    /// Height; least, average and most rows suppressed.
    pub(crate) points: Vec<(u32, f64, f64, f64)>,
}

/// Lines for the averages, bands from the least to the most.
pub(crate) fn by_height(title: &str, subtitle: &str, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|one| &one.points);
    let most = points().map(|point| point.3).fold(0.0, f64::max);
    let highest = points().map(|point| point.0).max().unwrap_or(0).max(1);
    let labels = Labels {
        title,
        subtitle,
        x: "height of the node (sum of its levels)",
        y: "rows suppressed",
    };
    let mut frame = Frame::new(&labels, (0.0, highest.into()), most, 150.0);
    for (one, &colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let lower = one.points.iter().map(|&(x, low, ..)| (x, low));
        let upper = one.points.iter().rev().map(|&(x, .., high)| (x, high));
        let band: Vec<(f64, f64)> = lower
            .chain(upper)
            .map(|(x, y)| (frame.x(x.into()), frame.y(y)))
            .collect();
        frame.svg.area(&band, colour, 0.12);
    }
    let left = frame.right + 16.0;
    let font = Font::new(13, INK, Anchor::Start);
    let styles = COLOURS.iter().zip(DASHES).cycle();
    for ((at, one), (colour, dash)) in series.iter().enumerate().zip(styles) {
        let line: Vec<(f64, f64)> = one
            .points
            .iter()
            .map(|&(x, _, average, _)| (frame.x(x.into()), frame.y(average)))
            .collect();
        frame.svg.polyline(&line, colour, dash);
        for &point in &line {
            frame.svg.dot(point, 3.0, colour);
        }
        let y = frame.top() + 10.0 + 22.0 * at as f64;
        let sample = [(left, y), (left + 28.0, y)];
        frame.svg.polyline(&sample, colour, dash);
        frame.svg.dot((left + 14.0, y), 3.0, colour);
        frame.svg.text((left + 36.0, y + 4.0), font, &one.label);
    }
    let note = Font::new(11, FAINT, Anchor::Start);
    let y = frame.top() + 16.0 + 22.0 * series.len() as f64;
    frame.svg.text((left, y), note, "line: average node");
    frame
        .svg
        .text((left, y + 15.0), note, "band: least to most");
    frame.svg.finish()
}
