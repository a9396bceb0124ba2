//! Every model, metric and algorithm with its settings, from which the Python layer makes classes.

use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::privacy::MODELS;
use incrowd_core::registry::{Default, Entry, Kind, Setting};
use incrowd_core::utility::METRICS;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The registries as JSON: by family, every entry with its name, its summary and its settings.
#[pyfunction]
pub(crate) fn registry() -> String {
    let algorithms = ALGORITHMS.iter().map(|algorithm| entry(algorithm.entry()));
    json!({
        "models": MODELS.iter().map(entry).collect::<Vec<_>>(),
        "metrics": METRICS.iter().map(entry).collect::<Vec<_>>(),
        "algorithms": algorithms.collect::<Vec<_>>(),
    })
    .to_string()
}

fn entry<T>(entry: &Entry<T>) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary(),
        "settings": entry.settings.iter().map(setting).collect::<Vec<_>>(),
    })
}

fn setting(setting: &Setting) -> Value {
    let (kind, words): (&str, &[&str]) = match setting.kind {
        Kind::Count => ("count", &[]),
        Kind::AtLeastOne | Kind::AtLeastZero | Kind::Positive | Kind::Share | Kind::Distance => {
            ("number", &[])
        }
        Kind::Flag => ("flag", &[]),
        Kind::Choice(words) => ("word", words),
        Kind::Choices(words) => ("words", words),
        Kind::ChoiceByColumn(words) => ("words-by-column", words),
        Kind::Text => ("text", &[]),
        Kind::Weights => ("weights", &[]),
        Kind::NumbersByLevel => ("numbers-by-level", &[]),
        Kind::Rules => ("rules", &[]),
        Kind::Texts => ("texts", &[]),
        Kind::StepsByColumn => ("steps-by-column", &[]),
        Kind::OrderByColumn => ("order-by-column", &[]),
    };
    json!({
        "name": setting.name,
        "kind": kind,
        "words": words,
        "help": setting.help,
        "required": setting.default == Default::Required,
        "default": match setting.default {
            Default::Value(value) => Some(value),
            Default::Required | Default::Absent => None,
        },
    })
}
