//! Hierarchies as text: one line per value, the value first, then its groups, separated by a delimiter.
//!
//! Ours starts with a line that names the levels; the files of ARX have none. Comma, semicolon and tab are detected,
//! quotes are those of CSV, a byte order mark and any line ends are accepted. Cells are taken literally, including
//! whitespace, since they must equal the values of the data. What [`Hierarchy::from_rows`] says about short rows and a
//! missing `*` applies here too.
//!
//! ```
//! use incrowd_core::hierarchy::{Hierarchy, Options, parse};
//! let arx = b"34;30-39;*\n36;30-39;*\n47;40-49;*\n";
//! let age = parse(arx, Options::new("age"))?;
//! assert_eq!((age.leaves(), age.height().0), (3, 2));
//! assert!(age.to_csv().starts_with("value,level-1,level-2\n34,30-39,*\n"));
//! # Ok::<(), incrowd_core::Error>(())
//! ```

use super::listed::Rows;
use super::{ANY, Hierarchy};
use crate::error::Error;
use crate::numbers::Leaf;
use crate::numbers::Level;

/// Whether the first line names the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Header {
    /// It does.
    Yes,
    /// It is a value like the others.
    No,
    /// Detect it.
    ///
    /// A line whose first cell is a value of the data ([`Options::with_values`]) is not a header. Otherwise a line
    /// whose first cell is the name of the column is one, and so is a line that does not end in `*` while all others
    /// end in the same other cell.
    ///
    /// If still undecided, the line is a header if the values of the data are known and none of its cells occurs again
    /// in its own column further down. Nothing is lost if that is wrong: the line was about a value that no row has. If
    /// they are not known, it is not a header.
    #[default]
    Detect,
}

/// How to read the text of a hierarchy.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    column: &'a str,
    header: Header,
    delimiter: Option<u8>,
    is_value: Option<&'a dyn Fn(&str) -> bool>,
}

impl<'a> Options<'a> {
    /// Header and delimiter detected; `column` is for messages.
    pub fn new(column: &'a str) -> Self {
        Options {
            column,
            header: Header::Detect,
            delimiter: None,
            is_value: None,
        }
    }

    /// Sets whether the first line names the levels.
    #[must_use]
    pub fn with_header(self, header: Header) -> Self {
        Options { header, ..self }
    }

    /// Sets the cell separator.
    #[must_use]
    pub fn with_delimiter(self, delimiter: u8) -> Self {
        Options {
            delimiter: Some(delimiter),
            ..self
        }
    }

    /// Sets the values of the data, which distinguish a header from a value.
    #[must_use]
    pub fn with_values(self, is_value: &'a dyn Fn(&str) -> bool) -> Self {
        Options {
            is_value: Some(is_value),
            ..self
        }
    }
}

/// Reads a hierarchy from the bytes of a file.
///
/// # Errors
/// Bytes that are not UTF-8, one cell on every line (the delimiter is another one), and what
/// [`Hierarchy::from_rows`] refuses. Lines in errors count from 1, as editors do.
pub fn parse(bytes: &[u8], options: Options<'_>) -> Result<Hierarchy, Error> {
    let column = options.column;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| Error::HierarchyNotUtf8 {
        column: column.into(),
        line: Lines::new(bytes).of(error.valid_up_to()),
    })?;
    let delimiter = options.delimiter.unwrap_or_else(|| detect_delimiter(text));
    let rows = read_rows(text, delimiter, usize::MAX, column)?;
    if rows.len() > 0 && (0..rows.len()).all(|row| rows.cell_count(row) == 1) {
        return Err(Error::HierarchyOneColumn {
            column: column.into(),
            lines: rows.len() as u64,
        });
    }
    let header = match options.header {
        Header::Yes => rows.len() > 0,
        Header::No => false,
        Header::Detect => has_header(&rows, options),
    };
    if !header {
        return rows.read(column);
    }
    Ok(rows.read_from(column, 1)?.with_level_names(rows.row(0)))
}

impl Hierarchy {
    /// The hierarchy as text, level names first, in the form that [`parse`] reads.
    ///
    /// Values that were only added as [`super::ExtraLeaf::Suppressed`] are not written, their shared leaf `*` is.
    pub fn to_csv(&self) -> String {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        let levels = Level::up_to(self.height());
        let mut write = |cells: Vec<&str>| {
            let written = writer.write_record(cells);
            written.expect("memory takes every byte, and all rows are equally long");
        };
        write(levels.clone().map(|level| self.level_name(level)).collect());
        for leaf in (0..self.leaves() as u32).map(Leaf) {
            let group = |level| self.group_of(level, leaf);
            let cells = levels.clone().map(|level| self.label(level, group(level)));
            write(cells.collect());
        }
        let bytes = writer.into_inner().expect("memory takes every byte");
        String::from_utf8(bytes).expect("labels and delimiters are UTF-8")
    }
}

fn read_rows(text: &str, delimiter: u8, most: usize, column: &str) -> Result<Rows, Error> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows = Rows::default();
    let mut lines = Lines::new(text.as_bytes());
    let mut record = ::csv::StringRecord::new();
    while rows.len() < most {
        let line = lines.of_record_at(reader.position().byte());
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {
                record.iter().for_each(|cell| rows.push_cell(cell));
                rows.end_row(line);
            }
            // A delimiter outside ASCII cuts through characters.
            Err(_) => {
                return Err(Error::HierarchyNotUtf8 {
                    column: column.into(),
                    line,
                });
            }
        }
    }
    Ok(rows)
}

/// Counts lines along a text, each byte once.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Lines {
            bytes,
            at: 0,
            line: 1,
        }
    }

    /// The line of a position after all those asked for before.
    fn of(&mut self, position: usize) -> u64 {
        while self.at < position.min(self.bytes.len()) {
            // `\r\n` ends one line, and so does either alone.
            let ends = match self.bytes[self.at] {
                b'\n' => true,
                b'\r' => self.bytes.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(ends);
            self.at += 1;
        }
        self.line
    }

    /// The line of the record after `position`: blank lines belong to no record.
    fn of_record_at(&mut self, position: u64) -> u64 {
        let position = position as usize;
        let rest = self.bytes.get(position..).unwrap_or_default();
        let blank = rest
            .iter()
            .take_while(|&byte| matches!(byte, b'\r' | b'\n'));
        self.of(position + blank.count())
    }
}

/// The delimiter that fits the first lines best.
///
/// Every line should have at least two cells; then as many lines as possible should end in `*`; then there should be
/// many cells. Labels like `[1, 5)` hold commas, few hold semicolons or tabs, so a tie goes against the comma.
fn detect_delimiter(text: &str) -> u8 {
    const LOOKED_AT: usize = 100;
    let score = |delimiter| {
        let rows = read_rows(text, delimiter, LOOKED_AT, "").unwrap_or_default();
        let cells = (0..rows.len()).map(|row| rows.cell_count(row));
        let cuts: usize = cells.clone().map(|cells| cells - 1).sum();
        let fewest = cells.min().unwrap_or(0);
        let tops = (0..rows.len())
            .filter(|&row| rows.cell_count(row) > 1 && rows.row(row).next_back() == Some(ANY))
            .count();
        (cuts > 0, fewest > 1, tops, fewest, cuts)
    };
    let candidates = [b',', b';', b'\t'];
    let best = candidates.into_iter().max_by_key(|&at| score(at)); // the last of equals
    best.filter(|&best| score(best).0).unwrap_or(b',')
}

/// Whether the first row names the levels; the rule is at [`Header::Detect`].
fn has_header(rows: &Rows, options: Options<'_>) -> bool {
    if rows.len() == 0 {
        return false;
    }
    let first: Vec<&str> = rows.row(0).collect();
    if options.is_value.is_some_and(|is_value| is_value(first[0])) {
        return false;
    }
    let others = 1..rows.len();
    let mut tops = others.clone().map(|row| rows.row(row).next_back());
    let (own, top) = (first.last().copied(), tops.next());
    let stands_out = own != Some(ANY)
        && top.is_some_and(|top| own != top)
        && tops.all(|other| Some(other) == top);
    let is_again = |(cell, name): (&str, &&str)| cell == *name && !cell.is_empty();
    let repeats = |row| rows.row(row).zip(&first).any(is_again);
    first[0] == options.column
        || stands_out
        || (options.is_value.is_some() && !others.into_iter().any(repeats))
}

#[cfg(test)]
mod tests;
