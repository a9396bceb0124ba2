//! Cells to text with delimiters.

use super::check_dialect;
use crate::Error;
use incrowd_core::table::RowBatch;

const QUOTE: u8 = b'"';

/// Writes rows in the dialect every reader understands: quotes where needed and doubled inside, `\n` after
/// each row.
///
/// Cheap to copy, so that batches can be formatted on several threads and written in order.
///
/// ```
/// use incrowd_core::table::RowBatch;
/// use incrowd_io::CsvEncoder;
/// let mut batch = RowBatch::new(2);
/// batch.push_cell(b"39");
/// batch.push_cell(b"Berlin, Mitte");
/// let mut text = Vec::new();
/// CsvEncoder::new(b',')?.encode(&batch, &mut text);
/// assert_eq!(text, b"39,\"Berlin, Mitte\"\n");
/// # Ok::<(), incrowd_io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvEncoder {
    delimiter: u8,
}

impl CsvEncoder {
    /// An encoder that puts `delimiter` between cells.
    pub fn new(delimiter: u8) -> Result<CsvEncoder, Error> {
        check_dialect(delimiter, QUOTE)?;
        Ok(CsvEncoder { delimiter })
    }

    /// What stands between cells.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Appends the rows of `batch` to `text`.
    pub fn encode(&self, batch: &RowBatch, text: &mut Vec<u8>) {
        text.reserve(batch.byte_len() + batch.rows() * (batch.columns() + 1));
        for row in 0..batch.rows() {
            self.encode_row(
                (0..batch.columns()).map(|column| batch.cell(row, column)),
                text,
            );
        }
    }

    /// Appends one row, or the header, to `text`.
    pub fn encode_row<'a>(&self, cells: impl IntoIterator<Item = &'a [u8]>, text: &mut Vec<u8>) {
        let start = text.len();
        for (at, cell) in cells.into_iter().enumerate() {
            if at > 0 {
                text.push(self.delimiter);
            }
            self.encode_cell(cell, text);
        }
        // A row of one empty cell would be an empty line, which readers skip.
        if text.len() == start {
            text.extend_from_slice(&[QUOTE, QUOTE]);
        }
        text.push(b'\n');
    }

    #[inline]
    fn encode_cell(&self, cell: &[u8], text: &mut Vec<u8>) {
        let special =
            |&byte: &u8| byte == self.delimiter || byte == QUOTE || byte == b'\n' || byte == b'\r';
        // A byte order mark at the start of a file is dropped by readers unless it stands in quotes.
        if !cell.iter().any(special) && cell.first() != Some(&0xef) {
            text.extend_from_slice(cell);
            return;
        }
        text.push(QUOTE);
        for &byte in cell {
            if byte == QUOTE {
                text.push(QUOTE);
            }
            text.push(byte);
        }
        text.push(QUOTE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(cells: &[&str]) -> String {
        let mut text = Vec::new();
        let encoder = CsvEncoder::new(b';').unwrap();
        encoder.encode_row(cells.iter().map(|cell| cell.as_bytes()), &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn only_cells_that_need_quotes_get_them() {
        assert_eq!(encode(&["a b", "1,5", ""]), "a b;1,5;\n");
        assert_eq!(
            encode(&["a;b", "c\nd", "e\rf"]),
            "\"a;b\";\"c\nd\";\"e\rf\"\n"
        );
        assert_eq!(encode(&["say \"hi\""]), "\"say \"\"hi\"\"\"\n");
    }

    #[test]
    fn a_row_of_one_empty_cell_is_no_empty_line() {
        assert_eq!(encode(&[""]), "\"\"\n");
        assert_eq!(encode(&["", ""]), ";\n");
    }

    #[test]
    fn a_delimiter_must_not_be_a_quote_a_line_break_or_half_a_letter() {
        for byte in [b'"', b'\n', b'\r', 0, 0xc3] {
            assert!(matches!(
                CsvEncoder::new(byte),
                Err(Error::UnusableDialect { byte: found }) if found == byte
            ));
        }
    }
}
