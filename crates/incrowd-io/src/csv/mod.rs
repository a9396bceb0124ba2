//! Text with delimiters: the dialects of the field in, one plain dialect out.

mod address;
mod detect;
mod encoder;
mod header;
mod reader;
mod scan;
mod split;
mod spreadsheet;

pub use encoder::{CsvEncoder, EncodedRows};
pub use header::Header;
pub(crate) use reader::{CsvReader, check_columns};

use crate::Error;

/// How a CSV input is to be read.
///
/// ```
/// use incrowd_io::{CsvOptions, Header};
/// let options = CsvOptions { delimiter: Some(b';'), trim: true, ..CsvOptions::default() };
/// assert_eq!(options.header, Header::Checked);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// What separates cells; none to detect it among comma, semicolon, tab and `|`.
    pub delimiter: Option<u8>,
    /// What surrounds cells that hold delimiters or line breaks; doubled inside.
    pub quote: u8,
    /// What the first line is.
    pub header: Header,
    /// Whether white space around cells and column names is dropped.
    pub trim: bool,
    /// Whether cells and column names were written with an apostrophe where a spreadsheet would see a formula
    /// ([`CsvEncoder::spreadsheet_safe`]), which is then taken away.
    pub spreadsheet_safe: bool,
    /// The largest cell to expect. A quote that is never closed makes a cell of the rest of the file; this is
    /// where reading gives up on it instead of filling the memory.
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

/// Refuses bytes that cannot separate or quote: parts of letters, line breaks, one byte for both.
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
