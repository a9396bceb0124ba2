//! Regions on Adult beside the best release of every other shape, and how their cost grows with rows and columns.

use crate::adult;
use crate::limit::Limit;
use crate::report::{Report, Table, grouped, short};
use anyhow::{Context, Result};
use cpu_time::ProcessTime;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::algorithms::{Algorithm, Finest, Mondrian, Optimal, Partition};
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{Hierarchy, HierarchySpec};
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Problem, Settings};
use incrowd_core::publish::publish;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use std::time::{Duration, Instant};

/// The numbers of quasi-identifiers, the first ones of each.
const COLUMNS: [usize; 3] = [4, 6, 8];
const KS: [u32; 7] = [2, 3, 5, 10, 25, 50, 100];

/// The public Python implementation that the issue names, on Adult with eight columns at k = 10.
const PYTHON_CPU_MS: f64 = 630.0;

/// How long the search for the best partition may take; it then gives the best found.
const PARTITION_LIMIT: Duration = Duration::from_secs(5);

/// Rows of the largest generated table.
const MOST_ROWS: usize = 1_000_000;

pub(crate) fn run(report: &mut Report) -> Result<()> {
    report.heading("Regions");
    on_adult(report)?;
    growth(report)
}

/// What an algorithm reached.
struct Reached {
    ncp: f64,
    discernibility: f64,
    classes: usize,
    cpu_ms: f64,
    seconds: f64,
}

fn solve(
    algorithm: &dyn Algorithm,
    table: &CountedTable,
    (k, metric, threads): (u32, &str, usize),
    limit: Duration,
) -> Result<Reached> {
    let build = |name: &str| -> Result<Box<dyn UtilityMetric>> {
        Ok(name.parse::<MetricSpec>()?.build(table)?)
    };
    let models = format!("k-anonymity(k={k})").parse::<ModelSpec>()?;
    let models = models.build_all(&[], &[])?;
    let least = build(metric)?;
    let own = match algorithm.entry().name {
        "partition" => PartitionSettings {
            scheme: Some(Scheme::Gsps),
            ..PartitionSettings::default()
        }
        .given(),
        _ => algorithm.entry().defaults(),
    };
    let problem = Problem::new(table, &models, &*least).with_settings(Settings {
        own,
        threads,
        ..Settings::default()
    });
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let proposal = algorithm.solve(&problem, &Limit(Instant::now() + limit))?;
    let (cpu, wall) = (cpu.elapsed(), wall.elapsed());
    let release = publish(&problem, &proposal)?;
    Ok(Reached {
        ncp: release.loss(&*build("ncp")?).0,
        discernibility: release.loss(&*build("discernibility")?).0,
        classes: release.classes(),
        cpu_ms: 1e3 * cpu.as_secs_f64(),
        seconds: wall.as_secs_f64(),
    })
}

fn on_adult(report: &mut Report) -> Result<()> {
    report.paragraph(&format!(
        "The bundled Adult table with its hierarchies, no row suppressed. NCP is the width of the published values, 0 raw \
         to 1 lost. `full-domain` is the proven least NCP of one level for each column; `partition` the least HDM found \
         in {} s for sets of values guided by the hierarchies (it cannot minimize NCP). The last columns are factors: how many times \
         wider the values of the other releases are. CPU time of one search on the counted table, one thread. A public \
         Python implementation takes {PYTHON_CPU_MS} ms for mondrian with eight columns at k = 10.",
        PARTITION_LIMIT.as_secs(),
    ));
    let mut rows = Table::new([
        "columns",
        "k",
        "mondrian NCP",
        "classes",
        "DM",
        "ms",
        "finest NCP",
        "classes",
        "DM",
        "ms",
        "finest / mondrian",
        "full-domain / finest",
        "partition / finest",
    ]);
    for columns in COLUMNS {
        let table = adult::count(&adult::QUASI_IDENTIFIERS[..columns], &[]);
        for k in KS {
            let case = format!("Adult, {columns} columns, k={k}");
            let hour = Duration::from_secs(3600);
            let solve = |algorithm: &dyn Algorithm, metric, limit| {
                solve(algorithm, &table, (k, metric, 1), limit)
                    .with_context(|| format!("{} on {case}", algorithm.entry().name))
            };
            // Once to warm up.
            solve(&Mondrian, "ncp", hour)?;
            let mondrian = solve(&Mondrian, "ncp", hour)?;
            let finest = solve(&Finest, "ncp", hour)?;
            let levels = solve(&Optimal, "ncp", hour)?;
            let partition = solve(&Partition, "hdm", PARTITION_LIMIT)?;
            for (name, reached) in [
                ("mondrian", &mondrian),
                ("finest", &finest),
                ("optimal", &levels),
                ("partition", &partition),
            ] {
                let key = ("regions", case.as_str(), name);
                report.fact(key, "ncp", reached.ncp);
                report.fact(key, "discernibility", reached.discernibility);
                report.fact(key, "classes", reached.classes);
                report.fact(key, "cpu_ms", reached.cpu_ms);
            }
            let factor = |one: &Reached, other: &Reached| format!("{:.2}", one.ncp / other.ncp);
            rows.row([
                columns.to_string(),
                k.to_string(),
                format!("{:.4}", mondrian.ncp),
                mondrian.classes.to_string(),
                grouped(mondrian.discernibility as u64),
                short(mondrian.cpu_ms),
                format!("{:.4}", finest.ncp),
                finest.classes.to_string(),
                grouped(finest.discernibility as u64),
                short(finest.cpu_ms),
                factor(&finest, &mondrian),
                factor(&levels, &finest),
                factor(&partition, &finest),
            ]);
        }
    }
    report.table(&rows);
    Ok(())
}

fn growth(report: &mut Report) -> Result<()> {
    report.paragraph(
        "Generated tables, k = 10, two threads, after counting: four columns of numbers and four of text without levels, \
         which depend on each other. Almost every row is a tuple of its own.",
    );
    let mut rows = Table::new([
        "rows",
        "columns",
        "tuples",
        "mondrian s, wall",
        "CPU s",
        "NCP",
        "finest s, wall",
        "CPU s",
        "NCP",
    ]);
    let sizes = [
        (10_000, 8),
        (100_000, 8),
        (100_000, 2),
        (100_000, 4),
        (100_000, 6),
    ];
    for (size, columns) in sizes.into_iter().chain([(MOST_ROWS, 8)]) {
        let table = generated(size, columns)?;
        let case = format!("{size} rows, {columns} columns");
        let hour = Duration::from_secs(3600);
        let [mondrian, finest] = [&Mondrian as &dyn Algorithm, &Finest].map(|algorithm| {
            let reached = solve(algorithm, &table, (10, "ncp", 2), hour);
            reached.with_context(|| format!("{} on {case}", algorithm.entry().name))
        });
        let (mondrian, finest) = (mondrian?, finest?);
        for (name, reached) in [("mondrian", &mondrian), ("finest", &finest)] {
            let key = ("regions", case.as_str(), name);
            report.fact(key, "wall_s", reached.seconds);
            report.fact(key, "cpu_ms", reached.cpu_ms);
            report.fact(key, "ncp", reached.ncp);
        }
        rows.row([
            grouped(size as u64),
            columns.to_string(),
            grouped(table.tuples.len() as u64),
            short(mondrian.seconds),
            short(mondrian.cpu_ms / 1e3),
            format!("{:.4}", mondrian.ncp),
            short(finest.seconds),
            short(finest.cpu_ms / 1e3),
            format!("{:.4}", finest.ncp),
        ]);
    }
    report.table(&rows);
    Ok(())
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
