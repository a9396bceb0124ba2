//! How a checked draft becomes the release where there are no transactions, and what undoes what.
//!
//! ```text
//! Spark      rename the old table away, rename the draft, drop the old one
//! Sail       drop the old table, create one over the files of the draft, drop the draft, whose files stay
//! a path     copy the draft into the directory, drop the draft
//! ```
//!
//! Each step that fails undoes those before it. Somebody who sees the tables between two steps sees the old release, or
//! for a moment none, but never a part of one; in a directory files appear one by one.

use super::connection::{Details, Replaced, SparkConnection};
use super::dialect::literal;
use crate::address::TableName;
use crate::connection::{Connection, Found};
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::unique_name;
use std::sync::PoisonError;

impl SparkConnection {
    fn do_publish(&self, statement: &str) -> Result<(), Error> {
        self.execute(statement, Doing::Publishing)
    }

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
        match (target.as_path(), self.dialect.is_sail) {
            (Some((format, path)), _) => self.copy(draft, format, path),
            (None, false) => self.rename(draft, target, found.is_some()),
            (None, true) => self.relocate(draft, target),
        }
    }

    /// The draft is no longer one.
    fn forget(&self, draft: &TableName) {
        let drafts = self.drafts.lock();
        let mut drafts = drafts.unwrap_or_else(PoisonError::into_inner);
        drafts.retain(|it| it != draft);
    }

    fn rename(&self, draft: &TableName, target: &TableName, is_there: bool) -> Result<(), Error> {
        let old = target.sibling(&unique_name("old"));
        if is_there {
            self.do_publish(&self.alter(target, &old))?;
        }
        if let Err(error) = self.do_publish(&self.alter(draft, target)) {
            if is_there {
                let undone = self.clean_up(&self.alter(&old, target));
                return Err(match undone {
                    Ok(()) => error,
                    Err(_) => self.stays(&old),
                });
            }
            return Err(error);
        }
        self.forget(draft);
        self.set_replaced(Replaced::Renamed(is_there.then_some(old)));
        Ok(())
    }

    fn alter(&self, from: &TableName, to: &TableName) -> String {
        let (from, to) = (self.dialect.table(from), self.dialect.quote(to.last()));
        format!("ALTER TABLE {from} RENAME TO {to}")
    }

    fn set_replaced(&self, replaced: Replaced) {
        let place = self.replaced.lock();
        *place.unwrap_or_else(PoisonError::into_inner) = Some(replaced);
    }

    fn take_replaced(&self) -> Option<Replaced> {
        let place = self.replaced.lock();
        place.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Removes the table that was replaced.
    pub(super) fn remove_replaced(&self) -> Result<(), Error> {
        match self.take_replaced() {
            Some(Replaced::Renamed(Some(old))) => {
                let dropped = self.clean_up(&format!("DROP TABLE {}", self.dialect.table(&old)));
                dropped.map_err(|_| self.stays(&old))
            }
            // Sail has dropped it already.
            _ => Ok(()),
        }
    }

    /// Takes a release back that is not the draft.
    pub(super) fn take_back(&self, draft: &TableName, target: &TableName) -> Result<(), Error> {
        match self.take_replaced() {
            None => self.empty_path(draft, target),
            Some(Replaced::Renamed(old)) => {
                self.remove_draft(target)?;
                let Some(old) = old else { return Ok(()) };
                let undone = self.clean_up(&self.alter(&old, target));
                undone.map_err(|_| self.stays(&old))
            }
            Some(Replaced::Dropped(old)) => {
                self.remove_draft(target)?;
                let Some(old) = old else { return Ok(()) };
                let undone = self.clean_up(&self.create_over(target, "", &old));
                undone.map_err(|_| self.stays(target))
            }
        }
    }

    /// What is said of a table that nobody could remove or rename back.
    fn stays(&self, table: &TableName) -> Error {
        Error::OldTableStays {
            engine: self.dialect.engine(),
            table: table.to_string(),
        }
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

    fn relocate(&self, draft: &TableName, target: &TableName) -> Result<(), Error> {
        let unexpected = || Error::Failed {
            engine: self.dialect.engine(),
            doing: Doing::Publishing,
            state: "of a draft without files".into(),
        };
        let over = self.details(draft)?.ok_or_else(unexpected)?;
        if over.location.is_empty() || !is_word(&over.provider) {
            return Err(unexpected());
        }
        let rows = |table: &TableName| format!("SELECT * FROM {}", self.dialect.table(table));
        let files = self.files(&rows(draft))?;
        // Without files there is nothing that would tell the columns.
        let columns = self.describe(&rows(draft))?;
        let columns = match columns.iter().all(|column| column.is_single) {
            true => {
                let columns = columns.iter();
                let columns =
                    columns.map(|it| format!("{} {}", self.dialect.quote(&it.name), it.kind));
                format!(" ({})", columns.collect::<Vec<_>>().join(", "))
            }
            false => String::new(),
        };
        let old = self.details(target)?;
        let drop = |table: &TableName| format!("DROP TABLE {}", self.dialect.table(table));
        if old.is_some() {
            self.do_publish(&drop(target))?;
        }
        let put_back = || match &old {
            Some(old) => self.clean_up(&self.create_over(target, "", old)),
            None => Ok(()),
        };
        if let Err(error) = self.do_publish(&self.create_over(target, &columns, &over)) {
            // It may be the answer that got lost.
            match self.details(target) {
                Ok(Some(found)) if found.is_over(&over) => {}
                Ok(_) => {
                    return Err(match put_back() {
                        Ok(()) => error,
                        Err(_) => self.stays(target),
                    });
                }
                Err(_) => {
                    // The files of the draft are those of the release, if it is there.
                    self.forget(draft);
                    return Err(error);
                }
            }
        }
        self.clean_up(&drop(draft))?;
        self.forget(draft);
        // In some catalogs the files of a table go with it.
        if self.files(&rows(target))? != files {
            let _ = self.clean_up(&drop(target));
            let _ = put_back();
            return Err(unexpected());
        }
        self.set_replaced(Replaced::Dropped(old));
        Ok(())
    }

    fn copy(&self, draft: &TableName, format: &str, path: &str) -> Result<(), Error> {
        self.do_publish(&format!(
            "INSERT OVERWRITE DIRECTORY {} USING {format} SELECT * FROM {}",
            literal(path),
            self.dialect.table(draft)
        ))
    }

    /// Takes everything out of a directory that a release was copied to.
    pub(super) fn empty_path(&self, draft: &TableName, target: &TableName) -> Result<(), Error> {
        let Some((format, path)) = target.as_path() else {
            return Ok(());
        };
        self.clean_up(&format!(
            "INSERT OVERWRITE DIRECTORY {} USING {format} SELECT * FROM {} WHERE 1 = 0",
            literal(path),
            self.dialect.table(draft)
        ))
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
