//! The picture of the growth, from a recorded run.

use super::growth::{GrowthTable, case, sizes};
use super::{BENCHMARK, MEBIBYTE};
use crate::plot::{INK, PALE, RULE, Svg};
use crate::record;
use crate::report::{Measure, grouped, read_measures};
use anyhow::{Context, Result};

const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 700.0;
/// Size of a panel, inside its axes.
const PANEL: (f64, f64) = (300.0, 200.0);
/// Where the panels begin.
const LEFT: [f64; 2] = [70.0, 470.0];
const TOP: [f64; 2] = [134.0, 426.0];

/// A line of a panel: what it shows, its unit in that of the axis, its colour and dashes.
struct Line {
    measure: &'static str,
    unit: f64,
    name: &'static str,
    colour: &'static str,
    dashes: &'static str,
}

const TIMES: [Line; 3] = [
    Line {
        measure: "count_s",
        unit: 1.0,
        name: "reading and counting the file",
        colour: "#c4560a",
        dashes: "",
    },
    Line {
        measure: "annotate_s",
        unit: 1.0,
        name: "annotating every node",
        colour: "#0b6e99",
        dashes: "7 3",
    },
    Line {
        measure: "answer_us",
        unit: 1e-6,
        name: "one answer",
        colour: "#117733",
        dashes: "2 3",
    },
];

const MEMORIES: [Line; 2] = [
    Line {
        measure: "peak_bytes",
        unit: 1.0 / MEBIBYTE,
        name: "peak of the process",
        colour: "#c4560a",
        dashes: "",
    },
    Line {
        measure: "index_bytes",
        unit: 1.0 / MEBIBYTE,
        name: "the histograms",
        colour: "#0b6e99",
        dashes: "7 3",
    },
];

/// Powers of ten from the least to the most shown.
#[derive(Clone, Copy)]
struct Powers(i32, i32);

impl Powers {
    /// Where a number lies, from 0 to 1.
    fn share(self, number: f64) -> f64 {
        (number.log10() - f64::from(self.0)) / f64::from(self.1 - self.0)
    }
}

/// Draws the picture into `docs/images`.
pub(crate) fn draw(run: &str) -> Result<()> {
    let measures = read_measures(&record::folder(run).join("raw.csv"))?;
    let svg = chart(run, &measures)?;
    let folder = record::project().join("docs/images");
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
        (WIDTH, HEIGHT),
        "Time and memory of a negotiation by quasi-identifiers and by rows",
    );
    let pale = format!(r#"fill="{PALE}""#);
    svg.text(
        (16.0, 26.0),
        r#"font-size="16" font-weight="600""#,
        "What a negotiation takes: by quasi-identifiers, and by rows",
    );
    let subtitles = [
        "Both histograms of every node, on one thread. Scales are logarithmic.",
        "Once the census has no new tuples, rows lengthen only the count and the histograms.",
    ];
    for (line, y) in subtitles.into_iter().zip([46.0, 62.0]) {
        svg.text((16.0, y), &pale, line);
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
    let panels: [(&[Line], Powers, &str); 2] = [
        (&TIMES, Powers(-6, 2), "CPU seconds"),
        (&MEMORIES, Powers(-2, 3), "MiB"),
    ];
    for ((lines, range, unit), top) in panels.iter().zip(TOP) {
        legend(&mut svg, lines, top - 38.0);
        for ((table, title), left) in titles.iter().zip(LEFT) {
            let title = format!("{unit}: {title}");
            svg.text((left, top - 12.0), r#"font-weight="600""#, &title);
            panel(&mut svg, measures, table, lines, *range, (left, top))?;
        }
    }
    svg.text(
        (16.0, HEIGHT - 14.0),
        &format!(r#"font-size="11" fill="{PALE}""#),
        &format!("Run {run}: see benchmarks/runs/{run}."),
    );
    Ok(svg.finish())
}

fn legend(svg: &mut Svg, lines: &[Line], y: f64) {
    let mut x = LEFT[0];
    for line in lines {
        let style = stroke(line);
        svg.line((x, y - 4.0), (x + 28.0, y - 4.0), &style);
        svg.text((x + 36.0, y), "", line.name);
        x += 64.0 + 6.5 * line.name.len() as f64;
    }
}

fn stroke(line: &Line) -> String {
    let Line { colour, dashes, .. } = line;
    format!(r#"stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}""#)
}

fn panel(
    svg: &mut Svg,
    measures: &[Measure],
    table: &GrowthTable,
    lines: &[Line],
    range: Powers,
    (left, top): (f64, f64),
) -> Result<()> {
    let sizes = sizes(table);
    let floor = top + PANEL.1;
    let y = |number: f64| floor - range.share(number).clamp(0.0, 1.0) * PANEL.1;
    let x = |at: usize| left + (at as f64 + 0.5) / sizes.len() as f64 * PANEL.0;
    let rule = format!(r#"stroke="{RULE}" stroke-width="1""#);
    let pale = |anchor: &str| format!(r#"text-anchor="{anchor}" fill="{PALE}""#);
    for power in range.0..=range.1 {
        let number = 10f64.powi(power);
        svg.line((left, y(number)), (left + PANEL.0, y(number)), &rule);
        let label = match power {
            // Fewer zeros to count.
            ..-3 => format!("{} µs", grouped(10u64.pow((power + 6) as u32))),
            -3..0 if range.0 < -3 => format!("{} ms", grouped(10u64.pow((power + 3) as u32))),
            0.. => grouped(10u64.pow(power as u32)),
            _ => number.to_string(),
        };
        svg.text((left - 6.0, y(number) + 4.0), &pale("end"), &label);
    }
    for (at, &size) in sizes.iter().enumerate() {
        svg.text((x(at), floor + 16.0), &pale("middle"), &grouped(size));
    }
    let axis = format!(r#"stroke="{INK}" stroke-width="1""#);
    svg.line((left, floor), (left + PANEL.0, floor), &axis);
    for line in lines {
        let points: Vec<(f64, f64)> = sizes
            .iter()
            .enumerate()
            .map(|(at, &size)| {
                let number = value(measures, &case(table, size), line.measure)?;
                Ok((x(at), y(line.unit * number)))
            })
            .collect::<Result<_>>()?;
        for pair in points.windows(2) {
            svg.line(pair[0], pair[1], &stroke(line));
        }
        for point in points {
            svg.dot(point, line.colour);
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
        assert_eq!(svg.matches("<circle").count(), points);
        assert!(chart("2001-01-01", &report.measures[1..]).is_err());
    }
}
