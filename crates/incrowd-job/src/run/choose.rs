//! Ranks algorithms for a counted table, for `advise` and for jobs that leave the algorithm open.

use crate::error::Error;
use crate::run::asked::Asked;
use crate::run::counted::FirstPass;
use crate::spec::Job;
use incrowd_core::advisor::{self, Advice, Facts, Use, Wishes};
use incrowd_core::algorithms::{ALGORITHMS, Algorithm, AlgorithmEntry, Generalization, Optimal};
use incrowd_core::privacy::PrivacyModel;
use incrowd_core::table::Kind;

/// What a job's own words say about the algorithm.
pub(crate) fn wishes_of(job: &Job, asked: &Asked, wishes: Wishes) -> Wishes {
    // A budget is there to be used.
    let budget = job.privacy.max_suppressed;
    let has_budget = budget.is_some_and(|budget| budget.rows(u64::MAX) > 0);
    Wishes {
        may_suppress: wishes.may_suppress.or(has_budget.then_some(true)),
        metric: job
            .search
            .metric
            .as_ref()
            .map(|_| asked.metric.name().to_owned()),
        has_rules: job.asks_for_research_value(),
        ..wishes
    }
}

/// What a release is for, if only its target says so.
pub(crate) fn use_of_target(asked: &Asked, first_pass: &FirstPass) -> Use {
    let targets = asked.plan.names_of(&asked.plan.target);
    let mut columns = (first_pass.table.columns.iter()).filter(|it| targets.contains(&it.name));
    match (
        targets.is_empty(),
        columns.all(|it| it.kind == Kind::Number),
    ) {
        (true, _) => Use::Any,
        (false, true) => Use::Regression,
        (false, false) => Use::Classification,
    }
}

/// Ranks every algorithm for a job. None that is ranked refuses the job.
pub(crate) fn rank(
    job: &Job,
    asked: &Asked,
    first_pass: &FirstPass,
    models: &[Box<dyn PrivacyModel>],
    wishes: &Wishes,
) -> Result<(Advice, Facts), Error> {
    let metric = job.metric("height")?.build(&first_pass.table)?;
    let problem = asked.problem(job, first_pass, models, &*metric, &Optimal)?;
    let limit = job.search.work_limit();
    let facts = Facts::of(&problem, limit.steps());
    let refusal = |algorithm: &'static dyn Algorithm| {
        // Where merging classes can break a promise, a path can end although there is a solution, and nobody is there to
        // try another one.
        let may_miss =
            algorithm.entry().kind.properties.is_heuristic && !problem.pruning_is_sound();
        if wishes.is_unattended && may_miss {
            return Some(
                "may pass by every solution, as merging classes can break the promises".to_owned(),
            );
        }
        // Values that a scheme cannot put into one group may be in one at these levels.
        let is_partition = algorithm.entry().kind.generalization == Generalization::Partitions;
        if wishes.is_unattended && is_partition && job.privacy.max_levels.is_some() {
            return Some("may have no groups within the highest acceptable levels".to_owned());
        }
        let checked = check(job, asked, first_pass, models, algorithm);
        let named = format!("`{}` ", algorithm.entry().name);
        checked.err().map(|error| {
            let text = error.to_string();
            // What is said of several algorithms reads alike without their names.
            text.strip_prefix(&named).unwrap_or(&text).to_owned()
        })
    };
    Ok((advisor::advise(wishes, &facts, refusal), facts))
}

/// Refuses what an algorithm would refuse.
fn check(
    job: &Job,
    asked: &Asked,
    first_pass: &FirstPass,
    models: &[Box<dyn PrivacyModel>],
    algorithm: &'static dyn Algorithm,
) -> Result<(), Error> {
    job.search.settings.check_read_by(&[algorithm.entry()])?;
    let metric = asked.metric_of(job, algorithm)?.build(&first_pass.table)?;
    let problem = asked.problem(job, first_pass, models, &*metric, algorithm)?;
    Ok(algorithm.check(&problem)?)
}

/// Takes the algorithm that suits a job best, with the metric it minimizes, and notes why. It depends on nothing but the job
/// and its table.
pub(crate) fn take_first_choice(
    job: &Job,
    asked: &mut Asked,
    first_pass: &FirstPass,
    models: &[Box<dyn PrivacyModel>],
) -> Result<&'static dyn Algorithm, Error> {
    let wishes = Wishes {
        usage: use_of_target(asked, first_pass),
        is_unattended: true,
        ..Wishes::default()
    };
    let wishes = wishes_of(job, asked, wishes);
    let (advice, _) = rank(job, asked, first_pass, models, &wishes)?;
    let Some(first) = advice.ranked.into_iter().next() else {
        // It will say itself what is wrong with the job.
        job.search.settings.check_read_by(&[Optimal.entry()])?;
        return Ok(&Optimal);
    };
    asked.metric = asked.metric_of(job, first.algorithm)?;
    asked.advised = Some(first.reasons);
    Ok(first.algorithm)
}

/// Whether an algorithm that could be taken for a job would publish equal rows differently.
pub(crate) fn may_divide_rows(job: &Job) -> Result<bool, Error> {
    let settings = &job.search.settings;
    let all: Vec<&'static AlgorithmEntry> = ALGORITHMS.iter().map(|it| it.entry()).collect();
    settings.check_read_by(&all)?;
    for algorithm in ALGORITHMS {
        let entry = algorithm.entry();
        let is_suited = settings.check_read_by(&[entry]).is_ok();
        if is_suited && algorithm.divides_rows(&settings.of(entry)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
