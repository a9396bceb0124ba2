//! The picture of the growth, from a recorded run.

use super::growth::{GrowthTable, case, sizes};
use super::{BENCHMARK, MEBIBYTE};
use crate::fonts::{HEADING, SOURCE, TEXT, TITLE, faint};
use crate::record;
use crate::report::{Measure, read_measures};
use anyhow::{Context, Result};
use incrowd_plot::{Anchor, Axis, GRID, INK, Sample, Scale, Svg, grouped, style, width};

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 700.0;
/// Size of a panel, inside its axes.
const PANEL: (f64, f64) = (300.0, 200.0);
/// Where the panels begin.
const LEFT: [f64; 2] = [70.0, 470.0];
const TOP: [f64; 2] = [134.0, 426.0];

/// A line of a panel: what it shows, and its unit in that of the axis.
struct Line {
    measure: &'static str,
    unit: f64,
    name: &'static str,
}

const TIMES: [Line; 3] = [
    Line {
        measure: "count_s",
        unit: 1.0,
        name: "reading and counting the file",
    },
    Line {
        measure: "annotate_s",
        unit: 1.0,
        name: "annotating every node",
    },
    Line {
        measure: "answer_us",
        unit: 1e-6,
        name: "one answer",
    },
];

const MEMORIES: [Line; 2] = [
    Line {
        measure: "peak_bytes",
        unit: 1.0 / MEBIBYTE,
        name: "peak of the process",
    },
    Line {
        measure: "index_bytes",
        unit: 1.0 / MEBIBYTE,
        name: "the histograms",
    },
];

/// Draws the picture into `docs/images`.
pub(crate) fn draw(run: &str) -> Result<()> {
    let measures = read_measures(&record::folder(run).join("raw.csv"))?;
    let svg = chart(run, &measures)?;
    let folder = crate::paths::project().join("docs/images");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("negotiation-growth.svg"), svg).context("writing the chart")
}

/// Whether a run has anything to draw.
pub(crate) fn has_growth(measures: &[Measure]) -> bool {
    measures
        .iter()
        .any(|measure| measure.benchmark == BENCHMARK)
}

fn value(measures: &[Measure], case: &str, measure: &str) -> Result<f64> {
    let found = measures
        .iter()
        .find(|of| of.benchmark == BENCHMARK && of.case == case && of.measure == measure);
    let found = found.with_context(|| format!("the run has no {measure} for {case}"))?;
    Ok(found.value.parse()?)
}

fn chart(run: &str, measures: &[Measure]) -> Result<String> {
    let mut svg = Svg::new(
        WIDTH,
        HEIGHT,
        "Time and memory of a negotiation by quasi-identifiers and by rows",
    );
    svg.text(
        (16.0, 26.0),
        TITLE,
        "What a negotiation takes: by quasi-identifiers, and by rows",
    );
    let subtitles = [
        "Both histograms of every node, on one thread. Scales are logarithmic.",
        "Once the census has no new tuples, rows lengthen only the count and the histograms.",
    ];
    for (line, y) in subtitles.into_iter().zip([46.0, 62.0]) {
        svg.text((16.0, y), faint(Anchor::Start), line);
    }
    let titles = [
        (
            GrowthTable::Adult,
            "Adult, 30 162 rows, by quasi-identifiers",
        ),
        (
            GrowthTable::Census,
            "census, six quasi-identifiers, by rows",
        ),
    ];
    let panels: [(&[Line], (f64, f64), &str); 2] = [
        (&TIMES, (1e-6, 1e2), "CPU seconds"),
        (&MEMORIES, (1e-2, 1e3), "MiB"),
    ];
    for ((lines, range, unit), top) in panels.iter().zip(TOP) {
        legend(&mut svg, lines, top - 38.0);
        let axis = Axis::exactly(*range, Scale::Powers, false);
        for ((table, title), left) in titles.iter().zip(LEFT) {
            let title = format!("{unit}: {title}");
            svg.text((left, top - 12.0), HEADING, title);
            panel(&mut svg, measures, table, lines, &axis, (left, top))?;
        }
    }
    let source = format!("Run {run}: see benchmarks/runs/{run}.");
    svg.text((16.0, HEIGHT - 14.0), SOURCE, source);
    Ok(svg.finish())
}

/// What the lines mean, side by side.
fn legend(svg: &mut Svg, lines: &[Line], y: f64) {
    let mut x = LEFT[0];
    for (at, line) in lines.iter().enumerate() {
        let (color, dash) = style(at);
        Sample::Line { color, dash }.draw(svg, (x, y - 4.0));
        x += Sample::WIDTH + 8.0;
        svg.text((x, y), TEXT, line.name);
        x += width(line.name, TEXT) + 20.0;
    }
}

/// A number of the axis of times or of memories, with few zeros to count.
fn tick(number: f64, axis: &Axis) -> String {
    let is_time = axis.ticks().first().is_some_and(|&least| least < 1e-3);
    match number {
        ..1e-3 => format!("{} µs", grouped((number * 1e6).round())),
        ..1.0 if is_time => format!("{} ms", grouped((number * 1e3).round())),
        _ => grouped(number),
    }
}

fn panel(
    svg: &mut Svg,
    measures: &[Measure],
    table: &GrowthTable,
    lines: &[Line],
    axis: &Axis,
    (left, top): (f64, f64),
) -> Result<()> {
    let sizes = sizes(table);
    let floor = top + PANEL.1;
    let y = |number: f64| floor - axis.share(number) * PANEL.1;
    let x = |at: usize| left + (at as f64 + 0.5) / sizes.len() as f64 * PANEL.0;
    for &number in axis.ticks() {
        let y = y(number);
        svg.line((left, y), (left + PANEL.0, y), GRID, 1.0);
        let place = (left - 6.0, y + 4.0);
        svg.text(place, faint(Anchor::End), tick(number, axis));
    }
    for (at, &size) in sizes.iter().enumerate() {
        let place = (x(at), floor + 16.0);
        svg.text(place, faint(Anchor::Middle), grouped(size as f64));
    }
    svg.line((left, floor), (left + PANEL.0, floor), INK, 1.0);
    for (at, line) in lines.iter().enumerate() {
        let (color, dash) = style(at);
        let points: Vec<(f64, f64)> = sizes
            .iter()
            .enumerate()
            .map(|(at, &size)| {
                let number = value(measures, &case(table, size), line.measure)?;
                Ok((x(at), y(line.unit * number)))
            })
            .collect::<Result<_>>()?;
        svg.polyline(&points, color, dash);
        for point in points {
            svg.dot(point, 3.5, color);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    #[test]
    fn every_point_of_every_line_is_drawn() {
        let mut report = Report::default();
        let mut points = 0;
        for table in [GrowthTable::Adult, GrowthTable::Census] {
            for size in sizes(&table) {
                let case = case(&table, size);
                for line in TIMES.iter().chain(&MEMORIES) {
                    let key = (BENCHMARK, case.as_str(), "incrowd");
                    report.fact(key, line.measure, 3.5 / line.unit);
                    points += 1;
                }
            }
        }
        let svg = chart("2001-01-01", &report.measures).unwrap();
        // And a dot for every line of the legends.
        let samples = TIMES.len() + MEMORIES.len();
        assert_eq!(svg.matches("<circle").count(), points + samples);
        assert!(chart("2001-01-01", &report.measures[1..]).is_err());
    }
}
