//! Promises about the whole release, for searches that judge one class at a time.
//!
//! Such a search does not know what all of its classes come to. So its answer is looked at in the end. If all classes together
//! break a promise, it searches again for classes so large that the promise always holds; if rows may be suppressed, that
//! may not be enough, since rows of smaller classes are published all the same, so it searches once more without suppression.
//! The highest acceptable levels are what is left then.

use super::mondrian::Space;
use super::people::PeopleInBoxes;
use super::printed::Printed;
use super::{Account, Found};
use crate::Error;
use crate::privacy::{KAnonymity, PrivacyModel, ReleaseView};
use crate::problem::{Assessor, Guarantee, Problem, Proposal};
use crate::recode::Regions;
use std::any::Any;

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
    let models = with_large_classes(problem.models)?;
    for max_suppressed in [problem.max_suppressed, 0] {
        let stronger = Problem {
            models: &models,
            max_suppressed,
            ..problem.clone()
        };
        match search(&stronger) {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Ok(mut found) if keeps(problem, &found.proposal) => {
                found.proposal.guarantee = match lower_bound {
                    Some(lower_bound) => Guarantee::Bounded { lower_bound },
                    None => Guarantee::Heuristic,
                };
                measure_again(problem, &mut found);
                return Ok(Some(found));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The same promises, and classes so large that those about the whole release hold.
fn with_large_classes(
    models: &[Box<dyn PrivacyModel>],
) -> Result<Vec<Box<dyn PrivacyModel>>, Error> {
    let sizes = models.iter().map(|model| model.class_size_that_suffices());
    let k = sizes.max().unwrap_or(1);
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
