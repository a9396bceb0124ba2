//! Reads a published file for verification.

use incrowd_core::counts::Missing;
use incrowd_core::hierarchy::ANY;
use incrowd_core::table::RowBatch;
use incrowd_io::{Error, Fingerprint, RowReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Separates the cells of a row that are joined into one; no text file contains it.
const SEPARATOR: u8 = 0x1f;

/// The columns whose cells are joined.
pub(crate) struct Joined {
    /// Where each column is, and whether it is counted: then all its missing cells are one value.
    pub(crate) columns: Vec<(usize, bool)>,
    pub(crate) missing: Missing,
}

/// Reads a release, or the table it was made from. In a release it skips rows that are `*` in every column, which are
/// suppressed or blank, so there may be no rows. Joins the cells of some columns into one more, so that whole rows can
/// be compared.
pub(crate) struct PublishedReader {
    inner: Box<dyn RowReader + Send>,
    columns: Vec<String>,
    joined: Option<Joined>,
    /// Where rows that are `*` in every column are counted; none for a table that is not a release, where they are
    /// ordinary rows.
    rows_starred: Option<Arc<AtomicU64>>,
    rows: RowBatch,
    cell: Vec<u8>,
}

impl PublishedReader {
    pub(crate) fn new(
        inner: Box<dyn RowReader + Send>,
        joined: Option<Joined>,
        rows_starred: Option<Arc<AtomicU64>>,
    ) -> Self {
        let mut columns = inner.columns().to_vec();
        let rows = RowBatch::new(columns.len());
        columns.extend(joined.as_ref().map(|_| "the whole row".to_owned()));
        PublishedReader {
            inner,
            columns,
            joined,
            rows_starred,
            rows,
            cell: Vec::new(),
        }
    }
}

impl RowReader for PublishedReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let is_more = match (self.inner.read(&mut self.rows), &self.rows_starred) {
            // All may have been suppressed.
            (Err(Error::NoRows { .. }), Some(_)) => false,
            (is_more, _) => is_more?,
        };
        if batch.columns() != self.columns.len() {
            *batch = RowBatch::new(self.columns.len());
        }
        batch.clear(self.rows.first_row());
        if !is_more {
            return Ok(false);
        }
        let columns = self.rows.columns();
        for row in 0..self.rows.rows() {
            let cell = |column| self.rows.cell(row, column);
            if let Some(rows_starred) = &self.rows_starred
                && (0..columns).all(|column| cell(column) == ANY.as_bytes())
            {
                rows_starred.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            (0..columns).for_each(|column| batch.push_cell(cell(column)));
            if let Some(joined) = &self.joined {
                // Never empty: that would be a missing cell.
                self.cell.clear();
                self.cell.push(SEPARATOR);
                for &(column, is_counted) in &joined.columns {
                    let bytes = cell(column);
                    let tokens = &joined.missing.tokens;
                    let is_token = is_counted && tokens.iter().any(|it| it.as_bytes() == bytes);
                    if !is_token {
                        self.cell.extend_from_slice(bytes);
                    }
                    self.cell.push(SEPARATOR);
                }
                batch.push_cell(&self.cell);
            }
        }
        Ok(true)
    }

    fn bytes_read(&self) -> u64 {
        self.inner.bytes_read()
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        self.inner.fingerprint()
    }

    fn delimiter(&self) -> Option<u8> {
        self.inner.delimiter()
    }
}
