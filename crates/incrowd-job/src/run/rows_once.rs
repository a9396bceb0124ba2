//! The rows of a release of which few are different: each is recoded once, then written as often as it occurs, in the order of the
//! table.

use crate::error::Error;
use crate::run::files::ReleaseFile;
use crate::spec::{Job, Suppressed};
use incrowd_core::counts::CountedRows;
use incrowd_core::publish::{PublishedRows, RecodedOnce, Recoder};
use incrowd_io::{EncodedRows, FormattedRows};

/// The most bytes that the texts of different rows may take.
const MOST_BYTES_FORMATTED: u32 = 1 << 26;

/// About how many bytes of text are written at once: so many that they are hashed on another thread.
const BYTES_AT_ONCE: u64 = 1 << 18;

/// The most rows of text that are written at once.
const MOST_ROWS_AT_ONCE: u64 = 1 << 16;

/// How many rows are written at once as columns: so few that the numbers of a column stay in the nearest caches.
const ROWS_OF_COLUMNS_AT_ONCE: u64 = 1 << 13;

/// Different rows, ready to be written.
pub(super) enum RowsOnce {
    Text(FormattedRows),
    Columns(RecodedOnce),
}

/// Rows to be written next, as text or as columns.
#[derive(Default)]
pub(super) struct NextRows {
    text: EncodedRows,
    columns: PublishedRows,
}

impl RowsOnce {
    /// Whether a job writes rows so, if few are different.
    pub(super) fn are_written_by(job: &Job, output: &ReleaseFile) -> bool {
        let is_shuffled = job.output.shuffle == Some(true);
        let drops_suppressed = job.output.suppressed.unwrap_or_default() == Suppressed::Drop;
        !is_shuffled && (output.encoder().is_some() || drops_suppressed)
    }

    /// Recodes the rows that were counted. None if their texts take too much memory, or if neither text nor columns can be written.
    pub(super) fn new(
        counted: &CountedRows,
        recoder: &Recoder,
        output: &ReleaseFile,
    ) -> Result<Option<Self>, Error> {
        let Some(encoder) = output.encoder() else {
            let columns = recoder.recode_once(&counted.rows)?;
            return Ok(columns.map(RowsOnce::Columns));
        };
        let mut recoder = recoder.clone();
        let recoded = recoder.recode_in_place(&counted.rows)?;
        let different = counted.sizes.len();
        let text = FormattedRows::new(encoder, &recoded, different, MOST_BYTES_FORMATTED);
        Ok(text.map(RowsOnce::Text))
    }

    /// Whether they are written as text.
    pub(super) fn are_text(&self) -> bool {
        matches!(self, RowsOnce::Text(_))
    }

    /// How much is written if there are so many of each row: bytes of text, or rows as columns.
    pub(super) fn amount(&self, sizes: &[u32]) -> u64 {
        match self {
            RowsOnce::Text(text) => text.bytes(sizes),
            RowsOnce::Columns(columns) => columns.rows(sizes),
        }
    }

    /// How many rows of the table are written at once, if it has so many and this [amount](RowsOnce::amount) of them is written.
    pub(super) fn rows_at_once(&self, rows: u64, amount: u64) -> u64 {
        match self {
            RowsOnce::Text(_) => (BYTES_AT_ONCE * rows / amount.max(1)).clamp(1, MOST_ROWS_AT_ONCE),
            RowsOnce::Columns(_) => ROWS_OF_COLUMNS_AT_ONCE,
        }
    }

    /// Makes rows ready to be written, given by number in some pieces.
    pub(super) fn make(
        &self,
        pieces: impl IntoIterator<Item = impl Iterator<Item = u32>>,
        next: &mut NextRows,
    ) {
        match self {
            RowsOnce::Text(text) => text.encode(pieces, &mut next.text),
            RowsOnce::Columns(columns) => columns.repeat(pieces, &mut next.columns),
        }
    }

    /// Writes rows that are ready. How much that is.
    pub(super) fn write(
        &self,
        next: &mut NextRows,
        output: &mut ReleaseFile,
    ) -> Result<u64, Error> {
        match self {
            RowsOnce::Text(_) => {
                let bytes = next.text.as_bytes().len() as u64;
                output.write_encoded(&mut next.text)?;
                Ok(bytes)
            }
            RowsOnce::Columns(_) => {
                output.write(&next.columns)?;
                Ok(next.columns.rows().rows() as u64)
            }
        }
    }
}
