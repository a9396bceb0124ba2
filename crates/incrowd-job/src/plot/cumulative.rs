//! The rows each parameter suppresses at one node, with the budget: figure 2.9.

use super::frame::{Frame, Labels};
use super::svg::{Anchor, COLOURS, Font, INK, grouped};
use crate::negotiation::Curve;

/// Points of the curve of a parameter that is not whole.
const POINTS: usize = 400;

/// A step curve, and what the budget allows.
pub(crate) fn cumulative(title: &str, curve: &Curve) -> String {
    let (low, high) = curve.range();
    let parameters: Vec<f64> = match curve.is_whole {
        true => (low as u64..=high as u64).map(|at| at as f64).collect(),
        false => (0..=POINTS)
            .map(|at| low + (high - low) * at as f64 / POINTS as f64)
            .collect(),
    };
    let rows: Vec<f64> = parameters
        .iter()
        .map(|&parameter| curve.rows_suppressed(parameter) as f64)
        .collect();
    let budget = curve.budget as f64;
    let most = rows.iter().copied().fold(budget * 1.3, f64::max);
    let levels: Vec<String> = curve
        .levels
        .iter()
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    let subtitle = format!("levels: {}", levels.join(", "));
    let name = format!("{} of {}", curve.parameter_name, curve.model);
    let labels = Labels {
        title,
        subtitle: &subtitle,
        x: &name,
        y: "rows suppressed",
    };
    let mut frame = Frame::new(&labels, (low, high), most, 40.0);
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (&parameter, &rows) in parameters.iter().zip(&rows) {
        if let Some(&(_, before)) = line.last() {
            // Whole parameters have nothing between them: the curve jumps.
            line.push((frame.x(parameter), before));
        }
        line.push((frame.x(parameter), frame.y(rows)));
    }
    let within: Vec<bool> = rows.iter().map(|&rows| rows <= budget).collect();
    let (blue, orange) = (COLOURS[0], COLOURS[1]);
    let mut area = line.clone();
    area.extend([
        (frame.x(high), frame.floor()),
        (frame.x(low), frame.floor()),
    ]);
    frame.svg.area(&area, blue, 0.10);
    frame.svg.polyline(&line, blue, "");
    let y = frame.y(budget);
    let (left, right) = (frame.left(), frame.right);
    frame.svg.dashed((left, y), (right, y), orange, "6 4");
    let small = |anchor| Font::new(12, INK, anchor);
    let text = format!("budget: {} rows", grouped(budget));
    // On the side where the curve is below it.
    let (at, anchor) = match curve.falls() {
        true => (right - 6.0, Anchor::End),
        false => (left + 6.0, Anchor::Start),
    };
    frame.svg.text((at, y - 6.0), small(anchor), text);
    let strongest = match curve.falls() {
        true => within.iter().position(|&within| within),
        false => within.iter().rposition(|&within| within),
    };
    if let Some(at) = strongest {
        let point = (frame.x(parameters[at]), frame.y(rows[at]));
        frame.svg.dot(point, 4.5, blue);
        let is_right = point.0 > (left + right) / 2.0;
        let (shift, anchor) = match is_right {
            true => (-10.0, Anchor::End),
            false => (10.0, Anchor::Start),
        };
        let text = format!(
            "{} = {} still fits: {} rows",
            curve.parameter_name,
            grouped((parameters[at] * 1000.0).round() / 1000.0),
            grouped(rows[at])
        );
        let below = (point.1 + 16.0).min(frame.floor() - 6.0);
        frame
            .svg
            .text((point.0 + shift, below), small(anchor), text);
    }
    frame.svg.finish()
}
