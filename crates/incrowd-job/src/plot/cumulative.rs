//! The rows each parameter suppresses at one node, with the budget: figure 2.9.

use super::frame::{Frame, Labels};
use super::svg::{Anchor, COLOURS, Font, INK, grouped};
use crate::negotiation::Curve;

/// Points of the curve of a parameter that is not whole.
const POINTS: usize = 400;

/// The width of the text beside the strongest parameter that fits.
const ROOM: f64 = 220.0;

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
        let text = format!(
            "{} = {} still fits: {} rows",
            curve.parameter_name,
            // Rounded to the side that fits.
            match curve.falls() {
                true => (parameters[at] * 1000.0).ceil() / 1000.0,
                false => (parameters[at] * 1000.0).floor() / 1000.0,
            },
            grouped(rows[at])
        );
        // Where the curve is not: beside it, below a rising one and above a falling one.
        let has_room = point.0 + ROOM < right;
        let above = point.1.min(y) - 22.0;
        let (place, anchor) = match (curve.falls(), has_room) {
            (false, true) => ((point.0 + 10.0, point.1 + 20.0), Anchor::Start),
            (true, true) => ((point.0 + 10.0, above), Anchor::Start),
            (_, false) => ((point.0 - 10.0, above), Anchor::End),
        };
        let place = (place.0, place.1.min(frame.floor() - 6.0));
        frame.svg.text(place, small(anchor), text);
    }
    frame.svg.finish()
}
