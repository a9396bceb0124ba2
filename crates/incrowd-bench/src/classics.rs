//! Every algorithm on the same tables: CPU time beside nodes checked, loss and rows suppressed.

use crate::optimal::{self, Solved};
use crate::report::{Report, Table, grouped, median, short};
use crate::{adult, census, job};
use anyhow::{Context, Result};
use incrowd_core::algorithms::{ALGORITHMS, Algorithm, BottomUp, Generalization, TopDown};
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::Unwatched;
use incrowd_core::utility::MetricSpec;
use std::fs::File;
use std::io::BufWriter;

const BUDGETS: [f64; 3] = [0.0, 0.01, 0.05];
const METRIC: &str = "loss";

/// Rows of the census; all searches run on its distinct tuples.
const CENSUS_ROWS: u64 = 1_000_000;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    report.heading("Every algorithm on the same tables");
    on_adult(report)?;
    row_visits(report)?;
    on_census(report)
}

fn on_adult(report: &mut Report) -> Result<()> {
    let attributes = adult::QUASI_IDENTIFIERS.len();
    let table = adult::count(&adult::QUASI_IDENTIFIERS, &["salary-class"]);
    report.paragraph(&format!(
        "The bundled Adult table, {attributes} quasi-identifiers, {} distinct tuples, {} nodes, {}. `ms` is the CPU time of \
         one solve on the counted table: the median of repeated runs, warm, one thread. What the algorithms look for \
         differs: optimal the best node with proof, incognito every safe node and the best of them, samarati every safe \
         node of least height, datafly and mu-argus (with automatic choices) one safe node, bottom-up and top-down one \
         safe cut that still tells salary-class. `checked` counts nodes, for cuts the replacements weighed.",
        table.tuples.len(),
        table.lattice().nodes(),
        optimal::PRIVACY,
    ));
    let mut rows = Table::new([
        "budget",
        "algorithm",
        "checked",
        "ms",
        "levels",
        "loss",
        "suppressed",
    ]);
    for share in BUDGETS {
        for algorithm in by_loss() {
            let name = algorithm.entry().name;
            let budget = format!("{} %", 100.0 * share);
            let solved = optimal::solve(algorithm, &table, share, METRIC)
                .with_context(|| format!("{name} on Adult"))?;
            keep(
                report,
                &optimal::case(attributes, share, METRIC),
                name,
                &solved,
            );
            rows.row([
                budget,
                name.to_owned(),
                solved.nodes_checked.to_string(),
                short(median(&solved.cpu_ms)),
                solved.levels,
                format!("{:.6}", solved.loss),
                solved.rows_suppressed.to_string(),
            ]);
        }
    }
    report.table(&rows);
    Ok(())
}

/// How seldom the algorithms that move cuts look at the table.
fn row_visits(report: &mut Report) -> Result<()> {
    let table = adult::count(&adult::QUASI_IDENTIFIERS, &["salary-class"]);
    report.paragraph(
        "How often top-down and bottom-up look at a row of Adult, without a budget. `visits` are distinct tuples or \
         classes looked at, the first count included. A program without links from values to classes goes over all rows \
         for every replacement it weighs (`rows x candidates`), or at the very least once per step (`rows x steps`).",
    );
    let mut rows = Table::new([
        "k",
        "algorithm",
        "steps",
        "candidates",
        "visits",
        "rows x candidates / visits",
        "rows x steps / visits",
    ]);
    let metric = METRIC.parse::<MetricSpec>()?.build(&table)?;
    for k in [5, 20, 100] {
        let spec: ModelSpec = format!("k-anonymity(k={k})").parse()?;
        let models = spec.build_all(&[], &[])?;
        let problem = optimal::problem(&table, &models, &*metric, 0.0);
        for (name, (_, effort)) in [
            (
                "bottom-up",
                BottomUp::solve_counting(&problem, &Unwatched, None)?,
            ),
            (
                "top-down",
                TopDown::solve_counting(&problem, &Unwatched, None)?,
            ),
        ] {
            let case = format!("row visits, k={k}");
            let key = ("classics", case.as_str(), name);
            report.fact(key, "steps", effort.steps);
            report.fact(key, "candidates", effort.candidates);
            report.fact(key, "visits", effort.visits);
            let times = |scans: u64| {
                let visits = f64::from(table.rows) * scans as f64;
                short(visits / effort.visits as f64)
            };
            rows.row([
                k.to_string(),
                name.to_owned(),
                effort.steps.to_string(),
                effort.candidates.to_string(),
                grouped(effort.visits),
                times(effort.candidates),
                times(effort.steps),
            ]);
        }
    }
    report.table(&rows);
    Ok(())
}

/// The algorithms that can be asked for the least loss; the others have benchmarks of their own.
fn by_loss() -> impl Iterator<Item = &'static dyn Algorithm> {
    let has_own = |algorithm: &&dyn Algorithm| {
        let kind = &algorithm.entry().kind;
        kind.generalization == Generalization::Regions || algorithm.default_metric() != METRIC
    };
    ALGORITHMS.iter().copied().filter(move |it| !has_own(it))
}

fn keep(report: &mut Report, case: &str, name: &str, solved: &Solved) {
    let key = ("classics", case, name);
    report.repetitions(key, "cpu_ms", solved.cpu_ms.iter());
    report.fact(key, "nodes_checked", solved.nodes_checked);
    report.fact(key, "levels", &solved.levels);
    report.fact(key, "loss", solved.loss);
    report.fact(key, "rows_suppressed", solved.rows_suppressed);
}

fn on_census(report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir().context("making a folder for the census")?;
    let input = folder.path().join("census.csv");
    let mut file = BufWriter::new(File::create(&input)?);
    incrowd_testkit::census(CENSUS_ROWS, census::SEED, &mut file).context("writing the census")?;
    drop(file);
    let models = census::models(CENSUS_ROWS);
    report.paragraph(&format!(
        "A generated census of {} rows, {} quasi-identifiers, {}, {}, 5 % of the rows may be suppressed; reading, solving \
         and writing the release with one thread, once, in a process of its own. `solve` is the search alone, on counts, by the clock; `CPU` is everything.",
        grouped(CENSUS_ROWS),
        census::QUASI_IDENTIFIERS.len(),
        models[0],
        models[1],
    ));
    let mut rows = Table::new([
        "algorithm",
        "solve s, wall",
        "CPU s",
        "checked",
        "nodes",
        "loss",
        "suppressed",
    ]);
    let case = format!("census of {CENSUS_ROWS} rows");
    for algorithm in by_loss() {
        let name = algorithm.entry().name;
        let output = folder.path().join(format!("{name}.csv"));
        let mut job = census::census_job(CENSUS_ROWS, &input, &output, 1);
        job.search.algorithm = Some(name.to_owned());
        job.columns.target = Some(vec!["income".to_owned()]);
        let (outcome, usage) =
            job::anonymize(&job).with_context(|| format!("{name} on the census"))?;
        std::fs::remove_file(output)?;
        let key = ("classics", case.as_str(), name);
        let loss = outcome.metrics.get(METRIC).copied().unwrap_or(f64::NAN);
        report.fact(key, "solve_s", outcome.seconds.solve);
        report.fact(key, "cpu_s", usage.cpu.as_secs_f64());
        report.fact(key, "nodes_checked", outcome.lattice.checked);
        report.fact(key, "loss", loss);
        report.fact(key, "rows_suppressed", outcome.rows_suppressed);
        rows.row([
            name.to_owned(),
            short(outcome.seconds.solve),
            short(usage.cpu.as_secs_f64()),
            outcome.lattice.checked.to_string(),
            outcome.lattice.nodes.0.to_string(),
            format!("{loss:.6}"),
            grouped(outcome.rows_suppressed),
        ]);
    }
    report.table(&rows);
    Ok(())
}
