//! Rows of a release that occur many times, each formatted once.

use super::encoder::{CsvEncoder, EncodedRows};
use incrowd_core::publish::RecodedRows;

/// The texts of rows that a release has recoded, to be written as often and in whatever order they occur.
#[derive(Debug)]
pub struct FormattedRows {
    text: Vec<u8>,
    /// Where the text of each raw row ends; it begins where the one before it ends.
    ends: Vec<u32>,
}

impl FormattedRows {
    /// Formats the published rows among so many raw ones as an encoder does, to the byte; those that are not published are
    /// empty. None if all together take more than `most_bytes`.
    pub fn new(
        encoder: CsvEncoder,
        rows: &RecodedRows<'_>,
        raw_rows: usize,
        most_bytes: u32,
    ) -> Option<Self> {
        let (mut text, mut ends) = (Vec::new(), Vec::with_capacity(raw_rows));
        for at in 0..rows.len() {
            // No more than `most_bytes`, as checked below.
            ends.resize(rows.raw_row(at), text.len() as u32);
            let row = (0..rows.columns()).map(|column| rows.cell(at, column));
            encoder.encode_row(row, &mut text);
            if text.len() > most_bytes as usize {
                return None;
            }
        }
        ends.resize(raw_rows, text.len() as u32);
        Some(FormattedRows { text, ends })
    }

    /// The bytes of all texts, if there are so many of each raw row.
    pub fn bytes(&self, sizes: &[u32]) -> u64 {
        let starts = std::iter::once(&0).chain(&self.ends);
        let lengths = starts.zip(&self.ends).map(|(start, end)| end - start);
        let texts = lengths.zip(sizes);
        texts
            .map(|(length, &size)| u64::from(length) * u64::from(size))
            .sum()
    }

    /// The texts of these raw rows, given by number in some pieces, one after the other, in place of what was formatted before.
    pub fn encode(
        &self,
        pieces: impl IntoIterator<Item = impl Iterator<Item = u32>>,
        text: &mut EncodedRows,
    ) {
        text.0.clear();
        for numbers in pieces {
            for row in numbers {
                let row = row as usize;
                let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
                let range = start as usize..self.ends[row] as usize;
                text.0.extend_from_slice(&self.text[range]);
            }
        }
    }
}
