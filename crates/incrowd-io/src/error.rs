//! What can go wrong while reading and writing, as fields; the sentence and the hint are made from them.
//!
//! Errors point at cells and never quote them: the tables are about persons. Not even a column name read
//! from a file is quoted where the file may lack a header, for then the name is a cell.

mod codes;

use std::io;
use std::path::PathBuf;

/// Everything reading and writing can refuse.
///
/// `input` is the path of the input or the words `standard input`. Rows count from 1, the header not
/// counted; lines count from 1, the header counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file.
    #[error("there is no file `{input}`")]
    NotFound {
        /// The input.
        input: String,
    },
    /// The file exists and may not be opened.
    #[error("`{input}` cannot be opened")]
    NotReadable {
        /// The input.
        input: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The path names a folder.
    #[error("`{path}` is a folder, not a file", path = path.display())]
    IsDirectory {
        /// The path.
        path: PathBuf,
    },
    /// Reading failed half-way.
    #[error("`{input}` cannot be read to its end")]
    Read {
        /// The input.
        input: String,
        /// How many bytes were read before.
        byte: u64,
        /// What the operating system says.
        source: io::Error,
    },
    /// The input holds nothing at all.
    #[error("`{input}` is empty")]
    Empty {
        /// The input.
        input: String,
    },
    /// The input holds a header and nothing else.
    #[error("`{input}` has a header but no rows")]
    NoRows {
        /// The input.
        input: String,
    },
    /// A row has more or fewer cells than there are columns.
    #[error("a row has {found} cells where the table has {expected} columns")]
    RaggedRow {
        /// The input.
        input: String,
        /// The row.
        row: u64,
        /// The line the row begins in.
        line: u64,
        /// The number of columns.
        expected: usize,
        /// The number of cells.
        found: usize,
    },
    /// Two columns have the same name.
    #[error("columns {first} and {second} have the same name")]
    DuplicateColumn {
        /// The input, or the output when a table to be written has such columns.
        input: String,
        /// The position of the first of the two, from 1.
        first: usize,
        /// The position of the second, from 1.
        second: usize,
    },
    /// A column has no name.
    #[error("column {position} has no name")]
    EmptyColumnName {
        /// The input.
        input: String,
        /// The position, from 1.
        position: usize,
    },
    /// The first line names no columns, it is a row.
    #[error("the first line looks like a row, not like the names of columns")]
    HeaderIsRow {
        /// The input.
        input: String,
        /// How many columns say so.
        telling: usize,
        /// Of how many.
        columns: usize,
    },
    /// A cell, or a column name, is not UTF-8 text.
    #[error("{} is not UTF-8 text", match row { Some(_) => "a cell", None => "the header" })]
    NotUtf8 {
        /// The input.
        input: String,
        /// The row; none for the header.
        row: Option<u64>,
        /// The position of the column, from 1.
        position: usize,
        /// The encoding the bytes look like.
        likely: Encoding,
    },
    /// A quoted cell is still open where the input ends.
    #[error("a quote is opened and never closed")]
    QuoteNeverClosed {
        /// The input.
        input: String,
        /// The row the quote is in; none for the header.
        row: Option<u64>,
        /// The line that row begins in.
        line: u64,
        /// The byte that row begins at, from 0, after decompression.
        byte: u64,
    },
    /// A cell is larger than [`CsvOptions::max_cell_bytes`](crate::CsvOptions::max_cell_bytes).
    #[error("a cell is larger than {limit} bytes")]
    CellTooLarge {
        /// The input.
        input: String,
        /// The row; none for the header.
        row: Option<u64>,
        /// The line that row begins in.
        line: u64,
        /// The byte that row begins at, from 0, after decompression.
        byte: u64,
        /// The limit.
        limit: usize,
    },
    /// The name of the output does not tell its format.
    #[error("the format of `{path}` is unknown", path = path.display())]
    UnknownFormat {
        /// The path.
        path: PathBuf,
    },
    /// The delimiter, or the quote, cannot do its work.
    #[error("byte {byte} cannot separate or quote cells")]
    UnusableDialect {
        /// The byte given.
        byte: u8,
    },
    /// The compressed data are damaged or cut short.
    #[error("the compressed data of `{input}` are damaged")]
    BrokenGzip {
        /// The input.
        input: String,
        /// How many compressed bytes were read before.
        byte: u64,
        /// What the decompressor says.
        source: io::Error,
    },
    /// The file is not Parquet, or a damaged one.
    #[error("`{input}` is not a readable Parquet file")]
    BrokenParquet {
        /// The input.
        input: String,
        /// What the decoder says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A Parquet column holds something that is no single text.
    #[error("column `{column}` is of a type that cannot become text")]
    UnsupportedColumnType {
        /// The input.
        input: String,
        /// The column.
        column: String,
        /// The type, in the words of Arrow.
        kind: String,
    },
    /// The file is Parquet and this build cannot read or write that.
    #[error("this build was made without Parquet")]
    WithoutParquet {
        /// The input or the output.
        path: String,
    },
    /// The output cannot be created.
    #[error("`{path}` cannot be written", path = path.display())]
    NotWritable {
        /// The output.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A folder for the output cannot be made.
    #[error("the folder `{path}` cannot be made", path = path.display())]
    FolderNotMade {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A file to be written is one that is read.
    #[error("{what} would overwrite {input}")]
    OverwritesInput {
        /// `the release`, or another file written.
        what: &'static str,
        /// `the table`, or another file read.
        input: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Two outputs are one file.
    #[error("{first} and {second} have the same name")]
    SameOutput {
        /// `the release`, or another file written.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A cell cannot be stored as its column is.
    #[error("a cell of column {position} is not of the type of its column")]
    CellNotOfType {
        /// The output.
        path: PathBuf,
        /// The position of the column, from 1.
        position: usize,
    },
    /// Apostrophes are for spreadsheets, which read text.
    #[error("`--spreadsheet-safe` is for CSV, and `{path}` is Parquet", path = path.display())]
    SpreadsheetNeedsText {
        /// The output.
        path: PathBuf,
    },
    /// There is no room left.
    #[error("the disk is full")]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
        /// How many bytes had been written before.
        bytes: u64,
    },
    /// Writing failed half-way.
    #[error("`{path}` cannot be written to its end", path = path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// What the operating system says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Other bytes are there than a moment before.
    #[error("`{input}` changed while it was being read")]
    InputChanged {
        /// The input.
        input: String,
    },
}

/// What text that is no UTF-8 looks like, to suggest a conversion that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// One byte per letter, as Windows and old databases write.
    Windows1252,
    /// Two bytes per letter, as Excel writes "Unicode text".
    Utf16,
}

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        use Error::*;
        match self {
            NotFound { .. }
            | IsDirectory { .. }
            | Empty { .. }
            | NoRows { .. }
            | UnknownFormat { .. }
            | UnusableDialect { .. } => None,
            NotReadable { source, .. }
            | NotWritable { source, .. }
            | FolderNotMade { source, .. } => Some(format!("the operating system says: {source}")),
            SpreadsheetNeedsText { .. } => None,
            CellNotOfType { path, .. } | OverwritesInput { path, .. } | SameOutput { path, .. } => {
                Some(path.display().to_string())
            }
            Write { source, .. } => Some(format!("the operating system says: {source}")),
            Read { byte, source, .. } => Some(format!(
                "after byte {byte}; the operating system says: {source}"
            )),
            RaggedRow {
                input, row, line, ..
            } => Some(format!("{input}, row {row}, which begins in line {line}")),
            DuplicateColumn { input, .. } | EmptyColumnName { input, .. } => {
                Some(format!("{input}, in the header"))
            }
            HeaderIsRow {
                input,
                telling,
                columns,
            } => Some(format!("{input}, {telling} of {columns} columns say so")),
            NotUtf8 {
                input,
                row,
                position,
                ..
            } => Some(format!(
                "{input}, {}, column {position}",
                row_or_header(*row)
            )),
            QuoteNeverClosed {
                input,
                row,
                line,
                byte,
            }
            | CellTooLarge {
                input,
                row,
                line,
                byte,
                ..
            } => Some(format!(
                "{input}, {}, which begins in line {line}, byte {byte}",
                row_or_header(*row)
            )),
            BrokenGzip { byte, source, .. } => Some(format!(
                "before compressed byte {byte}; the decompressor says: {source}"
            )),
            BrokenParquet { source, .. } => Some(format!("the decoder says: {source}")),
            UnsupportedColumnType { input, kind, .. } => {
                Some(format!("{input}; the type is {kind}"))
            }
            WithoutParquet { path } => Some(path.clone()),
            DiskFull { path, bytes } => Some(format!("{}, after {bytes} bytes", path.display())),
            InputChanged { .. } => None,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        use Error::*;
        match self {
            NotFound { .. } => {
                "check the spelling and the folder; `-` reads standard input".into()
            }
            NotReadable { .. } => "ask for permission to read the file".into(),
            IsDirectory { .. } => "name a file inside the folder".into(),
            Read { .. } => "copy the file to a local disk and try again".into(),
            Empty { .. } => "check that the export that made the file has finished".into(),
            NoRows { .. } => {
                "check that the export found rows; if the first line is a row already, pass `--no-header`"
                    .into()
            }
            RaggedRow {
                found, expected, ..
            } => {
                if *found == 1 {
                    "if the file uses another delimiter, give it; otherwise complete the row".into()
                } else if found < expected {
                    "complete the row with empty cells".into()
                } else {
                    "a cell that holds the delimiter must stand in quotes; or give the delimiter the file uses"
                        .into()
                }
            }
            DuplicateColumn { .. } => {
                "rename one of them; if the first line is a row already, pass `--no-header`".into()
            }
            HeaderIsRow { .. } => {
                "if it is a row, pass `--no-header` (columns are then called `column-1`, `column-2`, ...); if it names the \
                 columns, `--header`; in a job file, `header = false` or `header = true`"
                    .into()
            }
            EmptyColumnName { .. } => {
                "name the column in the first line, where a delimiter at the end makes such a column; if that line is a \
                 row already, pass `--no-header`"
                    .into()
            }
            NotUtf8 {
                likely: Encoding::Windows1252,
                ..
            } => "convert the file first, for example `iconv -f windows-1252 -t utf-8`".into(),
            NotUtf8 {
                likely: Encoding::Utf16,
                ..
            } => "convert the file first, for example `iconv -f utf-16 -t utf-8`".into(),
            QuoteNeverClosed { .. } => {
                "close the quote, or double it if it belongs to the text; or give the quote character the file uses"
                    .into()
            }
            CellTooLarge { .. } => {
                "most likely a quote before it is never closed; if the cell is really that large, raise the limit"
                    .into()
            }
            UnknownFormat { .. } => {
                "use a name that ends in .csv, .csv.gz, .tsv or .parquet, or `-` for standard output"
                    .into()
            }
            UnusableDialect { .. } => {
                "use one ASCII character for the delimiter and another for the quote, neither a line break"
                    .into()
            }
            BrokenGzip { .. } => "check it with `gzip -t`; an interrupted copy ends too early".into(),
            BrokenParquet { .. } => {
                "check that the file was written to its end; an interrupted copy loses the footer".into()
            }
            UnsupportedColumnType { .. } => {
                "leave the column out, or flatten it into columns of single values".into()
            }
            WithoutParquet { .. } => {
                "use CSV, or a build with the feature `parquet`".into()
            }
            NotWritable { .. } | FolderNotMade { .. } => "choose a folder you may write to".into(),
            OverwritesInput { .. } => {
                "choose another name, or another folder, for what is written".into()
            }
            CellNotOfType { .. } => {
                "nothing was written; run again when nobody writes to the input, or on a copy of it".into()
            }
            SpreadsheetNeedsText { .. } => {
                "leave it out: spreadsheets take no cell of a Parquet file for a formula; or name a `.csv` file".into()
            }
            SameOutput { .. } => "choose another name for one of them".into(),
            DiskFull { .. } => "free some room or write to another disk; nothing was left behind".into(),
            Write { .. } => "check the disk; nothing was left behind".into(),
            InputChanged { .. } => {
                "nothing was written; run again when nobody writes to the input, or on a copy of it".into()
            }
        }
    }

    /// What writing to `path` failed with, told apart by what the user can do about it.
    pub(crate) fn of_write(path: &std::path::Path, bytes: u64, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull {
                path: path.into(),
                bytes,
            },
            _ => Error::Write {
                path: path.into(),
                source: source.into(),
            },
        }
    }
}

fn row_or_header(row: Option<u64>) -> String {
    match row {
        Some(row) => format!("row {row}"),
        None => "the header".into(),
    }
}
