//! One setting: its name, what it takes, what it means.

use super::rule::Rule;
use crate::table::Decimal;
use std::fmt;

/// Something that users may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The name users write before `=`; also the flag and, with `_` for `-`, the key of the job file.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it means, as a noun phrase without a full stop.
    pub help: &'static str,
    /// What applies when it is not given.
    pub default: Default,
}

/// What applies when a setting is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// Nothing: it must be given.
    Required,
    /// Not giving it has a meaning of its own, which the help text says.
    Absent,
    /// This value.
    Value(&'static str),
}

impl Setting {
    /// The name of the setting that says which counted column an entry reads.
    pub const COLUMN: &'static str = "column";

    /// A setting that must be given.
    pub const fn required(name: &'static str, kind: Kind, help: &'static str) -> Self {
        let default = Default::Required;
        Setting {
            name,
            kind,
            help,
            default,
        }
    }

    /// A setting that need not be given.
    pub const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Self {
        let default = Default::Absent;
        Setting {
            name,
            kind,
            help,
            default,
        }
    }

    /// The same with a value that applies when it is not given.
    pub const fn or(self, value: &'static str) -> Self {
        let default = Default::Value(value);
        Setting { default, ..self }
    }

    /// The column that an entry reads.
    pub const fn column(help: &'static str) -> Self {
        Self::optional(Self::COLUMN, Kind::Text, help)
    }
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, at least 1.
    Count,
    /// A decimal, at least 1.
    AtLeastOne,
    /// A decimal, at least 0.
    AtLeastZero,
    /// A decimal above 0.
    Positive,
    /// A decimal above 0, at most 1.
    Share,
    /// A decimal from 0 to 1.
    Distance,
    /// Yes or no; no if not given.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// Weights of columns, as in `age:2;sex:1`.
    Weights,
    /// A number for each level of single columns, from the raw values up, as in `age:1/0.8/0;sex:1/0`.
    NumbersByLevel,
    /// Values to be told apart, each with its importance, as in `age: 64|65 = 25 ; sex: Male != Female = 5`.
    Rules,
    /// Any texts.
    Texts,
    /// Some of these words.
    Choices(&'static [&'static str]),
    /// One of these words for every column, or for single ones as in `age=ops`.
    ChoiceByColumn(&'static [&'static str]),
    /// Steps of single columns, as in `age=5@17`.
    StepsByColumn,
    /// Orders of the values of single columns, as in `size=small;large`.
    OrderByColumn,
}

/// Steps that numbers are put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// How wide a step is.
    pub width: Decimal,
    /// Where a step begins.
    pub origin: Decimal,
}

impl Steps {
    /// Reads `5@17`: steps of 5 that begin at 17; without the second number, at 0.
    fn parse(text: &str) -> Option<Steps> {
        let (width, origin) = text.split_once('@').unwrap_or((text, "0"));
        let width = Decimal::with_sign(width.trim()).ok()?;
        let origin = Decimal::with_sign(origin.trim()).ok()?;
        width.is_positive().then_some(Steps { width, origin })
    }
}

impl Kind {
    /// Whether it takes several values, one after the other.
    pub fn is_list(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Texts | Choices(_) | ChoiceByColumn(_) | StepsByColumn | OrderByColumn
        )
    }

    /// Whether its values name cells of the table, which must not be published with a release.
    pub fn holds_cells(self) -> bool {
        matches!(self, Kind::OrderByColumn | Kind::Rules)
    }

    /// Whether the number is in range.
    pub fn allows(self, number: Decimal) -> bool {
        match self {
            Kind::Count => number.whole().is_some_and(|count| count >= 1),
            Kind::AtLeastOne => number >= Decimal::ONE,
            Kind::AtLeastZero => number >= Decimal::ZERO,
            Kind::Positive => number > Decimal::ZERO,
            Kind::Share => number > Decimal::ZERO && number <= Decimal::ONE,
            Kind::Distance => number >= Decimal::ZERO && number <= Decimal::ONE,
            _ => false,
        }
    }

    /// The one form in which a text is kept, if it is allowed.
    pub(super) fn canonical(self, text: &str) -> Option<String> {
        match self {
            Kind::Choice(words) | Kind::Choices(words) => {
                let word = text.trim();
                words.contains(&word).then(|| word.to_owned())
            }
            Kind::Flag => {
                let word = text.trim();
                ["true", "false"].contains(&word).then(|| word.to_owned())
            }
            Kind::Text => Some(text.to_owned()),
            Kind::Texts => Some(text.trim().to_owned()),
            Kind::Weights => {
                let weights = weights(text)?;
                let pair = |(column, weight): (&str, f64)| format!("{column}:{weight}");
                Some(weights.into_iter().map(pair).collect::<Vec<_>>().join(";"))
            }
            Kind::NumbersByLevel => {
                let column = |(column, numbers): (&str, Vec<f64>)| {
                    let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
                    format!("{column}:{}", numbers.join("/"))
                };
                let columns = numbers_by_level(text)?.into_iter().map(column);
                Some(columns.collect::<Vec<_>>().join(";"))
            }
            Kind::Rules => Some(Rule::join(&Rule::all(text).ok()?)),
            Kind::ChoiceByColumn(words) => {
                let (column, word) = by_column(text);
                let word = words.contains(&word).then_some(word)?;
                Some(match column {
                    Some(column) => format!("{column}={word}"),
                    None => word.to_owned(),
                })
            }
            Kind::StepsByColumn => {
                let (column, steps) = by_column(text);
                let (column, _) = (column?, Steps::parse(steps)?);
                Some(format!("{column}={steps}"))
            }
            Kind::OrderByColumn => {
                let (column, values) = by_column(text);
                Some(format!("{}={values}", column?))
            }
            _ => {
                let number: Decimal = text.parse().ok()?;
                self.allows(number).then(|| number.to_string())
            }
        }
    }

    /// What stands for a value in the help of a flag.
    pub fn value_name(self) -> &'static str {
        match self {
            Kind::Count => "N",
            Kind::Flag => "true|false",
            Kind::AtLeastOne
            | Kind::AtLeastZero
            | Kind::Positive
            | Kind::Share
            | Kind::Distance => "NUMBER",
            Kind::Choice(_) => "WORD",
            Kind::Text => "TEXT",
            Kind::Texts => "TEXTS",
            Kind::Choices(_) => "WORDS",
            Kind::NumbersByLevel => "COLUMN:NUMBERS",
            Kind::Rules => "RULES",
            Kind::Weights | Kind::ChoiceByColumn(_) => "[COLUMN=]WORD",
            Kind::StepsByColumn => "COLUMN=STEPS",
            Kind::OrderByColumn => "COLUMN=VALUES",
        }
    }
}

/// Splits `age=ops` into column and value; a column's name may hold `=`, a value may not.
pub(super) fn by_column(text: &str) -> (Option<&str>, &str) {
    match text.rsplit_once('=') {
        Some((column, value)) => (Some(column.trim()), value.trim()),
        None => (None, text.trim()),
    }
}

/// Reads `age:2;sex:1`.
pub(super) fn weights(text: &str) -> Option<Vec<(&str, f64)>> {
    let pair = |pair: &'_ str| {
        let (column, weight) = pair.rsplit_once(':')?;
        let weight: f64 = weight.trim().parse().ok()?;
        (weight.is_finite() && weight >= 0.0).then_some(weight)?;
        Some((column.len(), weight))
    };
    let read = |text| pair(text).map(|(length, weight)| (text[..length].trim(), weight));
    text.split(';').map(read).collect()
}

/// Reads `age:1/0.8/0;sex:1/0`.
pub(super) fn numbers_by_level(text: &str) -> Option<Vec<(&str, Vec<f64>)>> {
    let number = |text: &str| {
        let number: f64 = text.trim().parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some(number)
    };
    let column = |text: &'_ str| {
        let (column, numbers) = text.rsplit_once(':')?;
        let numbers: Option<Vec<f64>> = numbers.split('/').map(number).collect();
        Some((column.len(), numbers?))
    };
    let read = |text| column(text).map(|(length, numbers)| (text[..length].trim(), numbers));
    text.split(';').map(read).collect()
}

/// Reads canonical steps.
pub(super) fn steps(text: &str) -> Option<(&str, Steps)> {
    let (column, steps) = by_column(text);
    Some((column?, Steps::parse(steps)?))
}

/// What it takes, as it stands in a sentence: "must be ...".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Count => write!(f, "a whole number from 1 to {}", u32::MAX),
            Kind::AtLeastOne => write!(f, "a decimal number of at least 1"),
            Kind::AtLeastZero => write!(f, "a decimal number of at least 0"),
            Kind::Positive => write!(f, "a decimal number above 0"),
            Kind::Share => write!(f, "a decimal number above 0 and at most 1"),
            Kind::Distance => write!(f, "a decimal number from 0 to 1"),
            Kind::Flag => write!(f, "`true` or `false`"),
            Kind::Choice(words) => write!(f, "`{}`", words.join("` or `")),
            Kind::Choices(words) => write!(f, "a list of `{}`", words.join("`, `")),
            Kind::Text => write!(f, "text"),
            Kind::Texts => write!(f, "a list of texts"),
            Kind::Weights => write!(
                f,
                "weights of columns, each at least 0, as in `age:2;sex:1`"
            ),
            Kind::NumbersByLevel => write!(
                f,
                "a number of at least 0 for each level of a column, as in `age:1/0.8/0;sex:1/0`"
            ),
            Kind::Rules => write!(
                f,
                "rules as in `age: 64|65 = 25 ; race: White != Black = 20`"
            ),
            Kind::ChoiceByColumn(words) => write!(
                f,
                "`{}`, for all columns or for one as in `age={}`",
                words.join("`, `"),
                words.last().unwrap_or(&"")
            ),
            Kind::StepsByColumn => {
                write!(
                    f,
                    "a column, the width of its steps and where one begins, as in `age=5@17`"
                )
            }
            Kind::OrderByColumn => {
                write!(
                    f,
                    "a column and its values in order, as in `size=small;medium;large`"
                )
            }
        }
    }
}
