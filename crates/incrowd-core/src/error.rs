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
}

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        match self {
            Error::NotUtf8 { row, .. } => Some(format!("first in row {row}")),
            _ => None,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::TooManyRows { .. } => "publish the table in parts".into(),
            Error::NotUtf8 { .. } => {
                "convert the file first, for example `iconv -f latin1 -t utf-8`".into()
            }
        }
    }
}
