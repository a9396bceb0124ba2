//! A code for every error, for programs; see [`incrowd_core::error_codes`].

use super::Error;

incrowd_core::error_codes! {
    @wrapped {
        Error::Engine(error) => error.code(),
    }
    NotFound => "not-found", "The table does not exist.";
    NotReadable => "not-readable", "The table exists but cannot be opened.";
    IsDirectory => "is-directory", "A folder is given where a file is needed.";
    Read => "read", "Reading the input failed partway.";
    Empty => "empty", "The input is empty.";
    NoRows => "no-rows", "The input has a header but no rows.";
    RaggedRow => "ragged-row", "A row has more or fewer cells than there are columns.";
    DuplicateColumn => "duplicate-column", "Two columns have the same name.";
    EmptyColumnName => "empty-column-name", "A column has no name.";
    HeaderIsRow => "header-is-row", "The first line looks like a data row, not like column names.";
    NotUtf8 => "not-utf8", "A cell or a column name is not UTF-8 text.";
    QuoteNeverClosed => "quote-never-closed", "A quoted cell is still open at the end of the input.";
    CellTooLarge => "cell-too-large", "A cell is larger than the limit, most likely because of an unclosed quote before it.";
    UnknownFormat => "unknown-format", "The format of the output cannot be derived from its name.";
    UnusableDialect => "unusable-dialect", "The delimiter or the quote is unusable.";
    BrokenGzip => "broken-gzip", "The compressed data is damaged or truncated.";
    BrokenParquet => "broken-parquet", "The file is not Parquet, or is damaged.";
    UnsupportedColumnType => "unsupported-column-type", "A Parquet or Arrow column has a type that cannot be converted to text.";
    BatchesDiffer => "batches-differ", "A record batch has other columns than its table.";
    WithoutParquet => "without-parquet", "The file is Parquet, which this build does not support.";
    NotWritable => "not-writable", "The output cannot be created.";
    FolderNotMade => "folder-not-made", "A folder for the output cannot be created.";
    OverwritesInput => "overwrites-input", "An output file is also an input file.";
    SameOutput => "same-output", "Two outputs are the same file.";
    CellNotOfType => "cell-not-of-type", "A cell does not have the type of its column; the input changed while it was read.";
    SpreadsheetNeedsText => "spreadsheet-needs-text", "`--spreadsheet-safe` with a Parquet output.";
    DiskFull => "disk-full", "The disk is full.";
    Write => "write", "Writing an output failed partway.";
    InputChanged => "input-changed", "The input changed between the two passes over it.";
}
