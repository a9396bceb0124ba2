//! Columns published unchanged that would reveal people, and why.

use super::outcome::UnchangedRole;
use std::fmt;

/// Why a column should not be published unchanged.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// `inspect` classifies it as identifying.
    Identifying {
        /// Why.
        because: String,
    },
    /// Many rows have a unique value.
    NearlyUnique {
        /// The share of rows.
        share: f64,
    },
    /// It reveals a column that must be protected.
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
                write!(formatter, "{} of rows have a unique value", percent(*share))
            }
            Reason::Tells { column, share } => {
                let column = column.escape_debug();
                match *share >= 1.0 {
                    true => write!(formatter, "determines `{column}`"),
                    false => write!(
                        formatter,
                        "determines `{column}` in nearly every row ({})",
                        percent(*share)
                    ),
                }
            }
            Reason::GivesAway { column, share } => write!(
                formatter,
                "reveals `{}` for {} of rows",
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

/// How a note begins that must not be overlooked.
const LOUD: &str = "WARNING: ";

/// A note that must not be overlooked.
pub(crate) fn loud(note: impl fmt::Display) -> String {
    format!("{LOUD}{note}")
}

/// The label of a note and its text: `WARNING` if it must not be overlooked.
///
/// ```
/// use incrowd_job::labelled;
/// assert_eq!(labelled("two rows are blank"), ("note", "two rows are blank"));
/// assert_eq!(labelled("WARNING: all is told"), ("WARNING", "all is told"));
/// ```
pub fn labelled(note: &str) -> (&'static str, &str) {
    match note.strip_prefix(LOUD) {
        Some(warning) => ("WARNING", warning),
        None => ("note", note),
    }
}

/// A column that should not be published unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct RevealingColumn {
    /// Its name.
    pub name: String,
    /// Why it would be published unchanged.
    pub role: UnchangedRole,
    /// Why it should not; at least one reason.
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
