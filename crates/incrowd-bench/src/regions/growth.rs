//! How the time and memory of regions grow with rows, with columns and with distinct tuples.
//!
//! Every point is a process of its own, so that its peak memory is its own.

use super::{Reached, solve};
use crate::child;
use crate::report::{Measure, Report, Table, grouped, read_measures, short};
use crate::{paths, record};
use anyhow::{Context, Result, bail};
use incrowd_core::algorithms::{self, Algorithm, Finest, Mondrian};
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{Hierarchy, HierarchySpec};
use incrowd_core::table::RowBatch;
use incrowd_plot::{Around, Line, Point, Scale, lines_by};
use serde_json::{Value, json};
use std::time::Duration;

const BENCHMARK: &str = "regions";
const ALGORITHMS: [&dyn Algorithm; 2] = [&Mondrian, &Finest];
const MEBIBYTE: f64 = (1 << 20) as f64;

/// Rows, with eight columns: almost every row is a tuple of its own.
const ROWS: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// Columns, with so many rows.
const COLUMNS: [usize; 4] = [2, 4, 6, 8];
const ROWS_BY_COLUMNS: usize = 100_000;
/// Rows with three columns, of which there are far fewer tuples.
const MANY_ROWS: [usize; 3] = [100_000, 1_000_000, 10_000_000];

/// The case of a point, as it is recorded.
fn case(rows: usize, columns: usize) -> String {
    format!("{rows} rows, {columns} columns")
}

/// Measures one point and prints it as JSON.
#[expect(clippy::print_stdout, reason = "read by the parent process")]
pub(crate) fn measure_here(algorithm: &str, rows: usize, columns: usize) -> Result<()> {
    let algorithm = algorithms::find(algorithm);
    let table = generated(rows, columns)?;
    let Some(algorithm) = algorithm else {
        // Only counted, for the memory that takes.
        println!("{}", json!({ "tuples": table.tuples.len() }));
        return Ok(());
    };
    let hour = Duration::from_secs(3600);
    let Reached {
        ncp,
        classes,
        cpu_ms,
        seconds,
        ..
    } = solve(algorithm, &table, (10, "ncp", 2), hour)?;
    let tuples = table.tuples.len();
    let found = json!({
        "tuples": tuples, "ncp": ncp, "classes": classes, "cpu_ms": cpu_ms, "wall_s": seconds,
    });
    println!("{found}");
    Ok(())
}

/// What a process of its own measures, and its peak memory.
fn point(name: &str, rows: usize, columns: usize) -> Result<(Value, u64)> {
    let mut command = child::this_program()?;
    let (rows, columns) = (rows.to_string(), columns.to_string());
    command.args(["regions-growth", name, &rows, &columns]);
    let (printed, usage) = child::run(&mut command)?;
    Ok((serde_json::from_str(&printed)?, usage.peak_memory))
}

pub(super) fn run(report: &mut Report) -> Result<()> {
    report.paragraph(
        "**Growth.** Generated tables, k = 10, two threads, after counting: columns of numbers and of text without levels in \
         turn, which depend on each other. Each point is a process of its own; `MiB` is the peak memory of all of it, \
         counting included. With eight columns almost every row is a tuple of its own; with three there are few tuples.",
    );
    let mut lines = Table::new([
        "rows",
        "columns",
        "tuples",
        "counting MiB",
        "mondrian s, wall",
        "CPU s",
        "MiB",
        "NCP",
        "finest s, wall",
        "CPU s",
        "MiB",
        "NCP",
    ]);
    let by_rows = ROWS.map(|rows| (rows, 8));
    let by_columns = COLUMNS.map(|columns| (ROWS_BY_COLUMNS, columns));
    let by_columns = by_columns
        .into_iter()
        .filter(|size| !by_rows.contains(size));
    let many = MANY_ROWS.map(|rows| (rows, 3));
    for (rows, columns) in by_rows.into_iter().chain(by_columns).chain(many) {
        let case = case(rows, columns);
        let (counted, peak) = point("count", rows, columns)?;
        report.fact((BENCHMARK, &case, "counting"), "peak_bytes", peak);
        report.fact((BENCHMARK, &case, "counting"), "tuples", &counted["tuples"]);
        let mut costs = Vec::new();
        for algorithm in ALGORITHMS {
            let name = algorithm.entry().name;
            let measured = point(name, rows, columns);
            let (found, peak) = measured.with_context(|| format!("{name} on {case}"))?;
            let key = (BENCHMARK, case.as_str(), name);
            for measure in ["wall_s", "cpu_ms", "ncp", "classes"] {
                report.fact(key, measure, &found[measure]);
            }
            report.fact(key, "peak_bytes", peak);
            let real = |measure: &str| found[measure].as_f64().unwrap_or(f64::NAN);
            costs.push([
                short(real("wall_s")),
                short(real("cpu_ms") / 1e3),
                short(peak as f64 / MEBIBYTE),
                format!("{:.4}", real("ncp")),
            ]);
        }
        let [mondrian, finest]: [[String; 4]; 2] = costs.try_into().unwrap_or_default();
        let [wall, cpu, memory, ncp] = mondrian;
        let [finest_wall, finest_cpu, finest_memory, finest_ncp] = finest;
        lines.row([
            grouped(rows as u64),
            columns.to_string(),
            grouped(counted["tuples"].as_u64().unwrap_or(0)),
            short(peak as f64 / MEBIBYTE),
            wall,
            cpu,
            memory,
            ncp,
            finest_wall,
            finest_cpu,
            finest_memory,
            finest_ncp,
        ]);
    }
    report.table(&lines);
    Ok(())
}

/// Whether a run measured this.
pub(crate) fn has_growth(measures: &[Measure]) -> bool {
    (measures.iter()).any(|of| of.benchmark == BENCHMARK && of.subject == "counting")
}

/// Draws how the cost grows, from a recorded run, into `docs/images`.
pub(crate) fn draw(run: &str) -> Result<()> {
    let measures = read_measures(&record::folder(run).join("raw.csv"))?;
    let folder = paths::project().join("docs/images");
    std::fs::create_dir_all(&folder)?;
    let by_rows = ROWS.map(|rows| (rows as f64, case(rows, 8)));
    let by_columns = COLUMNS.map(|columns| (columns as f64, case(ROWS_BY_COLUMNS, columns)));
    let source = [format!(
        "k = 10, two threads, after counting; benchmarks/runs/{run}"
    )];
    for (file, title, x, points) in [
        (
            "regions-by-rows",
            "Cost of regions by rows, eight columns",
            "rows",
            &by_rows[..],
        ),
        (
            "regions-by-columns",
            "Cost of regions by columns, 100 000 rows",
            "quasi-identifiers",
            &by_columns[..],
        ),
    ] {
        let around = Around {
            title,
            subtitles: &source,
            x,
            y: "CPU seconds",
            limit: None,
            hollow: "",
        };
        let mut lines = Vec::new();
        for algorithm in ALGORITHMS {
            let name = algorithm.entry().name;
            let mut line = Vec::new();
            for (x, case) in points {
                line.push(Point {
                    x: *x,
                    y: cpu_ms(&measures, case, name)? / 1e3,
                    is_final: true,
                });
            }
            lines.push(Line {
                label: name.to_owned(),
                points: line,
            });
        }
        let svg = lines_by(Scale::Powers, &around, &lines);
        std::fs::write(folder.join(format!("{file}.svg")), svg).context("writing the chart")?;
    }
    Ok(())
}

fn cpu_ms(measures: &[Measure], case: &str, subject: &str) -> Result<f64> {
    let mut found = (measures.iter()).filter(|of| of.benchmark == BENCHMARK && of.case == case);
    let found = found.find(|of| of.subject == subject && of.measure == "cpu_ms");
    match found {
        Some(found) => Ok(found.value.parse()?),
        None => bail!("the run has no CPU time of {subject} for {case}"),
    }
}

/// A table whose columns depend on what a person hides: numbers and text in turn.
fn generated(rows: usize, columns: usize) -> Result<CountedTable> {
    let names: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    let mut counter = RowCounter::new(&names, &Vec::from_iter(0..columns), &[]);
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for start in (0..rows).step_by(1 << 14) {
        let mut batch = RowBatch::new(columns);
        batch.clear(start as u64);
        for _ in start..rows.min(start + (1 << 14)) {
            let hidden = draw(100);
            for column in 0..columns {
                let cell = match column % 2 {
                    0 => (hidden + draw(50 * (1 + column as u64))).to_string(),
                    _ => format!("v{:02}", (hidden / 8 + draw(6)) % 20),
                };
                batch.push_cell(cell.as_bytes());
            }
        }
        counter.add(&batch)?;
    }
    let missing = Missing::default();
    let suppress = |at: usize| -> Result<Hierarchy> {
        Ok(HierarchySpec::Suppress.build(&names[at], &counter.values(at, &missing))?)
    };
    let hierarchies = (0..columns).map(suppress).collect::<Result<_>>()?;
    Ok(counter.finish(hierarchies, Vec::new(), missing)?)
}
