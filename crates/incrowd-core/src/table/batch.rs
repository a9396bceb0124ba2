//! Rows in transit, as one run of bytes.

use std::ops::Range;

/// Rows of a block.
const BLOCK_ROWS: usize = 256;

/// A few thousand rows of raw cells, stored in one text so that a batch costs two allocations, reused.
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
    /// Where each cell begins and ends in `bytes`, row by row. Cells need not touch: a reader hands over its
    /// text with the delimiters still in it.
    cells: Vec<(usize, usize)>,
    first_row: u64,
}

impl RowBatch {
    /// An empty batch for rows of `columns` cells.
    pub fn new(columns: usize) -> Self {
        RowBatch {
            columns,
            bytes: Vec::new(),
            cells: Vec::new(),
            first_row: 0,
        }
    }

    /// Clears the rows but keeps the memory. `first_row` is the table's row number of the next row, from 0.
    pub fn clear(&mut self, first_row: u64) {
        self.bytes.clear();
        self.cells.clear();
        self.first_row = first_row;
    }

    /// Adds the next cell of the row being filled.
    pub fn push_cell(&mut self, cell: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(cell);
        self.cells.push((start, self.bytes.len()));
    }

    /// Adds whole rows at once: their text, and where in it each cell begins and ends.
    ///
    /// ```
    /// use incrowd_core::table::RowBatch;
    /// let mut batch = RowBatch::new(2);
    /// batch.push_rows(b"39,Private\n", [(0, 2), (3, 10)]);
    /// assert_eq!(batch.cell(0, 1), b"Private");
    /// ```
    pub fn push_rows(&mut self, text: &[u8], cells: impl IntoIterator<Item = (usize, usize)>) {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.cells.extend(
            cells
                .into_iter()
                .map(|(start, end)| (offset + start, offset + end)),
        );
        debug_assert!(self.columns > 0 && self.cells.len().is_multiple_of(self.columns));
    }

    /// The number of columns of every row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of complete rows.
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The table's row number of the first row of this batch, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// The bytes held, to decide when a batch is full.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// The text that contains all cells, and possibly delimiters between them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All rows, some hundred at a time: few enough that their cells stay in the fastest cache while column after
    /// column is looked up.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let rows = self.rows();
        let starts = (0..rows).step_by(BLOCK_ROWS);
        starts.map(move |start| start..rows.min(start + BLOCK_ROWS))
    }

    /// One cell, with the text around it.
    #[inline]
    pub(crate) fn cell_in_text(&self, row: usize, column: usize) -> Cell<'_> {
        let (start, end) = self.cells[row * self.columns + column];
        Cell {
            onward: &self.bytes[start..],
            length: end - start,
        }
    }

    /// One cell.
    #[inline]
    pub fn cell(&self, row: usize, column: usize) -> &[u8] {
        let (start, end) = self.cells[row * self.columns + column];
        &self.bytes[start..end]
    }
}

/// A cell, and the text that follows it: with that, a lookup reads a fixed number of bytes whatever the length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    onward: &'a [u8],
    length: usize,
}

impl<'a> Cell<'a> {
    /// The bytes of the cell.
    #[inline]
    pub(crate) fn value(self) -> &'a [u8] {
        &self.onward[..self.length]
    }

    /// The text from where the cell begins.
    #[inline]
    pub(crate) fn onward(self) -> &'a [u8] {
        self.onward
    }

    /// No text at all.
    pub(crate) const EMPTY: Cell<'static> = Cell {
        onward: &[],
        length: 0,
    };
}
