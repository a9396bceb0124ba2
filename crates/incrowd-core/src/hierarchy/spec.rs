//! Hierarchy rules, as a user writes them: `interval:5,10,20@17`, `mask:2`, `order`.

use super::build::{self, Arrangement, DateLevel, LogStep};
use super::{Hierarchy, KnownList};
use crate::error::Error;
use crate::table::{DateForm, Decimal};
use std::fmt;
use std::str::FromStr;

/// A rule that builds a hierarchy from the values of a column; converts to text and back.
///
/// ```
/// use incrowd_core::hierarchy::{Group, HierarchySpec, Level};
/// let spec: HierarchySpec = "interval:5,10@17".parse()?;
/// let age = spec.build("age", &[("17", 2), ("24", 1)])?;
/// assert_eq!(age.label(Level(1), Group(1)), "[22-26]");
/// assert_eq!(spec.to_string(), "interval:5,10@17");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HierarchySpec {
    /// `interval:5,10,20@17`: see [`build::interval`].
    Interval {
        /// The width of each level's intervals.
        widths: Vec<Decimal>,
        /// Where an interval starts; 0 unless given.
        origin: Decimal,
    },
    /// `quantile:16,8,4`: see [`build::quantile`].
    Quantile {
        /// The number of groups of each level.
        groups: Vec<u32>,
    },
    /// `log:1-2-5,10,100`: see [`build::log`].
    Log {
        /// The step of each level.
        steps: Vec<LogStep>,
    },
    /// `frequent:12,6,3`: see [`build::frequent`].
    Frequent {
        /// How many values stay on each level.
        counts: Vec<u32>,
    },
    /// `mask:2`, or `mask` for one: see [`build::mask()`].
    Mask {
        /// Characters masked with each level.
        step: u32,
    },
    /// `prefix:3,1`: see [`build::prefix`].
    Prefix {
        /// How many characters stay on each level.
        lengths: Vec<u32>,
    },
    /// `date:month,year`, or `date` for the same, optionally with the form, `date:month@day-first`: see
    /// [`build::date()`].
    Date {
        /// The period of each level.
        levels: Vec<DateLevel>,
        /// How dates are written; decided by the values unless given.
        form: Option<DateForm>,
    },
    /// `order`: see [`build::order()`], in natural order.
    Order,
    /// `countries`, `us-states`, `education`: see [`build::listed_in`].
    Listed(KnownList),
    /// `icd10`: see [`build::icd10`].
    Icd10,
    /// `uk-postcode`: see [`build::postcode`].
    UkPostcode,
    /// `suppress`: see [`build::suppress`].
    Suppress,
    /// `interval:5,10+28,65`: another rule for numbers, cut at bounds as well; see [`build::cut_at()`].
    CutAt {
        /// The other rule: `interval`, `quantile`, `log`, `order` or `suppress`.
        rule: Box<HierarchySpec>,
        /// Where, ascending.
        bounds: Vec<Decimal>,
    },
}

impl HierarchySpec {
    /// The names of all rules.
    pub const NAMES: [&str; 14] = [
        "interval",
        "quantile",
        "log",
        "frequent",
        "mask",
        "prefix",
        "date",
        "order",
        "countries",
        "us-states",
        "education",
        "icd10",
        "uk-postcode",
        "suppress",
    ];

    /// Whether the text means a rule, valid or not, rather than a file.
    pub fn is_meant_by(text: &str) -> bool {
        let name = text.split([':', '+']).next().unwrap_or(text);
        HierarchySpec::NAMES.contains(&name)
    }

    /// Its name, without parameters.
    pub fn name(&self) -> &'static str {
        match self {
            HierarchySpec::Interval { .. } => "interval",
            HierarchySpec::Quantile { .. } => "quantile",
            HierarchySpec::Log { .. } => "log",
            HierarchySpec::Frequent { .. } => "frequent",
            HierarchySpec::Mask { .. } => "mask",
            HierarchySpec::Prefix { .. } => "prefix",
            HierarchySpec::Date { .. } => "date",
            HierarchySpec::Order => "order",
            HierarchySpec::Listed(list) => list.name(),
            HierarchySpec::Icd10 => "icd10",
            HierarchySpec::UkPostcode => "uk-postcode",
            HierarchySpec::Suppress => "suppress",
            HierarchySpec::CutAt { rule, .. } => rule.name(),
        }
    }

    /// The same rule, cut at more bounds; none if its groups are no runs of numbers.
    pub fn cut_at(self, bounds: Vec<Decimal>) -> Option<HierarchySpec> {
        let rule = Box::new(self);
        match *rule {
            HierarchySpec::Interval { .. }
            | HierarchySpec::Quantile { .. }
            | HierarchySpec::Log { .. }
            | HierarchySpec::Order
            | HierarchySpec::Suppress => Some(HierarchySpec::CutAt { rule, bounds }),
            _ => None,
        }
    }

    /// Builds the hierarchy of these distinct values; each comes with the number of its rows.
    ///
    /// # Errors
    /// Those of the builder.
    pub fn build(&self, column: &str, values: &[(&str, u32)]) -> Result<Hierarchy, Error> {
        let texts: Vec<&str> = values.iter().map(|&(text, _)| text).collect();
        match self {
            HierarchySpec::Interval { widths, origin } => {
                build::interval(column, &texts, widths, *origin)
            }
            HierarchySpec::Quantile { groups } => build::quantile(column, values, groups),
            HierarchySpec::Log { steps } => build::log(column, &texts, steps),
            HierarchySpec::Frequent { counts } => build::frequent(column, values, counts),
            HierarchySpec::Mask { step } => build::mask(column, &texts, *step),
            HierarchySpec::Prefix { lengths } => build::prefix(column, &texts, lengths),
            HierarchySpec::Date { levels, form } => build::date(column, &texts, levels, *form),
            HierarchySpec::Listed(list) => build::listed_in(column, &texts, *list),
            HierarchySpec::Icd10 => build::icd10(column, &texts),
            HierarchySpec::UkPostcode => build::postcode(column, &texts),
            HierarchySpec::Order => build::order(column, &texts, Arrangement::Natural),
            HierarchySpec::Suppress => build::suppress(column, &texts),
            HierarchySpec::CutAt { rule, bounds } => {
                let base = rule.build(column, values)?;
                build::cut_at(column, &texts, &base, bounds)
            }
        }
    }
}

impl FromStr for HierarchySpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some((rule, bounds)) = split_at_bounds(text) {
            let bounds = bounds.split(',').map(|it| Decimal::with_sign(it).ok());
            let bounds: Vec<Decimal> = bounds.collect::<Option<_>>().unwrap_or_default();
            build::check_bounds(&bounds)?;
            let expected = "after interval, quantile, log, order or suppress";
            let rule = rule.parse::<HierarchySpec>()?.cut_at(bounds);
            return rule.ok_or_else(|| malformed("+", expected));
        }
        let (name, parameters) = match text.split_once(':') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (text, None),
        };
        match name {
            "interval" => interval(parameters),
            "quantile" => {
                let groups = list(parameters).ok_or_else(|| {
                    malformed("quantile", "whole numbers of groups, separated by commas")
                })?;
                build::check_groups(&groups)?;
                Ok(HierarchySpec::Quantile { groups })
            }
            "mask" => {
                let step = parameters.unwrap_or("1").parse();
                let step = step.map_err(|_| malformed("mask", "a whole number of characters"))?;
                build::check_step(step)?;
                Ok(HierarchySpec::Mask { step })
            }
            "log" => {
                let steps = list(parameters).ok_or_else(|| {
                    malformed("log", "one or more of 1-2-5, 10, 100, 1000 and so on")
                })?;
                build::check_steps(&steps)?;
                Ok(HierarchySpec::Log { steps })
            }
            "frequent" => {
                let counts = list(parameters).ok_or_else(|| {
                    malformed("frequent", "whole numbers of values, separated by commas")
                })?;
                build::check_counts(&counts)?;
                Ok(HierarchySpec::Frequent { counts })
            }
            "prefix" => {
                let lengths = list(parameters).ok_or_else(|| {
                    malformed("prefix", "whole numbers of characters, separated by commas")
                })?;
                build::check_lengths(&lengths)?;
                Ok(HierarchySpec::Prefix { lengths })
            }
            "date" => date(parameters.unwrap_or("month,year")),
            name if HierarchySpec::NAMES.contains(&name) => without_parameters(name, parameters),
            _ => Err(Error::HierarchySpecUnknown),
        }
    }
}

/// A rule and the bounds after `+`, which is no sign of a number.
fn split_at_bounds(text: &str) -> Option<(&str, &str)> {
    let (rule, bounds) = text.split_once('+')?;
    match rule.ends_with([':', ',', '@']) {
        true => None,
        false => Some((rule, bounds)),
    }
}

fn interval(parameters: Option<&str>) -> Result<HierarchySpec, Error> {
    let parse = || {
        let parameters = parameters?;
        let (widths, origin) = match parameters.split_once('@') {
            Some((widths, origin)) => (widths, Decimal::with_sign(origin).ok()?),
            None => (parameters, Decimal::ZERO),
        };
        let widths = widths
            .split(',')
            .map(|width| Decimal::with_sign(width).ok());
        Some((widths.collect::<Option<Vec<_>>>()?, origin))
    };
    let (widths, origin) = parse().ok_or_else(|| {
        malformed(
            "interval",
            "widths separated by commas, optionally `@` and a starting point, as decimals of at most 15 digits",
        )
    })?;
    build::check_widths(&widths)?;
    Ok(HierarchySpec::Interval { widths, origin })
}

fn date(parameters: &str) -> Result<HierarchySpec, Error> {
    let (levels, form) = match parameters.split_once('@') {
        Some((levels, form)) => (levels, Some(form)),
        None => (parameters, None),
    };
    let level = |name| (DateLevel::ALL.into_iter()).find(|level| level.name() == name);
    let levels = levels.split(',').map(level).collect::<Option<Vec<_>>>();
    let levels = levels.ok_or_else(|| {
        malformed(
            "date",
            "one or more of day, week, month, quarter, year, decade",
        )
    })?;
    let named = |name| (DateForm::ALL.into_iter()).find(|form| form.name() == name);
    let form = match form.map(named) {
        None => None,
        Some(Some(form)) => Some(form),
        Some(None) => {
            let expected =
                "one of year-first, day-first, month-first, month-name, digits after `@`";
            return Err(malformed("date", expected));
        }
    };
    build::check_periods(&levels)?;
    Ok(HierarchySpec::Date { levels, form })
}

/// The rules without parameters.
fn without_parameters(name: &str, parameters: Option<&str>) -> Result<HierarchySpec, Error> {
    let rules = [
        HierarchySpec::Order,
        HierarchySpec::Icd10,
        HierarchySpec::UkPostcode,
        HierarchySpec::Suppress,
    ];
    let mut rules = rules
        .into_iter()
        .chain(KnownList::ALL.map(HierarchySpec::Listed));
    let rule = rules.find(|rule| rule.name() == name);
    match (rule, parameters) {
        (Some(rule), None) => Ok(rule),
        (Some(rule), Some(_)) => Err(malformed(rule.name(), "no parameters")),
        (None, _) => Err(Error::HierarchySpecUnknown),
    }
}

fn list<T: FromStr>(text: Option<&str>) -> Option<Vec<T>> {
    let items = text?.split(',').map(|item| item.parse().ok());
    items.collect()
}

fn malformed(builder: &'static str, expected: &'static str) -> Error {
    Error::HierarchySpecParameter { builder, expected }
}

impl fmt::Display for HierarchySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn join<T: ToString>(items: &[T]) -> String {
            let items: Vec<String> = items.iter().map(T::to_string).collect();
            items.join(",")
        }
        if let HierarchySpec::CutAt { rule, bounds } = self {
            return write!(f, "{rule}+{}", join(bounds));
        }
        f.write_str(self.name())?;
        match self {
            HierarchySpec::Interval { widths, origin } => {
                write!(f, ":{}", join(widths))?;
                match *origin == Decimal::ZERO {
                    true => Ok(()),
                    false => write!(f, "@{origin}"),
                }
            }
            HierarchySpec::Quantile { groups } => write!(f, ":{}", join(groups)),
            HierarchySpec::Log { steps } => write!(f, ":{}", join(steps)),
            HierarchySpec::Frequent { counts } => write!(f, ":{}", join(counts)),
            HierarchySpec::Mask { step } => write!(f, ":{step}"),
            HierarchySpec::Prefix { lengths } => write!(f, ":{}", join(lengths)),
            HierarchySpec::Date { levels, form } => {
                let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
                write!(f, ":{}", names.join(","))?;
                match form {
                    Some(form) => write!(f, "@{}", form.name()),
                    None => Ok(()),
                }
            }
            HierarchySpec::Order
            | HierarchySpec::Listed(_)
            | HierarchySpec::Icd10
            | HierarchySpec::UkPostcode
            | HierarchySpec::Suppress
            | HierarchySpec::CutAt { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_round_trip_in_their_shortest_form() {
        for (typed, kept) in [
            ("interval:5,10,20@17", "interval:5,10,20@17"),
            ("interval:0.50,2.0@-1.0", "interval:0.5,2@-1"),
            ("interval:5@0", "interval:5"),
            ("quantile:16,8,4", "quantile:16,8,4"),
            ("mask", "mask:1"),
            ("mask:2", "mask:2"),
            ("date", "date:month,year"),
            ("date:quarter,decade", "date:quarter,decade"),
            ("date:day,year@month-first", "date:day,year@month-first"),
            ("log:1-2-5,10,100", "log:1-2-5,10,100"),
            ("frequent:12,6,3", "frequent:12,6,3"),
            ("prefix:3,1", "prefix:3,1"),
            ("countries", "countries"),
            ("us-states", "us-states"),
            ("education", "education"),
            ("icd10", "icd10"),
            ("uk-postcode", "uk-postcode"),
            ("order", "order"),
            ("suppress", "suppress"),
            ("interval:5,10@17+28,65.0", "interval:5,10@17+28,65"),
            ("order+-3", "order+-3"),
        ] {
            let spec: HierarchySpec = typed.parse().unwrap();
            assert_eq!(spec.to_string(), kept);
            assert_eq!(kept.parse::<HierarchySpec>().unwrap(), spec);
            assert!(HierarchySpec::is_meant_by(typed));
        }
    }

    #[test]
    fn parameters_that_make_no_sense_say_what_would() {
        for typed in [
            "interval",
            "interval:",
            "interval:0",
            "interval:-5",
            "interval:5,",
            "interval:x",
            "interval:5@",
            "interval:1e3",
            "interval:.",
            "interval:1234567890123456",
            "quantile",
            "quantile:0",
            "quantile:2.5",
            "mask:",
            "mask:0",
            "mask:-1",
            "date:",
            "date:hour",
            "date:month@",
            "date:month@first",
            "log",
            "log:7",
            "log:1-2-4",
            "log:1",
            "frequent",
            "frequent:0",
            "prefix:",
            "prefix:0",
            "countries:EU",
            "order:2",
            "suppress:",
        ] {
            let error = typed.parse::<HierarchySpec>().unwrap_err();
            assert!(
                matches!(error, Error::HierarchySpecParameter { .. }),
                "{typed}: {error:?}"
            );
            assert!(HierarchySpec::is_meant_by(typed));
        }
    }

    #[test]
    fn anything_else_is_a_file() {
        for typed in ["zip.csv", "", "./order", "C:\\mask", "Interval:5", "masks"] {
            assert!(!HierarchySpec::is_meant_by(typed));
            assert_eq!(
                typed.parse::<HierarchySpec>(),
                Err(Error::HierarchySpecUnknown)
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_the_same(text in "(interval|quantile|log|frequent|prefix|mask|date):[0-9.,@-]{0,12}") {
            if let Ok(spec) = text.parse::<HierarchySpec>() {
                prop_assert_eq!(spec.to_string().parse::<HierarchySpec>(), Ok(spec));
            }
        }
    }
}
