//! Suppression by height, for several parameters: the figures of chapter 3.

use crate::axis::{Axis, Scale};
use crate::budget::PlotBudget;
use crate::frame::{Frame, Labels};
use crate::legend::{LegendEntry, Sample};
use crate::lines::{Line, Point, draw, entries};
use crate::svg::{FAINT, style};

/// The figures of one parameter.
pub struct Series {
    /// Such as `k = 10`.
    pub label: String,
    /// Height; minimum, average and maximum of rows suppressed.
    pub points: Vec<(u32, f64, f64, f64)>,
}

/// Lines for the averages, bands from minimum to maximum, and the budget.
pub fn by_height(
    title: &str,
    subtitles: &[String],
    series: &[Series],
    budget: &PlotBudget,
) -> String {
    let points = || series.iter().flat_map(|one| &one.points);
    let most = points()
        .map(|point| point.3)
        .fold(budget.rows as f64, f64::max);
    let highest = points().map(|point| point.0).max().unwrap_or(0).max(1);
    let labels = Labels {
        title,
        subtitles,
        x: "height of the node (sum of its levels)",
        y: "rows suppressed",
    };
    let averages: Vec<Line> = (series.iter())
        .map(|one| Line {
            label: one.label.clone(),
            points: (one.points.iter())
                .map(|&(x, _, average, _)| Point {
                    x: x.into(),
                    y: average,
                    is_final: true,
                })
                .collect(),
        })
        .collect();
    let mut legend = entries(&averages);
    legend.push(LegendEntry {
        sample: Sample::Band { color: FAINT },
        text: "band: minimum to maximum over all nodes; line: average".into(),
    });
    legend.push(budget.entry());
    let x = Axis::exactly((0.0, highest.into()), Scale::Linear, true);
    let y = Axis::covering((0.0, most), Scale::Linear, true);
    let mut frame = Frame::new(&labels, x, y, &legend);
    for (at, one) in series.iter().enumerate() {
        let lower = one.points.iter().map(|&(x, low, ..)| (x, low));
        let upper = one.points.iter().rev().map(|&(x, .., high)| (x, high));
        let band: Vec<(f64, f64)> = lower
            .chain(upper)
            .map(|(x, y)| (frame.x(x.into()), frame.y(y)))
            .collect();
        frame.svg.area(&band, style(at).0, 0.12);
    }
    budget.draw(&mut frame);
    draw(&mut frame, &averages);
    frame.svg.finish()
}
