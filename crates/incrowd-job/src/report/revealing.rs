//! Columns published as they are that would give people away, and why.

use super::outcome::UnchangedRole;
use std::fmt;

/// Why a column should not be published as it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// `inspect` calls it identifying.
    Identifying {
        /// Why.
        because: String,
    },
    /// Many rows have a value of their own.
    NearlyUnique {
        /// The share of rows.
        share: f64,
    },
    /// It tells a column that is to be protected.
    Tells {
        /// The other column.
        column: String,
        /// How much of it: 1 is everything.
        share: f64,
    },
    /// All rows that have some value of it have the same value of a sensitive column.
    GivesAway {
        /// The sensitive column.
        column: String,
        /// The share of rows that have such a value.
        share: f64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Identifying { because } => write!(formatter, "identifying: {because}"),
            Reason::NearlyUnique { share } => {
                write!(
                    formatter,
                    "{} of the rows have a value of their own",
                    percent(*share)
                )
            }
            Reason::Tells { column, share } => {
                let column = column.escape_debug();
                match *share >= 1.0 {
                    true => write!(formatter, "tells `{column}`"),
                    false => write!(
                        formatter,
                        "tells `{column}` in nearly every row ({})",
                        percent(*share)
                    ),
                }
            }
            Reason::GivesAway { column, share } => write!(
                formatter,
                "gives `{}` away for {} of the rows",
                column.escape_debug(),
                percent(*share)
            ),
        }
    }
}

/// A share in words.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A column that should not be published as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct RevealingColumn {
    /// Its name.
    pub name: String,
    /// Why it would be published as it is.
    pub role: UnchangedRole,
    /// Why, at least one reason.
    pub reasons: Vec<Reason>,
}

impl fmt::Display for RevealingColumn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<String> = self.reasons.iter().map(Reason::to_string).collect();
        write!(
            formatter,
            "`{}` ({})",
            self.name.escape_debug(),
            reasons.join("; ")
        )
    }
}
