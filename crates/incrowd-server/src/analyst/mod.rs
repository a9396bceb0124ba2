//! What an analyst may learn.
//!
//! Every number of rows that an analyst sees is a fixed function of the data with steps of `mask` rows, and whatever is
//! decided for an analyst is decided by those numbers: budgets are rounded down and suppressed rows up *before* they are
//! compared. So asking again tells nothing new, and asking differently tells no more than the rounded numbers do.
//! `docs/guide/workbench.md` says what that protects and what it does not.

mod mask;
#[cfg(test)]
mod tests;
pub(crate) mod trials;
mod wishes;

pub(crate) use mask::{Mask, masked_spread, masked_tree};
pub(crate) use wishes::{AnalystWish, of_wish};

use crate::bounds::{Bounds, ModelBounds, is_stronger_above, is_whole};
use crate::counted::Counted;
use crate::error::Failure;
use incrowd_core::privacy::{Decimal, ModelEntry};
use incrowd_job::{
    Curve, DrawnLattice, Figure, GaveWay, LatticeFilter, Negotiated, NegotiationSeconds, Offered,
    Terms, Wish,
};
use serde_json::{Value, json};

/// Points of a curve that is drawn for an analyst.
const MOST_POINTS: usize = 400;

/// An error of a job may state exact numbers; an analyst learns only that there is no answer.
pub(crate) fn refused(error: &incrowd_job::Error) -> Failure {
    match error {
        incrowd_job::Error::Core(incrowd_core::Error::LatticeTooLarge { .. }) => Failure::new(
            "not-answerable",
            "the lattice is too large to be drawn",
            "ask for answers and curves, which need no drawing",
        ),
        _ => Failure::new(
            "not-answerable",
            "this cannot be answered for this table",
            "change the promise, the budget or the levels",
        ),
    }
}

/// The answer to a wish, within the bounds and masked.
pub(crate) fn negotiate(
    counted: &Counted,
    bounds: &Bounds,
    asked: &AnalystWish,
) -> Result<Negotiated, Failure> {
    let negotiation = &counted.negotiation;
    let answer = negotiation.ask(&asked.wish, &counted.control);
    let answer = answer.map_err(|error| refused(&error))?;
    let mask = Mask::new(counted, bounds, (asked.entry, &asked.wish))?;
    let within = |offer: Option<Offered>| {
        let offer = offer.map(|offer| mask.offer(offer));
        offer.filter(|offer| is_within(offer, bounds, &asked.model, &mask))
    };
    let terms = match answer.terms {
        Terms::Exact { answer } => match within(Some(answer)) {
            Some(answer) => Terms::Exact { answer },
            // The wish was within the bounds, so its answer is; were it not, nothing would be told.
            None => return Err(Failure::internal()),
        },
        Terms::Relaxed {
            more_suppression,
            higher_levels,
            ..
        } => Terms::Relaxed {
            more_suppression: within(more_suppression),
            higher_levels: within(higher_levels),
            weaker_privacy: within(weaker(counted, bounds, asked)?),
        },
    };
    let mut lattice = answer.lattice;
    lattice.annotated = 0;
    lattice.how = "hidden".into();
    lattice.why = String::new();
    Ok(Negotiated {
        version: answer.version,
        terms,
        lattice,
        nodes_visited: 0,
        monotone: answer.monotone,
        seconds: NegotiationSeconds {
            prepare: 0.0,
            answer: 0.0,
        },
    })
}

/// The strongest promise that is weaker than the one asked for and within the budget, both in what an analyst may know:
/// parameters that an analyst could ask for, and steps of suppressed rows. The exact parameter would be the size or the
/// distance of a single class.
fn weaker(
    counted: &Counted,
    bounds: &Bounds,
    asked: &AnalystWish,
) -> Result<Option<Offered>, Failure> {
    let wish = &asked.wish;
    let curve = counted.negotiation.curve(wish, &counted.control);
    let curve = curve.map_err(|error| refused(&error))?;
    let mask = Mask::of_rows(counted, bounds.mask);
    let budget = mask.budget_of_wish(wish);
    let asked_for = wish.parameter.map_or(0.0, Decimal::to_f64);
    let is_up = is_stronger_above(asked.entry);
    let mut candidates = parameters_between(asked, &mask);
    if is_up {
        candidates.reverse();
    }
    let weaker = candidates.into_iter().filter(|&parameter| match is_up {
        true => parameter < asked_for,
        false => parameter > asked_for,
    });
    for parameter in weaker {
        let step = step_of(bounds.mask, asked.entry, parameter);
        let told = curve.rows_suppressed(parameter) / u64::from(step) + 1;
        if told * u64::from(step) > budget - budget % u64::from(step) {
            continue;
        }
        let wish = Wish {
            parameter: Decimal::from_f64(parameter),
            rows_in_steps_of: step,
            ..wish.clone()
        };
        let heights = counted.heights();
        let levels = wish.max_levels.as_deref().unwrap_or(&heights);
        let offer = counted
            .negotiation
            .offer_at(&wish, levels, &counted.control);
        let mut offer = offer.map_err(|error| refused(&error))?;
        offer.rows_suppressed = told * u64::from(step);
        offer.gives_way = Some(GaveWay::Privacy {
            asked: Figure(asked_for),
        });
        return Ok(Some(offer));
    }
    Ok(None)
}

/// Suppressed rows are told apart in steps of so many: a multiple of the mask, and at least two of the smallest classes
/// that the promise allows, so that a single class that becomes too small is not seen by itself.
pub(crate) fn step_of(mask: u32, entry: &ModelEntry, parameter: f64) -> u32 {
    let smallest_class = match is_whole(&entry.settings[0]) {
        true => parameter.min(f64::from(u32::MAX / 4)) as u32,
        false => 1,
    };
    (2 * smallest_class)
        .max(1)
        .div_ceil(mask)
        .saturating_mul(mask)
}

/// Whether an offer may be made to an analyst.
fn is_within(offer: &Offered, bounds: &Bounds, model: &ModelBounds, mask: &Mask) -> bool {
    model.allow(offer.parameter.0)
        && offer.rows_suppressed <= mask.budget_of(bounds.max_suppressed)
        && bounds.allow_levels(&offer.levels)
}

/// The curve between floor and ceiling, in steps of the mask.
pub(crate) fn curve(
    counted: &Counted,
    bounds: &Bounds,
    asked: &AnalystWish,
) -> Result<Value, Failure> {
    let curve = counted.negotiation.curve(&asked.wish, &counted.control);
    let curve = curve.map_err(|error| refused(&error))?;
    let mask = Mask::new(counted, bounds, (asked.entry, &asked.wish))?;
    let points: Vec<(f64, u64)> = parameters_between(asked, &mask)
        .into_iter()
        .map(|parameter| {
            let step = u64::from(step_of(bounds.mask, asked.entry, parameter));
            (
                parameter,
                (curve.rows_suppressed(parameter) / step + 1) * step,
            )
        })
        .collect();
    Ok(curve_json(
        &curve,
        mask.rows(),
        mask.budget_of_wish(&asked.wish),
        &points,
    ))
}

/// The parameters that an analyst may ask for, some of them if there are many.
fn parameters_between(asked: &AnalystWish, mask: &Mask) -> Vec<f64> {
    let model = &asked.model;
    let is_whole = is_whole(&asked.entry.settings[0]);
    let (low, high) = match model.floor <= model.ceiling {
        true => (model.floor, model.ceiling),
        false => (model.ceiling, model.floor),
    };
    if is_whole {
        let high = high.min(mask.rows() as f64);
        let (low, high) = (low as u64, high as u64);
        let step = (high.saturating_sub(low) as usize / MOST_POINTS).max(1);
        return (low..=high).step_by(step).map(|at| at as f64).collect();
    }
    let points = 100;
    let mut parameters: Vec<f64> = (0..=points)
        .map(|at| low + (high - low) * f64::from(at) / f64::from(points))
        .map(|at| mask::two_digits(at, false))
        .filter(|at| model.allow(*at))
        .collect();
    parameters.dedup();
    parameters
}

/// A curve as it goes out.
pub(crate) fn curve_json(curve: &Curve, rows: u64, budget: u64, points: &[(f64, u64)]) -> Value {
    let levels: serde_json::Map<String, Value> = (curve.levels.iter())
        .map(|(name, level)| (name.clone(), json!(level)))
        .collect();
    let shown = |parameter: f64| match curve.is_whole {
        true => json!(parameter as u64),
        false => json!(parameter),
    };
    let points: Vec<Value> = (points.iter())
        .map(|&(parameter, rows)| json!([shown(parameter), rows]))
        .collect();
    json!({
        "model": curve.model,
        "parameter_name": curve.parameter_name,
        "whole": curve.is_whole,
        "asked": shown(curve.asked),
        "budget": budget,
        "rows": rows,
        "levels": levels,
        "points": points,
    })
}

/// The lattice, in steps of the mask: the wish says so itself.
pub(crate) fn lattice(
    counted: &Counted,
    asked: &AnalystWish,
    filter: &LatticeFilter,
) -> Result<DrawnLattice, Failure> {
    let drawn = counted
        .negotiation
        .drawn(&asked.wish, filter, &counted.control);
    drawn.map_err(|error| refused(&error))
}
