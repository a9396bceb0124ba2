//! `partition` on Adult: the six schemes by k and metric, more columns than a proof reaches, promises about values, and each pruning rule.

use crate::adult;
use crate::limit::Limit;
use crate::report::{Report, Table, short};
use anyhow::Result;
use cpu_time::ProcessTime;
use incrowd_core::algorithms::partition::{self, Account};
use incrowd_core::algorithms::partition::{
    CoarseSteps, Direction, PartitionSettings, PruningRules, Scheme,
};
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Problem, Settings};
use incrowd_core::utility::MetricSpec;
use std::time::{Duration, Instant};

const FOUR: [&str; 4] = ["age", "marital-status", "race", "sex"];
const METRICS: [&str; 2] = ["discernibility", "hdm"];

/// A search to run.
#[derive(Clone)]
struct Case<'a> {
    table: &'a CountedTable,
    metric: &'static str,
    k: u32,
    /// A promise about the values of every counted column, beside k.
    promise: Option<&'static str>,
    max_suppressed: u32,
    settings: PartitionSettings,
    limit: Duration,
    threads: usize,
}

impl Case<'_> {
    fn run(&self) -> Result<(Account, f64)> {
        let metric = self.metric.parse::<MetricSpec>()?.build(self.table)?;
        let mut models = format!("k-anonymity(k={})", self.k)
            .parse::<ModelSpec>()?
            .build_all(&[], &[])?;
        if let Some(promise) = self.promise {
            let sensitive: Vec<usize> = (0..self.table.columns.len()).collect();
            let promise = promise.parse::<ModelSpec>()?;
            models.extend(promise.build_all(&self.table.columns, &sensitive)?);
        }
        let problem = Problem::new(self.table, &models, &*metric)
            .allow_suppressed(self.max_suppressed)
            .with_settings(Settings {
                own: self.settings.given(),
                threads: self.threads,
                ..Settings::default()
            });
        let start = ProcessTime::now();
        let (_, account) = partition::solve(&problem, &Limit(Instant::now() + self.limit))?;
        Ok((account, start.elapsed().as_secs_f64()))
    }
}

fn coarse_age() -> Vec<CoarseSteps> {
    vec![CoarseSteps {
        column: "age".into(),
        width: "5".parse().expect("a decimal"),
        origin: "17".parse().expect("a decimal"),
    }]
}

/// The schemes of the columns: one for all, or another for age.
fn settings(age: Scheme, others: Scheme) -> PartitionSettings {
    PartitionSettings {
        scheme: Some(others),
        schemes: vec![("age".into(), age)],
        coarse: coarse_age(),
        ..PartitionSettings::default()
    }
}

fn gap(account: &Account) -> String {
    format!(
        "{:.3} %",
        100.0 * (account.cost - account.lower_bound) / account.cost
    )
}

/// The six schemes on four columns.
fn four(report: &mut Report, limit: Duration) -> Result<()> {
    let table = adult::count(&FOUR, &[]);
    report.paragraph(&format!(
        "{}; age in steps of five years from 17; suppression allowed.",
        FOUR.join(", ")
    ));
    let mut rows = Table::new([
        "age", "others", "metric", "k", "cost", "bound", "gap", "nodes", "CPU s", "choices",
    ]);
    let schemes = Scheme::ALL.map(|scheme| (scheme, scheme));
    let mixed = [
        (Scheme::Gops, Scheme::Gsps),
        (Scheme::Ops, Scheme::Gsps),
        (Scheme::Ops, Scheme::Sps),
    ];
    for (age, others) in schemes.into_iter().chain(mixed) {
        for metric in METRICS {
            for k in [2, 3, 5, 10, 15, 20] {
                let case = Case {
                    table: &table,
                    metric,
                    k,
                    promise: None,
                    max_suppressed: table.rows,
                    settings: settings(age, others),
                    limit,
                    threads: 1,
                };
                let (account, seconds) = case.run()?;
                rows.row([
                    age.to_string(),
                    others.to_string(),
                    metric.to_owned(),
                    k.to_string(),
                    format!("{:.6}", account.cost),
                    format!("{:.6}", account.lower_bound),
                    gap(&account),
                    account.counts.nodes_visited.to_string(),
                    short(seconds),
                    account.choices.to_string(),
                ]);
            }
        }
    }
    report.table(&rows);
    Ok(())
}

/// One of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Six schemes on four columns.
    Four,
    /// Six and eight columns, within the limit.
    Large,
    /// Six and eight columns with raw ages and nothing suppressed, within the limit, on two threads.
    RawAges,
    /// Four columns and promises about the values of a sensitive one, within the limit.
    Promises,
    /// Four columns, without one rule after the other.
    Rules,
}

pub(crate) fn run(report: &mut Report, only: Option<Part>, limit: Duration) -> Result<()> {
    report.heading("partition on Adult");
    let is_asked = |part| only.is_none_or(|only| only == part);
    if is_asked(Part::Four) {
        four(report, limit)?;
    }
    if is_asked(Part::Large) {
        large(report, limit)?;
    }
    if is_asked(Part::RawAges) {
        raw_ages(report, limit)?;
    }
    if is_asked(Part::Promises) {
        promises(report, limit)?;
    }
    if is_asked(Part::Rules) {
        rules(report, limit)?;
    }
    Ok(())
}

/// More columns than a proof reaches.
fn large(report: &mut Report, limit: Duration) -> Result<()> {
    let six = [
        "age",
        "marital-status",
        "race",
        "sex",
        "workclass",
        "education",
    ];
    let eight = [&six[..], &["native-country", "occupation"]].concat();
    for columns in [&six[..], &eight[..]] {
        let table = adult::count(columns, &[]);
        report.paragraph(&format!(
            "{}; age in steps of five years from 17; suppression allowed; at most {} s each. `full-domain` is the least \
             cost of one level for each column.",
            columns.join(", "),
            limit.as_secs(),
        ));
        let mut rows = Table::new([
            "scheme",
            "metric",
            "k",
            "cost",
            "bound",
            "gap",
            "nodes",
            "CPU s",
            "choices",
            "full-domain",
            "factor",
        ]);
        for metric in METRICS {
            for k in [5, 10, 25, 50, 100] {
                let full_domain = Case {
                    table: &table,
                    metric,
                    k,
                    promise: None,
                    max_suppressed: table.rows,
                    settings: settings(Scheme::Bhs, Scheme::Bhs),
                    limit,
                    threads: 1,
                };
                let (best_level, _) = full_domain.run()?;
                for scheme in [Scheme::Ops, Scheme::Sps] {
                    let case = Case {
                        settings: settings(Scheme::Ops, scheme),
                        ..full_domain.clone()
                    };
                    let (account, seconds) = case.run()?;
                    rows.row([
                        scheme.to_string(),
                        metric.to_owned(),
                        k.to_string(),
                        format!("{:.3}", account.cost),
                        format!("{:.3}", account.lower_bound),
                        gap(&account),
                        account.counts.nodes_visited.to_string(),
                        short(seconds),
                        account.choices.to_string(),
                        format!("{:.3} (gap {})", best_level.cost, gap(&best_level)),
                        short(best_level.cost / account.cost),
                    ]);
                }
            }
        }
        report.table(&rows);
    }
    Ok(())
}

/// The columns of Adult with single ages.
const RAW_AGES: [&str; 6] = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "race",
    "sex",
];

/// The table of [`solve_raw_ages`].
pub(crate) fn count_raw_ages() -> CountedTable {
    adult::count(&RAW_AGES, &[])
}

/// A search over single ages that ends with a proof: what it costs and how many nodes it visits.
pub(crate) fn solve_raw_ages(table: &CountedTable, threads: usize) -> Result<(f64, u64)> {
    let case = Case {
        table,
        metric: "discernibility",
        k: 50,
        promise: None,
        max_suppressed: 0,
        settings: PartitionSettings {
            scheme: Some(Scheme::Ops),
            ..PartitionSettings::default()
        },
        limit: Duration::from_secs(600),
        threads,
    };
    let (account, _) = case.run()?;
    Ok((account.cost, account.counts.nodes_visited))
}

/// Single ages and no suppression: far more partitions than of ages in steps of five years.
fn raw_ages(report: &mut Report, limit: Duration) -> Result<()> {
    const THREADS: usize = 2;
    let eight = [&RAW_AGES[..], &["native-country", "occupation"]].concat();
    for columns in [&RAW_AGES[..], &eight[..]] {
        let table = adult::count(columns, &[]);
        report.paragraph(&format!(
            "{}; single ages; nothing suppressed; `discernibility`; at most {} s each, {THREADS} threads.",
            columns.join(", "),
            limit.as_secs(),
        ));
        let mut rows = Table::new(["scheme", "k", "cost", "bound", "gap", "s", "CPU s"]);
        for scheme in [Scheme::Ops, Scheme::Gops] {
            for k in [5, 10, 25, 50, 100] {
                let case = Case {
                    table: &table,
                    metric: "discernibility",
                    k,
                    promise: None,
                    max_suppressed: 0,
                    settings: PartitionSettings {
                        scheme: Some(scheme),
                        ..PartitionSettings::default()
                    },
                    limit,
                    threads: THREADS,
                };
                let start = Instant::now();
                let (account, cpu_s) = case.run()?;
                let seconds = start.elapsed().as_secs_f64();
                let case = format!("{} columns, {scheme}, k={k}", columns.len());
                let key = ("schemes", case.as_str(), "incrowd");
                report.fact(key, "cost", account.cost);
                report.fact(key, "lower_bound", account.lower_bound);
                report.fact(key, "wall_s", seconds);
                report.fact(key, "cpu_s", cpu_s);
                rows.row([
                    scheme.to_string(),
                    k.to_string(),
                    format!("{:.3}", account.cost),
                    format!("{:.3}", account.lower_bound),
                    gap(&account),
                    short(seconds),
                    short(cpu_s),
                ]);
            }
        }
        report.table(&rows);
    }
    Ok(())
}

/// Promises about values, beside k = 5.
const PROMISES: [&str; 6] = [
    "distinct-l-diversity(l=3)",
    "entropy-l-diversity(l=3)",
    "recursive-cl-diversity(c=4,l=3)",
    "t-closeness(t=0.2,distance=equal)",
    "beta-likeness(beta=3)",
    "delta-disclosure(delta=2,absent=ignore)",
];

/// Promises about the values of a sensitive column.
fn promises(report: &mut Report, limit: Duration) -> Result<()> {
    const SENSITIVE: &str = "occupation";
    let table = adult::count(&FOUR, &[SENSITIVE]);
    report.paragraph(&format!(
        "{}; age in steps of five years from 17; k = 5 and a promise about `{SENSITIVE}`; at most {} s each.",
        FOUR.join(", "),
        limit.as_secs(),
    ));
    let mut rows = Table::new([
        "promise", "scheme", "metric", "budget", "cost", "gap", "nodes", "CPU s",
    ]);
    for promise in PROMISES {
        for scheme in [Scheme::Ops, Scheme::Gops] {
            for metric in METRICS {
                for percent in [0, 4, 100] {
                    let case = Case {
                        table: &table,
                        metric,
                        k: 5,
                        promise: Some(promise),
                        // A percentage of the rows, which are fewer than 2^32.
                        max_suppressed: (u64::from(table.rows) * percent / 100) as u32,
                        settings: settings(scheme, scheme),
                        limit,
                        threads: 1,
                    };
                    let [cost, gap, nodes, seconds] = match case.run() {
                        Ok((account, seconds)) => [
                            format!("{:.3}", account.cost),
                            gap(&account),
                            account.counts.nodes_visited.to_string(),
                            short(seconds),
                        ],
                        // No partitions keep the promise within the budget, or none were found in time.
                        Err(error) => [error.to_string(), "".into(), "".into(), "".into()],
                    };
                    rows.row([
                        promise.to_owned(),
                        scheme.to_string(),
                        metric.to_owned(),
                        format!("{percent} %"),
                        cost,
                        gap,
                        nodes,
                        seconds,
                    ]);
                }
            }
        }
    }
    report.table(&rows);
    Ok(())
}

/// What each rule saves.
fn rules(report: &mut Report, limit: Duration) -> Result<()> {
    let table = adult::count(&FOUR, &[]);
    report.paragraph(&format!(
        "{}; age in steps of five years from 17, `ops` for all; suppression allowed; k = 5; at most {} s each.",
        FOUR.join(", "),
        limit.as_secs(),
    ));
    let mut rows = Table::new([
        "rules",
        "direction",
        "metric",
        "cost",
        "gap",
        "nodes",
        "dropped by cost",
        "dropped late",
        "CPU s",
    ]);
    let mut sets = vec![("all".to_owned(), PruningRules::ALL)];
    let names: Vec<&str> = PruningRules::default()
        .named()
        .iter()
        .map(|(name, _)| *name)
        .collect();
    for name in &names {
        let mut rules = PruningRules::ALL;
        for (other, rule) in rules.named() {
            *rule = other != *name;
        }
        sets.push((format!("without {name}"), rules));
    }
    let mut paper = PruningRules::ALL;
    paper.tighter_bounds = false;
    paper.program = false;
    sets.push(("the paper's".to_owned(), paper));
    for name in [
        "seeding",
        "delayed-expansion",
        "least-bound-first",
        "arranged-applicators",
    ] {
        let mut rules = paper;
        for (other, rule) in rules.named() {
            if other == name {
                *rule = false;
            }
        }
        sets.push((format!("the paper's without {name}"), rules));
    }
    for metric in METRICS {
        for direction in [Direction::BottomUp, Direction::TopDown] {
            for (name, rules) in &sets {
                let case = Case {
                    table: &table,
                    metric,
                    k: 5,
                    promise: None,
                    max_suppressed: table.rows,
                    settings: PartitionSettings {
                        direction,
                        rules: *rules,
                        ..settings(Scheme::Ops, Scheme::Ops)
                    },
                    limit,
                    threads: 1,
                };
                let (account, seconds) = case.run()?;
                rows.row([
                    name.clone(),
                    direction.name().to_owned(),
                    metric.to_owned(),
                    format!("{:.3}", account.cost),
                    gap(&account),
                    account.counts.nodes_visited.to_string(),
                    account.counts.dropped_by_cost.to_string(),
                    account.counts.dropped_late.to_string(),
                    short(seconds),
                ]);
            }
        }
    }
    report.table(&rows);
    Ok(())
}
