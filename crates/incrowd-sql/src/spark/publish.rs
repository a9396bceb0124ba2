//! How a checked draft becomes the release where there are no transactions, and what undoes what.
//!
//! ```text
//! Spark      rename the old table away, rename the draft, drop the old one
//! Sail       give the draft a second name, drop the first, drop the old table, create one over the files, drop the name
//! a path     copy the draft into a directory that is not there, drop the draft
//! ```
//!
//! Each step that fails looks at what it has done and undoes those before it; an answer that got lost is no failure if
//! everything is there. Somebody who sees the tables between two steps sees the old release, or for a moment none, but
//! never a part of one. In a directory files appear when they are whole: in Spark one after the other once all are written, in
//! Sail the only one, but with a cluster of it several. What somebody else has put in the place meanwhile is never overwritten,
//! emptied or removed.

use super::connection::{Details, Replaced, SparkConnection};
use super::dialect::literal;
use super::files::AtPath;
use super::statement::lock;
use crate::address::TableName;
use crate::connection::{Connection, Found};
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::unique_name;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often to look whether a server that was stopped has removed what it had begun, each time after a longer pause.
const LOOKS: u32 = 6;
const PAUSE: Duration = Duration::from_millis(200);
/// How often a draft is emptied again after a failure, after ever longer pauses.
const AGAIN: u32 = 3;

/// Has Sail write all rows into one file, which appears when it is whole: it would write four side by side. With a cluster it
/// does not tell its workers.
fn one_file() -> [String; 2] {
    output(1, u32::MAX.into())
}

/// Has it write files as it does by itself.
fn sails_files() -> [String; 2] {
    output(4, 50_000_000)
}

fn output(files: u64, rows: u64) -> [String; 2] {
    [
        format!("SET datafusion.execution.minimum_parallel_output_files = {files}"),
        format!("SET datafusion.execution.soft_max_rows_per_output_file = {rows}"),
    ]
}

impl SparkConnection {
    fn do_publish(&self, statement: &str) -> Result<(), Error> {
        self.execute(statement, Doing::Publishing)
    }

    /// An error that means that nothing of a release is to be seen; [`Error::PublishingUnknown`] and others say more.
    pub(super) fn make_visible(
        &self,
        draft: &TableName,
        target: &TableName,
        replaces: bool,
    ) -> Result<(), Error> {
        let found = self.find(target)?;
        let table = target.to_string();
        match found {
            Some(Found::Other) => return Err(Error::TargetNotTable { table }),
            Some(Found::Table) if !replaces => return Err(Error::TargetExists { table }),
            Some(Found::Table) | None => {}
        }
        match self.dialect.is_sail {
            false => self.rename(draft, target, found.is_some()),
            true => self.relocate(draft, target),
        }
    }

    /// The draft is no longer one.
    fn forget(&self, draft: &TableName) {
        lock(&self.drafts).retain(|it| it != draft);
    }

    /// What an error of the statement means that makes a new table visible: an answer that got lost says nothing.
    fn unless_lost(&self, error: Error, target: &TableName) -> Error {
        match error {
            Error::ConnectionLost { engine, .. } => Error::PublishingUnknown {
                engine,
                table: target.to_string(),
                ask: None,
            },
            error => error,
        }
    }

    fn rename(&self, draft: &TableName, target: &TableName, is_there: bool) -> Result<(), Error> {
        let old = target.sibling(&unique_name("old"));
        if is_there && let Err(error) = self.do_publish(&self.alter(target, &old)) {
            return Err(match self.find(&old) {
                Ok(None) => error,
                // It was the answer that got lost.
                Ok(Some(_)) => self.renamed_back(&old, target, error),
                Err(_) => self.stays(target, &old, false),
            });
        }
        if let Err(error) = self.do_publish(&self.alter(draft, target)) {
            match (self.find(draft), self.find(target)) {
                (Ok(None), Ok(Some(_))) => {}
                (Ok(_), Ok(_)) if is_there => return Err(self.renamed_back(&old, target, error)),
                _ if is_there => return Err(self.stays(target, &old, false)),
                _ => return Err(self.unless_lost(error, target)),
            }
        }
        self.forget(draft);
        let files = self.files(&self.rows(target)).unwrap_or_default();
        let files = files.unwrap_or_default().into_iter();
        *lock(&self.replaced) = Some(Replaced::Renamed {
            old: is_there.then_some(old),
            files: files.map(|it| it.name).collect(),
        });
        Ok(())
    }

    fn alter(&self, from: &TableName, to: &TableName) -> String {
        let (from, to) = (self.dialect.table(from), self.dialect.quote(to.last()));
        format!("ALTER TABLE {from} RENAME TO {to}")
    }

    /// Gives the old table its name again, after an error; says so if that fails.
    fn renamed_back(&self, old: &TableName, target: &TableName, error: Error) -> Error {
        let undone = self.clean_up(&self.alter(old, target));
        match undone.is_ok() || matches!(self.find(old), Ok(None)) {
            true => error,
            false => self.stays(target, old, false),
        }
    }

    /// Removes the table that was replaced.
    pub(super) fn remove_replaced(&self, target: &TableName) -> Result<(), Error> {
        let replaced = lock(&self.replaced).take();
        match replaced {
            Some(Replaced::Renamed { old: Some(old), .. }) => {
                let dropped = self.clean_up(&format!("DROP TABLE {}", self.dialect.table(&old)));
                match dropped.is_ok() || matches!(self.find(&old), Ok(None)) {
                    true => Ok(()),
                    false => Err(self.stays(target, &old, true)),
                }
            }
            // Sail has dropped it already.
            _ => Ok(()),
        }
    }

    /// Takes a release back that is not the draft, unless somebody else has put another table in its place.
    pub(super) fn take_back(&self, target: &TableName) -> Result<(), Error> {
        let replaced = lock(&self.replaced).take();
        match replaced {
            None => Ok(()),
            Some(Replaced::Renamed { old, files }) => {
                let found = self.files(&self.rows(target))?.unwrap_or_default();
                if !files.is_empty() && !found.iter().any(|it| files.contains(&it.name)) {
                    return old.map_or(Ok(()), |old| Err(self.stays(target, &old, false)));
                }
                self.remove_draft(target)?;
                let Some(old) = old else { return Ok(()) };
                let undone = self.clean_up(&self.alter(&old, target));
                match undone.is_ok() || matches!(self.find(&old), Ok(None)) {
                    true => Ok(()),
                    false => Err(self.stays(target, &old, false)),
                }
            }
            Some(Replaced::Dropped { old, over }) => {
                let found = self.details(target)?;
                if !found.is_some_and(|found| found.is_over(&over)) {
                    return old.map_or(Ok(()), |old| Err(self.dropped(target, old)));
                }
                self.remove_draft(target)?;
                let Some(old) = old else { return Ok(()) };
                match self.is_back(target, &old) {
                    true => Ok(()),
                    false => Err(self.dropped(target, old)),
                }
            }
        }
    }

    /// What is said of a table that may have another name now.
    fn stays(&self, target: &TableName, old: &TableName, is_complete: bool) -> Error {
        Error::OldTableStays {
            engine: self.dialect.engine(),
            table: target.to_string(),
            old: old.to_string(),
            is_complete,
        }
    }

    /// What is said of a table that may no longer be in the catalog.
    fn dropped(&self, target: &TableName, old: Details) -> Error {
        Error::OldTableDropped {
            engine: self.dialect.engine(),
            table: target.to_string(),
            format: old.provider,
            location: old.location,
        }
    }

    fn rows(&self, table: &TableName) -> String {
        format!("SELECT * FROM {}", self.dialect.table(table))
    }

    /// A table over files that are there.
    fn create_over(&self, table: &TableName, columns: &str, over: &Details) -> String {
        format!(
            "CREATE TABLE {}{columns} USING {} LOCATION {}",
            self.dialect.table(table),
            over.provider,
            literal(&over.location)
        )
    }

    /// Puts a table back that was dropped; whether it is there then.
    fn is_back(&self, target: &TableName, old: &Details) -> bool {
        let undone = self.clean_up(&self.create_over(target, "", old));
        undone.is_ok() || matches!(self.details(target), Ok(Some(it)) if it.is_over(old))
    }

    /// Drops a table whose files stay, or are those of another one.
    pub(super) fn drop_name(&self, table: &TableName) -> Result<(), Error> {
        self.clean_up(&format!(
            "DROP TABLE IF EXISTS {}",
            self.dialect.table(table)
        ))
    }

    fn relocate(&self, draft: &TableName, target: &TableName) -> Result<(), Error> {
        let unexpected = |state: &str| Error::Failed {
            engine: self.dialect.engine(),
            doing: Doing::Publishing,
            state: state.into(),
        };
        let without_files = || unexpected("of a draft without files");
        let over = self.details(draft)?.ok_or_else(without_files)?;
        if over.location.is_empty() || !is_word(&over.provider) {
            return Err(without_files());
        }
        let old = self.details(target)?;
        if old.as_ref().is_some_and(|old| !is_word(&old.provider)) {
            return Err(unexpected("of a table that could not be put back"));
        }
        let files = self.files(&self.rows(draft))?;
        // Without files there is nothing that would tell the columns.
        let columns = self.describe(&self.rows(draft))?;
        let columns = match columns.iter().all(|column| column.is_single) {
            true => {
                let columns = columns.iter();
                let columns =
                    columns.map(|it| format!("{} {}", self.dialect.quote(&it.name), it.kind));
                format!(" ({})", columns.collect::<Vec<_>>().join(", "))
            }
            false => String::new(),
        };
        let drop = |table: &TableName| format!("DROP TABLE {}", self.dialect.table(table));
        // In some catalogs the files of a table go with it. The draft shows it before anything else is dropped.
        let second = draft.sibling(&unique_name("draft"));
        self.keep_as_draft(&second);
        self.do_publish(&self.create_over(&second, &columns, &over))?;
        self.do_publish(&drop(draft))?;
        self.forget(draft);
        let is_known = files.as_ref().is_some_and(|files| !files.is_empty());
        if self.files(&self.rows(&second))? != files || old.is_some() && !is_known {
            return Err(unexpected("of a catalog that removes files with tables"));
        }
        let put_back = |error: Error| {
            let Some(old) = &old else {
                return self.unless_lost(error, target);
            };
            match self.is_back(target, old) {
                true => error,
                false => self.dropped(target, old.clone()),
            }
        };
        // What is said if nobody could see what has become of the old table, or another one is there.
        let unclear = |error: Error| match &old {
            Some(old) => self.dropped(target, old.clone()),
            None => self.unless_lost(error, target),
        };
        if let Some(old) = &old
            && let Err(error) = self.do_publish(&drop(target))
        {
            return Err(match self.details(target) {
                Ok(Some(found)) if found.is_over(old) => error,
                // It was the answer that got lost.
                Ok(None) => put_back(error),
                Ok(Some(_)) | Err(_) => unclear(error),
            });
        }
        if let Err(error) = self.do_publish(&self.create_over(target, &columns, &over)) {
            match self.details(target) {
                Ok(Some(found)) if found.is_over(&over) => {}
                Ok(None) => return Err(put_back(error)),
                Ok(Some(_)) => return Err(unclear(error)),
                Err(_) => {
                    // The files of the draft are those of the release, if it is there.
                    self.forget(&second);
                    return Err(unclear(error));
                }
            }
        }
        // From now on its files are those of the release.
        self.forget(&second);
        *lock(&self.replaced) = Some(Replaced::Dropped { old, over });
        if self.drop_name(&second).is_err() {
            lock(&self.other_names).push(second);
        }
        Ok(())
    }

    /// The server refuses a directory that is there, so that nothing of others is lost. What it has begun stays: somebody
    /// else may have begun at the same moment.
    pub(super) fn copy_to_path(&self, draft: &TableName, target: &TableName) -> Result<(), Error> {
        let Some((format, path)) = target.as_path() else {
            return Ok(());
        };
        let table = target.to_string();
        match self.find(target)? {
            Some(Found::Other) => return Err(Error::TargetNotTable { table }),
            Some(Found::Table) => return Err(Error::TargetExists { table }),
            None => {}
        }
        let is_sail = self.dialect.is_sail;
        if is_sail {
            for set in one_file() {
                match self.do_publish(&set) {
                    Ok(()) => {}
                    Err(error @ (Error::ConnectionLost { .. } | Error::Stopped { .. })) => {
                        return Err(error);
                    }
                    // A version without such a setting writes as many files as it likes.
                    Err(_) => break,
                }
            }
        }
        let copied = self.write_files(&self.rows(draft), format, path);
        if is_sail && !self.is_ours {
            // Others go on with this session.
            let _ = sails_files().iter().try_for_each(|set| self.clean_up(set));
        }
        copied.map_err(|error| {
            let error = error.about_target(&table);
            let left = match error {
                Error::TargetExists { .. } => AtPath::Nothing,
                Error::ConnectionLost { .. } => AtPath::Rows,
                _ => self.left_at(target),
            };
            let is_empty = left == AtPath::NoRows;
            // Whoever stops a copy is told of a directory that may be left without rows.
            if left == AtPath::Nothing || is_empty && matches!(error, Error::Stopped { .. }) {
                return error;
            }
            Error::PathUnfinished {
                path: path.to_owned(),
                is_empty,
                cause: Box::new(error),
            }
        })
    }

    /// What a copy that broke has left, once the server has had time to remove what it has begun, or to finish it nevertheless.
    /// Rows, if nobody knows.
    fn left_at(&self, target: &TableName) -> AtPath {
        let mut left = AtPath::Rows;
        for look in 1..=LOOKS {
            std::thread::sleep(look * PAUSE);
            left = match self.look_at_path(target, false) {
                Ok(AtPath::Nothing) => return AtPath::Nothing,
                Ok(found) => found,
                Err(_) => return AtPath::Rows,
            };
        }
        left
    }

    /// Removes a draft with everything that the server lets us remove. That it is gone already is no failure.
    pub(super) fn remove_draft(&self, draft: &TableName) -> Result<(), Error> {
        let name = self.dialect.table(draft);
        let lost = |done: Result<(), Error>| match done {
            Err(error @ Error::ConnectionLost { .. }) => Err(error),
            _ => Ok(()),
        };
        match self.dialect.is_sail {
            // Sail leaves the files of a table that is dropped, so there must be no rows in them.
            true => {
                let empty =
                    format!("INSERT OVERWRITE TABLE {name} SELECT * FROM {name} WHERE 1 = 0");
                lost(self.clean_up(&empty))?;
                // A statement that failed or was stopped may finish a file a moment later.
                let has_failed = self.has_failed.load(Ordering::Relaxed);
                for time in 1..=if has_failed { AGAIN } else { 0 } {
                    std::thread::sleep(time * PAUSE);
                    lost(self.clean_up(&empty))?;
                }
            }
            // Spark leaves the empty directory of a table that it could not finish; a table over it takes it along.
            false => lost(self.clean_up(&format!("CREATE TABLE IF NOT EXISTS {name} (x INT)")))?,
        }
        lost(self.clean_up(&format!("DROP TABLE IF EXISTS {name}")))
    }
}

/// Whether a text can stand in a statement as it is.
fn is_word(text: &str) -> bool {
    let mut letters = text.bytes();
    !text.is_empty() && letters.all(|it| it.is_ascii_alphanumeric() || it == b'_')
}
