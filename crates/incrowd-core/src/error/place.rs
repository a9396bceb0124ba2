//! Where it went wrong.

use super::Error;

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        match self {
            Error::NotUtf8 { row, .. } => Some(format!("first in row {row}")),
            Error::NoSolution {
                rows_suppressed_at_limit,
                rows,
                ..
            }
            | Error::NoneFound {
                rows_suppressed_at_limit,
                rows,
                ..
            } => Some(format!(
                "the highest acceptable levels still suppress {rows_suppressed_at_limit} of {rows} rows"
            )),
            Error::TimeUp { nodes_checked }
            | Error::WorkDone { nodes_checked, .. }
            | Error::MemoryFull { nodes_checked }
            | Error::AskedTooSoon { nodes_checked } => {
                Some(format!("{nodes_checked} nodes checked"))
            }
            Error::HierarchyNotUtf8 { line, .. } => Some(format!("first in line {line}")),
            Error::HierarchyRowTooShort {
                line,
                cells,
                levels,
                ..
            } => Some(format!(
                "line {line} has {cells} cells, the others have {levels}"
            )),
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
                level.above()
            )),
            Error::HierarchyLacksValues { row, leaves, .. } => Some(match row {
                Some(row) => format!("first in row {row}; the hierarchy has {leaves} values"),
                None => format!("the population; the hierarchy has {leaves} values"),
            }),
            Error::NotNumbers { first, .. }
            | Error::NotDates { first, .. }
            | Error::NotRecognized { first, .. }
            | Error::IntervalsTooNarrow { first, .. } => {
                Some(format!("first at distinct value {first} in sorted order"))
            }
            _ => None,
        }
    }
}
