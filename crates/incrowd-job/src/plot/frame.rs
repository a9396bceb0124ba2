//! Axes, ticks, grid and labels around a plot.

use super::svg::{Anchor, FAINT, Font, GRID, INK, Svg, grouped};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 60.0;

/// A plot with two linear axes that start where the data do.
pub(super) struct Frame {
    pub(super) svg: Svg,
    pub(super) right: f64,
    x: (f64, f64),
    y: (f64, f64),
}

/// What stands around a plot.
pub(super) struct Labels<'a> {
    pub(super) title: &'a str,
    pub(super) subtitle: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
}

impl Frame {
    /// A frame for these ranges; `margin` is kept free on the right for a legend.
    pub(super) fn new(labels: &Labels<'_>, x: (f64, f64), most: f64, margin: f64) -> Self {
        let ticks_y = ticks(0.0, most.max(1.0));
        let top = ticks_y.last().copied().unwrap_or(1.0).max(most);
        let mut frame = Frame {
            svg: Svg::new(WIDTH, HEIGHT, labels.title),
            right: WIDTH - margin,
            x,
            y: (0.0, top),
        };
        let title = Font {
            is_bold: true,
            ..Font::new(16, INK, Anchor::Start)
        };
        frame.svg.text((LEFT, 26.0), title, labels.title);
        let small = |anchor| Font::new(12, FAINT, anchor);
        frame
            .svg
            .text((LEFT, 45.0), small(Anchor::Start), labels.subtitle);
        for tick in ticks_y {
            let y = frame.y(tick);
            let right = frame.right;
            frame.svg.line((LEFT, y), (right, y), GRID, 1.0);
            let label = grouped(tick);
            frame
                .svg
                .text((LEFT - 8.0, y + 4.0), small(Anchor::End), label);
        }
        let floor = HEIGHT - BOTTOM;
        for tick in ticks(x.0, x.1) {
            if tick < x.0 || tick > x.1 {
                continue;
            }
            let at = frame.x(tick);
            frame.svg.line((at, floor), (at, floor + 5.0), FAINT, 1.0);
            let label = grouped(tick);
            frame
                .svg
                .text((at, floor + 20.0), small(Anchor::Middle), label);
        }
        let right = frame.right;
        frame.svg.line((LEFT, floor), (right, floor), FAINT, 1.0);
        let name = Font::new(13, INK, Anchor::Middle);
        let middle = (LEFT + right) / 2.0;
        frame.svg.text((middle, HEIGHT - 14.0), name, labels.x);
        let middle = (TOP + floor) / 2.0;
        frame.svg.turned((20.0, middle), name, -90, labels.y);
        frame
    }

    pub(super) fn x(&self, value: f64) -> f64 {
        let span = (self.x.1 - self.x.0).max(f64::MIN_POSITIVE);
        LEFT + (value - self.x.0) / span * (self.right - LEFT)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        let span = (self.y.1 - self.y.0).max(f64::MIN_POSITIVE);
        HEIGHT - BOTTOM - (value - self.y.0) / span * (HEIGHT - BOTTOM - TOP)
    }

    pub(super) fn left(&self) -> f64 {
        LEFT
    }

    pub(super) fn top(&self) -> f64 {
        TOP
    }

    pub(super) fn floor(&self) -> f64 {
        HEIGHT - BOTTOM
    }
}

/// About six numbers that read well and cover a range.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low).max(f64::MIN_POSITIVE) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
    let step = factors
        .into_iter()
        .map(|factor| factor * power)
        // A quarter of ten is a tick of twenties and more, of ones it is not.
        .filter(|step| *step < 1.0 || step.fract() == 0.0)
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power);
    let first = (low / step).floor() as i64;
    let last = (high / step - 1e-9).ceil() as i64;
    (first..=last)
        // Rounded, so that no tick is 0.30000000000000004.
        .map(|at| (at as f64 * step * 1e6).round() / 1e6)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_cover_the_range_and_read_well() {
        assert_eq!(ticks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(0.0, 0.5).last(), Some(&0.5));
        assert_eq!(ticks(0.0, 3.0), [0.0, 1.0, 2.0, 3.0]);
        assert!(ticks(0.0, 14_231.0).last() >= Some(&14_231.0));
    }
}
