//! What every term means: models, metrics and algorithms document themselves, the glossary covers the rest.

mod glossary;

use crate::error::Error;
use crate::report::outcome::VERSION;
use glossary::GLOSSARY;
use incrowd_core::algorithms::{ALGORITHMS, AlgorithmKind, PROPERTIES, Status};
use incrowd_core::privacy::{MODELS, ModelEntry};
use incrowd_core::registry::{self, Default, Kind};
use incrowd_core::utility::METRICS;
use indexmap::IndexMap;
use serde::Serialize;
use std::fmt::{self, Write};

/// The result of `explain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// [`VERSION`].
    pub version: u32,
    /// By family, in the order of [`Family::ALL`]. Of one name there may be several: `height` is a metric and a term.
    pub entries: Vec<Entry>,
}

/// A term that can be explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// What kind of term it is.
    pub family: Family,
    /// The name users write.
    pub name: &'static str,
    /// Other names for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<&'static str>,
    /// What it is, in one line.
    pub summary: String,
    /// Definition, source, parameters, cost; or where it is used.
    pub text: String,
    /// For an algorithm: the value of each of its properties.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub properties: IndexMap<&'static str, &'static str>,
}

/// A kind of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// A privacy model.
    Model,
    /// A utility metric.
    Metric,
    /// An algorithm.
    Algorithm,
    /// What algorithms are compared by.
    Property,
    /// Which partitions of values are allowed.
    Scheme,
    /// How a hierarchy is built.
    Rule,
    /// A word that a flag accepts.
    Choice,
    /// Any other term.
    Term,
}

impl Family {
    /// Every family, in the order entries are listed.
    pub const ALL: [Family; 8] = [
        Family::Model,
        Family::Metric,
        Family::Algorithm,
        Family::Property,
        Family::Scheme,
        Family::Rule,
        Family::Choice,
        Family::Term,
    ];

    /// The name of one of them.
    pub fn name(self) -> &'static str {
        match self {
            Family::Model => "model",
            Family::Metric => "metric",
            Family::Algorithm => "algorithm",
            Family::Property => "property",
            Family::Scheme => "scheme",
            Family::Rule => "rule",
            Family::Choice => "choice",
            Family::Term => "term",
        }
    }

    /// The plural, which also lists all of them.
    pub fn plural(self) -> &'static str {
        match self {
            Family::Model => "models",
            Family::Metric => "metrics",
            Family::Algorithm => "algorithms",
            Family::Property => "properties",
            Family::Scheme => "schemes",
            Family::Rule => "rules",
            Family::Choice => "choices",
            Family::Term => "terms",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Everything, one family (`models`, `terms`, ...), or the entries with a name. Case does not matter, and spaces and
/// underscores count as hyphens.
pub fn explain(name: Option<&str>) -> Result<Explanation, Error> {
    let all = entries();
    let entries = match name {
        None => all,
        Some(name) => named(name, all)?,
    };
    Ok(Explanation {
        version: VERSION,
        entries,
    })
}

fn named(name: &str, all: Vec<Entry>) -> Result<Vec<Entry>, Error> {
    let asked = plain(name);
    let has_name = |entry: &Entry| plain(entry.name) == asked;
    let is_called = |entry: &Entry| entry.also.iter().any(|also| plain(also) == asked);
    let is_listed = |entry: &Entry| entry.family.plural() == asked || entry.family.name() == asked;
    // The plural of a family lists it; otherwise entries with the name come first, then those with the alias.
    let is_plural = Family::ALL.iter().any(|family| family.plural() == asked);
    let ways: [&dyn Fn(&Entry) -> bool; 3] = match is_plural {
        true => [&is_listed, &has_name, &is_called],
        false => [&has_name, &is_called, &is_listed],
    };
    for way in ways {
        let found: Vec<Entry> = all.iter().filter(|entry| way(entry)).cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let mut known: Vec<&'static str> = Vec::new();
    for entry in &all {
        known.extend(std::iter::once(entry.name).chain(entry.also.iter().copied()));
    }
    known.sort_unstable();
    known.dedup();
    Err(Error::UnknownName {
        family: "entry",
        name: name.to_owned(),
        known,
    })
}

/// A name without differences in spelling.
fn plain(name: &str) -> String {
    let name = name.trim().to_lowercase();
    name.replace([' ', '_'], "-")
}

fn entries() -> Vec<Entry> {
    let models = MODELS.iter().map(|entry| Entry {
        family: Family::Model,
        name: entry.name,
        also: words_of(entry).collect(),
        summary: entry.summary().to_owned(),
        text: text(entry),
        properties: IndexMap::new(),
    });
    let metrics = METRICS.iter().map(|entry| Entry {
        family: Family::Metric,
        name: entry.name,
        also: Vec::new(),
        summary: entry.summary().to_owned(),
        text: text(entry),
        properties: IndexMap::new(),
    });
    let algorithms = ALGORITHMS.iter().map(|algorithm| {
        let entry = algorithm.entry();
        let experimental = match entry.kind.status {
            Status::Experimental => "(experimental) ",
            Status::Stable => "",
        };
        Entry {
            family: Family::Algorithm,
            name: entry.name,
            also: Vec::new(),
            summary: format!("{experimental}{}", entry.summary()),
            text: text(entry) + &properties_text(&entry.kind),
            properties: properties_of(&entry.kind).collect(),
        }
    });
    let properties = PROPERTIES.iter().map(|property| Entry {
        family: Family::Property,
        name: property.name,
        also: Vec::new(),
        summary: property.help.to_owned(),
        text: format!(
            "{}\n# Values\n{}\n# Where it is used\n`incrowd advise --property {}={}`, and in what `incrowd explain` says of an \
             algorithm.\n",
            property.help,
            property.values.join(", "),
            property.name,
            property.values[0],
        ),
        properties: IndexMap::new(),
    });
    let words = GLOSSARY.iter().map(|word| Entry {
        family: word.family,
        name: word.name,
        also: word.also.to_vec(),
        summary: word.summary.to_owned(),
        text: word.text(),
        properties: IndexMap::new(),
    });
    models
        .chain(metrics)
        .chain(algorithms)
        .chain(properties)
        .chain(words)
        .collect()
}

/// The words that a model's settings accept: looking one up finds the model.
fn words_of(entry: &ModelEntry) -> impl Iterator<Item = &'static str> {
    entry
        .settings
        .iter()
        .flat_map(|setting| match setting.kind {
            Kind::Choice(words) => words.to_vec(),
            _ => Vec::new(),
        })
}

/// The properties of an algorithm with their values.
fn properties_of(
    kind: &'static AlgorithmKind,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    (PROPERTIES.iter()).map(|property| (property.name, property.of(kind)))
}

fn properties_text(kind: &'static AlgorithmKind) -> String {
    let lines = properties_of(kind).map(|(name, value)| format!("{name}: {value}\n"));
    format!("# Properties\n{}", lines.collect::<String>())
}

/// What an entry says about itself, its settings included.
fn text<T>(entry: &registry::Entry<T>) -> String {
    let mut text = entry.card.to_string();
    if !entry.settings.is_empty() {
        text.push_str("# Settings\n");
    }
    for setting in entry.settings {
        let default = match setting.default {
            Default::Value(value) => format!(" (default {value})"),
            Default::Required | Default::Absent => String::new(),
        };
        let allowed = match setting.kind {
            // Nothing that the help text does not say.
            Kind::Text | Kind::Texts => String::new(),
            kind => format!(" ({kind})"),
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}: {}{allowed}{default}", setting.name, setting.help);
    }
    text
}

#[cfg(test)]
mod tests;
