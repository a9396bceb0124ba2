//! Rows on their way through, as one run of bytes.

/// A few thousand rows of raw cells, stored end to end so that a batch costs two allocations, reused.
///
/// ```
/// use incrowd_core::table::RowBatch;
/// let mut batch = RowBatch::new(2);
/// batch.push_cell(b"39");
/// batch.push_cell(b"Private");
/// assert_eq!(batch.rows(), 1);
/// assert_eq!(batch.cell(0, 1), b"Private");
/// ```
#[derive(Debug, Default, Clone)]
pub struct RowBatch {
    columns: usize,
    bytes: Vec<u8>,
    /// Where each cell ends in `bytes`, row by row.
    ends: Vec<usize>,
    first_row: u64,
}

impl RowBatch {
    /// An empty batch for rows of `columns` cells.
    pub fn new(columns: usize) -> Self {
        RowBatch {
            columns,
            bytes: Vec::new(),
            ends: Vec::new(),
            first_row: 0,
        }
    }

    /// Forgets the rows, keeps the memory. `first_row` is the table's row number of the next row, from 0.
    pub fn clear(&mut self, first_row: u64) {
        self.bytes.clear();
        self.ends.clear();
        self.first_row = first_row;
    }

    /// Adds the next cell of the row being filled.
    pub fn push_cell(&mut self, cell: &[u8]) {
        self.bytes.extend_from_slice(cell);
        self.ends.push(self.bytes.len());
    }

    /// The number of columns of every row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of complete rows.
    pub fn rows(&self) -> usize {
        self.ends.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The table's row number of the first row of this batch, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// The bytes held, to decide when a batch is full.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// All cells end to end, to check an encoding at once.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// One cell.
    #[inline]
    pub fn cell(&self, row: usize, column: usize) -> &[u8] {
        let at = row * self.columns + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}
