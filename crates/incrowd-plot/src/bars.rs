//! Bars side by side, for figures of several series about the same things: loss by column, distributions.
//!
//! Bars lie, so that what they are about has room for its name at the left, and every figure stands at the end of its
//! bar: nothing has to be read off an axis.

use crate::legend::{Legend, LegendEntry, Sample};
use crate::measure::{line_height, shortened, width, wrapped};
use crate::svg::{Anchor, FAINT, Font, GRID, INK, Svg, style};

/// What the bars show.
pub struct Bars<'a> {
    /// Above, in bold.
    pub title: &'a str,
    /// Below the title, each a line of its own.
    pub subtitles: &'a [String],
    /// The series, in the order of the bars of a group.
    pub series: &'a [BarSeries],
    /// The groups of bars, from top to bottom.
    pub groups: &'a [BarGroup],
    /// The value of the longest bar; no bar is drawn longer.
    pub most: f64,
    /// How long that bar is.
    pub length: f64,
}

/// One bar of every group.
pub struct BarSeries {
    /// Its words in the legend. Series of one label share an entry and should share a color.
    pub label: String,
    /// Its color; one of its own if none is given.
    pub color: Option<&'static str>,
}

/// Bars about the same thing.
pub struct BarGroup {
    /// What they are about.
    pub label: String,
    /// A bar for each series; none where there is no figure.
    pub bars: Vec<Option<Bar>>,
}

/// One bar.
pub struct Bar {
    /// How long it is.
    pub value: f64,
    /// What stands at its end.
    pub text: String,
}

/// Around everything.
const MARGIN: f64 = 16.0;
/// From one bar to the next, and the bar itself.
const STEP: f64 = 15.0;
const THICKNESS: f64 = 11.0;
/// Between two groups.
const GAP: f64 = 12.0;
/// Names of groups are wrapped at this width, and cut after a few lines.
const NAME_WIDTH: f64 = 170.0;
const MOST_LINES: usize = 3;
/// Between the bars and the legend.
const BESIDE: f64 = 18.0;

const TITLE: Font = Font {
    is_bold: true,
    ..Font::new(16, INK, Anchor::Start)
};
const SUBTITLE: Font = Font::new(12, FAINT, Anchor::Start);
const NAME: Font = Font::new(12, INK, Anchor::End);
const FIGURE: Font = Font::new(11, INK, Anchor::Start);

/// Bars side by side.
pub fn bars(bars: &Bars<'_>) -> String {
    let names: Vec<Vec<String>> = (bars.groups.iter())
        .map(|group| shortened(wrapped(&group.label, NAME, NAME_WIDTH), MOST_LINES))
        .collect();
    let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
    let name_width = widest(&mut names.iter().flatten().map(|name| width(name, NAME)));
    let figures = bars.groups.iter().flat_map(|group| &group.bars).flatten();
    let figure_width = widest(&mut figures.map(|bar| width(&bar.text, FIGURE)));
    let color = |at: usize| bars.series[at].color.unwrap_or(style(at).0);
    let mut entries: Vec<LegendEntry> = Vec::new();
    for (at, series) in bars.series.iter().enumerate() {
        if entries.iter().all(|entry| entry.text != series.label) {
            entries.push(LegendEntry {
                sample: Sample::Bar { color: color(at) },
                text: series.label.clone(),
            });
        }
    }
    // A single kind of bars needs no legend: the title says what it is.
    if entries.len() == 1 {
        entries.clear();
    }
    let legend = Legend::new(&entries);
    let left = MARGIN + name_width + 10.0;
    let right = left + bars.length + 6.0 + figure_width;
    let beside = match entries.is_empty() {
        true => MARGIN,
        false => BESIDE + legend.width() + MARGIN,
    };
    let all_width = right + beside;
    let title = wrapped(bars.title, TITLE, all_width - 2.0 * MARGIN);
    let subtitle: Vec<String> = (bars.subtitles.iter())
        .flat_map(|line| wrapped(line, SUBTITLE, all_width - 2.0 * MARGIN))
        .collect();
    let top = MARGIN
        + title.len() as f64 * line_height(TITLE)
        + subtitle.len() as f64 * line_height(SUBTITLE)
        + 12.0;
    let height_of = |lines: &Vec<String>| {
        let of_bars = bars.series.len() as f64 * STEP;
        of_bars.max(lines.len() as f64 * line_height(NAME)) + GAP
    };
    let all_bars: f64 = names.iter().map(height_of).sum();
    let all_height = top + all_bars.max(legend.height()) + MARGIN;
    let mut svg = Svg::new(all_width, all_height, bars.title);
    let mut baseline = MARGIN;
    for (lines, font) in [(&title, TITLE), (&subtitle, SUBTITLE)] {
        for line in lines {
            baseline += line_height(font);
            svg.text((MARGIN, baseline - 5.0), font, line);
        }
    }
    let mut y = top;
    for (group, lines) in bars.groups.iter().zip(&names) {
        let height = height_of(lines);
        let middle = y + (height - GAP) / 2.0;
        let first = middle - lines.len() as f64 * line_height(NAME) / 2.0;
        for (at, line) in (1..).zip(lines) {
            let baseline = first + f64::from(at) * line_height(NAME) - 4.0;
            svg.text((left - 10.0, baseline), NAME, line);
        }
        let first = middle - bars.series.len() as f64 * STEP / 2.0;
        for (at, bar) in group.bars.iter().enumerate() {
            let top = first + at as f64 * STEP + (STEP - THICKNESS) / 2.0;
            let Some(bar) = bar else { continue };
            let share = match bars.most > 0.0 {
                true => (bar.value / bars.most).clamp(0.0, 1.0),
                false => 0.0,
            };
            let length = share * bars.length;
            let corners = [
                (left, top),
                (left + length, top),
                (left + length, top + THICKNESS),
                (left, top + THICKNESS),
            ];
            svg.area(&corners, color(at), 1.0);
            let place = (left + length + 6.0, top + THICKNESS - 1.5);
            svg.text(place, FIGURE, &bar.text);
        }
        y += height;
    }
    svg.line((left, top - 4.0), (left, y - GAP + 4.0), GRID, 1.0);
    legend.draw(&mut svg, (right + BESIDE, top));
    svg.finish()
}
