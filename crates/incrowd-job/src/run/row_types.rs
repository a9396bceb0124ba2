//! How the columns of a release are stored, if the format distinguishes numbers from text.
//!
//! A column published unchanged keeps the type it has in a Parquet or Arrow table. Other tables have no types; there, a column
//! that contains only integers in canonical form becomes a column of numbers (`007` is not canonical, so codes with
//! leading zeros stay text). Quasi-identifiers are always text, of labels that many rows share: the search decides which of them are published raw, and
//! a type should not depend on that. With `--suppressed star` everything is text, because `*` is.

use crate::run::files::ReleaseFile;
use crate::run::plan::Plan;
use crate::spec::{Job, Suppressed};
use incrowd_core::table::RowBatch;
use incrowd_io::{
    ChangeRows, ColumnType, Error, Fingerprint, RowReader, RowsRead, RowsSeal, SharedReader,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Determines the types of a release during the first pass over its table.
pub(crate) enum RowTypes {
    /// Of every column of the table.
    Stored(Vec<ColumnType>),
    /// Of a table that has no types.
    Seen(Arc<WholeNumbers>),
}

impl RowTypes {
    /// Watches what `reader` reads, if the release of `job`, which goes to `output`, can have types at all.
    pub(crate) fn watch(
        job: &Job,
        plan: &Plan,
        output: Option<&ReleaseFile>,
        reader: Box<dyn RowReader + Send>,
    ) -> (Option<RowTypes>, Box<dyn RowReader + Send>) {
        let has_types = output.is_some_and(ReleaseFile::keeps_types);
        if !has_types || job.output.suppressed == Some(Suppressed::Star) {
            return (None, reader);
        }
        if let Some(stored) = reader.types() {
            return (Some(RowTypes::Stored(stored)), reader);
        }
        let mut columns = plan.published();
        columns.retain(|column| !plan.quasi_identifiers.contains(column));
        let seen = Arc::new(WholeNumbers {
            columns: columns.into_iter().map(SeenColumn::new).collect(),
        });
        let watched = Watched {
            reader,
            seen: Arc::clone(&seen),
        };
        (Some(RowTypes::Seen(seen)), Box::new(watched))
    }

    /// The types of the published columns, after all rows have been read.
    pub(crate) fn of_release(&self, plan: &Plan) -> Vec<ColumnType> {
        let of = |column: usize| match self {
            _ if plan.quasi_identifiers.contains(&column) => ColumnType::LABEL,
            RowTypes::Stored(stored) => stored.get(column).cloned().unwrap_or_default(),
            RowTypes::Seen(seen) if seen.are_all_of(column) => ColumnType::INTEGER,
            RowTypes::Seen(_) => ColumnType::TEXT,
        };
        plan.published().into_iter().map(of).collect()
    }
}

/// Which columns have integers and nothing else but empty cells, in all rows that were seen by any thread.
#[derive(Debug)]
pub(crate) struct WholeNumbers {
    columns: Vec<SeenColumn>,
}

#[derive(Debug)]
struct SeenColumn {
    column: usize,
    has_integer: AtomicBool,
    has_other: AtomicBool,
}

impl SeenColumn {
    fn new(column: usize) -> Self {
        SeenColumn {
            column,
            has_integer: AtomicBool::new(false),
            has_other: AtomicBool::new(false),
        }
    }
}

impl WholeNumbers {
    fn see(&self, rows: &RowBatch) {
        for seen in &self.columns {
            if seen.has_other.load(Ordering::Relaxed) {
                continue;
            }
            let cells = (0..rows.rows()).map(|row| rows.cell(row, seen.column));
            let mut cells = cells.filter(|cell| !cell.is_empty()).peekable();
            if cells.peek().is_none() {
                continue;
            }
            match cells.all(ColumnType::is_integer) {
                true => seen.has_integer.store(true, Ordering::Relaxed),
                false => seen.has_other.store(true, Ordering::Relaxed),
            }
        }
    }

    fn are_all_of(&self, column: usize) -> bool {
        let seen = self.columns.iter().find(|seen| seen.column == column);
        seen.is_some_and(|seen| {
            seen.has_integer.load(Ordering::Relaxed) && !seen.has_other.load(Ordering::Relaxed)
        })
    }
}

impl ChangeRows for WholeNumbers {
    /// Changes nothing: it only looks.
    fn change(&self, rows: &RowBatch, _: &mut RowBatch) -> bool {
        self.see(rows);
        false
    }
}

/// A reader whose rows are looked at by the thread that needs them.
struct Watched {
    reader: Box<dyn RowReader + Send>,
    seen: Arc<WholeNumbers>,
}

impl RowReader for Watched {
    fn columns(&self) -> &[String] {
        self.reader.columns()
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let is_more = self.reader.read(batch)?;
        self.seen.see(batch);
        Ok(is_more)
    }

    fn read_ahead(&mut self, rows: &mut RowsRead) -> Result<bool, Error> {
        let is_more = self.reader.read_ahead(rows)?;
        if is_more {
            rows.change_by(self.seen.clone());
        }
        Ok(is_more)
    }

    fn share(&mut self) -> Option<Box<dyn SharedReader + '_>> {
        Some(Box::new(SharedWatched {
            reader: self.reader.share()?,
            seen: Arc::clone(&self.seen),
        }))
    }

    fn pass_over(&mut self) -> Result<bool, Error> {
        self.reader.pass_over()
    }

    fn passes_over_quickly(&self) -> bool {
        self.reader.passes_over_quickly()
    }

    fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        self.reader.fingerprint()
    }

    fn leave_fingerprint(&mut self) -> bool {
        self.reader.leave_fingerprint()
    }

    fn seal(&mut self) -> Result<RowsSeal, Error> {
        self.reader.seal()
    }

    fn delimiter(&self) -> Option<u8> {
        self.reader.delimiter()
    }

    fn has_padded_cells(&self) -> bool {
        self.reader.has_padded_cells()
    }
}

/// The same for several threads.
struct SharedWatched<'r> {
    reader: Box<dyn SharedReader + 'r>,
    seen: Arc<WholeNumbers>,
}

impl SharedReader for SharedWatched<'_> {
    fn read_ahead(&self, rows: &mut RowsRead) -> Result<Option<u64>, Error> {
        let number = self.reader.read_ahead(rows)?;
        if number.is_some() {
            rows.change_by(self.seen.clone());
        }
        Ok(number)
    }

    fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    fn time_in_turn(&self) -> Duration {
        self.reader.time_in_turn()
    }
}
