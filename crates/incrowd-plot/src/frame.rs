//! Axes, ticks, grid and labels around a plot.
//!
//! Every text has its own space, as large as it needs: title and subtitle above, the legend to the right, ticks and
//! names next to the axes. So texts never overlap, whatever the column names.

use crate::axis::Axis;
use crate::legend::{Legend, LegendEntry};
use crate::measure::{line_height, width, wrapped};
use crate::svg::{Anchor, FAINT, Font, GRID, INK, Svg, grouped};

/// The plot itself, within its axes.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 316.0;
/// Around everything.
const MARGIN: f64 = 16.0;
/// Between the plot and its legend.
const BESIDE: f64 = 18.0;
/// Below the axis: its ticks and its name.
const BELOW: f64 = 56.0;

const TITLE: Font = Font {
    is_bold: true,
    ..Font::new(16, INK, Anchor::Start)
};
const SUBTITLE: Font = Font::new(12, FAINT, Anchor::Start);
const NAME: Font = Font::new(13, INK, Anchor::Middle);

const fn tick(anchor: Anchor) -> Font {
    Font::new(12, FAINT, anchor)
}

/// A plot with two axes.
pub(crate) struct Frame {
    pub(crate) svg: Svg,
    left: f64,
    top: f64,
    x: Axis,
    y: Axis,
}

/// The texts around a plot.
pub(crate) struct Labels<'a> {
    pub(crate) title: &'a str,
    /// Each begins a line of its own.
    pub(crate) subtitles: &'a [String],
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
}

/// The name of an axis, and what a reader must know about it.
fn name(name: &str, axis: &Axis) -> String {
    match axis.note() {
        None => name.to_owned(),
        Some(note) => format!("{name} ({note})"),
    }
}

impl Frame {
    /// A frame with everything but the lines.
    pub(crate) fn new(labels: &Labels<'_>, x: Axis, y: Axis, legend: &[LegendEntry]) -> Self {
        let legend = Legend::new(legend);
        let marks = y.ticks().iter().map(|&at| grouped(at));
        let widest = marks
            .map(|mark| width(&mark, tick(Anchor::End)))
            .fold(0.0, f64::max);
        let left = MARGIN + line_height(NAME) + 8.0 + widest + 8.0;
        let beside = match legend.width() {
            0.0 => MARGIN + 24.0,
            width => BESIDE + width + MARGIN,
        };
        let all_width = left + WIDTH + beside;
        let room = all_width - 2.0 * MARGIN;
        let title = wrapped(labels.title, TITLE, room);
        let subtitles = labels.subtitles.iter();
        let subtitle: Vec<String> = subtitles
            .flat_map(|line| wrapped(line, SUBTITLE, room))
            .collect();
        let head = MARGIN
            + title.len() as f64 * line_height(TITLE)
            + subtitle.len() as f64 * line_height(SUBTITLE);
        let top = head + 18.0;
        let all_height = top + HEIGHT.max(legend.height() - BELOW) + BELOW;
        let mut frame = Frame {
            svg: Svg::new(all_width, all_height, labels.title),
            left,
            top,
            x,
            y,
        };
        let mut baseline = MARGIN;
        for (lines, font) in [(&title, TITLE), (&subtitle, SUBTITLE)] {
            for line in lines {
                baseline += line_height(font);
                frame.svg.text((MARGIN, baseline - 5.0), font, line);
            }
        }
        frame.draw_axes(labels);
        let beside = frame.right() + BESIDE;
        legend.draw(&mut frame.svg, (beside, top));
        frame
    }

    fn draw_axes(&mut self, labels: &Labels<'_>) {
        let (left, right, floor) = (self.left, self.right(), self.floor());
        for &at in self.y.clone().ticks() {
            let y = self.y(at);
            self.svg.line((left, y), (right, y), GRID, 1.0);
            let place = (left - 8.0, y + 4.0);
            self.svg.text(place, tick(Anchor::End), grouped(at));
        }
        // If ticks of a logarithmic axis are too close, those without room are left out.
        let mut taken = f64::NEG_INFINITY;
        for &at in self.x.clone().ticks() {
            let x = self.x(at);
            self.svg.line((x, floor), (x, floor + 5.0), FAINT, 1.0);
            let mark = grouped(at);
            let half = width(&mark, tick(Anchor::Middle)) / 2.0;
            if x - half > taken {
                let place = (x, floor + 20.0);
                self.svg.text(place, tick(Anchor::Middle), mark);
                taken = x + half + 4.0;
            }
        }
        self.svg.line((left, floor), (right, floor), FAINT, 1.0);
        let middle = ((left + right) / 2.0, floor + 44.0);
        self.svg.text(middle, NAME, name(labels.x, &self.x));
        let middle = (
            MARGIN + f64::from(NAME.size),
            self.top + (floor - self.top) / 2.0,
        );
        self.svg.turned(middle, NAME, -90, name(labels.y, &self.y));
    }

    pub(crate) fn x(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * WIDTH
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.floor() - self.y.share(value) * HEIGHT
    }

    /// A dashed line right across.
    pub(crate) fn limit(&mut self, value: f64, color: &str) {
        let y = self.y(value);
        let (left, right) = (self.left, self.right());
        self.svg.dashed((left, y), (right, y), color, "6 4");
    }

    fn right(&self) -> f64 {
        self.left + WIDTH
    }

    pub(crate) fn floor(&self) -> f64 {
        self.top + HEIGHT
    }
}
