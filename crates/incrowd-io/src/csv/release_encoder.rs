//! Rows of a release to text, without looking at every cell.
//!
//! All rows of a class have the same texts in the recoded columns, so these are formatted once for each class. Unchanged
//! columns side by side are one piece of the text that was read, where it was read from a table without quotes. A row is
//! then made of two or three pieces.

use super::encoder::{CsvEncoder, EncodedRows, is_lost};
use incrowd_core::publish::{ClassNumber, RecodedRows, Run};
use std::ops::Range;

/// Formats the rows of one release as its [`CsvEncoder`] does, to the byte. One for each thread.
#[derive(Debug, Clone)]
pub struct ReleaseEncoder {
    encoder: CsvEncoder,
    /// The formatted texts of classes.
    texts: Vec<u8>,
    /// For each class and run, where its text is in `texts`, or [`UNKNOWN`].
    known: Vec<Range<u32>>,
    /// Whether a text of each class has quotes.
    has_quotes: Vec<bool>,
}

const UNKNOWN: Range<u32> = u32::MAX..u32::MAX;

/// The most bytes of formatted texts that are kept; those of further classes are formatted whenever they are needed.
const MOST_BYTES: usize = 1 << 22;

/// The most places of texts that are kept.
const MOST_KNOWN: usize = 1 << 18;

impl ReleaseEncoder {
    /// For the rows of a release.
    pub fn new(encoder: CsvEncoder) -> Self {
        ReleaseEncoder {
            encoder,
            texts: Vec::new(),
            known: Vec::new(),
            has_quotes: Vec::new(),
        }
    }

    /// Formats rows, in place of what was formatted before.
    pub fn encode(&mut self, rows: &RecodedRows<'_>, text: &mut EncodedRows) {
        let text = &mut text.0;
        text.clear();
        let encoder = self.encoder;
        let row = |row| (0..rows.columns()).map(move |column| rows.cell(row, column));
        let known = rows.classes().saturating_mul(rows.runs().len());
        let delimiter = encoder.specials.delimiter;
        let in_pieces = rows.separator() == Some(delimiter) && !encoder.is_spreadsheet_safe;
        if !in_pieces || known > MOST_KNOWN {
            encoder.encode_rows(rows.len(), rows.columns(), row, text);
            return;
        }
        self.known.resize(known, UNKNOWN);
        self.has_quotes.resize(rows.classes(), false);
        for at in 0..rows.len() {
            let start = text.len();
            let Some(class) = rows.class(at) else {
                encoder.encode_row(row(at), text);
                continue;
            };
            let has_quotes = self.encode_pieces(rows, at, class, text);
            // Quotes in another cell, or a first one that readers would lose, change how the first is written.
            let is_first_empty = text.get(start) == Some(&delimiter);
            if is_lost(&text[start..]) || has_quotes && is_first_empty {
                text.truncate(start);
                encoder.encode_row(row(at), text);
                continue;
            }
            text.push(b'\n');
        }
    }

    /// Appends the pieces of a row; whether there are quotes among them.
    #[inline]
    fn encode_pieces(
        &mut self,
        rows: &RecodedRows<'_>,
        at: usize,
        class: ClassNumber,
        text: &mut Vec<u8>,
    ) -> bool {
        let runs = rows.runs();
        let mut has_quotes = false;
        for (number, run) in runs.iter().enumerate() {
            if number > 0 {
                text.push(self.encoder.specials.delimiter);
            }
            match run {
                Run::Unchanged(columns) => text.extend_from_slice(rows.unchanged(at, columns)),
                Run::OfClass(columns) => {
                    let place = class.index() * runs.len() + number;
                    if self.known[place] == UNKNOWN {
                        self.learn(rows, at, columns, (class, place), text);
                    } else {
                        let Range { start, end } = self.known[place];
                        text.extend_from_slice(&self.texts[start as usize..end as usize]);
                    }
                    has_quotes |= self.has_quotes[class.index()];
                }
            }
        }
        has_quotes
    }

    /// Appends the texts of a class and keeps them, if there is room.
    #[cold]
    fn learn(
        &mut self,
        rows: &RecodedRows<'_>,
        at: usize,
        columns: &Range<usize>,
        (class, place): (ClassNumber, usize),
        text: &mut Vec<u8>,
    ) {
        let start = text.len();
        for column in columns.clone() {
            if column > columns.start {
                text.push(self.encoder.specials.delimiter);
            }
            let cell = rows.cell(at, column);
            self.has_quotes[class.index()] |= self.encoder.encode_cell(cell, text);
        }
        if self.texts.len() < MOST_BYTES {
            let from = self.texts.len() as u32;
            self.texts.extend_from_slice(&text[start..]);
            self.known[place] = from..self.texts.len() as u32;
        }
    }
}
