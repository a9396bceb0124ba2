//! Delimited text to cells.

use super::ends::{Ends, RowEnds};
use super::header::{self, FirstRows};
use super::pieces::{Piece, Pieces, TakePieces};
use super::row_text::{Place, RowText, Rules, Window};
use super::scan::Specials;
use super::split::{Split, Splitter, Stop};
use super::{CsvOptions, Header, check_dialect, detect};
use crate::file::{CHUNK, SharedFile, Text};
use crate::row_source::{RowsRead, SharedReader};
use crate::seal::{Pass, RowsSeal, Seal};
use crate::{Error, Fingerprint, RowReader};
use incrowd_core::table::RowBatch;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The most rows of a batch; it also ends with what is read of the file at once.
const BATCH_ROWS: usize = 8192;
/// How much text is examined to detect the delimiter.
const DETECTION_BYTES: usize = 64 * 1024;
/// How many rows are examined to distinguish a header from a row, if they are in the text read so far.
const FIRST_ROWS: usize = 1000;
/// More text is read until this many rows, or this much text, are there; and in any case until one row is.
const ENOUGH_ROWS: usize = 100;
const ENOUGH_BYTES: usize = 4 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads one pass over a CSV input: finds whole rows, which [`RowText`] splits into cells, here or on another thread.
pub(crate) struct CsvReader {
    text: Text,
    rules: Arc<Rules>,
    ends: RowEnds,
    splitter: Splitter,
    columns: Vec<String>,
    /// Text read but not handed out yet: `buffer[start..end]`. A row begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// Where `start` is in the input.
    place: Place,
    has_padded_cells: bool,
    /// For rows that are split here: those that need special care, and the text of all others.
    own: RowsRead,
    own_text: Vec<u8>,
}

impl CsvReader {
    /// Reads as far as the header, and checks it.
    pub(crate) fn open(
        input: String,
        file: &SharedFile,
        gzip: bool,
        options: &CsvOptions,
        pass: Pass,
    ) -> Result<CsvReader, Error> {
        CsvReader::open_in_chunks(input, (file, gzip), options, pass, CHUNK)
    }

    /// The same, which reads so many bytes at once.
    pub(super) fn open_in_chunks(
        input: String,
        (file, gzip): (&SharedFile, bool),
        options: &CsvOptions,
        pass: Pass,
        chunk: usize,
    ) -> Result<CsvReader, Error> {
        // Until the delimiter is known.
        let specials = Specials {
            delimiter: 0,
            quote: options.quote,
        };
        let rules = Rules::new(input, specials, options);
        let mut reader = CsvReader {
            text: Text::new(file, gzip, pass),
            ends: RowEnds::new(specials, options.trim),
            splitter: rules.splitter(),
            rules: Arc::new(rules),
            columns: Vec::new(),
            buffer: vec![0; chunk],
            start: 0,
            end: 0,
            at_end: false,
            place: Place::default(),
            has_padded_cells: false,
            own: RowsRead::default(),
            own_text: Vec::new(),
        };
        reader.fill()?;
        if reader.unread().starts_with(BYTE_ORDER_MARK) {
            reader.start = BYTE_ORDER_MARK.len();
            reader.place.bytes = BYTE_ORDER_MARK.len() as u64;
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
        Arc::make_mut(&mut reader.rules).specials = specials;
        reader.splitter = reader.rules.splitter();
        reader.ends = RowEnds::new(specials, options.trim);
        reader.columns = reader.read_header(options.header)?;
        Arc::make_mut(&mut reader.rules).columns = reader.columns.len();
        reader.look_at_first_rows(options)?;
        check_columns(&reader.rules.input, &reader.columns)?;
        Ok(reader)
    }

    fn read_header(&mut self, header: Header) -> Result<Vec<String>, Error> {
        let is_row = header == Header::Row;
        let split = self.split(None, 1, is_row.then_some(1))?;
        if split.rows == 0 {
            return Err(Error::Empty {
                input: self.rules.input.clone(),
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
            let cell = self.rules.meant(&self.buffer[start..end]);
            match std::str::from_utf8(cell) {
                // A zero byte is valid UTF-8, but in a name it is half of a UTF-16 character.
                Ok(name) if !cell.contains(&0) => columns.push(name.to_owned()),
                _ => return Err(self.rules.not_utf8(None, at, cell)),
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
                input: self.rules.input.clone(),
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
                Stop::TextEnds { cell } => self.rules.is_too_large(self.end - cell),
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
        let window = Window {
            text: &self.buffer[..self.end],
            start: self.start,
            place: self.place,
        };
        (self.rules).check(window, (split, self.splitter.cells()), row)
    }

    /// Skips the rows of `split`.
    fn advance(&mut self, split: &Split) {
        self.place.bytes += (split.next - self.start) as u64;
        self.place.line_breaks += split.line_breaks;
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
            let count = (self.text).read(&self.rules.input, &mut self.buffer[self.end..])?;
            self.end += count;
            self.at_end = count == 0;
        }
        Ok(())
    }

    /// The next whole rows, at least one unless the text ends.
    fn find_rows(&mut self, most: usize) -> Result<Ends, Error> {
        loop {
            let text = &self.buffer[..self.end];
            let found = (self.ends).find(text, self.start, self.at_end, most);
            if found.rows > 0 {
                return Ok(found);
            }
            let is_full = self.start == 0 && self.end == self.buffer.len();
            if self.at_end || is_full {
                // A very long row, or one that never ends, which is refused there.
                let columns = Some(self.columns.len());
                let split = self.split(columns, 1, Some(self.place.rows + 1))?;
                return Ok(Ends {
                    rows: split.rows,
                    next: split.next,
                    line_breaks: split.line_breaks,
                });
            }
            self.fill()?;
        }
    }

    /// Splits the next rows where they are, which is quicker than to find where they end before. False, and nothing
    /// done, where that takes more care: at the end, and where rows are long or broken.
    fn split_in_buffer(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let mut split = loop {
            let text = &self.buffer[self.start..self.end];
            let columns = Some(self.columns.len());
            let split = (self.splitter).split(text, 0, self.at_end, columns, BATCH_ROWS);
            if split.rows > 0 {
                break split;
            }
            let is_full = self.start == 0 && self.end == self.buffer.len();
            if self.at_end || is_full || !matches!(split.stop, Stop::TextEnds { .. }) {
                return Ok(false);
            }
            self.fill()?;
        };
        let text = &self.buffer[self.start..self.end];
        if let Stop::TextEnds { .. } | Stop::QuoteOpen = split.stop {
            // What is wrong with the row after these is said when it is read.
            split.stop = Stop::Enough;
        }
        let window = Window {
            text,
            start: 0,
            place: self.place,
        };
        (self.rules).check_rows(window, &split, self.splitter.cells())?;
        let mut text = std::mem::take(&mut self.own_text);
        self.take_text(self.start + split.next, &mut text);
        (self.rules).hand_over(&mut text, &mut self.splitter, self.place, batch);
        self.own_text = text;
        self.place.bytes += split.next as u64;
        self.place.line_breaks += split.line_breaks;
        self.place.rows += split.rows as u64;
        Ok(true)
    }

    /// Takes the text of rows, up to `next`, out of the buffer. Of these rows and what is left, the shorter is copied.
    fn take_text(&mut self, next: usize, taken: &mut Vec<u8>) {
        let rest = self.end - next;
        if self.start > 0 || rest > next {
            taken.clear();
            taken.extend_from_slice(&self.buffer[self.start..next]);
            self.start = next;
            return;
        }
        // Whatever it holds is overwritten before it is read.
        taken.resize(self.buffer.len(), 0);
        taken[..rest].copy_from_slice(&self.buffer[next..self.end]);
        std::mem::swap(taken, &mut self.buffer);
        taken.truncate(next);
        self.end = rest;
    }

    /// Takes the next whole rows out of the buffer, so many at most; false at the end.
    fn take_rows(&mut self, most: usize, taken: &mut RowText) -> Result<bool, Error> {
        let found = self.find_rows(most)?;
        (taken.place, taken.start) = (self.place, 0);
        self.take_text(found.next, &mut taken.text);
        self.pass(taken.text.len(), &found);
        if self.place.rows == 0 {
            return Err(Error::NoRows {
                input: self.rules.input.clone(),
            });
        }
        Ok(found.rows > 0)
    }
}

/// Rows handed over to several threads, which read pieces of the file themselves: see [`Pieces`].
impl CsvReader {
    /// The same rows by pieces of so many bytes; none where they have to be read one after the other, or are all read already.
    pub(super) fn in_pieces(&mut self, bytes: usize) -> Option<Pieces<'_, CsvReader>> {
        let plain = self.text.plain().filter(|_| !self.at_end)?;
        let (start, rules) = (self.text.bytes(), Arc::clone(&self.rules));
        Some(Pieces::new(plain, rules, (start, bytes), self))
    }

    /// Takes those whole rows that were read already, if there are any.
    fn take_rows_read(&mut self, taken: &mut RowText) -> Result<bool, Error> {
        let text = &self.buffer[..self.end];
        let found = self.ends.find(text, self.start, false, usize::MAX);
        (taken.place, taken.start) = (self.place, 0);
        self.take_text(found.next, &mut taken.text);
        self.pass(taken.text.len(), &found);
        Ok(true)
    }

    /// Makes this the text that was read and not handed out yet.
    fn keep_unread(&mut self, text: &[u8]) {
        if self.buffer.len() < text.len() {
            self.buffer.resize(text.len(), 0);
        }
        self.buffer[..text.len()].copy_from_slice(text);
        (self.start, self.end) = (0, text.len());
    }

    /// The seal of all bytes; those not read yet are read now.
    pub(super) fn sealed(&mut self) -> Result<Arc<Seal>, Error> {
        self.text.seal(&self.rules.input)
    }

    /// Counts so many bytes, with these rows, as handed out.
    fn pass(&mut self, bytes: usize, found: &Ends) {
        self.place.bytes += bytes as u64;
        self.place.line_breaks += found.line_breaks;
        self.place.rows += found.rows as u64;
    }
}

impl TakePieces for CsvReader {
    fn take_rows_of(&mut self, piece: &Piece, taken: &mut RowText) -> Result<bool, Error> {
        let position = self.bytes();
        if !piece.bytes.is_empty() && position > piece.bytes.end {
            return self.take_rows_read(taken);
        }
        // A part of it may be known: it was read with a long row that began before it.
        let known = position.checked_sub(piece.bytes.start);
        let new = known.map_or(0, |known| Piece::ROOM + known as usize);
        let unread = &self.buffer[self.start..self.end];
        let Some(start) = new.checked_sub(unread.len()) else {
            return self.take_rows(usize::MAX, taken);
        };
        let Some(known) = known.filter(|_| !piece.bytes.is_empty()) else {
            return self.take_rows(usize::MAX, taken);
        };
        let (hashes, lines) = match known {
            0 => (&piece.hashes[..], piece.lines),
            _ => (&[][..], None),
        };
        self.text.take(&taken.text[new..], hashes);
        taken.text[start..new].copy_from_slice(unread);
        let found = self.ends.find_with(&taken.text, start, lines);
        self.keep_unread(&taken.text[found.next..]);
        if found.rows == 0 {
            self.pass(found.next - start, &found);
            return self.take_rows(usize::MAX, taken);
        }
        taken.text.truncate(found.next);
        (taken.place, taken.start) = (self.place, start);
        self.pass(found.next - start, &found);
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        self.text.bytes()
    }
}

impl RowReader for CsvReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        if self.split_in_buffer(batch)? {
            return Ok(true);
        }
        let mut own = std::mem::take(&mut self.own);
        let more = self.read_ahead(&mut own)?;
        std::mem::swap(own.split()?, batch);
        self.own = own;
        Ok(more)
    }

    fn read_ahead(&mut self, rows: &mut RowsRead) -> Result<bool, Error> {
        let mut text = RowText::in_place_of(rows, &self.rules);
        let more = self.take_rows(BATCH_ROWS, &mut text)?;
        rows.set_unsplit(text);
        Ok(more)
    }

    fn share(&mut self) -> Option<Box<dyn SharedReader + '_>> {
        Some(Box::new(self.in_pieces(Piece::BYTES)?))
    }

    fn pass_over(&mut self) -> Result<bool, Error> {
        (self.start, self.end, self.at_end) = (0, 0, true);
        self.text.pass_over(&self.rules.input, &mut self.buffer)
    }

    fn passes_over_quickly(&self) -> bool {
        true
    }

    fn bytes_read(&self) -> u64 {
        self.bytes()
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        let taken = self.sealed()?.fingerprint();
        Ok(taken.expect("it was not left to another pass"))
    }

    fn fingerprint_here(&mut self) {
        self.text.fingerprint_here();
    }

    fn leave_fingerprint(&mut self) -> bool {
        self.text.leave_fingerprint()
    }

    fn seal(&mut self) -> Result<RowsSeal, Error> {
        Ok(self.sealed()?.into())
    }

    fn delimiter(&self) -> Option<u8> {
        Some(self.rules.specials.delimiter)
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
