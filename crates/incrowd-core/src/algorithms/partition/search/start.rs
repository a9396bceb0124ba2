//! A good solution before the search begins, to prune more.

use super::super::ground::{Ground, Solution};
use super::super::improve;
use super::Stop;
use crate::Error;
use crate::algorithms::{Goal, search as full_domain_search};
use crate::problem::{Interruption, Progress};
use crate::utility::Loss;

/// The most work spent on a full-domain recoding to start from.
const WORK_FOR_A_START: u64 = 30_000_000;

/// With no more choices of partitions than this, a start from full-domain recodings does not pay off.
const FEW_CHOICES: f64 = 1e10;

/// A good solution to start from: the best of several starts, each improved as far as one attribute at a time goes. If
/// stopped early, it is the best so far.
pub(in super::super) fn seed(ground: &Ground<'_>) -> Result<Option<Solution>, Error> {
    let mut best: Option<Solution> = None;
    match improve_starts(ground, &mut best) {
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Interrupted(Interruption::Cancelled)) => Err(Error::Cancelled),
        Ok(()) | Err(Stop::Interrupted(_)) => Ok(best),
    }
}

fn improve_starts(ground: &Ground<'_>, best: &mut Option<Solution>) -> Result<(), Stop> {
    let mut keep = |found: Solution| {
        if found.cost.is_finite() && found.is_better_than(best.as_ref()) {
            *best = Some(found);
        }
    };
    let mut starts = Vec::new();
    for start in improve::first_starts(ground) {
        let start = ground.evaluate(start)?;
        keep(start.clone());
        starts.push(start);
    }
    let choices: f64 = ground.spaces.iter().map(|space| space.size()).product();
    if choices > FEW_CHOICES {
        let part = ground.meter.part(WORK_FOR_A_START);
        let found = full_domain_search(ground.problem, Goal::default(), &part);
        if let Some(best) = found.map_err(Stop::Failed)?.best {
            let start = ground.evaluate(improve::start_of_levels(ground, &best.node))?;
            keep(start.clone());
            starts.push(start);
        }
    }
    for mut start in starts {
        let done = improve::descend(ground, &mut start, |so_far| {
            ground.meter.note(Progress {
                best: so_far.cost.is_finite().then_some(Loss(so_far.cost)),
                ..Progress::default()
            });
        });
        keep(start);
        done?;
    }
    Ok(())
}
