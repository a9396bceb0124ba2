//! Long work: jobs, and trials of other algorithms.

use crate::analyst::{self, AnalystWish, Mask};
use crate::call::{Call, Reply};
use crate::error::Failure;
use crate::handlers::negotiation::{Asked, Question, not_shown, question};
use crate::jobs::{Finished, JobKind, JobSeen, JobState};
use crate::tokens::Role;
use incrowd_job::{CompareOptions, Control, TimeLimit, Wish, compare};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Algorithms that are tried at most at once.
const MOST_TRIED: usize = 10;
/// The time limit of each.
const TIME_LIMIT: &str = "30s";

pub(crate) fn jobs(call: &Call) -> Result<Reply, Failure> {
    Reply::json(&json!({ "jobs": call.bench.jobs.seen_by(call.role()?) }))
}

pub(crate) fn job(call: &Call) -> Result<Reply, Failure> {
    let found = call.bench.jobs.one(call.number("job")?, call.role()?);
    Reply::json(&found.ok_or_else(|| Failure::not_found("job"))?)
}

pub(crate) fn cancel(call: &Call) -> Result<Reply, Failure> {
    let found = call.bench.jobs.cancel(call.number("job")?, call.role()?);
    Reply::json(&found.ok_or_else(|| Failure::not_found("job"))?)
}

pub(crate) fn page(call: &Call) -> Result<Reply, Failure> {
    let page = call.bench.jobs.page(call.number("job")?, call.role()?);
    let page = page.ok_or_else(|| Failure::not_found("page"))?;
    Ok(Reply::report(page.to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trials {
    algorithms: Vec<String>,
    wish: Value,
}

pub(crate) fn trials(call: &Call) -> Result<Reply, Failure> {
    let asked: Trials = call.json()?;
    let known = |name: &String| incrowd_core::algorithms::find(name).is_some();
    if asked.algorithms.is_empty()
        || asked.algorithms.len() > MOST_TRIED
        || !asked.algorithms.iter().all(known)
    {
        return Err(Failure::bad_request(format!(
            "`algorithms` must name from 1 to {MOST_TRIED} algorithms; `GET /api/v1/state` lists them"
        )));
    }
    let question = question(call, "trials", &asked.wish.to_string())?;
    let added = match &question.asked {
        Asked::Curator(wish) => tried(call, &question, wish, asked.algorithms)?,
        Asked::Analyst(_) if !question.bounds.analyst_sees.trials => return Err(not_shown()),
        Asked::Analyst(wish) => tried_by_analyst(call, &question, wish, asked.algorithms)?,
    };
    Reply::json_with(202, &added)
}

/// Trials for the curator: with all figures and a page about them.
fn tried(
    call: &Call,
    question: &Question,
    wish: &Wish,
    algorithms: Vec<String>,
) -> Result<JobSeen, Failure> {
    let wish = wish.clone();
    let mut job = question.counted.ground().job().clone();
    job.privacy.models = Some(vec![wish.spec()?.to_string()]);
    job.privacy.max_suppressed = wish.max_suppressed;
    job.privacy.max_levels = wish.max_levels;
    // Every algorithm minimizes what suits it unless the wish says otherwise.
    job.search.metric = wish.metric.filter(|metric| metric != "height");
    job.search.time_limit = Some(TIME_LIMIT.parse::<TimeLimit>()?);
    let task = move |control: &Arc<Control>| -> Result<Finished, Failure> {
        let folder = tempfile::tempdir().map_err(|_| Failure::internal())?;
        let path = folder.path().join("comparison.html");
        let options = CompareOptions {
            algorithms: Some(algorithms),
            report: Some(path.clone()),
        };
        let mut comparison = compare(&job, &options, control)?;
        // It names a file that is gone.
        comparison.report = None;
        let page = std::fs::read_to_string(&path).map_err(|_| Failure::internal())?;
        Ok(Finished {
            result: serde_json::to_value(&comparison).ok(),
            page: Some(page),
        })
    };
    let jobs = &call.bench.jobs;
    jobs.add(JobKind::Compare, Role::Curator, &[], Box::new(task))
}

/// Trials for an analyst: one after the other, and of each no more than a few rounded figures.
fn tried_by_analyst(
    call: &Call,
    question: &Question,
    asked: &AnalystWish,
    algorithms: Vec<String>,
) -> Result<JobSeen, Failure> {
    let jobs = &call.bench.jobs;
    let is_at_work = |job: &JobSeen| matches!(job.state, JobState::Queued | JobState::Running);
    if jobs.seen_by(Role::Analyst).iter().any(is_at_work) {
        return Err(Failure::new(
            "not-now",
            "a trial of yours is at work",
            "wait until it is done, or cancel it",
        ));
    }
    let counted = &question.counted;
    let mask = Mask::new(counted, &question.bounds, (asked.entry, &asked.wish))?;
    let job = analyst::trials::job_of(counted.ground().job(), asked, &mask)?;
    let task = move |control: &Arc<Control>| -> Result<Finished, Failure> {
        let options = CompareOptions {
            algorithms: Some(algorithms),
            report: None,
        };
        let comparison = compare(&job, &options, control);
        let comparison = comparison.map_err(|error| analyst::refused(&error))?;
        Ok(Finished {
            result: Some(analyst::trials::told(&comparison, &mask)),
            page: None,
        })
    };
    jobs.add(JobKind::Compare, Role::Analyst, &[], Box::new(task))
}
