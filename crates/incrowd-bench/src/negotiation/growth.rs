//! How time and memory grow with quasi-identifiers and with rows.
//!
//! Every point is a process of its own, so that its peak memory is its own.

use super::{BENCHMARK, MEBIBYTE, SENSITIVE, annotate, answer_us, model};
use crate::report::{Report, Table, grouped, short};
use crate::{adult, census, child};
use anyhow::{Context, Result};
use cpu_time::ProcessTime;
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{Hierarchy, HierarchySpec};
use incrowd_core::negotiate::{Negotiator, Request};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Source};
use serde_json::{Value, json};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

const SEED: u64 = 1;
/// The smallest and the largest set of quasi-identifiers of Adult.
const ATTRIBUTES: std::ops::RangeInclusive<usize> = 3..=9;
const ROWS: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// The case of a point, as it is recorded.
pub(super) fn case(table: &GrowthTable, size: u64) -> String {
    match table {
        GrowthTable::Adult => format!("growth, Adult, {size} quasi-identifiers"),
        GrowthTable::Census => format!("growth, census, {size} rows"),
    }
}

/// Where a point of the curve lies.
#[derive(Debug, Clone, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GrowthTable {
    /// Adult with so many quasi-identifiers.
    Adult,
    /// A census file.
    Census,
}

/// The nine quasi-identifiers: the eight with bundled hierarchies, and one that is shown or not.
fn adult_quasi_identifiers(attributes: usize) -> Vec<&'static str> {
    let more = std::iter::once("salary-class");
    let all = adult::QUASI_IDENTIFIERS.into_iter().chain(more);
    all.take(attributes).collect()
}

fn count_census(path: &Path) -> Result<CountedTable> {
    let source = Source::new(path, CsvOptions::default());
    let mut reader = source.open()?;
    let names = reader.columns().to_vec();
    let position = |column: &str| {
        let found = names.iter().position(|name| name == column);
        found.context("a column of the census")
    };
    let quasi: Vec<usize> = census::QUASI_IDENTIFIERS
        .iter()
        .map(|(column, _)| position(column))
        .collect::<Result<_>>()?;
    let mut counter = RowCounter::new(&names, &quasi, &[position("income")?]);
    let mut batch = RowBatch::new(names.len());
    while reader.read(&mut batch)? {
        counter.add(&batch)?;
    }
    let missing = Missing::default();
    let hierarchies: Vec<Hierarchy> = census::QUASI_IDENTIFIERS
        .iter()
        .enumerate()
        .map(|(at, (column, rule))| {
            let rule: HierarchySpec = rule.parse()?;
            Ok(rule.build(column, &counter.values(at, &missing))?)
        })
        .collect::<Result<_>>()?;
    Ok(counter.finish(hierarchies, vec![None], missing)?)
}

/// Measures one point and prints it as JSON: `size` quasi-identifiers of Adult, or the census file at `path`.
#[expect(clippy::print_stdout, reason = "read by the parent process")]
pub(crate) fn measure_here(table: &GrowthTable, size: u64, path: Option<&Path>) -> Result<()> {
    let start = ProcessTime::now();
    let table = match (table, path) {
        (GrowthTable::Census, Some(path)) => count_census(path)?,
        _ => adult::count(&adult_quasi_identifiers(size as usize), &[SENSITIVE]),
    };
    let count_s = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    let lattice = annotate(&table, 1)?;
    let annotate_s = start.elapsed().as_secs_f64();
    let (nodes, index_bytes) = (lattice.nodes().len(), lattice.memory());
    let negotiator = Negotiator::annotated(table.clone(), lattice, false)?;
    // One in a hundred rows may go, and people are to be lost in a crowd of about ten in thirty thousand.
    let crowd = (table.rows / 3000).max(2);
    let model = model("k-anonymity", crowd)?;
    let request = Request::new(&*model).max_suppressed(table.rows / 100);
    let (_, answer_us) = answer_us(&negotiator, &request)?;
    println!(
        "{}",
        json!({
            "rows": table.rows,
            "tuples": table.tuples.len(),
            "nodes": nodes,
            "count_s": count_s,
            "annotate_s": annotate_s,
            "answer_us": answer_us,
            "index_bytes": index_bytes,
        })
    );
    Ok(())
}

/// What is kept of a point, in the order it is shown.
const MEASURES: [&str; 7] = [
    "rows",
    "tuples",
    "nodes",
    "count_s",
    "annotate_s",
    "answer_us",
    "index_bytes",
];

fn point(
    report: &mut Report,
    lines: &mut Table,
    (table, size): (&GrowthTable, u64),
    path: Option<&Path>,
) -> Result<()> {
    let name = match table {
        GrowthTable::Adult => "adult",
        GrowthTable::Census => "census",
    };
    let mut command = child::this_program()?;
    command.args(["negotiation-growth", name, &size.to_string()]);
    command.args(path);
    let (printed, usage) = child::run(&mut command)?;
    let found: Value = serde_json::from_str(&printed)?;
    let case = case(table, size);
    let key = (BENCHMARK, case.as_str(), "incrowd");
    for measure in MEASURES {
        report.fact(key, measure, &found[measure]);
    }
    report.fact(key, "peak_bytes", usage.peak_memory);
    let whole = |measure: &str| grouped(found[measure].as_u64().unwrap_or(0));
    let real = |measure: &str| short(found[measure].as_f64().unwrap_or(f64::NAN));
    lines.row([
        grouped(size),
        whole("tuples"),
        whole("nodes"),
        real("count_s"),
        real("annotate_s"),
        real("answer_us"),
        short(found["index_bytes"].as_f64().unwrap_or(f64::NAN) / MEBIBYTE),
        short(usage.peak_memory as f64 / MEBIBYTE),
    ]);
    Ok(())
}

fn lines(first: &str) -> Table {
    Table::new([
        first,
        "tuples",
        "nodes",
        "count, CPU s",
        "annotate, CPU s",
        "answer, µs",
        "index MiB",
        "peak MiB",
    ])
}

pub(super) fn run(report: &mut Report) -> Result<()> {
    report.paragraph(
        "**Growth.** Reading and counting the file, annotating every node with both histograms (one thread), one answer \
         from them; each line a process of its own, with its peak memory. Adult by quasi-identifiers (the ninth is \
         `salary-class`, shown or not):",
    );
    let mut by_attributes = lines("quasi-identifiers");
    for attributes in ATTRIBUTES {
        let at = (&GrowthTable::Adult, attributes as u64);
        point(report, &mut by_attributes, at, None)?;
    }
    report.table(&by_attributes);
    report.paragraph(&format!(
        "A generated census by rows, six quasi-identifiers, `income` sensitive. Rows are drawn from a town of {} people, so \
         tuples stop growing. From then on more rows take longer to count and not longer to annotate; the histograms still \
         get longer, for there are more different class sizes.",
        grouped(incrowd_testkit::census::TOWN as u64),
    ));
    let mut by_rows = lines("rows");
    let folder = tempfile::tempdir()?;
    for rows in ROWS {
        let path = folder.path().join("census.csv");
        let mut file = BufWriter::new(File::create(&path)?);
        incrowd_testkit::census(rows, SEED, &mut file).context("writing the census")?;
        drop(file);
        point(
            report,
            &mut by_rows,
            (&GrowthTable::Census, rows),
            Some(&path),
        )?;
        std::fs::remove_file(path)?;
    }
    report.table(&by_rows);
    Ok(())
}

/// All points of a curve, by their size.
pub(super) fn sizes(table: &GrowthTable) -> Vec<u64> {
    match table {
        GrowthTable::Adult => ATTRIBUTES.map(|attributes| attributes as u64).collect(),
        GrowthTable::Census => ROWS.to_vec(),
    }
}
