//! Text with delimiters: the dialects of the field in, one plain dialect out.

mod detect;
mod encoder;
mod reader;
mod scan;
mod split;

pub use encoder::CsvEncoder;
pub(crate) use reader::{CsvReader, check_columns};

use crate::Error;

/// How a CSV input is to be read.
///
/// ```
/// use incrowd_io::CsvOptions;
/// let options = CsvOptions { delimiter: Some(b';'), trim: true, ..CsvOptions::default() };
/// assert!(options.has_header);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// What separates cells; none to detect it among comma, semicolon, tab and `|`.
    pub delimiter: Option<u8>,
    /// What surrounds cells that hold delimiters or line breaks; doubled inside.
    pub quote: u8,
    /// Whether the first line names the columns; else they are called `column-1`, `column-2` and so on.
    pub has_header: bool,
    /// Whether white space around cells and column names is dropped.
    pub trim: bool,
    /// The largest cell to expect. A quote that is never closed makes a cell of the rest of the file; this is
    /// where reading gives up on it instead of filling the memory.
    pub max_cell_bytes: usize,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions {
            delimiter: None,
            quote: b'"',
            has_header: true,
            trim: false,
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
