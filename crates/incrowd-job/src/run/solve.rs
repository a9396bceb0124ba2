//! Searching for a recoding, whoever asks for one.

use crate::error::Error;
use crate::run::choices::{self, Chooser};
use crate::run::control::{Control, Phase, PhaseWatch};
use crate::run::counted::SearchWatch;
use crate::spec::Job;
use incrowd_core::algorithms::{Algorithm, Solved, unsafe_columns};
use incrowd_core::problem::Problem;
use incrowd_core::publish::{Release, publish_watched};

/// Lets an algorithm that drops columns publish those as `*` that are unsafe by themselves at their highest acceptable
/// level.
pub(crate) fn without_unsafe_columns<'a>(
    job: &Job,
    algorithm: &dyn Algorithm,
    problem: Problem<'a>,
    control: &Control,
) -> Result<Problem<'a>, Error> {
    if !algorithm.drops_columns() {
        return Ok(problem);
    }
    let columns = unsafe_columns(&problem, &SearchWatch::new(job, control))?;
    Ok(problem.drop_columns(columns))
}

/// Runs the algorithm, or lets the data holder choose if it leaves choices open.
pub(crate) fn solve(
    job: &Job,
    algorithm: &dyn Algorithm,
    problem: &Problem<'_>,
    chooser: Option<&mut dyn Chooser>,
    control: &Control,
) -> Result<Solved, Error> {
    if let Some(chooser) = chooser
        && choices::are_open(job, algorithm)
        && let Some(session) = algorithm.session(problem)
    {
        return Ok(Solved {
            proposal: choices::make(session, chooser, control)?,
            account: None,
            work: 0,
            stopped: None,
        });
    }
    let watch = SearchWatch::new(job, control);
    // The search itself finds out how many nodes must be examined, so there is no total.
    let search = control.begin_search(None);
    let solved = algorithm.solve_accounted(problem, &watch);
    drop(search);
    control.check()?;
    Ok(solved?)
}

/// Checks what a search found, and hands the release to whoever measures it; nothing is written.
pub(crate) fn measured<T>(
    (job, control): (&Job, &Control),
    problem: &Problem<'_>,
    solved: &Solved,
    measure: impl FnOnce(&Release<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    control.within(job.search.time_limit, Phase::Write, || {
        measure(&publish_watched(
            problem,
            &solved.proposal,
            &PhaseWatch(control),
        )?)
    })
}
