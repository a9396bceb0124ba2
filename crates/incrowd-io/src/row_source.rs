//! What a table is to whoever reads it: rows that can be handed out as often as needed.

use crate::Error;
use crate::column_type::ColumnType;
use crate::engine::{Cancel, EngineFacts, EngineHandle, GroupRoom, TakeGroups};
use crate::fingerprint::Fingerprint;
use crate::seal::RowsSeal;
use incrowd_core::table::RowBatch;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// Hands out a table in batches, once, from its first row to its last.
pub trait RowReader {
    /// The names of the columns, all different, none empty.
    fn columns(&self) -> &[String];

    /// Fills `batch` with the next few thousand rows, about a megabyte; `false` and no rows at the end.
    ///
    /// Every cell is UTF-8. The batch takes on the number of columns of the table.
    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error>;

    /// The next rows as [`RowReader::read`] hands them out, whose last part of work may be left to the thread that needs them.
    fn read_ahead(&mut self, rows: &mut RowsRead) -> Result<bool, Error> {
        rows.unsplit = None;
        self.read(&mut rows.batch)
    }

    /// The rest for several threads, each of which reads its next rows itself; none where one thread has to read for all.
    fn share(&mut self) -> Option<Box<dyn SharedReader + '_>> {
        None
    }

    /// Reads a part of the rest for nothing but the [fingerprint](RowReader::fingerprint), for whoever needs no more rows;
    /// `false` at the end. There are no rows to be read after that.
    fn pass_over(&mut self) -> Result<bool, Error> {
        self.read(&mut RowBatch::default())
    }

    /// Whether [`RowReader::pass_over`] takes far less time than reading rows.
    fn passes_over_quickly(&self) -> bool {
        false
    }

    /// How much of [`RowSource::bytes_total`] has been read, to show progress.
    fn bytes_read(&self) -> u64;

    /// SHA-256 of all bytes of the input, as they are stored.
    ///
    /// # Panics
    /// If it was [left](RowReader::leave_fingerprint) to the next pass.
    fn fingerprint(&mut self) -> Result<Fingerprint, Error>;

    /// Has the thread that reads take the fingerprint, and none beside it: for whoever reads while it waits for something that
    /// needs the other cores.
    fn fingerprint_here(&mut self) {}

    /// Leaves the fingerprint to the next pass, where that is possible; whether it does. For whoever is sure to make a next pass
    /// ([`RowSource::open_again`]) and to read all of it, and has other work for every core now.
    fn leave_fingerprint(&mut self) -> bool {
        false
    }

    /// What the next pass is to be compared with: the fingerprint, unless it was [left](RowReader::leave_fingerprint) to that.
    fn seal(&mut self) -> Result<RowsSeal, Error> {
        self.fingerprint().map(RowsSeal::Fingerprint)
    }

    /// What separates cells, given or detected; none where nothing does.
    fn delimiter(&self) -> Option<u8>;

    /// How each column is stored; none where everything is text.
    fn types(&self) -> Option<Vec<ColumnType>> {
        None
    }

    /// Whether, in the first rows, most cells of some column have white space around them that is taken as part of
    /// the value.
    fn has_padded_cells(&self) -> bool {
        false
    }

    /// Takes the fingerprint of the cells of these columns only, where that is possible: in an engine, which is not asked for
    /// columns that nobody needs. A file has the fingerprint of its bytes.
    fn fingerprint_only(&mut self, _columns: &[usize]) {}

    /// Says, before any row is read, that another pass follows this one, and that memory may be used to make it faster.
    fn expect_another_pass(&mut self) {}

    /// Counts the rows where they are: hands over each combination of cells of these columns once, with its number of
    /// rows. None if the rows have to be read. Replaces [`RowReader::read`]; the fingerprint is then that of the cells
    /// of these columns.
    fn group(&mut self, _columns: &[usize], _take: TakeGroups<'_>) -> Option<Result<(), Error>> {
        None
    }

    /// Fails, with the figures, if there are more combinations of cells of these columns than there is room for, or more
    /// rows than can be counted, as far as an engine says so at little cost. Whoever met too many of them already asks for
    /// the figures at any cost.
    fn check_groups(
        &mut self,
        _columns: &[usize],
        _room: GroupRoom,
        _at_any_cost: bool,
    ) -> Result<(), Error> {
        Ok(())
    }
}

/// Hands out a table in batches, each to the thread that asks for it.
pub trait SharedReader: Send + Sync {
    /// The next rows as [`RowReader::read_ahead`] hands them out, perhaps none, with the number of their batch, which count up
    /// from 0 in the order of rows; none at the end. An error is about rows after all those that were handed out, and
    /// nothing follows it.
    fn read_ahead(&self, rows: &mut RowsRead) -> Result<Option<u64>, Error>;

    /// The same as [`RowReader::bytes_read`].
    fn bytes_read(&self) -> u64;

    /// How long threads did what only one of them can do at a time. The rest of the work is shared by however many there are.
    fn time_in_turn(&self) -> Duration;
}

/// Rows as they are stored, which any thread can split into cells.
pub(crate) trait Unsplit: Any + Debug + Send {
    /// Moves the rows into a batch, once.
    fn split_into(&mut self, batch: &mut RowBatch) -> Result<(), Error>;
}

/// Makes others of rows as soon as they are split into cells, or only looks at them, on the thread that needs them.
pub trait ChangeRows: Debug + Send + Sync {
    /// Fills `changed` with what becomes of the rows; false if they stay as they are.
    fn change(&self, rows: &RowBatch, changed: &mut RowBatch) -> bool;
}

/// Rows that were read, perhaps not yet split into cells.
///
/// Text is split wherever the rows are needed, so that threads do no more one after the other than find where rows end.
#[derive(Debug, Default)]
pub struct RowsRead {
    batch: RowBatch,
    /// What is to be split into the batch, unless that was done.
    unsplit: Option<Box<dyn Unsplit>>,
    is_split: bool,
    /// What changes the rows once they are split, unless that was done.
    change: Option<Arc<dyn ChangeRows>>,
    /// What they were before, for its memory.
    unchanged: RowBatch,
}

impl RowsRead {
    /// The rows, split if they are not yet.
    pub fn split(&mut self) -> Result<&mut RowBatch, Error> {
        if let Some(unsplit) = &mut self.unsplit
            && !self.is_split
        {
            unsplit.split_into(&mut self.batch)?;
            self.is_split = true;
        }
        if let Some(change) = self.change.take()
            && change.change(&self.batch, &mut self.unchanged)
        {
            std::mem::swap(&mut self.batch, &mut self.unchanged);
        }
        Ok(&mut self.batch)
    }

    /// Has rows that were just read changed as soon as they are split.
    pub fn change_by(&mut self, change: Arc<dyn ChangeRows>) {
        debug_assert!(self.change.is_none(), "there is one change at most");
        self.change = Some(change);
    }

    /// What was split before, for its memory, if it is of this kind.
    pub(crate) fn take_unsplit<T: Unsplit>(&mut self) -> Option<Box<T>> {
        let unsplit: Box<dyn Any> = self.unsplit.take()?;
        unsplit.downcast().ok()
    }

    /// Sets what is to be split.
    pub(crate) fn set_unsplit(&mut self, unsplit: Box<dyn Unsplit>) {
        self.unsplit = Some(unsplit);
        self.is_split = false;
    }
}

/// A table that can be read as often as needed: a file, a table in memory, whatever can hand out rows.
pub trait RowSource: std::fmt::Debug + Send + Sync {
    /// What to call it in messages.
    fn name(&self) -> String;

    /// How many bytes [`RowReader::bytes_read`] will reach, when that is known.
    fn bytes_total(&self) -> Option<u64>;

    /// Begins a pass over the rows.
    fn open(&self) -> Result<Box<dyn RowReader + Send>, Error>;

    /// Begins another pass over the rows of a pass before. If they are others, either the reader fails, at the latest when it
    /// is asked for its fingerprint, or that fingerprint is another; if it was left to this pass, the reader fails.
    fn open_again(&self, _seal: &RowsSeal) -> Result<Box<dyn RowReader + Send>, Error> {
        self.open()
    }

    /// Begins a pass of which so many rows are needed and no more; which ones does not matter. They have a seal, if there was a
    /// pass before.
    fn open_some(
        &self,
        _rows: u64,
        seal: Option<&RowsSeal>,
    ) -> Result<Box<dyn RowReader + Send>, Error> {
        match seal {
            Some(seal) => self.open_again(seal),
            None => self.open(),
        }
    }

    /// What the engine that holds the table needs to create another one beside it, so that rows need not leave it.
    fn handle(&self) -> Option<EngineHandle> {
        None
    }

    /// The engine that holds the table; none if it is none but this program.
    fn engine(&self) -> Option<EngineFacts> {
        None
    }

    /// Stops what the engine is doing; none if reading stops by itself at the next batch.
    fn cancel(&self) -> Option<Cancel> {
        None
    }
}
