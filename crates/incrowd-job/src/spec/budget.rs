//! How many rows may be suppressed.

use crate::error::Error;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Rows that may be suppressed: a number, or a share of the table.
///
/// ```
/// use incrowd_job::Budget;
/// let budget: Budget = "1%".parse()?;
/// assert_eq!(budget.rows(30_162), 301);
/// assert_eq!("321".parse::<Budget>()?.rows(30_162), 321);
/// assert!("-1%".parse::<Budget>().is_err());
/// # Ok::<(), incrowd_job::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// This many rows.
    Rows(u64),
    /// This percentage of the rows, from 0 to 100.
    Percent(f64),
}

impl Budget {
    /// The rows this allows in a table of `rows` rows; parts of a row are not allowed.
    pub fn rows(self, rows: u64) -> u64 {
        match self {
            Budget::Rows(limit) => limit.min(rows),
            // A share is written with few digits. A result this close to a whole row would be one if the share were an
            // exact decimal.
            Budget::Percent(percent) => {
                ((rows as f64 * percent / 100.0 + 1e-7).floor() as u64).min(rows)
            }
        }
    }
}

impl FromStr for Budget {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Budget { text: text.into() };
        let trimmed = text.trim();
        match trimmed.strip_suffix('%') {
            Some(number) => {
                let percent: f64 = number.trim().parse().map_err(|_| wrong())?;
                (0.0..=100.0)
                    .contains(&percent)
                    .then_some(Budget::Percent(percent + 0.0))
                    .ok_or_else(wrong)
            }
            None => trimmed.parse().map(Budget::Rows).map_err(|_| wrong()),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Rows(rows) => write!(formatter, "{rows}"),
            Budget::Percent(percent) => write!(formatter, "{percent}%"),
        }
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Budget::Rows(rows) => serializer.serialize_u64(*rows),
            Budget::Percent(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BudgetVisitor;
        impl Visitor<'_> for BudgetVisitor {
            type Value = Budget;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number of rows such as 321, or a share such as \"1%\"")
            }

            fn visit_u64<E: de::Error>(self, rows: u64) -> Result<Budget, E> {
                Ok(Budget::Rows(rows))
            }

            fn visit_i64<E: de::Error>(self, rows: i64) -> Result<Budget, E> {
                u64::try_from(rows).map(Budget::Rows).map_err(|_| {
                    E::custom(Error::Budget {
                        text: rows.to_string(),
                    })
                })
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Budget, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(BudgetVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down_to_whole_rows_but_not_by_binary_dust() {
        assert_eq!(Budget::Percent(0.57).rows(10_000), 57);
        assert_eq!(Budget::Percent(5.0).rows(30_162), 1508);
        assert_eq!(Budget::Percent(100.0).rows(30_162), 30_162);
        assert_eq!(Budget::Percent(0.0).rows(30_162), 0);
    }

    #[test]
    fn budgets_outside_the_table_are_refused() {
        for text in [
            "-1", "-0.1%", "100.5%", "101%", "NaN%", "inf%", "x", "", "%", "1.5",
        ] {
            assert!(text.parse::<Budget>().is_err(), "{text}");
        }
    }
}
