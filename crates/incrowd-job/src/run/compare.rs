//! Several algorithms on one job: what each reaches, what it costs, how long it takes.
//!
//! The table is counted once. Every result passes the same check as a release; nothing is written.

use crate::error::Error;
use crate::report::comparison::{Comparison, Run, RunFailed, RunReached};
use crate::report::outcome::VERSION;
use crate::report::stopped::Stopped;
use crate::run::anonymize::solve;
use crate::run::asked::{Asked, named};
use crate::run::control::{Control, Phase, PhaseWatch};
use crate::run::counted::first_pass;
use crate::run::describe::Answer;
use crate::run::memory;
use crate::spec::{Job, TimeLimit};
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::publish::{Tally, publish_watched};
use incrowd_core::utility::MetricSpec;
use std::time::Instant;

/// The time limit of one algorithm if the job has none.
const TIME_LIMIT: &str = "10s";

/// Runs several algorithms on a job; all of them if none is named.
pub fn compare(
    job: &Job,
    algorithms: Option<&[String]>,
    control: &Control,
) -> Result<Comparison, Error> {
    let algorithms = match algorithms {
        Some(names) => (names.iter().map(|name| named(name))).collect::<Result<Vec<_>, _>>()?,
        None => ALGORITHMS.to_vec(),
    };
    let entries: Vec<_> = algorithms
        .iter()
        .map(|algorithm| algorithm.entry())
        .collect();
    job.search.settings.check_read_by(&entries)?;
    let started = Instant::now();
    let (asked, reader) = Asked::read(job, "loss")?;
    let limit = job.search.time_limit;
    let first_pass = first_pass(job, &*asked.source, &asked.plan, reader, limit, control)?;
    let table = &first_pass.table;
    let seconds_read = started.elapsed().as_secs_f64();
    let models = asked.models(table)?;
    let mut job = job.clone();
    if job.search.time_limit.is_none() {
        job.search.time_limit = Some(TIME_LIMIT.parse::<TimeLimit>()?);
    }
    let job = &job;
    let defaults = || {
        entries
            .iter()
            .map(|entry| entry.kind.default_budget.rows(&models))
    };
    let greatest = defaults().max().unwrap_or(0).min(table.rows);
    let budget_is_assumed =
        job.privacy.max_suppressed.is_none() && defaults().any(|it| it < greatest);
    let mut max_suppressed = greatest;
    let mut runs = Vec::new();
    for algorithm in algorithms {
        let is_measured = memory::forget_peak();
        let spec = match job.search.metric {
            Some(_) => asked.metric.clone(),
            None => MetricSpec::named(algorithm.default_metric())?,
        };
        let metric = spec.build(table)?;
        let mut problem = asked.problem(job, &first_pass, &models, &*metric, algorithm)?;
        if budget_is_assumed {
            problem = problem.allow_suppressed(greatest);
        }
        max_suppressed = problem.max_suppressed;
        let solving = Instant::now();
        let solved = match control.is_asked_for_best() {
            // A user who does not want to wait for one algorithm does not want to wait for the next either.
            true => Err(Error::NotTried),
            false => solve(job, algorithm, &problem, None, control),
        };
        let seconds = solving.elapsed().as_secs_f64();
        let peak_memory_bytes = memory::peak().filter(|_| is_measured);
        control.check()?;
        let answered = solved.and_then(|solved| {
            control.within(job.search.time_limit, Phase::Write, || {
                let release = publish_watched(&problem, &solved.proposal, &PhaseWatch(control))?;
                let answer = Answer {
                    job,
                    asked: &asked,
                    first_pass: &first_pass,
                    algorithm,
                    problem: &problem,
                    proposal: &solved.proposal,
                    account: solved.account.as_ref(),
                    stopped: Stopped::of(solved.stopped, solved.work),
                    release: &release,
                    // No row is written, so none can be found to be blank.
                    seen: &release.seen(&Tally::default())?,
                    control,
                };
                reached(&answer)
            })
        });
        control.check()?;
        let (reached, failed) = match answered {
            Ok(reached) => (Some(reached), None),
            Err(error) => (None, Some(RunFailed::of(&error))),
        };
        runs.push(Run {
            algorithm: algorithm.entry().name.to_owned(),
            metric: spec.to_string(),
            max_suppressed: problem.max_suppressed.into(),
            reached,
            failed,
            seconds,
            peak_memory_bytes,
        });
    }
    Ok(Comparison {
        version: VERSION,
        rows_in: u64::from(table.rows) + u64::from(table.rows_excluded),
        tuples: table.tuples.len() as u64,
        metric: asked.metric.to_string(),
        max_suppressed: max_suppressed.into(),
        budget_is_assumed,
        seconds_read,
        runs,
    })
}

/// What an algorithm reached.
fn reached(answer: &Answer<'_>) -> Result<RunReached, Error> {
    let outcome = answer.outcome()?;
    Ok(RunReached {
        guarantee: outcome.guarantee,
        gap: outcome.gap,
        recoding: outcome.recoding,
        levels: outcome.levels,
        rows_suppressed: outcome.rows_suppressed,
        classes: outcome.classes,
        smallest_class: outcome.smallest_class,
        average_class: outcome.average_class,
        metrics: outcome.metrics,
        privacy: outcome.privacy,
        checked: match &outcome.partition {
            Some(partition) => partition.nodes_visited,
            None => answer.proposal.nodes_checked,
        },
        stopped: outcome.stopped,
    })
}
