//! Regions on Adult beside the best release of every other shape.

mod growth;

pub(crate) use growth::{draw, has_growth, measure_here};

use crate::adult;
use crate::limit::Limit;
use crate::report::{Report, Table, grouped, short};
use anyhow::{Context, Result};
use cpu_time::ProcessTime;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::algorithms::{Algorithm, Finest, Mondrian, NcpCluster, Optimal, Partition};
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Problem, Settings};
use incrowd_core::publish::publish;
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use std::time::{Duration, Instant};

/// The numbers of quasi-identifiers, the first ones of each.
const COLUMNS: [usize; 3] = [4, 6, 8];
const KS: [u32; 7] = [2, 3, 5, 10, 25, 50, 100];

/// What a public Python implementation was reported to take, on Adult with eight columns at k = 10.
const PYTHON_CPU_MS: f64 = 630.0;

/// How long the search for the best partition may take; it then gives the best found.
const PARTITION_LIMIT: Duration = Duration::from_secs(5);

pub(crate) fn run(report: &mut Report) -> Result<()> {
    report.heading("Regions");
    // Growth first: a process started by a large one would be taken for large itself.
    growth::run(report)?;
    on_adult(report)
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
        "ncp-cluster NCP",
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
            let clusters = solve(&NcpCluster, "ncp", hour)?;
            let levels = solve(&Optimal, "ncp", hour)?;
            let partition = solve(&Partition, "hdm", PARTITION_LIMIT)?;
            for (name, reached) in [
                ("mondrian", &mondrian),
                ("finest", &finest),
                ("ncp-cluster", &clusters),
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
                format!("{:.4}", clusters.ncp),
                clusters.classes.to_string(),
                grouped(clusters.discernibility as u64),
                short(clusters.cpu_ms),
                factor(&finest, &mondrian),
                factor(&levels, &finest),
                factor(&partition, &finest),
            ]);
        }
    }
    report.table(&rows);
    Ok(())
}
