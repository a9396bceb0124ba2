//! Rows in transit, as one run of bytes.

use super::{Cell, CodedColumn, ValueList};
use std::ops::Range;
use std::sync::Arc;

/// Rows of a block.
const BLOCK_ROWS: usize = 256;

/// A few thousand rows of raw cells, stored in one text so that a batch costs two allocations, reused; or in
/// [coded columns](CodedColumn), where a format stores them so.
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
    /// All columns, in place of text; none if the rows are text.
    coded: Vec<CodedColumn>,
    /// What stands between the cells of a row in `bytes`, if it is one byte that no cell contains.
    separator: Option<u8>,
    first_row: u64,
}

impl RowBatch {
    /// An empty batch for rows of `columns` cells.
    pub fn new(columns: usize) -> Self {
        RowBatch {
            columns,
            bytes: Vec::new(),
            cells: Vec::new(),
            coded: Vec::new(),
            separator: None,
            first_row: 0,
        }
    }

    /// Clears the rows but keeps the memory. `first_row` is the table's row number of the next row, from 0.
    pub fn clear(&mut self, first_row: u64) {
        self.bytes.clear();
        self.cells.clear();
        self.coded.clear();
        self.separator = None;
        self.first_row = first_row;
    }

    /// Makes coded columns all there is: one for each column, with as many rows each.
    ///
    /// # Panics
    /// If there are not as many columns as the batch has, or they do not have as many rows as each other.
    pub fn set_coded(&mut self, coded: Vec<CodedColumn>) {
        assert_eq!(coded.len(), self.columns, "one for each column");
        let rows = |column: &CodedColumn| column.codes.len();
        assert!(
            coded
                .windows(2)
                .all(|pair| rows(&pair[0]) == rows(&pair[1])),
            "as many rows in each column"
        );
        self.bytes.clear();
        self.cells.clear();
        self.separator = None;
        self.coded = coded;
    }

    /// A column by its values, if the rows are not text.
    #[inline]
    pub fn coded(&self, column: usize) -> Option<&CodedColumn> {
        self.coded.get(column)
    }

    /// Begins coded columns without rows, with these texts and room for so many rows.
    pub(crate) fn begin_coded(
        &mut self,
        rows: usize,
        lists: impl IntoIterator<Item = Arc<ValueList>>,
    ) {
        self.set_coded(Vec::from_iter(lists.into_iter().map(|values| {
            CodedColumn {
                values,
                codes: Vec::with_capacity(rows),
            }
        })));
    }

    /// Adds cells to a coded column.
    pub(crate) fn push_codes(&mut self, column: usize, codes: impl IntoIterator<Item = u32>) {
        self.coded[column].codes.extend(codes);
    }

    /// Adds the next cell of the row being filled.
    pub fn push_cell(&mut self, cell: &[u8]) {
        let start = self.bytes.len();
        self.separator = None;
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
        self.separator = None;
        self.bytes.extend_from_slice(text);
        self.cells.extend(
            cells
                .into_iter()
                .map(|(start, end)| (offset + start, offset + end)),
        );
        debug_assert!(self.columns > 0 && self.cells.len().is_multiple_of(self.columns));
    }

    /// Takes whole rows, in place of those it had, without copying them: `text` and `cells`, where each cell begins and ends
    /// in it, are exchanged for memory to be used again. `first_row` is the table's row number of the first, from 0.
    ///
    /// ```
    /// use incrowd_core::table::RowBatch;
    /// let mut batch = RowBatch::new(2);
    /// let (mut text, mut cells) = (b"39,Private\n".to_vec(), vec![(0, 2), (3, 10)]);
    /// batch.take_rows(0, &mut text, &mut cells);
    /// assert_eq!(batch.cell(0, 1), b"Private");
    /// ```
    pub fn take_rows(
        &mut self,
        first_row: u64,
        text: &mut Vec<u8>,
        cells: &mut Vec<(usize, usize)>,
    ) {
        self.coded.clear();
        self.separator = None;
        self.first_row = first_row;
        std::mem::swap(&mut self.bytes, text);
        std::mem::swap(&mut self.cells, cells);
        debug_assert!(self.columns > 0 && self.cells.len().is_multiple_of(self.columns));
    }

    /// Says that nothing but one `separator` stands between two cells of a row, and that no cell contains it, a double
    /// quote or a line break: so cells side by side are one piece of text, which can be written as it is.
    pub fn set_separator(&mut self, separator: u8) {
        self.separator = Some(separator);
    }

    /// What stands between the cells of a row, if it is known to be [the same everywhere](RowBatch::set_separator).
    pub fn separator(&self) -> Option<u8> {
        self.separator
    }

    /// The text of some columns side by side, with what stands between their cells.
    ///
    /// # Panics
    /// If there are no such columns, or the rows are not text.
    #[inline]
    pub fn cells_in_text(&self, row: usize, columns: Range<usize>) -> &[u8] {
        let row = row * self.columns;
        let (start, _) = self.cells[row + columns.start];
        let (_, end) = self.cells[row + columns.end - 1];
        &self.bytes[start..end]
    }

    /// The number of columns of every row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of complete rows.
    pub fn rows(&self) -> usize {
        match self.coded.first() {
            Some(column) => column.codes.len(),
            None => self.cells.len().checked_div(self.columns).unwrap_or(0),
        }
    }

    /// The table's row number of the first row of this batch, from 0.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// The bytes of text held, to decide when a batch is full.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// The text that contains all cells, and possibly delimiters between them; none for coded columns.
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

    /// The cells of a column of text in some rows side by side, with the text around each.
    #[inline(always)] // so that it becomes part of the loop over them
    pub(crate) fn cells_of_column(
        &self,
        column: usize,
        rows: Range<usize>,
    ) -> impl Iterator<Item = Cell<'_>> {
        let cells = &self.cells[rows.start * self.columns..rows.end * self.columns];
        cells
            .chunks_exact(self.columns)
            .map(move |row| Cell::new(&self.bytes[row[column].0..], row[column].1 - row[column].0))
    }

    /// One cell, with the text around it.
    #[inline]
    pub(crate) fn cell_in_text(&self, row: usize, column: usize) -> Cell<'_> {
        if let Some(column) = self.coded.get(column) {
            return column.values.cell(column.codes[row]);
        }
        let (start, end) = self.cells[row * self.columns + column];
        Cell::new(&self.bytes[start..], end - start)
    }

    /// One cell.
    #[inline]
    pub fn cell(&self, row: usize, column: usize) -> &[u8] {
        if let Some(column) = self.coded.get(column) {
            return column.values.text(column.codes[row]);
        }
        let (start, end) = self.cells[row * self.columns + column];
        &self.bytes[start..end]
    }
}
