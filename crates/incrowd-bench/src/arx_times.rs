//! `optimal` on 63 problems that ARX was timed with: CPU time, nodes checked, and the optimum reached.

use crate::report::{Report, Table, median, short};
use crate::{adult, arx, optimal};
use anyhow::{Context, Result, bail};
use incrowd_core::algorithms::Optimal;
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::Proposal;
use incrowd_core::utility::MetricSpec;
use std::collections::BTreeMap;

/// The program that was timed together with ARX.
const THEN: &str = "incrowd then";

/// One problem, and what both programs needed for it when they ran side by side.
struct Problem {
    quasi_identifiers: Vec<String>,
    sensitive: Vec<String>,
    models: String,
    share: f64,
    metric: String,
    arx_ms: f64,
    arx_checked: u64,
    then_ms: f64,
    then_checked: u64,
    loss: f64,
}

impl Problem {
    fn read() -> Result<Vec<Self>> {
        let path = adult::folder().join("reference/arx_times.csv");
        let mut reader = csv::Reader::from_path(path)?;
        let names = |cell: &str| cell.split(';').map(str::to_owned).collect::<Vec<_>>();
        let mut problems = Vec::new();
        for row in reader.records() {
            let row = row?;
            let cell = |at: usize| row.get(at).context("every row has all columns");
            problems.push(Problem {
                quasi_identifiers: names(cell(0)?),
                sensitive: names(cell(1)?)
                    .into_iter()
                    .filter(|name| !name.is_empty())
                    .collect(),
                models: cell(2)?.to_owned(),
                share: cell(3)?.parse()?,
                metric: cell(4)?.to_owned(),
                arx_ms: cell(6)?.parse()?,
                arx_checked: cell(7)?.parse()?,
                then_ms: cell(9)?.parse()?,
                then_checked: cell(10)?.parse()?,
                loss: cell(11)?.parse()?,
            });
        }
        Ok(problems)
    }

    fn models(&self, table: &CountedTable) -> Result<Vec<Box<dyn PrivacyModel>>> {
        let mut models = Vec::new();
        for short in self.models.split(';') {
            let text = match short.split(':').collect::<Vec<_>>()[..] {
                ["k", k] => format!("k-anonymity(k={k})"),
                ["distinct", l] => format!("distinct-l-diversity(l={l})"),
                ["entropy", l] => format!("entropy-l-diversity(l={l})"),
                ["recursive", c, l] => format!("recursive-cl-diversity(c={c},l={l})"),
                ["t", t] => format!("t-closeness(t={t},distance=equal)"),
                ["beta", beta] => format!("beta-likeness(beta={beta},kind=basic)"),
                // ARX looks at the values present in a class only.
                ["delta", delta] => format!("delta-disclosure(delta={delta},absent=ignore)"),
                _ => bail!("no model is written {short}"),
            };
            let sensitive: Vec<usize> = (0..table.columns.len()).collect();
            models.extend(
                text.parse::<ModelSpec>()?
                    .build_all(&table.columns, &sensitive)?,
            );
        }
        Ok(models)
    }

    fn case(&self) -> String {
        format!("{}, {} %, {}", self.models, 100.0 * self.share, self.metric)
    }

    fn solve(&self, table: &CountedTable) -> Result<(Proposal, Vec<f64>)> {
        let models = self.models(table)?;
        let metric = self.metric.parse::<MetricSpec>()?.build(table)?;
        let problem = optimal::problem(table, &models, &*metric, self.share);
        optimal::repeat(&Optimal, &problem)
    }
}

fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Sums over the problems of one kind of promise.
#[derive(Default)]
struct Sum {
    arx_ms: f64,
    ms: f64,
    then_ms: f64,
    arx_checked: u64,
    checked: u64,
    then_checked: u64,
}

impl Sum {
    fn add(&mut self, problem: &Problem, checked: u64, ms: f64) {
        self.arx_ms += problem.arx_ms;
        self.ms += ms;
        self.then_ms += problem.then_ms;
        self.arx_checked += problem.arx_checked;
        self.checked += checked;
        self.then_checked += problem.then_checked;
    }

    fn row(&self, name: &str) -> [String; 8] {
        [
            name.to_owned(),
            self.arx_checked.to_string(),
            self.then_checked.to_string(),
            self.checked.to_string(),
            short(self.arx_ms),
            short(self.then_ms),
            short(self.ms),
            short(self.ms / self.arx_ms),
        ]
    }
}

const COLUMNS: [&str; 8] = [
    "problem",
    "ARX checked",
    "checked then",
    "checked",
    "ARX ms",
    "ms then",
    "ms",
    "of ARX",
];

/// The problems whose name contains `only`.
pub(crate) fn run(report: &mut Report, only: &str) -> Result<()> {
    report.heading("63 problems that ARX was timed with");
    report.paragraph(&format!(
        "The bundled Adult table. `ARX ms` and `ms then` are CPU times of {} and of an earlier incrowd, measured side by side on \
         another machine (`data/adult/reference/arx_times.csv`); `ms` is measured here, one thread. So `of ARX` also compares \
         two machines; nodes checked do not.",
        arx::NAME
    ));
    let mut tables: BTreeMap<(Vec<String>, Vec<String>), CountedTable> = BTreeMap::new();
    let mut rows = Table::new(COLUMNS);
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let problems = Problem::read()?.into_iter();
    for problem in problems.filter(|problem| problem.case().contains(only)) {
        let columns = (problem.quasi_identifiers.clone(), problem.sensitive.clone());
        let table = tables
            .entry(columns)
            .or_insert_with_key(|(quasi, sensitive)| {
                adult::count(&texts(quasi), &texts(sensitive))
            });
        let (proposal, cpu_ms) = problem.solve(table)?;
        let loss = proposal.loss.context("an optimum has a loss")?.0;
        if (loss - problem.loss).abs() > 1e-6 * problem.loss {
            bail!(
                "{}: the optimum is {loss}, not {}",
                problem.case(),
                problem.loss
            );
        }
        let case = problem.case();
        let ours = ("arx-times", case.as_str(), "incrowd");
        report.repetitions(ours, "cpu_ms", cpu_ms.iter());
        report.fact(ours, "nodes_checked", proposal.nodes_checked);
        for (subject, ms, checked) in [
            (arx::NAME, problem.arx_ms, problem.arx_checked),
            (THEN, problem.then_ms, problem.then_checked),
        ] {
            let theirs = ("arx-times", case.as_str(), subject);
            report.fact(theirs, "cpu_ms", ms);
            report.fact(theirs, "nodes_checked", checked);
        }
        let mut alone = Sum::default();
        let models = sums.entry(problem.models.clone()).or_default();
        for sum in [&mut alone, models] {
            sum.add(&problem, proposal.nodes_checked, median(&cpu_ms));
        }
        rows.row(alone.row(&case));
    }
    report.table(&rows);
    let mut rows = Table::new(COLUMNS);
    for (models, sum) in &sums {
        rows.row(sum.row(models));
    }
    report.table(&rows);
    Ok(())
}
