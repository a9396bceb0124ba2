//! Ways to build a hierarchy, as a user writes them: `interval:5,10,20@17`, `mask:2`, `order`.

use super::Hierarchy;
use super::build::{self, Arrangement, DateLevel, Decimal};
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// A rule that makes a hierarchy from the values of a column; text and back.
///
/// ```
/// use incrowd_core::hierarchy::HierarchySpec;
/// let spec: HierarchySpec = "interval:5,10@17".parse()?;
/// let age = spec.build("age", &[("17", 2), ("24", 1)])?;
/// assert_eq!(age.label(1, 1), "22-26");
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
    /// `mask:2`, or `mask` for one: see [`build::mask()`].
    Mask {
        /// Characters masked with each level.
        step: u32,
    },
    /// `date:month,year`, or `date` for just that: see [`build::date()`].
    Date {
        /// The period of each level.
        levels: Vec<DateLevel>,
    },
    /// `order`: see [`build::order()`], in natural order.
    Order,
    /// `suppress`: see [`build::suppress`].
    Suppress,
}

impl HierarchySpec {
    /// Whether the text means a rule, well written or not, rather than a file.
    pub fn is_meant_by(text: &str) -> bool {
        let name = text.split_once(':').map_or(text, |(name, _)| name);
        matches!(
            name,
            "interval" | "quantile" | "mask" | "date" | "order" | "suppress"
        )
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
            HierarchySpec::Mask { step } => build::mask(column, &texts, *step),
            HierarchySpec::Date { levels } => build::date(column, &texts, levels),
            HierarchySpec::Order => build::order(column, &texts, Arrangement::Natural),
            HierarchySpec::Suppress => build::suppress(column, &texts),
        }
    }
}

impl FromStr for HierarchySpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
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
            "date" => {
                let levels = parameters.unwrap_or("month,year").split(',');
                let level = |name| {
                    DateLevel::ALL
                        .into_iter()
                        .find(|level| level.name() == name)
                };
                let levels = levels.map(level).collect::<Option<Vec<_>>>();
                let levels = levels.ok_or_else(|| {
                    malformed("date", "one or more of week, month, quarter, year, decade")
                })?;
                build::check_periods(&levels)?;
                Ok(HierarchySpec::Date { levels })
            }
            "order" if parameters.is_none() => Ok(HierarchySpec::Order),
            "order" => Err(malformed("order", "no parameters")),
            "suppress" if parameters.is_none() => Ok(HierarchySpec::Suppress),
            "suppress" => Err(malformed("suppress", "no parameters")),
            _ => Err(Error::HierarchySpecUnknown),
        }
    }
}

fn interval(parameters: Option<&str>) -> Result<HierarchySpec, Error> {
    let parse = || {
        let parameters = parameters?;
        let (widths, origin) = match parameters.split_once('@') {
            Some((widths, origin)) => (widths, origin.parse().ok()?),
            None => (parameters, Decimal::ZERO),
        };
        Some((list(Some(widths))?, origin))
    };
    let (widths, origin) = parse().ok_or_else(|| {
        malformed(
            "interval",
            "widths separated by commas, then perhaps `@` and where to start, in decimals of at most 15 digits",
        )
    })?;
    build::check_widths(&widths)?;
    Ok(HierarchySpec::Interval { widths, origin })
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
        match self {
            HierarchySpec::Interval { widths, origin } => {
                write!(f, "interval:{}", join(widths))?;
                match *origin == Decimal::ZERO {
                    true => Ok(()),
                    false => write!(f, "@{origin}"),
                }
            }
            HierarchySpec::Quantile { groups } => write!(f, "quantile:{}", join(groups)),
            HierarchySpec::Mask { step } => write!(f, "mask:{step}"),
            HierarchySpec::Date { levels } => {
                let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
                write!(f, "date:{}", names.join(","))
            }
            HierarchySpec::Order => f.write_str("order"),
            HierarchySpec::Suppress => f.write_str("suppress"),
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
            ("order", "order"),
            ("suppress", "suppress"),
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
            "date:day",
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
        fn whatever_is_read_is_written_the_same(text in "(interval|quantile|mask|date):[0-9.,@-]{0,12}") {
            if let Ok(spec) = text.parse::<HierarchySpec>() {
                prop_assert_eq!(spec.to_string().parse::<HierarchySpec>(), Ok(spec));
            }
        }
    }
}
