//! The exact search on lattices of a thousand nodes and more: what is proven, and how much of the lattice is looked at.

use super::{BENCHMARK, MEBIBYTE, SUBJECT};
use crate::child::Usage;
use crate::job;
use crate::report::{Report, Table, grouped, short};
use anyhow::{Context, Result};
use fastrand::Rng;
use incrowd_job::{Budget, HierarchySource, Job, Outcome, TimeLimit, WorkLimit};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

const SEED: u64 = 1;
const ROWS: usize = 20_000;
/// Numbers below this, so that the widest interval covers them all.
const VALUES: f64 = 256.0;
/// Ten levels: the number, eight intervals, everything.
const LEVELS: &str = "interval:2,4,8,16,32,64,128,256@0";
/// So much of a number is what a person hides, the rest is chance.
const SHARED: f64 = 0.75;
const LIMIT: Duration = Duration::from_secs(60);

/// Columns; their lattice has ten to this power of nodes.
pub(super) const COLUMNS: std::ops::RangeInclusive<usize> = 3..=12;

/// The case of a point, as it is recorded.
pub(super) fn case(columns: usize) -> String {
    format!("10^{columns} nodes")
}

fn name(column: usize) -> String {
    format!("c{column}")
}

/// Numbers that depend on each other in all columns.
fn write_table(path: &Path) -> Result<()> {
    let mut rng = Rng::with_seed(SEED);
    let mut file = BufWriter::new(File::create(path)?);
    let columns = *COLUMNS.end();
    let header: Vec<String> = (0..columns).map(name).collect();
    writeln!(file, "{}", header.join(","))?;
    for _ in 0..ROWS {
        let hidden = rng.f64();
        let mut number = || {
            let share = SHARED * hidden + (1.0 - SHARED) * rng.f64();
            ((VALUES * share) as u32).to_string()
        };
        let row: Vec<String> = (0..columns).map(|_| number()).collect();
        writeln!(file, "{}", row.join(","))?;
    }
    file.flush()?;
    Ok(())
}

fn solve(input: &Path, output: &Path, columns: usize) -> Result<(Outcome, Usage)> {
    let text = |path: &Path| Some(path.to_string_lossy().into_owned());
    let names: Vec<String> = (0..columns).map(name).collect();
    let mut job = Job::default();
    job.data.path = text(input);
    job.output.path = text(output);
    job.hierarchies = (names.iter())
        .map(|name| (name.clone(), HierarchySource::Built(LEVELS.to_owned())))
        .collect();
    job.columns.quasi_identifiers = Some(names);
    job.columns.others = Some(incrowd_job::Others::Drop);
    job.privacy.models = Some(vec!["k-anonymity(k=5)".to_owned()]);
    job.privacy.max_suppressed = Some(Budget::Rows(ROWS as u64 / 100));
    job.search.time_limit = Some(TimeLimit(LIMIT));
    job.search.work_limit = Some("none".parse::<WorkLimit>()?);
    job.search.threads = Some(2);
    job::anonymize(&job)
}

pub(super) fn run(report: &mut Report) -> Result<()> {
    report.paragraph(&format!(
        "**Nodes.** {} rows of numbers that depend on each other; every column has ten levels, so the lattice has ten times as many nodes \
         with every column. k = 5, one row in a hundred may be suppressed, `loss`, two threads, {} s at most. `gap` is how far below the \
         loss reached the optimum could lie; 0 is a proof.",
        grouped(ROWS as u64),
        LIMIT.as_secs(),
    ));
    let folder = tempfile::tempdir().context("making a folder for the table")?;
    let input = folder.path().join("numbers.csv");
    write_table(&input)?;
    let mut lines = Table::new([
        "nodes", "checked", "loss", "gap", "search s", "CPU s", "peak MiB",
    ]);
    for columns in COLUMNS {
        let output = folder.path().join("release.csv");
        let (outcome, usage) = solve(&input, &output, columns)?;
        std::fs::remove_file(&output)?;
        let loss = outcome.metrics.get("loss").copied().unwrap_or(f64::NAN);
        let gap = outcome.gap.unwrap_or(f64::NAN);
        let case = case(columns);
        let key = (BENCHMARK, case.as_str(), SUBJECT);
        report.fact(key, "checked", outcome.lattice.checked);
        report.fact(key, "loss", loss);
        report.fact(key, "gap", gap);
        report.fact(key, "solve_s", outcome.seconds.solve);
        report.fact(key, "cpu_s", usage.cpu.as_secs_f64());
        report.fact(key, "peak_bytes", usage.peak_memory);
        lines.row([
            format!("10^{columns}"),
            grouped(outcome.lattice.checked),
            format!("{loss:.4}"),
            format!("{:.1} %", 100.0 * gap),
            short(outcome.seconds.solve),
            short(usage.cpu.as_secs_f64()),
            short(usage.peak_memory as f64 / MEBIBYTE),
        ]);
    }
    report.table(&lines);
    Ok(())
}
