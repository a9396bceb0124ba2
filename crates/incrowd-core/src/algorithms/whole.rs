//! Promises about the whole release, for searches that judge one class at a time.
//!
//! Such a search does not know what all of its classes come to. So its answer is looked at in the end. If all classes together
//! break a promise, it searches again for classes so large that the promise always holds; if rows may be suppressed, that
//! may not be enough, since rows of smaller classes are published all the same, so it searches once more without suppression.
//! Then it tries smaller classes, halving the sizes that are left. If nothing keeps the promise, there are still the highest
//! acceptable levels.

use super::mondrian::Space;
use super::people::PeopleInBoxes;
use super::printed::Printed;
use super::{Account, Found};
use crate::Error;
use crate::privacy::{KAnonymity, PrivacyModel, ReleaseView};
use crate::problem::{Assessor, Guarantee, Problem, Proposal};
use crate::recode::Regions;
use std::any::Any;

/// So many sizes of classes are tried, at most, between one that breaks the promise and one that keeps it.
const MOST_TRIALS: usize = 5;

/// A search for a problem or a similar one.
type Search<'s> = &'s dyn Fn(&Problem<'_>) -> Result<Found, Error>;

/// Searches for an answer that keeps the promises about the whole release; none if this way finds none.
pub(super) fn search_keeping(
    problem: &Problem<'_>,
    search: Search<'_>,
) -> Result<Option<Found>, Error> {
    let first = search(problem)?;
    if keeps(problem, &first.proposal) {
        return Ok(Some(first));
    }
    // Nothing costs less than if nothing were promised of the whole.
    let lower_bound = match first.proposal.guarantee {
        Guarantee::Optimal => first.proposal.loss,
        Guarantee::Bounded { lower_bound } => Some(lower_bound),
        Guarantee::Heuristic => None,
    };
    let sizes = problem.models.iter();
    let size = sizes.map(|model| model.class_size_that_suffices()).max();
    let size = size.unwrap_or(1);
    let with_classes_of = |k: u32, max_suppressed: u32| -> Result<Option<Found>, Error> {
        let models = with_large_classes(problem.models, k)?;
        let stronger = Problem {
            models: &models,
            max_suppressed,
            ..problem.clone()
        };
        match search(&stronger) {
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Ok(found) if keeps(problem, &found.proposal) => Ok(Some(found)),
            _ => Ok(None),
        }
    };
    let mut best = with_classes_of(size, problem.max_suppressed)?;
    if best.is_none() && problem.max_suppressed > 0 {
        best = with_classes_of(size, 0)?;
    }
    if best.is_some() {
        // Most classes are larger than they must be, so smaller ones may do.
        let (mut too_small, mut enough) = (1u32, size);
        for _ in 0..MOST_TRIALS {
            let k = too_small.midpoint(enough);
            if k == too_small {
                break;
            }
            match with_classes_of(k, problem.max_suppressed)? {
                Some(found) => (best, enough) = (Some(found), k),
                None => too_small = k,
            }
        }
    }
    Ok(best.map(|mut found| {
        found.proposal.guarantee = match lower_bound {
            Some(lower_bound) => Guarantee::Bounded { lower_bound },
            None => Guarantee::Heuristic,
        };
        measure_again(problem, &mut found);
        found
    }))
}

/// The same promises, and classes of at least so many rows.
fn with_large_classes(
    models: &[Box<dyn PrivacyModel>],
    k: u32,
) -> Result<Vec<Box<dyn PrivacyModel>>, Error> {
    let same = models
        .iter()
        .map(|model| model.with_parameter(model.parameter()));
    let mut models: Vec<Box<dyn PrivacyModel>> = same.collect::<Result<_, _>>()?;
    models.push(Box::new(KAnonymity { k }));
    Ok(models)
}

/// Whether what a proposal publishes keeps the promises about the whole release.
fn keeps(problem: &Problem<'_>, proposal: &Proposal) -> bool {
    if let Some(recoding) = proposal.recoding.by_columns() {
        let assessed = Assessor::new(problem).assess_recoding(recoding);
        return assessed.is_safe(problem);
    }
    let recoding: &dyn Any = &*proposal.recoding;
    let Some(regions) = recoding.downcast_ref::<Regions>() else {
        return false;
    };
    let people = PeopleInBoxes::of(problem, &Space::new(problem).sides());
    let printed = Printed::of(problem, people.as_ref(), regions);
    let release = ReleaseView::of_sizes(printed.sizes());
    // Where crowds overlap, some classes may be published that are not safe by themselves.
    let is_known = !problem.crowds_overlap() || printed.rows_suppressed() == 0;
    let mut models = problem.models.iter();
    is_known
        && printed.rows_suppressed() <= problem.max_suppressed
        && models.all(|model| model.holds_in_release(release))
}

/// States what the answer costs if only the rows are suppressed that the problem suppresses.
fn measure_again(problem: &Problem<'_>, found: &mut Found) {
    let proposal = &mut found.proposal;
    let (Some(_), Some(recoding)) = (proposal.loss, proposal.recoding.by_columns()) else {
        return;
    };
    let assessed = Assessor::new(problem).assess_recoding(recoding);
    proposal.loss = assessed.loss;
    if let (Some(Account::Partitions(account)), Some(loss)) = (&mut found.account, assessed.loss) {
        account.cost = loss.0;
        account.rows_suppressed = assessed.rows_suppressed;
        account.lower_bound = match proposal.guarantee {
            Guarantee::Bounded { lower_bound } => lower_bound.0,
            _ => account.lower_bound.min(loss.0),
        };
    }
}
