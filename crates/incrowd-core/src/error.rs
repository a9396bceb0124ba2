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
    /// A hierarchy without a value.
    #[error("the hierarchy of column `{column}` is empty")]
    HierarchyEmpty {
        /// The column.
        column: String,
    },
    /// A hierarchy file that is not text.
    #[error("the hierarchy of column `{column}` is not UTF-8 text")]
    HierarchyNotUtf8 {
        /// The column.
        column: String,
        /// The first such line, from 1.
        line: u64,
    },
    /// A hierarchy file with one cell on every line.
    #[error("the hierarchy of column `{column}` has only one cell on each of its {lines} lines")]
    HierarchyOneColumn {
        /// The column.
        column: String,
        /// Lines that are not blank.
        lines: u64,
    },
    /// A value without any level above it, among others that have some.
    #[error("the hierarchy of column `{column}` has a line with a value and nothing above it")]
    HierarchyRowTooShort {
        /// The column.
        column: String,
        /// The line, or the number of the row when the hierarchy was not a file; from 1.
        line: u64,
    },
    /// A value listed twice that cannot have both parents.
    #[error("the hierarchy of column `{column}` lists a value twice, with different parents")]
    HierarchyValueTwice {
        /// The column.
        column: String,
        /// The line, or row, of the second mention; from 1.
        line: u64,
        /// The line, or row, of the first mention; from 1.
        first_line: u64,
    },
    /// A label whose values part ways one level up.
    #[error(
        "the hierarchy of column `{column}` splits a group of level {level} instead of merging it"
    )]
    HierarchyLevelSplits {
        /// The column.
        column: String,
        /// The level of the group; its parents on the next level differ.
        level: u8,
        /// The line, or row, that contradicts; from 1.
        line: u64,
        /// The line, or row, that it contradicts; from 1.
        first_line: u64,
    },
    /// More levels than a node can count.
    #[error("the hierarchy of column `{column}` has {levels} levels, more than {limit}")]
    HierarchyTooManyLevels {
        /// The column.
        column: String,
        /// Levels asked for, the raw values and the top included.
        levels: usize,
        /// The greatest number there may be.
        limit: usize,
    },
    /// Values of the data that the hierarchy does not list.
    #[error("{values} values of column `{column}` are missing from its hierarchy")]
    HierarchyLacksValues {
        /// The column.
        column: String,
        /// How many distinct values are not listed.
        values: usize,
        /// The first row with such a value, from 1, header not counted.
        row: u64,
        /// How many values the hierarchy lists.
        leaves: usize,
    },
    /// Values that are not numbers where a hierarchy needs numbers.
    #[error("{values} values of column `{column}` are not numbers")]
    NotNumbers {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
        /// Where the first stands among the distinct values given, from 1.
        first: usize,
    },
    /// Values that are not dates where a hierarchy needs dates.
    #[error("{values} values of column `{column}` are not dates written YYYY-MM-DD")]
    NotDates {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
        /// Where the first stands among the distinct values given, from 1.
        first: usize,
    },
    /// Intervals so narrow that they cannot be numbered.
    #[error("the intervals of column `{column}` are too narrow for numbers of this size")]
    IntervalsTooNarrow {
        /// The column.
        column: String,
        /// Where the first such value stands among the distinct values given, from 1.
        first: usize,
    },
    /// A text that does not name a way to build a hierarchy.
    #[error("this is not a way to build a hierarchy")]
    HierarchySpecUnknown,
    /// A way to build a hierarchy whose parameters cannot be read.
    #[error("`{builder}` needs {expected}")]
    HierarchySpecParameter {
        /// The way, as it is written.
        builder: &'static str,
        /// What may stand after the colon.
        expected: &'static str,
    },
    /// Levels that do not nest.
    #[error("level {level} of `{builder}` does not nest in the level before it: {rule}")]
    HierarchySpecNotNested {
        /// The way, as it is written.
        builder: &'static str,
        /// The offending level; level 1 is the first above the raw values.
        level: usize,
        /// What would nest.
        rule: &'static str,
    },
}

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        match self {
            Error::NotUtf8 { row, .. } => Some(format!("first in row {row}")),
            Error::HierarchyNotUtf8 { line, .. } => Some(format!("first in line {line}")),
            Error::HierarchyRowTooShort { line, .. } => Some(format!("line {line}")),
            Error::HierarchyValueTwice {
                line, first_line, ..
            } => Some(format!("lines {first_line} and {line}")),
            Error::HierarchyLevelSplits {
                level,
                line,
                first_line,
                ..
            } => Some(format!(
                "lines {first_line} and {line} agree on level {level} and differ on level {}",
                level + 1
            )),
            Error::HierarchyLacksValues { row, leaves, .. } => Some(format!(
                "first in row {row}; the hierarchy has {leaves} values"
            )),
            Error::NotNumbers { first, .. }
            | Error::NotDates { first, .. }
            | Error::IntervalsTooNarrow { first, .. } => Some(format!(
                "first is distinct value {first}, in order of appearance"
            )),
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
            Error::HierarchyEmpty { .. } => {
                "a hierarchy has one line for each value: the value, then its groups, coarser and coarser"
                    .into()
            }
            Error::HierarchyNotUtf8 { .. } => {
                "convert the file first, for example `iconv -f latin1 -t utf-8`".into()
            }
            Error::HierarchyOneColumn { .. } => {
                "separate the levels with a comma, a semicolon or a tab; to publish the value or `*`, use `suppress`"
                    .into()
            }
            Error::HierarchyRowTooShort { .. } => {
                "write the value's groups, or at least the top: the value, then `*`".into()
            }
            Error::HierarchyValueTwice { .. } => "keep one of the two lines".into(),
            Error::HierarchyLevelSplits { level, .. } => format!(
                "give the two groups of level {level} different names, or one parent"
            ),
            Error::HierarchyTooManyLevels { .. } => {
                "leave out levels, or let each merge more".into()
            }
            Error::HierarchyLacksValues { .. } => {
                "`incrowd hierarchy check` lists them; or pass `--missing suppress`".into()
            }
            Error::NotNumbers { .. } => {
                "use `order`, `mask` or `suppress` for text, or clean the column".into()
            }
            Error::NotDates { .. } => {
                "write dates as YYYY-MM-DD, or use `order`, `mask` or `suppress`".into()
            }
            Error::IntervalsTooNarrow { .. } => {
                "take wider intervals, or `quantile` for numbers of very different size".into()
            }
            Error::HierarchySpecUnknown => {
                "write interval:5,10,20@17, quantile:16,8,4, mask:2, date:month,year, order, suppress, or a file"
                    .into()
            }
            Error::HierarchySpecParameter { builder, .. } => format!(
                "for example `{}`",
                match *builder {
                    "interval" => "interval:5,10,20@17",
                    "quantile" => "quantile:16,8,4",
                    "mask" => "mask:2",
                    "date" => "date:month,year",
                    other => other,
                }
            ),
            Error::HierarchySpecNotNested { .. } => {
                "each level must be made of whole groups of the level before".into()
            }
        }
    }
}
