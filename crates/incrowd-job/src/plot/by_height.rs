//! Suppression by height, for several parameters: the figures of chapter 3.

use super::frame::{Frame, Labels};
use super::lines::{LEGEND, Line, draw};
use super::svg::{Anchor, COLOURS, FAINT, Font};

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
        x_is_whole: true,
    };
    let mut frame = Frame::new(&labels, (0.0, highest.into()), most, LEGEND);
    for (one, &colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let lower = one.points.iter().map(|&(x, low, ..)| (x, low));
        let upper = one.points.iter().rev().map(|&(x, .., high)| (x, high));
        let band: Vec<(f64, f64)> = lower
            .chain(upper)
            .map(|(x, y)| (frame.x(x.into()), frame.y(y)))
            .collect();
        frame.svg.area(&band, colour, 0.12);
    }
    let averages: Vec<Line> = (series.iter())
        .map(|one| Line {
            label: one.label.clone(),
            points: (one.points.iter())
                .map(|&(x, _, average, _)| (x.into(), average))
                .collect(),
        })
        .collect();
    draw(&mut frame, &averages);
    let left = frame.right + 16.0;
    let note = Font::new(11, FAINT, Anchor::Start);
    let y = frame.top() + 16.0 + 22.0 * series.len() as f64;
    frame.svg.text((left, y), note, "line: average node");
    frame
        .svg
        .text((left, y + 15.0), note, "band: least to most");
    frame.svg.finish()
}
