//! Whole rows as text, which any thread can split.

use super::CsvOptions;
use super::scan::Specials;
use super::split::{Split, Splitter, Stop};
use super::spreadsheet::without_apostrophe;
use crate::row_source::{RowsRead, Unsplit};
use crate::{Encoding, Error};
use incrowd_core::table::RowBatch;
use std::sync::Arc;

/// How the rows of an input are to be read.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) input: String,
    pub(super) specials: Specials,
    pub(super) trim: bool,
    /// The number of columns; 0 while it is not known.
    pub(super) columns: usize,
    max_cell_bytes: usize,
    spreadsheet_safe: bool,
}

/// Where in an input something begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The bytes before it, the line breaks among them, and the rows.
    pub(super) bytes: u64,
    pub(super) line_breaks: u64,
    pub(super) rows: u64,
}

/// Text of an input in which a row begins at `start`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window<'a> {
    pub(super) text: &'a [u8],
    pub(super) start: usize,
    pub(super) place: Place,
}

impl Rules {
    pub(super) fn new(input: String, specials: Specials, options: &CsvOptions) -> Self {
        Rules {
            input,
            specials,
            trim: options.trim,
            columns: 0,
            max_cell_bytes: options.max_cell_bytes,
            spreadsheet_safe: options.spreadsheet_safe,
        }
    }

    pub(super) fn splitter(&self) -> Splitter {
        Splitter::new(self.specials, self.trim)
    }

    /// Whether a cell that is not read to its end is too large already.
    pub(super) fn is_too_large(&self, bytes: usize) -> bool {
        bytes > self.max_cell_bytes
    }

    /// What stands between cells, and in none of them, where no quote is found in the text.
    fn separator_without_quotes(&self) -> Option<u8> {
        // Elsewhere a cell is not all of the text between delimiters, or a double quote may be text.
        let is_text_as_it_is = !self.trim && !self.spreadsheet_safe && self.specials.quote == b'"';
        is_text_as_it_is.then_some(self.specials.delimiter)
    }

    /// The cell that was meant.
    #[inline]
    pub(super) fn meant<'a>(&self, cell: &'a [u8]) -> &'a [u8] {
        match self.spreadsheet_safe {
            true => without_apostrophe(cell),
            false => cell,
        }
    }

    /// Refuses what is wrong with rows that were split off, or with the row after them. `row` is the number of the first of
    /// them, none for the header.
    pub(super) fn check(
        &self,
        window: Window<'_>,
        (split, cells): (&Split, &[(usize, usize)]),
        row: Option<u64>,
    ) -> Result<(), Error> {
        let Window { text, start, place } = window;
        let input = || self.input.clone();
        let next_row = row.map(|row| row + split.rows as u64);
        let line = place.line_breaks + split.line_breaks + 1;
        let byte = place.bytes + (split.next - start) as u64;
        match split.stop {
            Stop::Ragged { found } => Err(Error::RaggedRow {
                input: input(),
                row: place.rows + split.rows as u64 + 1,
                line,
                expected: self.columns,
                found,
            }),
            Stop::QuoteOpen => Err(Error::QuoteNeverClosed {
                input: input(),
                row: next_row,
                line,
                byte,
            }),
            Stop::TextEnds { cell } if self.is_too_large(text.len() - cell) => {
                Err(Error::CellTooLarge {
                    input: input(),
                    row: next_row,
                    line,
                    byte,
                    limit: self.max_cell_bytes,
                })
            }
            // No cell is larger than all of them together, so they need not be checked one by one.
            _ if self.is_too_large(split.next - start) => {
                self.check_cells(window, (split, cells), row)
            }
            _ => Ok(()),
        }
    }

    fn check_cells(
        &self,
        Window { text, start, place }: Window<'_>,
        (split, cells): (&Split, &[(usize, usize)]),
        row: Option<u64>,
    ) -> Result<(), Error> {
        let too_large = |&(start, end): &(usize, usize)| self.is_too_large(end - start);
        let Some(cell) = cells.iter().position(too_large) else {
            return Ok(());
        };
        let columns = cells.len() / split.rows;
        let row_start = cells[cell / columns * columns].0;
        let before = &text[start..row_start];
        Err(Error::CellTooLarge {
            input: self.input.clone(),
            row: row.map(|row| row + (cell / columns) as u64),
            line: place.line_breaks
                + 1
                + before.iter().filter(|&&byte| byte == b'\n').count() as u64,
            byte: place.bytes + before.len() as u64,
            limit: self.max_cell_bytes,
        })
    }

    /// Refuses what is wrong with rows that were split off a text, or with the row after them. Whole rows come first, so that it
    /// does not matter how many rows are split at once.
    pub(super) fn check_rows(
        &self,
        window: Window<'_>,
        split: &Split,
        cells: &[(usize, usize)],
    ) -> Result<(), Error> {
        self.check_encoding(window, split.next, cells)?;
        self.check(window, (split, cells), Some(window.place.rows + 1))
    }

    /// Makes the rows split last, at the end of `text`, those of a batch. `text` becomes memory to be used again.
    pub(super) fn hand_over(
        &self,
        text: &mut Vec<u8>,
        splitter: &mut Splitter,
        place: Place,
        batch: &mut RowBatch,
    ) {
        if batch.columns() != self.columns {
            *batch = RowBatch::new(self.columns);
        }
        splitter.clean(text);
        if self.spreadsheet_safe {
            splitter.narrow(text, |cell| self.meant(cell).len());
        }
        let separator = self.separator_without_quotes();
        let separator = separator.filter(|_| !splitter.has_quotes());
        batch.take_rows(place.rows, text, splitter.cells_mut());
        if let Some(separator) = separator {
            batch.set_separator(separator);
        }
    }

    /// Refuses rows whose text up to `end` is not UTF-8.
    fn check_encoding(
        &self,
        Window { text, start, place }: Window<'_>,
        end: usize,
        cells: &[(usize, usize)],
    ) -> Result<(), Error> {
        // Delimiters and quotes are ASCII: cells cut out of valid text are valid, and vice versa.
        let Err(error) = std::str::from_utf8(&text[start..end]) else {
            return Ok(());
        };
        let broken = start + error.valid_up_to();
        let cell = cells.partition_point(|&(_, end)| end <= broken);
        let row = place.rows + (cell / self.columns) as u64 + 1;
        let (start, end) = cells[cell];
        Err(self.not_utf8(Some(row), cell % self.columns, &text[start..end]))
    }

    pub(super) fn not_utf8(&self, row: Option<u64>, column: usize, cell: &[u8]) -> Error {
        Error::NotUtf8 {
            input: self.input.clone(),
            row,
            position: column + 1,
            likely: likely_encoding(cell),
        }
    }
}

/// Whole rows of an input that are not split yet, with what it takes to split them on any thread.
#[derive(Debug)]
pub(super) struct RowText {
    pub(super) text: Vec<u8>,
    /// Where in `text` they begin.
    pub(super) start: usize,
    pub(super) place: Place,
    rules: Arc<Rules>,
    splitter: Splitter,
}

impl RowText {
    pub(super) fn new(rules: &Arc<Rules>) -> Self {
        RowText {
            text: Vec::new(),
            start: 0,
            place: Place::default(),
            splitter: rules.splitter(),
            rules: Arc::clone(rules),
        }
    }

    /// In the memory of rows that were read before, if they were rows of the same input.
    pub(super) fn in_place_of(rows: &mut RowsRead, rules: &Arc<Rules>) -> Box<Self> {
        let known = rows.take_unsplit::<RowText>();
        let known = known.filter(|text| Arc::ptr_eq(&text.rules, rules));
        known.unwrap_or_else(|| Box::new(RowText::new(rules)))
    }
}

impl Unsplit for RowText {
    fn split_into(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        let (rules, splitter, place) = (&*self.rules, &mut self.splitter, self.place);
        let columns = Some(rules.columns);
        let window = Window {
            text: &self.text,
            start: self.start,
            place,
        };
        let split = splitter.split(window.text, window.start, true, columns, usize::MAX);
        rules.check_rows(window, &split, splitter.cells())?;
        rules.hand_over(&mut self.text, splitter, place, batch);
        Ok(())
    }
}

/// UTF-16 begins with a mark that is never found in UTF-8, or has a zero in every other byte.
fn likely_encoding(cell: &[u8]) -> Encoding {
    if cell.starts_with(b"\xff\xfe") || cell.starts_with(b"\xfe\xff") || cell.contains(&0) {
        Encoding::Utf16
    } else {
        Encoding::Windows1252
    }
}
