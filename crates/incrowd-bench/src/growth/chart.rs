//! The pictures of the growth, from a recorded run.

use super::rows::{People, ROWS};
use super::{BENCHMARK, nodes, rows};
use crate::report::{Measure, read_measures};
use crate::{paths, record};
use anyhow::{Context, Result};
use incrowd_plot::{Around, Line, Point, Scale, lines_by};

/// Whether a run has anything to draw.
pub(crate) fn has_growth(measures: &[Measure]) -> bool {
    (measures.iter()).any(|measure| measure.benchmark == BENCHMARK)
}

/// Draws the pictures into `docs/images`.
pub(crate) fn draw(run: &str) -> Result<()> {
    let measures = read_measures(&record::folder(run).join("raw.csv"))?;
    let folder = paths::project().join("docs/images");
    std::fs::create_dir_all(&folder)?;
    for (file, svg) in [
        ("growth-by-rows", by_rows(run, &measures)),
        ("growth-by-nodes", by_nodes(run, &measures)?),
    ] {
        std::fs::write(folder.join(format!("{file}.svg")), svg).context("writing the chart")?;
    }
    Ok(())
}

fn value(measures: &[Measure], case: &str, measure: &str) -> Option<f64> {
    let mut of_case = (measures.iter()).filter(|of| of.benchmark == BENCHMARK && of.case == case);
    let found = of_case.find(|of| of.measure == measure)?;
    found.value.parse().ok()
}

fn by_rows(run: &str, measures: &[Measure]) -> String {
    let line = |people: People| {
        let points = ROWS.into_iter().filter_map(|rows| {
            let y = value(measures, &rows::case(people, rows), "cpu_s")?;
            Some(Point {
                x: rows as f64,
                y,
                is_final: true,
            })
        });
        Line {
            label: people.describe().to_owned(),
            points: points.collect(),
        }
    };
    let source = [format!("From a pipe, one thread; benchmarks/runs/{run}")];
    let around = Around {
        title: "CPU time of counting, by rows",
        subtitles: &source,
        x: "rows",
        y: "CPU seconds",
        limit: None,
        hollow: "",
    };
    lines_by(Scale::Powers, &around, &People::ALL.map(line))
}

fn by_nodes(run: &str, measures: &[Measure]) -> Result<String> {
    let line = |measure: &str, label: &str| -> Result<Line> {
        let points = nodes::COLUMNS.map(|columns| {
            let case = nodes::case(columns);
            let of = |measure| {
                let found = value(measures, &case, measure);
                found.with_context(|| format!("the run has no {measure} for {case}"))
            };
            Ok(Point {
                x: 10f64.powi(columns as i32),
                y: of(measure)?,
                is_final: of("gap")? == 0.0,
            })
        });
        Ok(Line {
            label: label.to_owned(),
            points: points.collect::<Result<_>>()?,
        })
    };
    let source = [format!(
        "20 000 rows, k = 5, two threads, at most 60 s; benchmarks/runs/{run}"
    )];
    let around = Around {
        title: "Nodes checked and seconds of the exact search, by nodes of the lattice",
        subtitles: &source,
        x: "nodes of the lattice",
        y: "nodes; seconds",
        limit: None,
        hollow: "stopped before the proof was complete",
    };
    let lines = [
        line("checked", "nodes checked")?,
        line("solve_s", "seconds")?,
    ];
    Ok(lines_by(Scale::Powers, &around, &lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    fn measured() -> Report {
        let mut report = Report::default();
        for people in People::ALL {
            for rows in ROWS {
                report.fact(
                    (BENCHMARK, &rows::case(people, rows), ""),
                    "cpu_s",
                    rows as f64 / 1e6,
                );
            }
        }
        for columns in nodes::COLUMNS {
            for (measure, value) in [("checked", 50.0), ("solve_s", 0.5), ("gap", 0.0)] {
                report.fact((BENCHMARK, &nodes::case(columns), ""), measure, value);
            }
        }
        report
    }

    #[test]
    fn every_point_is_drawn_and_a_missing_one_is_told() {
        let measures = measured().measures;
        let points = People::ALL.len() * ROWS.len();
        // And a dot for every line of the legend.
        assert_eq!(
            by_rows("r", &measures).matches("<circle").count(),
            points + 2
        );
        let points = 2 * nodes::COLUMNS.count();
        assert_eq!(
            by_nodes("r", &measures).unwrap().matches("<circle").count(),
            points + 2
        );
        assert!(by_nodes("r", &measures[..measures.len() - 1]).is_err());
    }
}
