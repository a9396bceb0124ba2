//! Where it went wrong.

use super::Error;
use std::fmt;
use std::io;

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        match self {
            Error::Core(error) => error.place(),
            Error::Io(error) => error.place(),
            Error::JobFile {
                path, line, column, ..
            } => {
                let path = path.as_ref().map(|path| format!("{}, ", path.display()));
                Some(format!(
                    "{}line {line}, column {column}",
                    path.unwrap_or_default()
                ))
            }
            Error::Unreadable {
                kind: io::ErrorKind::NotFound,
                ..
            } => None,
            Error::Unreadable { kind, .. }
            | Error::Folder { kind, .. }
            | Error::Requests { kind }
            | Error::Answers { kind } => Some(format!("the operating system says: {kind}")),
            Error::CertificateName { path }
            | Error::CertificateTwin { path }
            | Error::Index { path, .. } => Some(path.display().to_string()),
            Error::StudyTooLarge { limit, .. } => Some(format!("the limit is {limit} nodes")),
            Error::AlreadyExists { paths } => Some(join(paths.iter().map(|path| path.display()))),
            Error::UnknownColumn {
                named_in,
                input,
                columns,
                ..
            } => Some(format!("{named_in}; {input} has {columns} columns")),
            Error::UnreadText { input, row, .. } => Some(format!("{input}, first in row {row}")),
            Error::PopulationTooSmall { input, .. } => Some(input.clone()),
            Error::PopulationUnmatched { input, population } => {
                Some(format!("{input}; {population}"))
            }
            Error::NoRole { columns, .. } if columns.len() > 1 => Some(join(columns)),
            Error::RevealingColumns { columns } => Some(join(columns)),
            Error::NoSuchLevel { height, .. } => {
                Some(format!("its hierarchy has levels 0 to {height}"))
            }
            Error::Hierarchy {
                column,
                from,
                source,
            } => Some(match source.place() {
                Some(place) => format!("{from}, {place}"),
                None => format!("{from}, the hierarchy of `{column}`"),
            }),
            Error::Unlisted {
                from,
                input,
                source,
                ..
            } => match &**source {
                incrowd_core::Error::HierarchyLacksValues { row, leaves, .. } => Some(match row {
                    Some(row) => {
                        format!("{input}, first in row {row}; hierarchy {from} has {leaves} values")
                    }
                    None => format!("{input}; hierarchy {from} has {leaves} values"),
                }),
                source => source.place(),
            },
            Error::OutOfReach { rows, .. } => Some(format!("the table has {rows} rows")),
            Error::AllRowsExcluded { input, rows } => Some(format!("{input}, {rows} rows")),
            Error::InputChanged { input } => Some(input.clone()),
            _ => None,
        }
    }
}

fn join<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    const SHOWN: usize = 12;
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.len() {
        0..=SHOWN => items.join(", "),
        all => format!("{} and {} more", items[..SHOWN].join(", "), all - SHOWN),
    }
}
