//! Long work: jobs, and trials of other algorithms.

use crate::call::{Call, Reply};
use crate::error::Failure;
use crate::handlers::negotiation::{Asked, not_shown, question};
use crate::jobs::{Finished, JobKind};
use crate::tokens::Role;
use incrowd_job::{CompareOptions, Control, TimeLimit, compare};
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
    let Asked::Curator(wish) = question.asked else {
        return Err(not_shown());
    };
    let counted = question.counted;
    let mut job = counted.ground().job().clone();
    job.privacy.models = Some(vec![wish.spec()?.to_string()]);
    job.privacy.max_suppressed = wish.max_suppressed;
    job.privacy.max_levels = wish.max_levels;
    // Every algorithm minimizes what suits it unless the wish says otherwise.
    job.search.metric = wish.metric.filter(|metric| metric != "height");
    job.search.time_limit = Some(TIME_LIMIT.parse::<TimeLimit>()?);
    let algorithms = asked.algorithms;
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
    let added = call
        .bench
        .jobs
        .add(JobKind::Compare, Role::Curator, &[], Box::new(task))?;
    Reply::json_with(202, &added)
}
