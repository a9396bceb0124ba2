//! Delimited text to cells.

use super::header::{self, FirstRows};
use super::scan::Specials;
use super::split::{Split, Splitter, Stop};
use super::spreadsheet::without_apostrophe;
use super::{CsvOptions, Header, check_dialect, detect};
use crate::file::{CHUNK, SharedFile, Text};
use crate::{Encoding, Error, Fingerprint, RowReader};
use incrowd_core::table::RowBatch;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// A batch is full with this many rows or this many bytes, whichever comes first.
const BATCH_ROWS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;
/// How much text is examined to detect the delimiter.
const DETECTION_BYTES: usize = 64 * 1024;
/// How many rows are examined to distinguish a header from a row, if they are in the text read so far.
const FIRST_ROWS: usize = 1000;
/// More text is read until this many rows, or this much text, are there; and in any case until one row is.
const ENOUGH_ROWS: usize = 100;
const ENOUGH_BYTES: usize = 4 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads one pass over a CSV input.
pub(crate) struct CsvReader {
    input: String,
    text: Text,
    splitter: Splitter,
    delimiter: u8,
    max_cell_bytes: usize,
    columns: Vec<String>,
    /// Text read but not handed out yet: `buffer[start..end]`. A row begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// The bytes of text handed out so far, and the line breaks among them.
    bytes: u64,
    line_breaks: u64,
    rows: u64,
    has_padded_cells: bool,
    spreadsheet_safe: bool,
}

impl CsvReader {
    /// Reads as far as the header, and checks it.
    pub(crate) fn open(
        input: String,
        file: &SharedFile,
        gzip: bool,
        options: &CsvOptions,
    ) -> Result<CsvReader, Error> {
        let mut reader = CsvReader {
            input,
            text: Text::new(file, gzip),
            splitter: Splitter::new(
                Specials {
                    delimiter: 0,
                    quote: options.quote,
                },
                options.trim,
            ),
            delimiter: 0,
            max_cell_bytes: options.max_cell_bytes,
            columns: Vec::new(),
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            at_end: false,
            bytes: 0,
            line_breaks: 0,
            rows: 0,
            has_padded_cells: false,
            spreadsheet_safe: options.spreadsheet_safe,
        };
        reader.fill()?;
        if reader.unread().starts_with(BYTE_ORDER_MARK) {
            reader.start = BYTE_ORDER_MARK.len();
            reader.bytes = BYTE_ORDER_MARK.len() as u64;
        }
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => reader.detect_delimiter(options.quote),
        };
        check_dialect(delimiter, options.quote)?;
        let specials = Specials {
            delimiter,
            quote: options.quote,
        };
        reader.delimiter = delimiter;
        reader.splitter = Splitter::new(specials, options.trim);
        reader.columns = reader.read_header(options.header)?;
        reader.look_at_first_rows(options)?;
        check_columns(&reader.input, &reader.columns)?;
        Ok(reader)
    }

    fn read_header(&mut self, header: Header) -> Result<Vec<String>, Error> {
        let is_row = header == Header::Row;
        let split = self.split(None, 1, is_row.then_some(1))?;
        if split.rows == 0 {
            return Err(Error::Empty {
                input: self.input.clone(),
            });
        }
        if is_row {
            // The first row is left in the buffer, to be read as a row.
            let columns = 1..=self.splitter.cells().len();
            return Ok(columns
                .map(|position| format!("column-{position}"))
                .collect());
        }
        self.splitter.clean(&mut self.buffer);
        let mut columns = Vec::with_capacity(self.splitter.cells().len());
        for (at, &(start, end)) in self.splitter.cells().iter().enumerate() {
            let cell = self.meant(&self.buffer[start..end]);
            match std::str::from_utf8(cell) {
                // A zero byte is valid UTF-8, but in a name it is half of a UTF-16 character.
                Ok(name) if !cell.contains(&0) => columns.push(name.to_owned()),
                _ => return Err(self.not_utf8(None, at, cell)),
            }
        }
        self.advance(&split);
        Ok(columns)
    }

    /// Refuses a header that is a row, and checks whether cells are padded. The rows remain to be read.
    fn look_at_first_rows(&mut self, options: &CsvOptions) -> Result<(), Error> {
        // Without a row, a header cannot be recognized, and there is nothing to publish either.
        let Some(rows) = self.first_rows()? else {
            return Ok(());
        };
        self.has_padded_cells = rows.are_padded();
        if options.header != Header::Checked {
            return Ok(());
        }
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        match header::columns_of_a_row(&names, &rows) {
            None => Ok(()),
            Some(telling) => Err(Error::HeaderIsRow {
                input: self.input.clone(),
                telling,
                columns: self.columns.len(),
            }),
        }
    }

    /// The first rows: at least one, however long it is; none only if the text ends without one.
    ///
    /// Errors of the very first row are reported at once: a header cannot be judged by a malformed row.
    fn first_rows(&mut self) -> Result<Option<FirstRows>, Error> {
        let columns = self.columns.len();
        let split = loop {
            let split = self.splitter.split(
                &self.buffer[..self.end],
                self.start,
                self.at_end,
                Some(columns),
                FIRST_ROWS,
            );
            if split.rows == 0 {
                self.check(&split, Some(1))?;
                // Blank lines are left behind, however many there are.
                self.advance(&split);
            }
            let is_enough = split.rows >= ENOUGH_ROWS || self.end - self.start >= ENOUGH_BYTES;
            let is_stopped = match split.stop {
                // That cell is refused when its row is read.
                Stop::TextEnds { cell } => self.end - cell > self.max_cell_bytes,
                _ => true,
            };
            if self.at_end || split.rows > 0 && (is_enough || is_stopped) {
                break split;
            }
            self.fill()?;
        };
        let Some(rows) = NonZeroUsize::new(split.rows) else {
            return Ok(None);
        };
        // Cells are cleaned in place, which must not happen twice.
        let mut text = self.buffer[..split.next].to_vec();
        self.splitter.clean(&mut text);
        let cells = self.splitter.cells().to_vec();
        Ok(Some(FirstRows::new(text, cells, rows)))
    }

    /// The cell that was meant.
    #[inline]
    fn meant<'a>(&self, cell: &'a [u8]) -> &'a [u8] {
        match self.spreadsheet_safe {
            true => without_apostrophe(cell),
            false => cell,
        }
    }

    fn detect_delimiter(&self, quote: u8) -> u8 {
        let text = self.unread();
        match text.get(..DETECTION_BYTES) {
            Some(text) => detect::delimiter(text, quote, false),
            None => detect::delimiter(text, quote, self.at_end),
        }
    }

    fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Splits the next rows off the unread text, reading more if not even one is there; none at the end.
    ///
    /// `row` is the number of the first of them, none for the header.
    fn split(
        &mut self,
        columns: Option<usize>,
        max_rows: usize,
        row: Option<u64>,
    ) -> Result<Split, Error> {
        loop {
            let split = self.splitter.split(
                &self.buffer[..self.end],
                self.start,
                self.at_end,
                columns,
                max_rows,
            );
            self.check(&split, row)?;
            if split.rows > 0 || self.at_end {
                return Ok(split);
            }
            self.advance(&split);
            self.fill()?;
        }
    }

    /// Refuses what is wrong with the rows of `split` or with the row after them.
    fn check(&self, split: &Split, row: Option<u64>) -> Result<(), Error> {
        let input = || self.input.clone();
        let next_row = row.map(|row| row + split.rows as u64);
        let line = self.line_breaks + split.line_breaks + 1;
        let byte = self.bytes + (split.next - self.start) as u64;
        match split.stop {
            Stop::Ragged { found } => Err(Error::RaggedRow {
                input: input(),
                row: self.rows + split.rows as u64 + 1,
                line,
                expected: self.columns.len(),
                found,
            }),
            Stop::QuoteOpen => Err(Error::QuoteNeverClosed {
                input: input(),
                row: next_row,
                line,
                byte,
            }),
            Stop::TextEnds { cell } if self.end - cell > self.max_cell_bytes => {
                Err(Error::CellTooLarge {
                    input: input(),
                    row: next_row,
                    line,
                    byte,
                    limit: self.max_cell_bytes,
                })
            }
            // No cell is larger than all of them together, so they need not be checked one by one.
            _ if split.next - self.start > self.max_cell_bytes => self.check_cells(split, row),
            _ => Ok(()),
        }
    }

    fn check_cells(&self, split: &Split, row: Option<u64>) -> Result<(), Error> {
        let cells = self.splitter.cells();
        let too_large = |&(start, end): &(usize, usize)| end - start > self.max_cell_bytes;
        let Some(cell) = cells.iter().position(too_large) else {
            return Ok(());
        };
        let columns = cells.len() / split.rows;
        let row_start = cells[cell / columns * columns].0;
        let before = &self.buffer[self.start..row_start];
        Err(Error::CellTooLarge {
            input: self.input.clone(),
            row: row.map(|row| row + (cell / columns) as u64),
            line: self.line_breaks
                + 1
                + before.iter().filter(|&&byte| byte == b'\n').count() as u64,
            byte: self.bytes + before.len() as u64,
            limit: self.max_cell_bytes,
        })
    }

    /// Skips the rows of `split`.
    fn advance(&mut self, split: &Split) {
        self.bytes += (split.next - self.start) as u64;
        self.line_breaks += split.line_breaks;
        self.start = split.next;
    }

    /// Reads until the buffer is full; the buffer grows if one row fills it.
    ///
    /// The size doubles, so that splitting that row anew each time costs no more than twice its length.
    fn fill(&mut self) -> Result<(), Error> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        while self.end < self.buffer.len() && !self.at_end {
            let count = self.text.read(&self.input, &mut self.buffer[self.end..])?;
            self.end += count;
            self.at_end = count == 0;
        }
        Ok(())
    }

    /// Refuses the rows of `split` if their text is not UTF-8.
    fn check_encoding(&self, split: &Split) -> Result<(), Error> {
        // Delimiters and quotes are ASCII: cells cut out of valid text are valid, and vice versa.
        let Err(error) = std::str::from_utf8(&self.buffer[self.start..split.next]) else {
            return Ok(());
        };
        let broken = self.start + error.valid_up_to();
        let cells = self.splitter.cells();
        let cell = cells.partition_point(|&(_, end)| end <= broken);
        let row = self.rows + (cell / self.columns.len()) as u64 + 1;
        let (start, end) = cells[cell];
        Err(self.not_utf8(
            Some(row),
            cell % self.columns.len(),
            &self.buffer[start..end],
        ))
    }

    fn not_utf8(&self, row: Option<u64>, column: usize, cell: &[u8]) -> Error {
        Error::NotUtf8 {
            input: self.input.clone(),
            row,
            position: column + 1,
            likely: likely_encoding(cell),
        }
    }
}

impl RowReader for CsvReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        if batch.columns() != self.columns.len() {
            *batch = RowBatch::new(self.columns.len());
        }
        batch.clear(self.rows);
        while batch.rows() < BATCH_ROWS && batch.byte_len() < BATCH_BYTES {
            let max_rows = BATCH_ROWS - batch.rows();
            let split = self.split(Some(self.columns.len()), max_rows, Some(self.rows + 1))?;
            if split.rows == 0 {
                break;
            }
            self.check_encoding(&split)?;
            self.splitter.clean(&mut self.buffer);
            let start = self.start;
            batch.push_rows(
                &self.buffer[start..split.next],
                self.splitter.cells().iter().map(|&(from, to)| {
                    // The apostrophe, if there is one, precedes the cell.
                    let length = self.meant(&self.buffer[from..to]).len();
                    (to - start - length, to - start)
                }),
            );
            self.rows += split.rows as u64;
            self.advance(&split);
        }
        if self.rows == 0 {
            return Err(Error::NoRows {
                input: self.input.clone(),
            });
        }
        Ok(batch.rows() > 0)
    }

    fn bytes_read(&self) -> u64 {
        self.text.bytes()
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        self.text.fingerprint(&self.input)
    }

    fn delimiter(&self) -> Option<u8> {
        Some(self.delimiter)
    }

    fn has_padded_cells(&self) -> bool {
        self.has_padded_cells
    }
}

/// Refuses columns that cannot be distinguished by name.
pub(crate) fn check_columns(input: &str, columns: &[String]) -> Result<(), Error> {
    let mut seen = HashMap::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        if column.is_empty() {
            return Err(Error::EmptyColumnName {
                input: input.into(),
                position: at + 1,
            });
        }
        if let Some(first) = seen.insert(column, at) {
            return Err(Error::DuplicateColumn {
                input: input.into(),
                first: first + 1,
                second: at + 1,
            });
        }
    }
    Ok(())
}

/// UTF-16 begins with a mark that is never found in UTF-8, or has a zero in every other byte.
fn likely_encoding(cell: &[u8]) -> Encoding {
    if cell.starts_with(b"\xff\xfe") || cell.starts_with(b"\xfe\xff") || cell.contains(&0) {
        Encoding::Utf16
    } else {
        Encoding::Windows1252
    }
}
