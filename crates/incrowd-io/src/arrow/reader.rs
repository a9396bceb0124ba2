//! Columns of values to coded columns of texts.

use super::NAME;
use super::cells::{Cells, Reading};
use super::coder::ColumnCoder;
use super::remembered::Remembered;
use crate::column_type::ColumnType;
use crate::fingerprint::CellHasher;
use crate::{Encoding, Error, Fingerprint, RowReader};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use incrowd_core::table::RowBatch;
use std::sync::{Arc, OnceLock};

/// Rows of a batch that is handed out.
const BATCH_ROWS: usize = 8192;

/// Fewer if a column holds so many bytes of text that has to be spelled out.
const BATCH_BYTES: usize = 4 << 20;

/// By column, what a whole pass has kept for the next ones.
pub(super) type Memory = Arc<OnceLock<Vec<Option<Remembered>>>>;

/// A pass over an Arrow table.
pub(super) struct ArrowReader {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
    columns: Vec<String>,
    readings: Vec<Reading>,
    next_batch: usize,
    /// The columns of the record batch being read, how many rows it has, and which is next.
    open: Vec<Box<dyn Cells>>,
    open_rows: usize,
    next_row: usize,
    rows: u64,
    rows_total: u64,
    bytes_total: u64,
    hasher: CellHasher,
    /// By column; none for one that was remembered.
    coders: Vec<Option<ColumnCoder>>,
    memory: Memory,
    /// Whether it keeps something.
    is_followed: bool,
}

impl ArrowReader {
    /// Begins a pass over batches whose columns are all of types that can be read.
    pub(super) fn new(
        schema: SchemaRef,
        batches: Arc<[RecordBatch]>,
        memory: Memory,
    ) -> ArrowReader {
        let fields = schema.fields();
        let columns: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let readings = fields.iter().map(|field| {
            Reading::of(field.data_type()).expect("a table has no columns of other types")
        });
        let rows_total: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let mut hasher = CellHasher::new(&columns);
        let remembered = memory.get();
        let coders = (0..columns.len()).map(|at| {
            let Some(remembered) = remembered.and_then(|columns| columns[at].as_ref()) else {
                return Some(ColumnCoder::default());
            };
            hasher.column(at).clone_from(&remembered.hasher);
            None
        });
        let coders = coders.collect();
        ArrowReader {
            readings: readings.collect(),
            next_batch: 0,
            open: Vec::new(),
            open_rows: 0,
            next_row: 0,
            rows: 0,
            rows_total: rows_total as u64,
            bytes_total: bytes(&batches),
            hasher,
            coders,
            columns,
            schema,
            batches,
            memory,
            is_followed: false,
        }
    }

    /// Opens the next record batch; `false` at the end.
    fn open_batch(&mut self) -> bool {
        let Some(batch) = self.batches.get(self.next_batch) else {
            self.remember();
            return false;
        };
        let arrays = self.readings.iter().zip(batch.columns());
        self.open = arrays.map(|(reading, array)| reading.open(array)).collect();
        self.open_rows = batch.num_rows();
        self.next_row = 0;
        self.next_batch += 1;
        true
    }

    /// Keeps what was met, at the end of a pass that others follow.
    fn remember(&mut self) {
        if !self.is_followed {
            return;
        }
        let (coders, hasher) = (&mut self.coders, &mut self.hasher);
        self.memory.get_or_init(|| {
            let columns = coders.iter_mut().enumerate();
            let columns = columns.map(|(at, coder)| coder.as_mut()?.remembered(hasher.column(at)));
            columns.collect()
        });
    }
}

/// The memory that holds the values.
pub(super) fn bytes(batches: &[RecordBatch]) -> u64 {
    let bytes = batches.iter().map(RecordBatch::get_array_memory_size);
    bytes.sum::<usize>() as u64
}

impl RowReader for ArrowReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        if batch.columns() != self.columns.len() {
            *batch = RowBatch::new(self.columns.len());
        }
        batch.clear(self.rows);
        while self.next_row == self.open_rows {
            if !self.open_batch() {
                return Ok(false);
            }
        }
        let first = self.next_row;
        let mut rows = BATCH_ROWS.min(self.open_rows - first);
        let mut broken = None;
        for (at, (coder, cells)) in self.coders.iter_mut().zip(&mut self.open).enumerate() {
            let Some(coder) = coder else {
                continue;
            };
            match coder.look(&mut **cells, first..first + rows, BATCH_BYTES) {
                Ok(fit) => rows = fit,
                // Columns after this one may have a broken cell in a row before.
                Err(row) => {
                    rows = row;
                    broken = Some((row, at));
                }
            }
        }
        if let Some((row, column)) = broken
            && rows == row
        {
            return Err(Error::NotUtf8 {
                input: NAME.into(),
                row: Some(self.rows + row as u64 + 1),
                position: column + 1,
                likely: Encoding::Windows1252,
            });
        }
        let remembered = self.memory.get();
        let met = self.rows as usize..self.rows as usize + rows;
        let coders = self.coders.iter_mut().enumerate();
        let coded = coders.map(|(at, coder)| match coder {
            Some(coder) => coder.code(rows, self.hasher.column(at)),
            None => {
                let remembered = remembered.and_then(|columns| columns[at].as_ref());
                let remembered = remembered.expect("columns without a coder were remembered");
                remembered.coded(met.clone())
            }
        });
        batch.set_coded(coded.collect());
        self.next_row += rows;
        self.rows += batch.rows() as u64;
        Ok(batch.rows() > 0)
    }

    fn bytes_read(&self) -> u64 {
        // Columns are stored apart, so the share of rows tells most.
        let share = self.rows as f64 / self.rows_total.max(1) as f64;
        (share * self.bytes_total as f64) as u64
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        let mut rest = RowBatch::default();
        while self.read(&mut rest)? {}
        Ok(self.hasher.fingerprint())
    }

    fn delimiter(&self) -> Option<u8> {
        None
    }

    fn expect_another_pass(&mut self) {
        self.is_followed = true;
        let rows = self.rows_total as usize;
        let coders = self.coders.iter_mut().flatten();
        coders.for_each(|coder| coder.remember(rows));
    }

    fn types(&self) -> Option<Vec<ColumnType>> {
        let fields = self.schema.fields().iter();
        Some(
            fields
                .map(|field| ColumnType::of_arrow(field.data_type()))
                .collect(),
        )
    }
}
