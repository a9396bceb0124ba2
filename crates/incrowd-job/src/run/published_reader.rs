//! Reads a published file for verification.

use incrowd_core::counts::Missing;
use incrowd_core::hierarchy::ANY;
use incrowd_core::table::RowBatch;
use incrowd_io::{ChangeRows, Error, Fingerprint, RowReader, RowsRead, SharedReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Separates the cells of a row that are joined into one; no text file contains it.
const SEPARATOR: u8 = 0x1f;

/// The columns whose cells are joined.
#[derive(Debug)]
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
    rule: Arc<Rule>,
    /// Memory of rows before they were changed.
    unchanged: RowBatch,
}

/// What becomes of the rows of the file.
#[derive(Debug)]
struct Rule {
    joined: Option<Joined>,
    /// Where rows that are `*` in every column are counted; none for a table that is not a release, where they are
    /// ordinary rows.
    rows_starred: Option<Arc<AtomicU64>>,
}

impl Rule {
    /// What reading found, where `end` says that there is nothing left. All rows of a release may have been suppressed.
    fn unless_empty<T>(&self, read: Result<T, Error>, end: T) -> Result<T, Error> {
        match (read, &self.rows_starred) {
            (Err(Error::NoRows { .. }), Some(_)) => Ok(end),
            (read, _) => read,
        }
    }
}

impl ChangeRows for Rule {
    fn change(&self, rows: &RowBatch, changed: &mut RowBatch) -> bool {
        let columns = rows.columns();
        let is_starred = |row| (0..columns).all(|column| rows.cell(row, column) == ANY.as_bytes());
        let mut skips = false;
        if let Some(rows_starred) = &self.rows_starred {
            let starred = (0..rows.rows()).filter(|&row| is_starred(row)).count();
            rows_starred.fetch_add(starred as u64, Ordering::Relaxed);
            skips = starred > 0;
        }
        if !skips && self.joined.is_none() {
            return false;
        }
        let all_columns = columns + usize::from(self.joined.is_some());
        if changed.columns() != all_columns {
            *changed = RowBatch::new(all_columns);
        }
        changed.clear(rows.first_row());
        let mut whole = Vec::new();
        for row in (0..rows.rows()).filter(|&row| !skips || !is_starred(row)) {
            let cell = |column| rows.cell(row, column);
            (0..columns).for_each(|column| changed.push_cell(cell(column)));
            if let Some(joined) = &self.joined {
                // Never empty: that would be a missing cell.
                whole.clear();
                whole.push(SEPARATOR);
                for &(column, is_counted) in &joined.columns {
                    let bytes = cell(column);
                    let tokens = &joined.missing.tokens;
                    let is_token = is_counted && tokens.iter().any(|it| it.as_bytes() == bytes);
                    if !is_token {
                        whole.extend_from_slice(bytes);
                    }
                    whole.push(SEPARATOR);
                }
                changed.push_cell(&whole);
            }
        }
        true
    }
}

impl PublishedReader {
    pub(crate) fn new(
        inner: Box<dyn RowReader + Send>,
        joined: Option<Joined>,
        rows_starred: Option<Arc<AtomicU64>>,
    ) -> Self {
        let mut columns = inner.columns().to_vec();
        columns.extend(joined.as_ref().map(|_| "the whole row".to_owned()));
        PublishedReader {
            inner,
            columns,
            rule: Arc::new(Rule {
                joined,
                rows_starred,
            }),
            unchanged: RowBatch::default(),
        }
    }
}

impl RowReader for PublishedReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let read = self.inner.read(batch);
        if !self.rule.unless_empty(read, false)? {
            *batch = RowBatch::new(self.columns.len());
            return Ok(false);
        }
        if self.rule.change(batch, &mut self.unchanged) {
            std::mem::swap(batch, &mut self.unchanged);
        }
        Ok(true)
    }

    fn read_ahead(&mut self, rows: &mut RowsRead) -> Result<bool, Error> {
        let read = self.inner.read_ahead(rows);
        let is_more = self.rule.unless_empty(read, false)?;
        if is_more {
            rows.change_by(self.rule.clone());
        }
        Ok(is_more)
    }

    fn share(&mut self) -> Option<Box<dyn SharedReader + '_>> {
        Some(Box::new(SharedPublished {
            inner: self.inner.share()?,
            rule: Arc::clone(&self.rule),
        }))
    }

    fn bytes_read(&self) -> u64 {
        self.inner.bytes_read()
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        self.inner.fingerprint()
    }

    fn leave_fingerprint(&mut self) -> bool {
        self.inner.leave_fingerprint()
    }

    fn delimiter(&self) -> Option<u8> {
        self.inner.delimiter()
    }
}

/// The same for several threads.
struct SharedPublished<'r> {
    inner: Box<dyn SharedReader + 'r>,
    rule: Arc<Rule>,
}

impl SharedReader for SharedPublished<'_> {
    fn read_ahead(&self, rows: &mut RowsRead) -> Result<Option<u64>, Error> {
        let read = self.inner.read_ahead(rows);
        let number = self.rule.unless_empty(read, None)?;
        if number.is_some() {
            rows.change_by(self.rule.clone());
        }
        Ok(number)
    }

    fn bytes_read(&self) -> u64 {
        self.inner.bytes_read()
    }

    fn time_in_turn(&self) -> Duration {
        self.inner.time_in_turn()
    }
}
