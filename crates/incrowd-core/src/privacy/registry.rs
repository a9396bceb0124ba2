//! What the registry knows of a model before it is built: its parameters, their ranges, how to build it.

use super::spec::ModelSpec;
use super::{Decimal, MODELS, PrivacyModel};
use crate::card::{Card, nearest};
use crate::counts::CountedColumn;
use crate::error::Error;
use std::fmt;

/// A line of [`MODELS`].
#[derive(Debug)]
pub struct ModelEntry {
    /// The name users write, such as `t-closeness`.
    pub name: &'static str,
    /// What `incrowd explain` prints.
    pub card: Card,
    /// The parameters, in the order they are written. The first is the one a request varies.
    pub parameters: &'static [ParameterEntry],
    /// Whether the model reads the values of a column, so that one is built per sensitive column.
    pub needs_column: bool,
    /// Whether the column must come with its hierarchy.
    pub needs_hierarchy: fn(&ModelSpec) -> bool,
    /// Makes the model. The column is its index in the counted table, and what was counted of it.
    pub build: Build,
}

/// From parameters and a column to a model.
pub type Build =
    fn(&Parameters<'_>, Option<(usize, &CountedColumn)>) -> Result<Box<dyn PrivacyModel>, Error>;

/// A parameter of a model.
#[derive(Debug)]
pub struct ParameterEntry {
    /// The name users write before `=`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Which texts it takes.
    pub kind: ParameterKind,
    /// What it is when not given; none when it must be.
    pub default: Option<&'static str>,
}

/// Which texts a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number, at least 1.
    Count,
    /// A decimal, at least 1.
    AtLeastOne,
    /// A decimal above 0.
    Positive,
    /// A decimal above 0, at most 1.
    Share,
    /// A decimal from 0 to 1.
    Distance,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text; not giving it is a meaning of its own.
    Text,
}

impl ParameterKind {
    /// Whether the number is in range.
    pub fn allows(self, number: Decimal) -> bool {
        match self {
            ParameterKind::Count => number.whole().is_some_and(|count| count >= 1),
            ParameterKind::AtLeastOne => number >= Decimal::ONE,
            ParameterKind::Positive => number > Decimal::ZERO,
            ParameterKind::Share => number > Decimal::ZERO && number <= Decimal::ONE,
            ParameterKind::Distance => number <= Decimal::ONE,
            ParameterKind::Choice(_) | ParameterKind::Text => false,
        }
    }

    /// The canonical form of a text, if it is one of the texts allowed.
    fn canonical(self, text: &str) -> Option<String> {
        match self {
            ParameterKind::Choice(words) => words.contains(&text).then(|| text.to_owned()),
            ParameterKind::Text => Some(text.to_owned()),
            _ => {
                let number: Decimal = text.parse().ok()?;
                self.allows(number).then(|| number.to_string())
            }
        }
    }
}

/// The range, as it stands in a sentence: "must be ...".
impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterKind::Count => write!(f, "a whole number from 1 to {}", u32::MAX),
            ParameterKind::AtLeastOne => write!(f, "a decimal number of at least 1"),
            ParameterKind::Positive => write!(f, "a decimal number above 0"),
            ParameterKind::Share => write!(f, "a decimal number above 0 and at most 1"),
            ParameterKind::Distance => write!(f, "a decimal number from 0 to 1"),
            ParameterKind::Choice(words) => write!(f, "`{}`", words.join("` or `")),
            ParameterKind::Text => write!(f, "text"),
        }
    }
}

impl ModelEntry {
    /// What the model promises, in one line.
    pub fn summary(&self) -> &'static str {
        self.card.summary()
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Result<&'static ParameterEntry, Error> {
        let found = self.parameters.iter().find(|entry| entry.name == name);
        found.ok_or_else(|| Error::UnknownParameter {
            model: self.name,
            parameter: name.to_owned(),
            known: self.parameters.iter().map(|entry| entry.name).collect(),
        })
    }

    /// The canonical form of a parameter's text.
    pub(super) fn canonical(&self, parameter: &str, text: &str) -> Result<String, Error> {
        let entry = self.parameter(parameter)?;
        let canonical = entry.kind.canonical(text);
        canonical.ok_or_else(|| Error::ParameterOutOfRange {
            model: self.name,
            parameter: entry.name,
            given: text.to_owned(),
            allowed: entry.kind.to_string(),
        })
    }

    /// The number, if the first parameter may have it.
    pub(super) fn check(&self, parameter: Decimal) -> Result<Decimal, Error> {
        self.canonical(self.parameters[0].name, &parameter.to_string())?;
        Ok(parameter)
    }

    /// The whole number, if the first parameter may have it.
    pub(super) fn check_count(&self, parameter: Decimal) -> Result<u32, Error> {
        let count = self.check(parameter)?.whole();
        count.ok_or_else(|| Error::ParameterOutOfRange {
            model: self.name,
            parameter: self.parameters[0].name,
            given: parameter.to_string(),
            allowed: ParameterKind::Count.to_string(),
        })
    }
}

/// The model of this name.
pub fn find(name: &str) -> Result<&'static ModelEntry, Error> {
    let found = MODELS.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| Error::UnknownModel {
        name: name.to_owned(),
        nearest: nearest(name, MODELS.iter().map(|entry| entry.name)),
    })
}

/// The parameters of a spec, read by name, defaults filled in.
#[derive(Debug, Clone, Copy)]
pub struct Parameters<'a> {
    pub(super) spec: &'a ModelSpec,
}

impl Parameters<'_> {
    /// The text given, or the default.
    pub fn text(&self, name: &str) -> Option<&str> {
        let entry = self.spec.entry().parameter(name).ok()?;
        self.spec.parameter(name).or(entry.default)
    }

    /// A decimal parameter.
    pub fn decimal(&self, name: &'static str) -> Result<Decimal, Error> {
        let missing = || Error::MissingParameter {
            model: self.spec.entry().name,
            parameter: name,
        };
        // A spec holds canonical texts only, so a number that is there parses.
        self.text(name)
            .and_then(|text| text.parse().ok())
            .ok_or_else(missing)
    }

    /// A whole parameter.
    pub fn count(&self, name: &'static str) -> Result<u32, Error> {
        let decimal = self.decimal(name)?;
        decimal.whole().ok_or_else(|| Error::ParameterOutOfRange {
            model: self.spec.entry().name,
            parameter: name,
            given: decimal.to_string(),
            allowed: ParameterKind::Count.to_string(),
        })
    }
}

/// The column a model was given, for those that need one.
pub(super) fn required<'a>(
    model: &'static str,
    column: Option<(usize, &'a CountedColumn)>,
) -> Result<(usize, &'a CountedColumn), Error> {
    column.ok_or(Error::ModelNeedsColumn { model })
}
