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
use incrowd_io::{ColumnType, Error, Fingerprint, RowReader, RowsSeal};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether each column contains only integers so far, and any at all.
type Seen = Arc<Mutex<Vec<WholeNumbers>>>;

#[derive(Debug, Clone, Copy, Default)]
struct WholeNumbers {
    any: bool,
    other: bool,
}

/// Determines the types of a release during the first pass over its table.
pub(crate) struct RowTypes {
    /// Of every column of the table, where it has some.
    stored: Option<Vec<ColumnType>>,
    seen: Seen,
}

impl RowTypes {
    /// Watches what `reader` reads, if the release of `job`, which goes to `output`, can have types at all.
    pub(crate) fn watch(
        job: &Job,
        output: Option<&ReleaseFile>,
        reader: Box<dyn RowReader + Send>,
    ) -> (Option<RowTypes>, Box<dyn RowReader + Send>) {
        let has_types = output.is_some_and(ReleaseFile::keeps_types);
        if !has_types || job.output.suppressed == Some(Suppressed::Star) {
            return (None, reader);
        }
        let types = RowTypes {
            stored: reader.types(),
            seen: Seen::default(),
        };
        if types.stored.is_some() {
            return (Some(types), reader);
        }
        *lock(&types.seen) = vec![WholeNumbers::default(); reader.columns().len()];
        let seen = Arc::clone(&types.seen);
        (Some(types), Box::new(Watched { reader, seen }))
    }

    /// The types of the published columns, after all rows have been read.
    pub(crate) fn of_release(&self, plan: &Plan) -> Vec<ColumnType> {
        let seen = lock(&self.seen);
        let of = |column: usize| match &self.stored {
            _ if plan.quasi_identifiers.contains(&column) => ColumnType::LABEL,
            Some(stored) => stored.get(column).cloned().unwrap_or_default(),
            None => match seen.get(column) {
                Some(WholeNumbers {
                    any: true,
                    other: false,
                }) => ColumnType::INTEGER,
                _ => ColumnType::TEXT,
            },
        };
        plan.published().into_iter().map(of).collect()
    }
}

fn lock(seen: &Seen) -> std::sync::MutexGuard<'_, Vec<WholeNumbers>> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reader that inspects the cells it passes on.
struct Watched {
    reader: Box<dyn RowReader + Send>,
    seen: Seen,
}

impl RowReader for Watched {
    fn columns(&self) -> &[String] {
        self.reader.columns()
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let more = self.reader.read(batch)?;
        let mut seen = lock(&self.seen);
        for (column, numbers) in seen.iter_mut().enumerate() {
            for row in 0..batch.rows() {
                if numbers.other {
                    break;
                }
                let cell = batch.cell(row, column);
                if !cell.is_empty() {
                    numbers.any = true;
                    numbers.other = !ColumnType::is_integer(cell);
                }
            }
        }
        Ok(more)
    }

    fn is_soon_passed_over(&self) -> bool {
        self.reader.is_soon_passed_over()
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
