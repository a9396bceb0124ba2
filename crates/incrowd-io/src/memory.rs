//! Tables in memory, read and written like files.

use crate::csv::check_columns;
use crate::row_source::{RowReader, RowSource};
use crate::rows_hashed::RowsHashed;
use crate::sink::{RowSink, Written};
use crate::{ColumnType, Error, Fingerprint};
use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_core::table::RowBatch;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows per batch.
const BATCH_ROWS: usize = 4096;

/// A table in memory.
///
/// ```
/// use incrowd_io::{MemoryTable, RowSource};
/// let table = MemoryTable::new(["age", "zip"], [["39", "10115"], ["41", "10117"]])?;
/// assert_eq!(table.open()?.columns(), ["age", "zip"]);
/// # Ok::<(), incrowd_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MemoryTable {
    columns: Vec<String>,
    /// Shared by all who read it.
    rows: Arc<RowBatch>,
    fingerprint: Fingerprint,
}

impl MemoryTable {
    /// A table with these columns and rows. A missing cell is the empty text.
    pub fn new<Row, Cell: AsRef<str>>(
        columns: impl IntoIterator<Item = impl Into<String>>,
        rows: impl IntoIterator<Item = Row>,
    ) -> Result<Self, Error>
    where
        Row: IntoIterator<Item = Cell>,
    {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        let mut batch = RowBatch::new(columns.len());
        for (row, cells) in (1..).zip(rows) {
            let mut count = 0;
            for cell in cells {
                batch.push_cell(cell.as_ref().as_bytes());
                count += 1;
            }
            if count != columns.len() {
                return Err(Error::RaggedRow {
                    input: NAME.into(),
                    row,
                    line: row,
                    found: count,
                    expected: columns.len(),
                });
            }
        }
        MemoryTable::of_batch(columns, batch)
    }

    fn of_batch(columns: Vec<String>, rows: RowBatch) -> Result<Self, Error> {
        check_columns(NAME, &columns)?;
        let mut hasher = RowsHashed::new(&columns);
        hasher.add(&rows);
        Ok(MemoryTable {
            fingerprint: hasher.fingerprint(),
            columns,
            rows: Arc::new(rows),
        })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows, cell by cell.
    pub fn rows(&self) -> impl Iterator<Item = Vec<&str>> {
        let cell = |row, column| std::str::from_utf8(self.rows.cell(row, column));
        (0..self.rows.rows()).map(move |row| {
            let cells = (0..self.columns.len()).map(|column| cell(row, column));
            cells
                .map(|cell| cell.expect("only text was put in"))
                .collect()
        })
    }
}

/// The name of a table in memory in messages.
const NAME: &str = "the table in memory";

impl RowSource for MemoryTable {
    fn name(&self) -> String {
        NAME.into()
    }

    fn bytes_total(&self) -> Option<u64> {
        Some(self.rows.byte_len() as u64)
    }

    fn open(&self) -> Result<Box<dyn RowReader + Send>, Error> {
        if self.rows.rows() == 0 {
            return Err(Error::NoRows { input: NAME.into() });
        }
        Ok(Box::new(MemoryReader {
            table: self.clone(),
            next: 0,
            bytes: 0,
        }))
    }
}

/// A pass over a table in memory.
struct MemoryReader {
    table: MemoryTable,
    next: usize,
    bytes: u64,
}

impl RowReader for MemoryReader {
    fn columns(&self) -> &[String] {
        &self.table.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let (rows, columns) = (&self.table.rows, self.table.columns.len());
        *batch = RowBatch::new(columns);
        batch.clear(self.next as u64);
        let end = rows.rows().min(self.next + BATCH_ROWS);
        for row in self.next..end {
            (0..columns).for_each(|column| batch.push_cell(rows.cell(row, column)));
        }
        self.next = end;
        self.bytes += batch.byte_len() as u64;
        Ok(batch.rows() > 0)
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        Ok(self.table.fingerprint)
    }

    fn delimiter(&self) -> Option<u8> {
        None
    }
}

/// Keeps a release in memory. Clones share it: one goes to the job, the other returns the result.
#[derive(Debug, Clone, Default)]
pub struct MemorySink {
    columns: Vec<String>,
    rows: RowBatch,
    finished: Arc<Mutex<Option<MemoryTable>>>,
}

impl MemorySink {
    /// The release, once it is complete.
    pub fn release(&self) -> Option<MemoryTable> {
        let finished = self.finished.lock();
        finished.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RowSink for MemorySink {
    fn begin(&mut self, columns: &[String], _: Option<Vec<ColumnType>>) -> Result<(), Error> {
        self.columns = columns.to_vec();
        self.rows = RowBatch::new(columns.len());
        Ok(())
    }

    fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        let rows = rows.rows();
        for row in 0..rows.rows() {
            (0..rows.columns()).for_each(|column| self.rows.push_cell(rows.cell(row, column)));
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: Confirmation) -> Result<Written, Error> {
        let table = MemoryTable::of_batch(self.columns, self.rows)?;
        let written = Written {
            sha256: table.fingerprint,
            bytes: table.rows.byte_len() as u64,
        };
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        *finished = Some(table);
        Ok(written)
    }
}
