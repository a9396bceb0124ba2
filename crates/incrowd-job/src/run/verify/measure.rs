//! Measures every model, for a file without required models.

use crate::error::Error;
use crate::report::outcome::{Figure, PrivacyReached};
use crate::run::models;
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::{Decimal, Direction, MODELS, ModelEntry, ModelSpec, PrivacyModel};
use incrowd_core::publish::{self, Reached};
use incrowd_core::registry::{self, Kind};

/// Measures every model that applies, then checks each with the strictest parameter that it seems to satisfy.
pub(super) fn measure_all(
    published: &CountedTable,
    reference: &CountedTable,
    sensitive: &[usize],
) -> Result<(publish::Verification, Vec<PrivacyReached>), Error> {
    let mut built: Vec<(ModelSpec, Box<dyn PrivacyModel>)> = Vec::new();
    for entry in MODELS {
        // What a population could do for a file is up to `risk`.
        if entry.reads_column() && sensitive.is_empty() || entry.kind.needs_population {
            continue;
        }
        let spec: ModelSpec = loosest(entry).parse()?;
        let models = spec.build_all(&reference.columns, sensitive)?;
        built.extend(models.into_iter().map(|model| (spec.clone(), model)));
    }
    let (specs, models): (Vec<_>, Vec<_>) = built.into_iter().unzip();
    let measured = publish::verify(published, &models);
    let mut tightened: Vec<Box<dyn PrivacyModel>> = Vec::new();
    let mut at = Vec::new();
    for (number, (model, reached)) in models.iter().zip(&measured.reached).enumerate() {
        let kind = specs[number].entry().settings[0].kind;
        if let Some(parameter) = strictest(kind, model.direction(), reached)
            && let Ok(model) = model.with_parameter(parameter)
        {
            tightened.push(model);
            at.push(number);
        }
    }
    let mut privacy: Vec<PrivacyReached> = models
        .iter()
        .zip(&measured.reached)
        .map(|(model, reached)| PrivacyReached {
            model: model.name().to_owned(),
            reached: reached.worst.filter(|worst| worst.is_finite()).map(Figure),
            holds: false,
        })
        .collect();
    let checked = publish::verify(published, &tightened);
    let checked = models::reached(&tightened, &checked.reached, reference);
    for (number, checked) in at.into_iter().zip(checked) {
        privacy[number].model = checked.model;
        privacy[number].holds = checked.holds;
    }
    Ok((measured, privacy))
}

/// A model with settings that keep its measure from being cut off.
fn loosest(entry: &ModelEntry) -> String {
    let required =
        (entry.settings.iter()).filter(|setting| setting.default == registry::Default::Required);
    let values: Vec<String> = required
        .enumerate()
        .map(|(at, setting)| {
            // With l = 1 a class of one value has nothing to compare its most frequent value with.
            let least = match (at > 0, setting.name) {
                (true, "l") => 2,
                _ => 1,
            };
            format!("{}={least}", setting.name)
        })
        .collect();
    format!("{}({})", entry.name, values.join(","))
}

/// The measure as a parameter of few digits, rounded to the weaker side.
fn strictest(kind: Kind, direction: Direction, reached: &Reached) -> Option<Decimal> {
    const DIGITS: f64 = 1e6;
    let worst = reached.worst.filter(|worst| worst.is_finite())?;
    if kind == Kind::Count {
        return format!("{}", worst.floor()).parse().ok();
    }
    let scaled = worst * DIGITS;
    let rounded = match direction {
        Direction::AtLeast => scaled.floor(),
        Direction::AtMost => scaled.ceil(),
        Direction::Below => scaled.floor() + 1.0,
    };
    format!("{:.6}", rounded / DIGITS).parse().ok()
}
