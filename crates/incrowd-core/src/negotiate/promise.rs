//! The strongest promise that a node keeps, when it does not keep the one asked for.

use super::counting::Counting;
use super::histogram::{Histogram, Histograms, NOISE, is_whole};
use super::lookup::{Candidate, Wanted};
use crate::error::Error;
use crate::privacy::{Decimal, Direction, PrivacyModel};
use crate::registry::Kind;

/// Fewer rows or values than this promise nothing.
const LEAST_COUNT: u32 = 2;

/// The strongest promise weaker than asked that a node keeps within the budget, and the rows it then suppresses.
///
/// `exact` counts the rows of the node that a parameter suppresses, for when the histogram cannot tell.
pub(super) fn strongest_promise(
    histogram: Histogram<'_>,
    model: &dyn PrivacyModel,
    max_suppressed: u32,
    mut exact: impl FnMut(Decimal) -> Result<u32, Error>,
) -> Result<Option<(Decimal, u32)>, Error> {
    let Some(measure) = histogram.measure_to_keep(max_suppressed) else {
        return Ok(None);
    };
    let asked = model.parameter();
    // The model may be more generous than the measure says, or less, where `f64` cannot tell: from the strongest
    // parameter that it might accept, a few steps lead to the strongest that it does.
    let noise = match is_whole(model) {
        true => 0.0,
        false => NOISE,
    };
    let mut offered = promise_kept_by(measure, model.direction(), noise);
    for _ in 0..8 {
        let Some(weaker) = offered.filter(|&weaker| promises_something(model, weaker)) else {
            return Ok(None);
        };
        if is_weaker(model.direction(), weaker, asked) {
            let rows = histogram.rows(weaker);
            let suppressed = match rows.close {
                0 => rows.suppressed,
                _ => exact(weaker)?,
            };
            if suppressed <= max_suppressed {
                return Ok(Some((weaker, suppressed)));
            }
        }
        offered = next_weaker(model.direction(), weaker);
    }
    Ok(None)
}

/// The strongest parameter that a class of this measure may meet, if the measure may be off by this share.
fn promise_kept_by(measure: f64, direction: Direction, noise: f64) -> Option<Decimal> {
    match direction {
        Direction::AtLeast => Decimal::at_most(measure * (1.0 + noise)),
        Direction::AtMost | Direction::Below => Decimal::at_least(measure * (1.0 - noise)),
    }
}

/// The next parameter that promises less.
fn next_weaker(direction: Direction, parameter: Decimal) -> Option<Decimal> {
    let half_step = 0.5e-9;
    match direction {
        Direction::AtLeast => Decimal::at_most(parameter.to_f64() - half_step),
        Direction::AtMost | Direction::Below => Decimal::at_least(parameter.to_f64() + half_step),
    }
}

fn is_weaker(direction: Direction, parameter: Decimal, than: Decimal) -> bool {
    match direction {
        Direction::AtLeast => parameter < than,
        Direction::AtMost | Direction::Below => parameter > than,
    }
}

/// Whether a parameter is in range and excludes anything: one row, one value, or a distance of 1 do not.
fn promises_something(model: &dyn PrivacyModel, parameter: Decimal) -> bool {
    let kind = model.entry().settings[0].kind;
    kind.allows(parameter)
        && match kind {
            Kind::Count | Kind::AtLeastOne => parameter >= LEAST_COUNT.into(),
            Kind::Share | Kind::Distance => parameter < Decimal::ONE,
            _ => true,
        }
}

/// The strongest promise at one counted node.
pub(super) fn strongest_at(
    counting: &mut Counting<'_>,
    wanted: &Wanted<'_>,
) -> Result<Option<(Candidate, Decimal)>, Error> {
    let node = wanted.max_levels;
    let histograms: Histograms = counting.histogram(wanted.model, node)?;
    let found = strongest_promise(
        histograms.node(0),
        wanted.model,
        wanted.max_suppressed,
        |parameter| counting.rows_suppressed(&*wanted.model.with_parameter(parameter)?, node),
    )?;
    Ok(found.map(|(parameter, rows_suppressed)| {
        let node = node.clone();
        (
            Candidate {
                node,
                rows_suppressed,
            },
            parameter,
        )
    }))
}
