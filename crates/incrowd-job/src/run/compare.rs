//! Several algorithms on one job: what each reaches, what it costs, how long it takes.
//!
//! The table is counted once. Every result passes the same check as a release; nothing is written but the page about
//! the comparison, if one is requested.

mod by_strength;
mod contest;

use crate::error::Error;
use crate::report::comparison::{Compared, Comparison, ComparisonPage};
use crate::report::outcome::VERSION;
use crate::run::asked::{Asked, named};
use crate::run::control::Control;
use crate::run::counted::first_pass;
use crate::run::files::{PageFile, claims, file_name};
use crate::spec::{Job, TimeLimit};
use by_strength::by_strength;
use contest::Contest;
use incrowd_core::algorithms::ALGORITHMS;
use std::path::PathBuf;
use std::time::Instant;

/// The time limit of one algorithm if the job has none.
const TIME_LIMIT: &str = "10s";

/// What to compare, and what to write about it.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// The names of the algorithms; all if none are given.
    pub algorithms: Option<Vec<String>>,
    /// Where to write a page about the comparison. It takes more searches: every algorithm is run with several
    /// strengths of a promise.
    pub report: Option<PathBuf>,
}

/// Runs several algorithms on a job.
pub fn compare(
    job: &Job,
    options: &CompareOptions,
    control: &Control,
) -> Result<Comparison, Error> {
    let algorithms = match &options.algorithms {
        Some(names) => (names.iter().map(|name| named(name))).collect::<Result<Vec<_>, _>>()?,
        None => ALGORITHMS.to_vec(),
    };
    let entries: Vec<_> = algorithms
        .iter()
        .map(|algorithm| algorithm.entry())
        .collect();
    job.search.settings.check_read_by(&entries)?;
    for algorithm in &algorithms {
        let entry = algorithm.entry();
        // The table is counted once for all of them.
        if algorithm.divides_rows(&job.search.settings.of(entry)?) {
            let algorithm = entry.name;
            return Err(incrowd_core::Error::RowsTogether { algorithm }.into());
        }
    }
    let started = Instant::now();
    let (asked, reader) = Asked::read(job, "loss", control)?;
    let page = PageFile::create(&claims(job), options.report.as_deref(), control)?;
    let limit = job.search.time_limit;
    let first_pass = first_pass(job, &*asked.source, &asked.plan, reader, limit, control)?;
    let table = &first_pass.table;
    let seconds_read = started.elapsed().as_secs_f64();
    let mut job = job.clone();
    if job.search.time_limit.is_none() {
        job.search.time_limit = Some(TIME_LIMIT.parse::<TimeLimit>()?);
    }
    let contest = Contest {
        job: &job,
        asked: &asked,
        first_pass: &first_pass,
        algorithms: &algorithms,
        control,
    };
    let terms = contest.terms(asked.models(table)?)?;
    let mut runs = Vec::new();
    let mut pictured = Vec::new();
    for &algorithm in &algorithms {
        let (run, picture) = contest.run(algorithm, &terms, page.is_some())?;
        runs.push(run);
        pictured.push(picture);
    }
    let mut comparison = Comparison {
        version: VERSION,
        rows_in: u64::from(table.rows) + u64::from(table.rows_excluded),
        tuples: table.tuples.len() as u64,
        metric: asked.metric.public_name(),
        max_suppressed: terms.max_suppressed.into(),
        budget_is_assumed: terms.is_assumed,
        seconds_read,
        runs,
        report: None,
    };
    if let Some(page) = page {
        let plan = &asked.plan;
        let content = ComparisonPage {
            comparison: &comparison,
            compared: Compared {
                table: file_name(&asked.source.name()),
                rows_excluded: table.rows_excluded.into(),
                quasi_identifiers: plan.names_of(&plan.quasi_identifiers),
                sensitive: plan.names_of(&plan.sensitive),
                target: plan.names_of(&plan.target),
                promises: asked.models.iter().map(ToString::to_string).collect(),
                time_limit: job.search.time_limit.map(|limit| limit.to_string()),
            },
            pictured: &pictured,
            by_strength: by_strength(&contest, &comparison)?,
        };
        comparison.report = Some(page.write(&content.to_html())?);
        control.forget_temporary();
    }
    Ok(comparison)
}
