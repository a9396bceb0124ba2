//! Delimited text: many dialects in, one plain dialect out.

mod address;
mod detect;
mod encoder;
mod ends;
mod formatted_rows;
mod header;
mod pieces;
mod reader;
mod release_encoder;
mod row_text;
mod scan;
mod split;
mod spreadsheet;

pub use encoder::{CsvEncoder, EncodedRows};
pub use formatted_rows::FormattedRows;
pub use header::Header;
pub(crate) use reader::{CsvReader, check_columns};
pub use release_encoder::ReleaseEncoder;

use crate::Error;

/// How to read a CSV input.
///
/// ```
/// use incrowd_io::{CsvOptions, Header};
/// let options = CsvOptions { delimiter: Some(b';'), trim: true, ..CsvOptions::default() };
/// assert_eq!(options.header, Header::Checked);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// The cell separator; none to detect it among comma, semicolon, tab and `|`.
    pub delimiter: Option<u8>,
    /// The quote character around cells that contain delimiters or line breaks; doubled inside.
    pub quote: u8,
    /// What the first line is.
    pub header: Header,
    /// Whether whitespace around cells and column names is removed.
    pub trim: bool,
    /// Whether cells and column names that look like formulas were written with an apostrophe
    /// ([`CsvEncoder::spreadsheet_safe`]), which is then removed.
    pub spreadsheet_safe: bool,
    /// The largest cell to expect. An unclosed quote turns the rest of the file into one cell; at this size, reading
    /// gives up instead of filling the memory.
    pub max_cell_bytes: usize,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions {
            delimiter: None,
            quote: b'"',
            header: Header::Checked,
            trim: false,
            spreadsheet_safe: false,
            max_cell_bytes: 256 << 20,
        }
    }
}

/// Refuses bytes that cannot separate or quote: parts of characters, line breaks, the same byte for both.
fn check_dialect(delimiter: u8, quote: u8) -> Result<(), Error> {
    for byte in [delimiter, quote] {
        if !byte.is_ascii() || matches!(byte, b'\r' | b'\n' | 0) {
            return Err(Error::UnusableDialect { byte });
        }
    }
    if delimiter == quote {
        return Err(Error::UnusableDialect { byte: delimiter });
    }
    Ok(())
}
