//! What can go wrong while deciding, as fields; the sentence and the hint are made from them.
//!
//! Errors point at cells and never quote them: the tables are about persons.

/// Everything the core can refuse.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More rows than a class size can count.
    #[error("the table has more than {limit} rows")]
    TooManyRows {
        /// The greatest number of rows that can be counted.
        limit: u64,
    },
    /// A cell is not valid UTF-8.
    #[error("column `{column}` is not UTF-8 text")]
    NotUtf8 {
        /// The column.
        column: String,
        /// The first row, counted from 1, header not counted.
        row: u64,
    },
    /// Values of the data that a hierarchy does not list.
    #[error("{unlisted} values of column `{column}` are missing from its hierarchy")]
    UnlistedValues {
        /// The column.
        column: String,
        /// How many distinct values are not listed.
        unlisted: usize,
        /// How many values the hierarchy lists.
        listed: usize,
    },
    /// No acceptable node keeps the promises within the budget.
    #[error(
        "no acceptable recoding keeps the promises while suppressing at most {max_suppressed} rows"
    )]
    NoSolution {
        /// The budget.
        max_suppressed: u32,
        /// Rows the highest acceptable node suppresses.
        rows_suppressed_at_limit: u32,
    },
    /// Time was up before any safe recoding was found.
    #[error("time is up and no safe recoding was found")]
    TimeUp {
        /// Nodes whose classes were counted.
        nodes_checked: u64,
    },
    /// The user stopped the run.
    #[error("stopped")]
    Cancelled,
}

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        match self {
            Error::NotUtf8 { row, .. } => Some(format!("first in row {row}")),
            Error::UnlistedValues { listed, .. } => {
                Some(format!("the hierarchy lists {listed} values"))
            }
            Error::NoSolution {
                rows_suppressed_at_limit,
                ..
            } => Some(format!(
                "the highest acceptable levels still suppress {rows_suppressed_at_limit} rows"
            )),
            Error::TimeUp { nodes_checked } => Some(format!("{nodes_checked} nodes checked")),
            Error::TooManyRows { .. } | Error::Cancelled => None,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::TooManyRows { .. } => "publish the table in parts".into(),
            Error::NotUtf8 { .. } => {
                "convert the file first, for example `iconv -f latin1 -t utf-8`".into()
            }
            Error::UnlistedValues { .. } => {
                "`incrowd hierarchy check` lists them; or pass `--unlisted suppress`".into()
            }
            Error::NoSolution {
                rows_suppressed_at_limit,
                ..
            } => format!(
                "allow `--max-suppressed {rows_suppressed_at_limit}`, raise `--max-levels`, or weaken a promise"
            ),
            Error::TimeUp { .. } => "raise `--time-limit`".into(),
            Error::Cancelled => "nothing was written".into(),
        }
    }
}
