//! Trials of other algorithms, as an analyst may have them.
//!
//! What an algorithm makes of a table is made of its values: where it cuts a column tells where people are. So an analyst
//! sees none of it, only how much each algorithm would suppress and lose, in the steps in which answers are told. Searches
//! end after so much work and not after so much time: a result that depended on how busy the machine is would be another
//! one each time, and many of them would tell more than one.

use super::{AnalystWish, Mask};
use crate::error::Failure;
use incrowd_job::{Budget, Comparison, Job, WorkLimit};
use serde_json::{Value, json};

/// How much each algorithm may do: some seconds.
const WORK_LIMIT: &str = "200M";

/// The job of a trial.
pub(crate) fn job_of(job: &Job, asked: &AnalystWish, mask: &Mask) -> Result<Job, Failure> {
    let wish = &asked.wish;
    // As in answers, a number of suppressed rows counts as the end of its step.
    let step = u64::from(wish.rows_in_steps_of);
    let budget = mask.budget_of_wish(wish);
    let budget = (budget - budget % step).checked_sub(1).ok_or_else(|| {
        Failure::new(
            "not-answerable",
            "so few rows may be suppressed that nothing could be told",
            format!("let at least {step} rows be suppressed"),
        )
    })?;
    let mut job = job.clone();
    job.privacy.models = Some(vec![wish.spec()?.to_string()]);
    job.privacy.max_suppressed = Some(Budget::Rows(budget));
    job.privacy.max_levels = wish.max_levels.clone();
    job.search.metric = wish.metric.clone().filter(|metric| metric != "height");
    job.search.time_limit = None;
    job.search.work_limit = Some(WORK_LIMIT.parse::<WorkLimit>()?);
    Ok(job)
}

/// What an analyst sees of a comparison.
pub(crate) fn told(comparison: &Comparison, mask: &Mask) -> Value {
    let runs = comparison.runs.iter().map(|run| {
        let reached = run.reached.as_ref().map(|reached| {
            json!({
                "recoding": reached.recoding,
                "rows_suppressed": mask.suppressed(reached.rows_suppressed),
                "classes": mask.classes(reached.classes),
                "metrics": mask.metrics(&reached.metrics),
            })
        });
        let failed = match reached {
            Some(_) => Value::Null,
            // Why is told in exact numbers, and to the curator only.
            None => {
                json!({ "message": "it has no result for this request", "hint": "ask for less" })
            }
        };
        json!({ "algorithm": run.algorithm, "reached": reached, "failed": failed })
    });
    json!({ "rows_in": mask.rows(), "runs": runs.collect::<Vec<_>>() })
}
