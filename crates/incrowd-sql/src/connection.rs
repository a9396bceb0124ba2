//! Running statements in an engine.

use crate::address::TableName;
use crate::column::Declared;
use crate::error::{Doing, Error};
use arrow_array::RecordBatch;

/// What has a name in an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A table that could be replaced.
    Table,
    /// A view, or anything else.
    Other,
}

/// A file that a table consists of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DataFile {
    /// With its folder.
    pub(crate) name: String,
    /// Its bytes, and when it was changed last, as the engine writes it; none if the engine does not say.
    pub(crate) state: Option<(u64, String)>,
}

impl DataFile {
    /// The same in any folder.
    pub(crate) fn alone(&self) -> (&str, &Option<(u64, String)>) {
        let name = self.name.rsplit('/').next().unwrap_or_default();
        (name, &self.state)
    }
}

/// Rows at the pace of whoever reads them.
pub(crate) trait Cursor: Send {
    /// The next rows; none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>, Error>;
}

/// A connection to an engine, in a transaction from its beginning to its end. Shared by all who work on a job; each
/// statement waits for the one before it.
pub(crate) trait Connection: Send + Sync {
    /// The columns that a query would have.
    fn describe(&self, query: &str) -> Result<Vec<Declared>, Error>;

    /// All rows of a query, as fast as they come. The columns are of the types that [`Dialect::column`] said.
    ///
    /// [`Dialect::column`]: crate::dialect::Dialect::column
    fn query(
        &self,
        query: &str,
        doing: Doing,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// The rows of a query, of which not all need be read, and while other statements run.
    fn read(&self, query: &str) -> Result<Box<dyn Cursor>, Error>;

    /// Runs a statement that has no rows.
    fn execute(&self, statement: &str, doing: Doing) -> Result<(), Error>;

    /// Adds rows to a table, whose columns are those of the batch.
    fn upload(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error>;

    /// Makes rows a relation that statements of this session can join with: its name, and the statement that creates a
    /// table for it, where it is one.
    fn lend(
        &self,
        name: &str,
        create: &str,
        rows: &RecordBatch,
        doing: Doing,
    ) -> Result<(), Error> {
        self.execute(create, doing)?;
        // A name of ours needs no quotes.
        self.upload(name, rows, doing)
    }

    /// What has this name; none if nothing has.
    fn find(&self, table: &TableName) -> Result<Option<Found>, Error>;

    /// The name by which a table is found, whoever asks: with the schema that it is in, or would be created in.
    fn whole_name(&self, table: &TableName) -> Result<TableName, Error> {
        Ok(table.clone())
    }

    /// What tells a table from another one that has its name later; none if the engine has nothing like that.
    fn identity(&self, _table: &TableName) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// What others can recognize this session by.
    fn sign(&self) -> Option<u64> {
        None
    }

    /// Whether the session with a sign is in the same database.
    fn sees(&self, _sign: u64) -> Result<bool, Error> {
        Ok(false)
    }

    /// Whether the session with a sign has read a table, so that nobody can drop it.
    fn is_read_by(&self, _sign: u64, _table: &TableName) -> Result<bool, Error> {
        Ok(false)
    }

    /// The files that a query reads, in order, where there is no transaction to hold them still; none if the engine does not
    /// say.
    fn files(&self, _query: &str) -> Result<Option<Vec<DataFile>>, Error> {
        Ok(None)
    }

    /// Removes a table at the end of the connection, unless it is published. Engines with transactions forget it anyway.
    fn keep_as_draft(&self, _draft: &TableName) {}

    /// Copies a checked draft to a place to which it cannot be moved at once. What fails says what is left there.
    fn copy(&self, _draft: &TableName, _target: &TableName) -> Result<(), Error> {
        Ok(())
    }

    /// Makes a checked draft the release, where there are no transactions. What fails is undone, or the error says what is
    /// left.
    fn publish(
        &self,
        _draft: &TableName,
        _target: &TableName,
        _replaces: bool,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Removes the table that a release has replaced, once it was counted under its name.
    fn conclude(&self, _target: &TableName) -> Result<(), Error> {
        Ok(())
    }

    /// Undoes that for a table that turned out to be another one than the draft, as far as it can be undone.
    fn withdraw(&self, _target: &TableName) -> Result<(), Error> {
        Ok(())
    }

    /// Makes everything done so far visible to others.
    fn commit(&self) -> Result<(), Error>;

    /// Stops the statement that is running, if any is. From any thread.
    fn cancel(&self);
}
