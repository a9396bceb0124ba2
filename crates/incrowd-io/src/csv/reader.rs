//! Text with delimiters to cells.

use super::{CsvOptions, check_dialect, detect};
use crate::file::{CHUNK, SharedFile, Text};
use crate::{Encoding, Error, Fingerprint, RowReader};
use csv_core::ReadRecordResult;
use incrowd_core::table::RowBatch;
use std::collections::HashMap;

/// A batch is full with so many rows or so many bytes, whichever comes first.
const BATCH_ROWS: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;

/// Reads one pass over a CSV input.
///
/// Drives the parser of the csv crate by hand, because that crate takes the end of the input for the end of
/// a quote that was never closed.
pub(crate) struct CsvReader {
    input: String,
    text: Text,
    parser: csv_core::Reader,
    delimiter: u8,
    trim: bool,
    max_cell_bytes: usize,
    columns: Vec<String>,
    /// Text read and not parsed yet: `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// The bytes of text parsed so far.
    parsed: u64,
    /// Line breaks between rows, which the parser is not shown.
    lines_skipped: u64,
    record: Record,
    /// Whether `record` holds a row nobody has taken yet: the first one, when there is no header.
    pending: bool,
    rows: u64,
}

/// The cells of one row, its memory reused by the next.
#[derive(Default)]
struct Record {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    byte_count: usize,
    cell_count: usize,
    /// Where the row begins in the input.
    line: u64,
    byte: u64,
}

impl Record {
    fn cells(&self) -> impl Iterator<Item = &[u8]> {
        let ends = &self.ends[..self.cell_count];
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(ends)
            .map(|(start, &end)| &self.bytes[start..end])
    }
}

impl CsvReader {
    /// Reads as far as the header, and checks it.
    pub(crate) fn open(
        input: String,
        file: &SharedFile,
        gzip: bool,
        options: &CsvOptions,
    ) -> Result<CsvReader, Error> {
        let mut text = Text::new(file, gzip);
        let mut buffer = vec![0; CHUNK];
        let (mut start, mut end, mut at_end) = (0, 0, false);
        while end < buffer.len() && !at_end {
            let count = text.read(&input, &mut buffer[end..])?;
            end += count;
            at_end = count == 0;
        }
        if buffer[..end].starts_with(b"\xef\xbb\xbf") {
            start = 3;
        }
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => detect::delimiter(&buffer[start..end], options.quote, at_end),
        };
        check_dialect(delimiter, options.quote)?;
        let mut reader = CsvReader {
            input,
            text,
            parser: csv_core::ReaderBuilder::new()
                .delimiter(delimiter)
                .quote(options.quote)
                .build(),
            delimiter,
            trim: options.trim,
            max_cell_bytes: options.max_cell_bytes,
            columns: Vec::new(),
            buffer,
            start,
            end,
            at_end,
            parsed: start as u64,
            lines_skipped: 0,
            record: Record::default(),
            pending: false,
            rows: 0,
        };
        if !reader.read_record(options.has_header)? {
            return Err(Error::Empty {
                input: reader.input,
            });
        }
        if options.has_header {
            reader.columns = reader.header()?;
        } else {
            reader.columns = (1..=reader.record.cell_count)
                .map(|position| format!("column-{position}"))
                .collect();
            reader.pending = true;
        }
        Ok(reader)
    }

    fn header(&self) -> Result<Vec<String>, Error> {
        let mut columns = Vec::with_capacity(self.record.cell_count);
        for (at, cell) in self.record.cells().enumerate() {
            let name = std::str::from_utf8(cell).map_err(|_| Error::NotUtf8 {
                input: self.input.clone(),
                row: None,
                position: at + 1,
                likely: likely_encoding(cell),
            })?;
            let name = if self.trim { name.trim_ascii() } else { name };
            columns.push(name.to_owned());
        }
        check_columns(&self.input, &columns)?;
        Ok(columns)
    }

    /// Parses the next row into `self.record`; `false` at the end.
    fn read_record(&mut self, is_header: bool) -> Result<bool, Error> {
        if !self.skip_line_breaks()? {
            return Ok(false);
        }
        self.record.line = self.parser.line() + self.lines_skipped;
        self.record.byte = self.parsed;
        self.record.byte_count = 0;
        self.record.cell_count = 0;
        loop {
            if self.start == self.end && !self.at_end {
                self.fill()?;
            }
            // A line break shown after the last byte ends the row, unless a quote is open: then it is taken
            // into the cell.
            let at_end = self.start == self.end;
            let text = if at_end {
                b"\n"
            } else {
                &self.buffer[self.start..self.end]
            };
            let record = &mut self.record;
            let (result, parsed, bytes, cells) = self.parser.read_record(
                text,
                &mut record.bytes[record.byte_count..],
                &mut record.ends[record.cell_count..],
            );
            record.byte_count += bytes;
            record.cell_count += cells;
            if !at_end {
                self.start += parsed;
                self.parsed += parsed as u64;
            }
            match result {
                ReadRecordResult::Record => return Ok(true),
                ReadRecordResult::InputEmpty if at_end => {
                    return Err(Error::QuoteNeverClosed {
                        input: self.input.clone(),
                        row: (!is_header).then_some(self.rows + 1),
                        line: self.record.line,
                        byte: self.record.byte,
                    });
                }
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.grow_bytes(is_header)?,
                ReadRecordResult::OutputEndsFull => {
                    let cells = (self.record.ends.len() * 2).max(64);
                    self.record.ends.resize(cells, 0);
                }
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Moves to the first byte of the next row; `false` if there is none.
    fn skip_line_breaks(&mut self) -> Result<bool, Error> {
        loop {
            while self.start < self.end {
                match self.buffer[self.start] {
                    b'\n' => self.lines_skipped += 1,
                    b'\r' => {}
                    _ => return Ok(true),
                }
                self.start += 1;
                self.parsed += 1;
            }
            if self.at_end {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<(), Error> {
        self.start = 0;
        self.end = self.text.read(&self.input, &mut self.buffer)?;
        self.at_end = self.end == 0;
        Ok(())
    }

    fn grow_bytes(&mut self, is_header: bool) -> Result<(), Error> {
        let record = &mut self.record;
        let cell_start = match record.cell_count {
            0 => 0,
            count => record.ends[count - 1],
        };
        if record.byte_count - cell_start > self.max_cell_bytes {
            return Err(Error::CellTooLarge {
                input: self.input.clone(),
                row: (!is_header).then_some(self.rows + 1),
                line: record.line,
                byte: record.byte,
                limit: self.max_cell_bytes,
            });
        }
        let bytes = (record.bytes.len() * 2).max(1024);
        record.bytes.resize(bytes, 0);
        Ok(())
    }

    fn take_record(&self, batch: &mut RowBatch) -> Result<(), Error> {
        let record = &self.record;
        if record.cell_count != self.columns.len() {
            return Err(Error::RaggedRow {
                input: self.input.clone(),
                row: self.rows + 1,
                line: record.line,
                expected: self.columns.len(),
                found: record.cell_count,
            });
        }
        for cell in record.cells() {
            batch.push_cell(if self.trim { cell.trim_ascii() } else { cell });
        }
        Ok(())
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
        let mut rows = 0;
        while rows < BATCH_ROWS && batch.byte_len() < BATCH_BYTES {
            if !std::mem::take(&mut self.pending) && !self.read_record(false)? {
                break;
            }
            self.take_record(batch)?;
            self.rows += 1;
            rows += 1;
        }
        if self.rows == 0 {
            return Err(Error::NoRows {
                input: self.input.clone(),
            });
        }
        if let Some((row, column)) = crate::first_broken_cell(batch) {
            return Err(Error::NotUtf8 {
                input: self.input.clone(),
                row: Some(batch.first_row() + row as u64 + 1),
                position: column + 1,
                likely: likely_encoding(batch.cell(row, column)),
            });
        }
        Ok(rows > 0)
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
}

/// Refuses columns that cannot be told apart by name.
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
