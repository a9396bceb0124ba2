//! What an analyst may learn.
//!
//! Every number of rows that an analyst sees is a fixed function of the data with steps of `mask` rows, and whatever is
//! decided for an analyst is decided by those numbers: budgets are rounded down and suppressed rows up *before* they are
//! compared. So asking again tells nothing new, and asking differently tells no more than the rounded numbers do.
//! `docs/guide/workbench.md` says what that protects and what it does not.

mod mask;
mod wishes;

pub(crate) use mask::{Mask, masked_spread, masked_tree};
pub(crate) use wishes::{AnalystWish, of_wish};

use crate::bounds::{Bounds, ModelBounds, is_stronger_above, is_whole};
use crate::error::Failure;
use crate::workbench::Counted;
use incrowd_core::privacy::Decimal;
use incrowd_job::{
    Curve, DrawnLattice, GaveWay, LatticeFilter, Negotiated, NegotiationSeconds, Offered, Terms,
    Wish,
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
    let answer = negotiation
        .ask(&asked.wish)
        .map_err(|error| refused(&error))?;
    let mask = Mask::new(counted, bounds, asked)?;
    let within = |offer: Option<Offered>| -> Result<Option<Offered>, Failure> {
        let Some(offer) = offer else {
            return Ok(None);
        };
        let Some(offer) = with_coarse_parameter(counted, asked, offer)? else {
            return Ok(None);
        };
        let offer = mask.offer(offer);
        Ok(is_within(&offer, bounds, &asked.model, &mask).then_some(offer))
    };
    let terms = match answer.terms {
        Terms::Exact { answer } => match within(Some(answer))? {
            Some(answer) => Terms::Exact { answer },
            // The wish was within the bounds, so its answer is; were it not, nothing would be told.
            None => return Err(Failure::internal()),
        },
        Terms::Relaxed {
            more_suppression,
            higher_levels,
            weaker_privacy,
        } => Terms::Relaxed {
            more_suppression: within(more_suppression)?,
            higher_levels: within(higher_levels)?,
            weaker_privacy: within(weaker_privacy)?,
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

/// A parameter that is no whole number is the exact figure of a single class: told in two digits, weaker than it is, and
/// with what such a promise costs.
fn with_coarse_parameter(
    counted: &Counted,
    asked: &AnalystWish,
    offer: Offered,
) -> Result<Option<Offered>, Failure> {
    let is_weaker = matches!(offer.gives_way, Some(GaveWay::Privacy { .. }));
    let entry = asked.entry;
    if !is_weaker || is_whole(&entry.settings[0]) {
        return Ok(Some(offer));
    }
    let coarse = mask::two_digits(offer.parameter.0, !is_stronger_above(entry));
    let Some(parameter) = Decimal::from_f64(coarse) else {
        return Ok(None);
    };
    let wish = Wish {
        parameter: Some(parameter),
        ..asked.wish.clone()
    };
    let priced = counted.negotiation.offer_at(&wish, &offer.levels);
    let mut priced = priced.map_err(|error| refused(&error))?;
    priced.gives_way = offer.gives_way;
    Ok(Some(priced))
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
    let curve = counted.negotiation.curve(&asked.wish);
    let curve = curve.map_err(|error| refused(&error))?;
    let mask = Mask::new(counted, bounds, asked)?;
    let parameters = parameters_between(&asked.model, is_whole(&asked.entry.settings[0]), &mask);
    let points: Vec<(f64, u64)> = parameters
        .into_iter()
        .map(|parameter| (parameter, mask.up(curve.rows_suppressed(parameter))))
        .collect();
    Ok(curve_json(
        &curve,
        mask.rows(),
        mask.budget_of_wish(&asked.wish),
        &points,
    ))
}

/// The parameters that an analyst may ask for, some of them if there are many.
fn parameters_between(model: &ModelBounds, is_whole: bool, mask: &Mask) -> Vec<f64> {
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
    let drawn = counted.negotiation.drawn(&asked.wish, filter);
    drawn.map_err(|error| refused(&error))
}
