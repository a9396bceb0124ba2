//! Errors of reading and writing, as fields; message and hint are derived from them.
//!
//! Errors point at cells and never quote them: the tables are about people. Not even a column name read
//! from a file is quoted if the file may lack a header, for then the name is a cell.

mod codes;

use std::io;
use std::path::PathBuf;

/// Every error of reading and writing.
///
/// `input` is the path of the input or the words `standard input`. Rows count from 1, the header not
/// counted; lines count from 1, the header counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine that holds the table failed.
    #[error("{0}")]
    Engine(Box<dyn EngineError>),
    /// There is no such file.
    #[error("there is no file `{input}`")]
    NotFound {
        /// The input.
        input: String,
    },
    /// The file exists but cannot be opened.
    #[error("cannot open `{input}`")]
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
    /// Reading failed partway.
    #[error("cannot read all of `{input}`")]
    Read {
        /// The input.
        input: String,
        /// How many bytes were read before.
        byte: u64,
        /// What the operating system says.
        source: io::Error,
    },
    /// The input is empty.
    #[error("`{input}` is empty")]
    Empty {
        /// The input.
        input: String,
    },
    /// The input has a header but no rows.
    #[error("`{input}` has a header but no rows")]
    NoRows {
        /// The input.
        input: String,
    },
    /// A row has more or fewer cells than there are columns.
    #[error("a row has {found} cells, but the table has {expected} columns")]
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
    /// The first line is a data row, not column names.
    #[error("the first line looks like a data row, not like column names")]
    HeaderIsRow {
        /// The input.
        input: String,
        /// How many columns suggest so.
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
    /// A quoted cell is still open at the end of the input.
    #[error("a quote is opened but never closed")]
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
    /// The format of the output cannot be derived from its name.
    #[error("unknown format of `{path}`", path = path.display())]
    UnknownFormat {
        /// The path.
        path: PathBuf,
    },
    /// The delimiter or the quote is unusable.
    #[error("byte {byte} cannot be used as delimiter or quote")]
    UnusableDialect {
        /// The byte given.
        byte: u8,
    },
    /// The compressed data is damaged or truncated.
    #[error("the compressed data of `{input}` is damaged")]
    BrokenGzip {
        /// The input.
        input: String,
        /// How many compressed bytes were read before.
        byte: u64,
        /// What the decompressor says.
        source: io::Error,
    },
    /// The file is not Parquet, or is damaged.
    #[error("`{input}` is not a readable Parquet file")]
    BrokenParquet {
        /// The input.
        input: String,
        /// What the decoder says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A Parquet or Arrow column has a type that cannot be converted to text.
    #[error("column `{column}` has a type that cannot be converted to text")]
    UnsupportedColumnType {
        /// The input.
        input: String,
        /// The column.
        column: String,
        /// The type, in the words of Arrow.
        kind: String,
    },
    /// A record batch has other columns than its table.
    #[error("record batch {batch} has other columns than the table")]
    BatchesDiffer {
        /// The input.
        input: String,
        /// The position of the batch, from 1.
        batch: usize,
    },
    /// The file is Parquet, which this build does not support.
    #[error("this build does not support Parquet")]
    WithoutParquet {
        /// The input or the output.
        path: String,
    },
    /// The output cannot be created.
    #[error("cannot write `{path}`", path = path.display())]
    NotWritable {
        /// The output.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A folder for the output cannot be created.
    #[error("cannot create the folder `{path}`", path = path.display())]
    FolderNotMade {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// An output file is also an input file.
    #[error("{what} would overwrite {input}")]
    OverwritesInput {
        /// `the release`, or another file written.
        what: &'static str,
        /// `the table`, or another file read.
        input: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Two outputs are the same file.
    #[error("{first} and {second} have the same name")]
    SameOutput {
        /// `the release`, or another file written.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// A cell does not have the type of its column.
    #[error("a cell of column {position} does not have the type of its column")]
    CellNotOfType {
        /// The output.
        path: PathBuf,
        /// The position of the column, from 1.
        position: usize,
    },
    /// Apostrophes are for spreadsheets, which read text.
    #[error("`--spreadsheet-safe` works only for CSV, but `{path}` is Parquet", path = path.display())]
    SpreadsheetNeedsText {
        /// The output.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("the disk is full")]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
        /// How many bytes had been written before.
        bytes: u64,
    },
    /// Writing failed partway.
    #[error("cannot finish writing `{path}`", path = path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// What the operating system says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The input holds other bytes than a moment before.
    #[error("`{input}` changed while it was being read")]
    InputChanged {
        /// The input.
        input: String,
    },
}

/// An error of an engine, with all that the errors of this crate have.
pub trait EngineError: std::error::Error + Send + Sync + 'static {
    /// A code for programs.
    fn code(&self) -> &'static str;

    /// Where it happened, when there is more to say than the message does.
    fn place(&self) -> Option<String>;

    /// What to do next.
    fn hint(&self) -> String;

    /// Whether somebody stopped what the engine was doing.
    fn is_stop(&self) -> bool;

    /// Whether the rows are no longer those that were counted.
    fn is_change(&self) -> bool;

    /// Whether nobody knows if the release is visible.
    fn is_unknown(&self) -> bool {
        false
    }
}

/// The likely encoding of text that is not UTF-8, to suggest a conversion that works.
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
            Engine(error) => error.place(),
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
            } => Some(format!("{input}, row {row}, starting at line {line}")),
            DuplicateColumn { input, .. } | EmptyColumnName { input, .. } => {
                Some(format!("{input}, in the header"))
            }
            HeaderIsRow {
                input,
                telling,
                columns,
            } => Some(format!(
                "{input}, judging by {telling} of {columns} columns"
            )),
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
                "{input}, {}, starting at line {line}, byte {byte}",
                row_or_header(*row)
            )),
            BrokenGzip { byte, source, .. } => Some(format!(
                "before compressed byte {byte}; the decompressor says: {source}"
            )),
            BrokenParquet { source, .. } => Some(format!("the decoder says: {source}")),
            UnsupportedColumnType { input, kind, .. } => {
                Some(format!("{input}; the type is {kind}"))
            }
            BatchesDiffer { input, .. } => Some(input.clone()),
            WithoutParquet { path } => Some(path.clone()),
            DiskFull { path, bytes } => Some(format!("{}, after {bytes} bytes", path.display())),
            InputChanged { .. } => None,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        use Error::*;
        match self {
            Engine(error) => error.hint(),
            NotFound { .. } => {
                "check the spelling and the folder; `-` reads standard input".into()
            }
            NotReadable { .. } => "check that you have permission to read the file".into(),
            IsDirectory { .. } => "name a file in the folder".into(),
            Read { .. } => "copy the file to a local disk and try again".into(),
            Empty { .. } => "check that the export that wrote the file has finished".into(),
            NoRows { .. } => {
                "check that the export found rows; if the first line is a data row, pass `--no-header`"
                    .into()
            }
            RaggedRow {
                found, expected, ..
            } => {
                if *found == 1 {
                    "if the file uses another delimiter, pass `--delimiter`; otherwise complete the row".into()
                } else if found < expected {
                    "complete the row with empty cells".into()
                } else {
                    "quote cells that contain the delimiter, or pass the file's delimiter with `--delimiter`"
                        .into()
                }
            }
            DuplicateColumn { .. } => {
                "rename one of them; if the first line is a data row, pass `--no-header`".into()
            }
            HeaderIsRow { .. } => {
                "if it is a data row, pass `--no-header` (columns are then named `column-1`, `column-2`, ...); if it holds \
                 the column names, pass `--header`; in a job file, use `header = false` or `header = true`"
                    .into()
            }
            EmptyColumnName { .. } => {
                "name the column in the first line (a delimiter at its end adds an unnamed column); if that line is a data \
                 row, pass `--no-header`"
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
                "close the quote, double it if it is part of the text, or pass the file's quote character with `--quote`"
                    .into()
            }
            CellTooLarge { .. } => {
                "check for an unclosed quote before it; if the cell really is that large, raise the limit"
                    .into()
            }
            UnknownFormat { .. } => {
                "use a name that ends in .csv, .csv.gz, .tsv or .parquet, or `-` for standard output"
                    .into()
            }
            UnusableDialect { .. } => {
                "use two different ASCII characters for delimiter and quote, neither of them a line break"
                    .into()
            }
            BrokenGzip { .. } => "check it with `gzip -t`; the copy may have been interrupted".into(),
            BrokenParquet { .. } => {
                "check that the file is complete; an interrupted copy lacks the footer".into()
            }
            UnsupportedColumnType { .. } => {
                "remove the column, or flatten it into columns of single values".into()
            }
            BatchesDiffer { .. } => {
                "give every record batch the columns of the schema: the same names and types in the same order".into()
            }
            WithoutParquet { .. } => {
                "use CSV, or a build with the feature `parquet`".into()
            }
            NotWritable { .. } | FolderNotMade { .. } => "choose a folder you may write to".into(),
            OverwritesInput { .. } => {
                "choose another name or folder for the output".into()
            }
            CellNotOfType { .. } => {
                "nothing was written; run again when the input no longer changes, or on a copy of it".into()
            }
            SpreadsheetNeedsText { .. } => {
                "remove the flag, since spreadsheets do not evaluate cells of Parquet files; or write a `.csv` file".into()
            }
            SameOutput { .. } => "choose another name for one of them".into(),
            DiskFull { .. } => "free some space or write to another disk; nothing was left behind".into(),
            Write { .. } => "check the disk; nothing was left behind".into(),
            InputChanged { .. } => {
                "nothing was written; run again when the input no longer changes, or on a copy of it".into()
            }
        }
    }

    /// The error of a failed write to `path`, by what the user can do about it.
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
