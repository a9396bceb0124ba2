//! What every model, metric and algorithm says about itself.

use crate::error::Error;
use crate::outcome::VERSION;
use incrowd_core::algorithms::{ALGORITHMS, Status};
use incrowd_core::privacy::{MODELS, ModelEntry};
use incrowd_core::utility::METRICS;
use serde::Serialize;
use std::fmt::Write;

/// Entries of the registries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// [`VERSION`].
    pub version: u32,
    /// Models first, then metrics, then algorithms.
    pub entries: Vec<Entry>,
}

/// A model, a metric or an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// `model`, `metric` or `algorithm`.
    pub family: &'static str,
    /// The name users write.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: String,
    /// Definition, source, parameters, cost.
    pub text: String,
}

/// Everything, one family (`models`, `metrics`, `algorithms`), or one entry.
pub fn explain(name: Option<&str>) -> Result<Explanation, Error> {
    let all = entries();
    let entries: Vec<Entry> = match name {
        None => all,
        Some(name) => {
            let family = name.strip_suffix('s').unwrap_or(name);
            let known: Vec<&'static str> = all.iter().map(|entry| entry.name).collect();
            let found: Vec<Entry> = all
                .into_iter()
                .filter(|entry| entry.name == name || entry.family == family)
                .collect();
            if found.is_empty() {
                return Err(Error::UnknownName {
                    family: "model, metric or algorithm",
                    name: name.to_owned(),
                    known,
                });
            }
            found
        }
    };
    Ok(Explanation {
        version: VERSION,
        entries,
    })
}

fn entries() -> Vec<Entry> {
    let models = MODELS.iter().map(|entry| Entry {
        family: "model",
        name: entry.name,
        summary: entry.summary().to_owned(),
        text: format!("{}{}", entry.card, parameters(entry)),
    });
    let metrics = METRICS.iter().map(|entry| Entry {
        family: "metric",
        name: entry.name,
        summary: entry.summary.to_owned(),
        text: match entry.options {
            [] => entry.documentation.to_owned(),
            options => format!(
                "{}\n# Options\n{}\n",
                entry.documentation.trim_end(),
                options.join(", ")
            ),
        },
    });
    let algorithms = ALGORITHMS.iter().map(|algorithm| {
        let card = algorithm.card();
        let experimental = match card.status {
            Status::Experimental => "(experimental) ",
            Status::Stable => "",
        };
        Entry {
            family: "algorithm",
            name: card.name,
            summary: format!("{experimental}{}", card.text.summary()),
            text: card.text.to_string(),
        }
    });
    models.chain(metrics).chain(algorithms).collect()
}

fn parameters(entry: &ModelEntry) -> String {
    let mut text = String::from("# Parameters\n");
    for parameter in entry.parameters {
        let default = match parameter.default {
            Some(default) => format!("; {default} when not given"),
            None => String::new(),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{}: {}, {}{default}",
            parameter.name, parameter.summary, parameter.kind
        );
    }
    if entry.needs_column {
        text.push_str(
            "column: the sensitive column it is about; every sensitive column when not given\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_one_by_one_by_family_or_all() {
        let all = explain(None).unwrap().entries.len();
        let models = explain(Some("models")).unwrap().entries.len();
        assert!(models > 0 && models < all);
        let one = explain(Some("k-anonymity")).unwrap();
        assert_eq!(one.entries.len(), 1);
        assert!(one.entries[0].text.contains("k: "));
        assert!(explain(Some("k-anonimity")).is_err());
    }

    #[test]
    fn every_entry_has_a_summary_and_a_text() {
        for entry in explain(None).unwrap().entries {
            assert!(!entry.summary.is_empty(), "{}", entry.name);
            assert!(entry.text.len() > entry.summary.len(), "{}", entry.name);
        }
    }
}
