//! The rows each parameter suppresses at one node, with the budget: figure 2.9.

use crate::axis::{Axis, Scale, range};
use crate::budget::PlotBudget;
use crate::frame::{Frame, Labels};
use crate::legend::{LegendEntry, Sample};
use crate::svg::{grouped, style};

/// The rows that each parameter of a model suppresses at one node.
pub struct StepCurve<'a> {
    /// The model, such as `k-anonymity`.
    pub model: &'a str,
    /// The name of its parameter, such as `k`.
    pub parameter_name: &'a str,
    /// Whether the parameter is a whole number.
    pub is_whole: bool,
    /// Whether a smaller parameter suppresses more rows.
    pub falls: bool,
    /// The node, by name and level.
    pub levels: &'a [(String, u8)],
    /// Parameters in ascending order, with the rows that each suppresses.
    pub points: &'a [(f64, u64)],
}

/// A step curve, with what the budget allows.
pub fn cumulative(title: &str, curve: &StepCurve<'_>, budget: &PlotBudget) -> String {
    let (parameters, rows): (Vec<f64>, Vec<f64>) = (curve.points.iter())
        .map(|&(parameter, rows)| (parameter, rows as f64))
        .unzip();
    let (low, high) = range(parameters.iter().copied());
    let allowed = budget.rows as f64;
    let most = rows.iter().copied().fold(allowed * 1.3, f64::max);
    let levels: Vec<String> = curve
        .levels
        .iter()
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    let name = curve.parameter_name;
    let labels = Labels {
        title,
        subtitles: &[format!("levels: {}", levels.join(", "))],
        x: &format!("{name} of {}", curve.model),
        y: "rows suppressed",
    };
    let within: Vec<bool> = rows.iter().map(|&rows| rows <= allowed).collect();
    let strongest = match curve.falls {
        true => within.iter().position(|&within| within),
        false => within.iter().rposition(|&within| within),
    };
    let (blue, dash) = style(0);
    let mut legend = vec![LegendEntry {
        sample: Sample::Line { color: blue, dash },
        text: format!("rows suppressed by {name}"),
    }];
    legend.extend(strongest.map(|at| LegendEntry {
        sample: Sample::Dot {
            color: blue,
            is_filled: true,
        },
        text: format!(
            "{name} = {} still fits: {} rows",
            // Rounded to the side that fits.
            match curve.falls {
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
