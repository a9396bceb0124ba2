//! A table, a view or a query, as a part of statements.

use crate::address::{Address, TableName, What};
use crate::column::Column;
use crate::connection::{DataFile, Found};
use crate::error::Error;
use crate::query_text::is_one_query;
use crate::session::Session;
use incrowd_io::{Fingerprint, RowsHasher};
use std::sync::{Arc, Mutex, PoisonError};

/// What stands after FROM, with its columns.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) session: Arc<Session>,
    /// What to call it in messages.
    pub(crate) name: String,
    /// The table's own name, or the words `a query`.
    pub(crate) table: String,
    /// The SQL.
    pub(crate) sql: String,
    /// The name, if it is a table rather than a view or a query.
    pub(crate) plain: Option<TableName>,
    pub(crate) columns: Vec<Column>,
    pub(crate) names: Vec<String>,
    /// The files that it consisted of when the job began, where the engine has no snapshots.
    pub(crate) files: Option<Vec<DataFile>>,
    /// What is kept of every row, as it was counted.
    kept: Mutex<Kept>,
}

/// The columns that a release publishes although nothing counts them, and their cells in all rows.
#[derive(Debug, Default)]
struct Kept {
    columns: Vec<String>,
    counted: Option<Fingerprint>,
}

impl Relation {
    /// What an address of the session's engine names.
    pub(crate) fn open(
        session: Arc<Session>,
        address: &Address,
    ) -> Result<Relation, incrowd_io::Error> {
        let dialect = session.dialect;
        let (sql, table) = match &address.what {
            What::Table(table) => {
                check_lengths(&session, table)?;
                let whole = session.connection.whole_name(table)?;
                (dialect.table(&whole), table.told())
            }
            // The line break ends a comment at the end of the query.
            What::Query(query) => {
                let query = query.trim().trim_end_matches(';');
                if dialect.runs_several_statements() && !is_one_query(query) {
                    return Err(Error::NotOneQuery.into());
                }
                (format!("({query}\n)"), "a query".to_owned())
            }
        };
        let mut plain = None;
        if let What::Table(table) = &address.what {
            match session.connection.find(table)? {
                Some(Found::Table) => plain = Some(session.connection.whole_name(table)?),
                Some(Found::Other) => {}
                None => {
                    return Err(Error::NoSuchTable {
                        table: table.to_string(),
                        engine: session.engine(),
                    }
                    .into());
                }
            }
        }
        let declared = (session.connection).describe(&format!("SELECT * FROM {sql} AS t"))?;
        let columns: Vec<Column> = declared.into_iter().map(|it| dialect.column(it)).collect();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        check_names(&address.to_string(), &names)?;
        check_alike(&session, &names)?;
        let files = session
            .connection
            .files(&format!("SELECT * FROM {sql} AS t"))?;
        Ok(Relation {
            files,
            kept: Mutex::default(),
            name: address.to_string(),
            table,
            sql,
            plain,
            columns,
            names,
            session,
        })
    }
}

impl Relation {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the next count take the fingerprint of some columns.
    pub(crate) fn keep(&self, columns: &[String]) {
        *self.kept() = Kept {
            columns: columns.to_vec(),
            counted: None,
        };
    }

    /// The columns whose fingerprint is taken.
    pub(crate) fn kept_columns(&self) -> Vec<String> {
        self.kept().columns.clone()
    }

    /// Their fingerprint in the rows counted; none if they were not counted.
    pub(crate) fn kept_cells(&self) -> Option<Fingerprint> {
        self.kept().counted
    }

    pub(crate) fn set_kept_cells(&self, counted: Fingerprint) {
        self.kept().counted = Some(counted);
    }

    /// Whether it consists of the files that it consisted of.
    pub(crate) fn check_files(&self) -> Result<(), Error> {
        if self.files.is_none() {
            return Ok(());
        }
        let query = format!("SELECT * FROM {} AS t", self.sql);
        match self.session.connection.files(&query)? == self.files {
            true => Ok(()),
            false => Err(Error::InputChanged),
        }
    }

    /// The state of the table, as certificates name it.
    pub(crate) fn snapshot(&self) -> Option<String> {
        let Some(files) = &self.files else {
            return self.session.snapshot.clone();
        };
        Some(told(files))
    }
}

/// A list of files in few words: how many, their bytes, the last change, and a hash of all that is known of each.
fn told(files: &[DataFile]) -> String {
    let states: Option<Vec<&(u64, String)>> = files.iter().map(|it| it.state.as_ref()).collect();
    let Some(states) = states.filter(|it| !it.is_empty()) else {
        let mut hasher = RowsHasher::new(["file"]);
        for file in files {
            hasher.add([file.name.as_bytes()], 1);
        }
        return format!("{} files, {}", files.len(), hasher.fingerprint());
    };
    let mut hasher = RowsHasher::new(["file", "bytes", "changed"]);
    for (file, (bytes, changed)) in files.iter().zip(&states) {
        let bytes = bytes.to_string();
        hasher.add(
            [file.name.as_bytes(), bytes.as_bytes(), changed.as_bytes()],
            1,
        );
    }
    let bytes: u64 = states.iter().map(|it| it.0).sum();
    let last = states.iter().map(|it| it.1.as_str()).max();
    let last = last.unwrap_or_default();
    let hash = hasher.fingerprint();
    format!(
        "{} files, {bytes} bytes, last changed {last}, {hash}",
        files.len()
    )
}

/// Names must be there and differ.
fn check_names(input: &str, names: &[String]) -> Result<(), incrowd_io::Error> {
    if names.is_empty() {
        return Err(incrowd_io::Error::Empty {
            input: input.to_owned(),
        });
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            return Err(incrowd_io::Error::DuplicateColumn {
                input: input.to_owned(),
                first: names.iter().position(|it| it == name).unwrap_or(0) + 1,
                second: at + 1,
            });
        }
    }
    Ok(())
}

/// A name that the engine would cut could be that of another table.
pub(crate) fn check_lengths(session: &Session, table: &TableName) -> Result<(), Error> {
    let mut parts = table.0.iter();
    parts.try_for_each(|part| check_length(session, "the table".into(), part))
}

/// Names that an engine would cut are refused: two could become one.
pub(crate) fn check_length(session: &Session, what: String, name: &str) -> Result<(), Error> {
    if name.contains('\0') {
        return Err(Error::NameBroken { what });
    }
    match session.dialect.longest_name().filter(|it| name.len() > *it) {
        None => Ok(()),
        Some(limit) => Err(Error::NameTooLong {
            what,
            bytes: name.len(),
            limit,
            engine: session.engine(),
        }),
    }
}

/// Names must differ to the engine too.
pub(crate) fn check_alike(session: &Session, names: &[String]) -> Result<(), Error> {
    if !session.dialect.ignores_case() {
        return Ok(());
    }
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    for (at, name) in lower.iter().enumerate() {
        if let Some(first) = lower[..at].iter().position(|it| it == name) {
            return Err(Error::NamesAlike {
                first: first + 1,
                second: at + 1,
                engine: session.engine(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_tells_what_is_known_of_each() {
        let file = |name: &str, state: Option<(u64, &str)>| DataFile {
            name: name.into(),
            state: state.map(|(bytes, changed)| (bytes, changed.into())),
        };
        let names = told(&[file("a", None), file("b", None)]);
        assert!(names.starts_with("2 files, "), "{names}");
        let whole = |bytes, changed| {
            told(&[
                file("a", Some((7, "2024-01-01T00:00:00"))),
                file("b", Some((bytes, changed))),
            ])
        };
        let first = whole(5, "2024-03-01T00:00:00");
        let words = "2 files, 12 bytes, last changed 2024-03-01T00:00:00, ";
        assert!(first.starts_with(words), "{first}");
        let hash = |text: &str| text.rsplit(", ").next().unwrap_or_default().to_owned();
        for other in [
            whole(5, "2024-03-01T00:00:01"),
            whole(6, "2024-03-01T00:00:00"),
        ] {
            assert_ne!(hash(&first), hash(&other));
        }
        // One of which nothing is known says no more than its name.
        let part = told(&[file("a", Some((7, "x"))), file("b", None)]);
        assert_eq!(part, names);
    }
}
