//! Wishes of an analyst, refused outside the bounds and rounded to what may be asked.

use super::mask::{Mask, two_digits};
use crate::bounds::{Bounds, ModelBounds, is_stronger_above, is_whole};
use crate::counted::Counted;
use crate::error::Failure;
use incrowd_core::privacy::{Decimal, ModelEntry};
use incrowd_job::{Budget, Wish};

/// A wish that an analyst may have.
#[derive(Debug, Clone)]
pub(crate) struct AnalystWish {
    /// As it is answered.
    pub(crate) wish: Wish,
    pub(crate) model: ModelBounds,
    pub(crate) entry: &'static ModelEntry,
}

fn outside(message: &str) -> Failure {
    Failure::new(
        "outside-bounds",
        message,
        "`GET /api/v1/bounds` says what the curator accepts",
    )
}

/// Reads a wish of an analyst.
pub(crate) fn of_wish(
    counted: &Counted,
    bounds: &Bounds,
    text: &str,
) -> Result<AnalystWish, Failure> {
    let wish = counted.ground().read_wish(text)?;
    let spec = wish.spec().map_err(Failure::from)?;
    let model = bounds.of_model(spec.name());
    let model =
        model.ok_or_else(|| outside("this model is not among those the curator accepts"))?;
    let entry = spec.entry();
    let expected = model.spec()?;
    for setting in &entry.settings[1..] {
        let asked = spec.setting(setting.name);
        if asked.is_some() && asked != expected.setting(setting.name) {
            return Err(outside(
                "the settings of this model are the curator's to choose",
            ));
        }
    }
    let mask = Mask::of_rows(counted, bounds.mask);
    let main = spec.setting(entry.settings[0].name);
    let parameter = main.and_then(|text| Decimal::with_sign(text).ok());
    let parameter = parameter.ok_or_else(|| Failure::bad_request("`parameter` is missing"))?;
    let parameter = snapped(parameter, entry)?;
    let is_whole = is_whole(&entry.settings[0]);
    let is_beyond_table = is_whole && parameter.to_f64() > mask.rows().max(1) as f64;
    if !model.allow(parameter.to_f64()) || is_beyond_table {
        return Err(outside("the parameter is not between floor and ceiling"));
    }
    let budget = wish.max_suppressed.unwrap_or(Budget::Rows(0));
    if let Budget::Rows(rows) = budget
        && rows > mask.rows()
    {
        return Err(outside(
            "more rows would be suppressed than the curator accepts",
        ));
    }
    let budget = mask.budget_of(budget);
    if budget > mask.budget_of(bounds.max_suppressed) {
        return Err(outside(
            "more rows would be suppressed than the curator accepts",
        ));
    }
    let levels = wish.max_levels.or_else(|| bounds.max_levels.clone());
    if levels
        .as_deref()
        .is_some_and(|levels| !bounds.allow_levels(levels))
    {
        return Err(outside("the levels are higher than the curator accepts"));
    }
    let metric = wish.metric.as_deref().unwrap_or("height");
    let is_height = metric == "height";
    if !is_height && (!bounds.analyst_sees.metrics || metric.starts_with("research-value")) {
        return Err(outside("the curator does not show this metric"));
    }
    Ok(AnalystWish {
        wish: Wish {
            model: expected.to_string(),
            parameter: Some(parameter),
            max_suppressed: Some(Budget::Rows(budget)),
            max_levels: levels,
            metric: wish.metric,
            search: wish.search,
            rows_in_steps_of: super::step_of(bounds.mask, entry, parameter.to_f64()),
        },
        model: model.clone(),
        entry,
    })
}

/// Whole parameters stay; others are cut to two digits, to the stronger side.
fn snapped(parameter: Decimal, entry: &ModelEntry) -> Result<Decimal, Failure> {
    if is_whole(&entry.settings[0]) {
        return Ok(parameter);
    }
    let coarse = two_digits(parameter.to_f64(), is_stronger_above(entry));
    Decimal::from_f64(coarse).ok_or_else(|| Failure::bad_request("`parameter` is out of range"))
}
