//! What a risk must not exceed.

use crate::error::{Error, nearest_names};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;

/// A bound on a figure of a risk report.
///
/// ```
/// use incrowd_job::{Gate, GateFigure};
/// let gate: Gate = "highest <= 20%".parse()?;
/// assert_eq!((gate.figure, gate.to_string()), (GateFigure::Highest, "highest<=0.2".into()));
/// assert!(gate.is_met_by(0.2) && !gate.is_met_by(0.21));
/// assert!("highest>=0.2".parse::<Gate>().is_err());
/// # Ok::<(), incrowd_job::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// What is bounded.
    pub figure: GateFigure,
    /// Whether the bound itself is too much.
    pub is_strict: bool,
    /// The bound, from 0 to 1.
    pub bound: f64,
}

/// What a gate can be about; all are shares from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateFigure {
    /// The highest risk of a row.
    Highest,
    /// The mean risk of rows.
    Average,
    /// The share of rows whose risk is above the threshold.
    Above,
    /// Classes per row.
    Marketer,
    /// The highest risk of a row in the population.
    JournalistHighest,
    /// The mean risk of rows in the population.
    JournalistAverage,
    /// The share of rows whose risk in the population is above the threshold.
    JournalistAbove,
    /// The greatest share of the people who match a class that is in the file.
    Presence,
    /// The share of rows that are unique.
    Uniques,
    /// The share of the population that is unique, estimated.
    Pitman,
    /// The same by another model.
    Zayatz,
    /// The same by another model.
    Snb,
    /// The greatest share of rows, over the sensitive columns, whose value is certain.
    Certain,
}

impl GateFigure {
    /// Every figure with its name.
    const ALL: [(&'static str, GateFigure); 13] = [
        ("highest", GateFigure::Highest),
        ("average", GateFigure::Average),
        ("above", GateFigure::Above),
        ("marketer", GateFigure::Marketer),
        ("journalist.highest", GateFigure::JournalistHighest),
        ("journalist.average", GateFigure::JournalistAverage),
        ("journalist.above", GateFigure::JournalistAbove),
        ("presence", GateFigure::Presence),
        ("uniques", GateFigure::Uniques),
        ("pitman", GateFigure::Pitman),
        ("zayatz", GateFigure::Zayatz),
        ("snb", GateFigure::Snb),
        ("certain", GateFigure::Certain),
    ];

    /// The names of all figures.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|(name, _)| *name)
    }

    /// Its name in a gate.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, figure)| *figure == self);
        found.map_or("", |(name, _)| name)
    }
}

impl Gate {
    /// Whether a figure stays within the bound.
    pub fn is_met_by(&self, figure: f64) -> bool {
        match self.is_strict {
            true => figure < self.bound,
            false => figure <= self.bound,
        }
    }
}

/// A number from 0 to 1, or a percentage.
pub(crate) fn fraction(text: &str) -> Option<f64> {
    let text = text.trim();
    let number: f64 = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&number).then_some(number)
}

impl FromStr for Gate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Gate {
            text: text.to_owned(),
        };
        let (name, bound) = text.split_once('<').ok_or_else(wrong)?;
        let (is_strict, bound) = match bound.strip_prefix('=') {
            Some(bound) => (false, bound),
            None => (true, bound),
        };
        let name = name.trim();
        // The JSON says `prosecutor.highest`.
        let short = name.strip_prefix("prosecutor.").unwrap_or(name);
        let found = GateFigure::ALL.iter().find(|(known, _)| *known == short);
        let &(_, figure) = found.ok_or_else(|| Error::GateFigure {
            name: name.to_owned(),
            nearest: nearest_names(name, GateFigure::names()),
        })?;
        Ok(Gate {
            figure,
            is_strict,
            bound: fraction(bound).ok_or_else(wrong)?,
        })
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let than = if self.is_strict { "<" } else { "<=" };
        write!(formatter, "{}{than}{}", self.figure.name(), self.bound)
    }
}

impl Serialize for Gate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Gate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_as_they_are_written() {
        for (text, shown) in [
            ("highest<=0.2", "highest<=0.2"),
            (" prosecutor.average < 5 %", "average<0.05"),
            ("journalist.above<=0", "journalist.above<=0"),
            ("certain<=100%", "certain<=1"),
        ] {
            assert_eq!(text.parse::<Gate>().unwrap().to_string(), shown);
        }
        for text in [
            "",
            "highest",
            "highest<=",
            "highest<=1.1",
            "highest<=-1",
            "highest==0.2",
        ] {
            let error = text.parse::<Gate>().unwrap_err();
            assert_eq!(error.code(), "gate", "{text}");
        }
        let error = "higest<=0.2".parse::<Gate>().unwrap_err();
        assert_eq!(error.code(), "gate-figure");
        assert!(error.hint().contains("`highest`"), "{}", error.hint());
    }

    #[test]
    fn the_bound_of_a_strict_gate_is_too_much() {
        let strict: Gate = "uniques<0.01".parse().unwrap();
        assert!(strict.is_met_by(0.0099) && !strict.is_met_by(0.01));
        let other: Gate = "uniques<=1%".parse().unwrap();
        assert!(other.is_met_by(0.01));
    }
}
