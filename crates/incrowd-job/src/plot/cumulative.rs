//! The rows each parameter suppresses at one node, with the budget: figure 2.9.

use super::axis::{Axis, Scale};
use super::budget::PlotBudget;
use super::frame::{Frame, Labels};
use super::legend::{LegendEntry, Sample};
use super::svg::{grouped, style};
use crate::negotiation::Curve;

/// Points of the curve of a parameter that is not whole.
const POINTS: usize = 400;

/// Whole parameters drawn at most; between them some are left out.
const MOST_WHOLE: u64 = 2000;

/// A step curve, and what the budget allows.
pub(crate) fn cumulative(title: &str, curve: &Curve, budget: &PlotBudget) -> String {
    let (low, high) = curve.range();
    let parameters: Vec<f64> = match curve.is_whole {
        true => {
            let (low, high) = (low as u64, high as u64);
            let step = (high - low).div_ceil(MOST_WHOLE).max(1);
            let parameters = (low..high).step_by(usize::try_from(step).unwrap_or(usize::MAX));
            parameters.chain([high]).map(|at| at as f64).collect()
        }
        false => (0..=POINTS)
            .map(|at| low + (high - low) * at as f64 / POINTS as f64)
            .collect(),
    };
    let rows: Vec<f64> = parameters
        .iter()
        .map(|&parameter| curve.rows_suppressed(parameter) as f64)
        .collect();
    let allowed = budget.rows as f64;
    let most = rows.iter().copied().fold(allowed * 1.3, f64::max);
    let levels: Vec<String> = curve
        .levels
        .iter()
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    let name = &curve.parameter_name;
    let labels = Labels {
        title,
        subtitles: &[format!("levels: {}", levels.join(", "))],
        x: &format!("{name} of {}", curve.model),
        y: "rows suppressed",
    };
    let within: Vec<bool> = rows.iter().map(|&rows| rows <= allowed).collect();
    let strongest = match curve.falls() {
        true => within.iter().position(|&within| within),
        false => within.iter().rposition(|&within| within),
    };
    let (blue, dash) = style(0);
    let mut legend = vec![LegendEntry {
        sample: Sample::Line { colour: blue, dash },
        text: format!("rows that {name} suppresses"),
    }];
    legend.extend(strongest.map(|at| LegendEntry {
        sample: Sample::Dot {
            colour: blue,
            is_filled: true,
        },
        text: format!(
            "{name} = {} still fits: {} rows",
            // Rounded to the side that fits.
            match curve.falls() {
                true => (parameters[at] * 1000.0).ceil() / 1000.0,
                false => (parameters[at] * 1000.0).floor() / 1000.0,
            },
            grouped(rows[at])
        ),
    }));
    legend.push(budget.entry());
    let x = Axis::exactly((low, high), Scale::Linear, curve.is_whole);
    let y = Axis::covering((0.0, most), Scale::Linear, true);
    let mut frame = Frame::new(&labels, x, y, &legend);
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (at, (&parameter, &rows)) in parameters.iter().zip(&rows).enumerate() {
        if let Some(&(_, before)) = line.last() {
            // Nothing is between two whole parameters: the curve jumps.
            line.push((frame.x(parameter), before));
        }
        // A jump at the very end would lead nowhere.
        if at + 1 < parameters.len() {
            line.push((frame.x(parameter), frame.y(rows)));
        }
    }
    let mut area = line.clone();
    area.extend([
        (frame.x(high), frame.floor()),
        (frame.x(low), frame.floor()),
    ]);
    frame.svg.area(&area, blue, 0.10);
    frame.svg.polyline(&line, blue, dash);
    budget.draw(&mut frame);
    if let Some(at) = strongest {
        let point = (frame.x(parameters[at]), frame.y(rows[at]));
        frame.svg.dot(point, 4.5, blue);
    }
    frame.svg.finish()
}
