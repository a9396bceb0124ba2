//! A word for every error, for programs; see [`incrowd_core::error_codes`].

use super::Error;

incrowd_core::error_codes! {
    NotFound => "not-found", "The table is not there.";
    NotReadable => "not-readable", "The table is there and may not be opened.";
    IsDirectory => "is-directory", "A folder is named where a file is needed.";
    Read => "read", "Reading the input failed half-way.";
    Empty => "empty", "The input holds nothing at all.";
    NoRows => "no-rows", "The input holds a header and nothing else.";
    RaggedRow => "ragged-row", "A row has more or fewer cells than there are columns.";
    DuplicateColumn => "duplicate-column", "Two columns have the same name.";
    EmptyColumnName => "empty-column-name", "A column has no name.";
    HeaderIsRow => "header-is-row", "The first line names no columns: it looks like a row.";
    NotUtf8 => "not-utf8", "A cell, or the name of a column, is not UTF-8 text.";
    QuoteNeverClosed => "quote-never-closed", "A quoted cell is still open where the input ends.";
    CellTooLarge => "cell-too-large", "A cell is larger than the limit; most likely a quote before it is never closed.";
    UnknownFormat => "unknown-format", "The name of the output does not tell its format.";
    UnusableDialect => "unusable-dialect", "The delimiter, or the quote, cannot do its work.";
    BrokenGzip => "broken-gzip", "The compressed data are damaged or cut short.";
    BrokenParquet => "broken-parquet", "The file is not Parquet, or a damaged one.";
    UnsupportedColumnType => "unsupported-column-type", "A Parquet column holds something that is no single text.";
    WithoutParquet => "without-parquet", "The file is Parquet and this build cannot read or write that.";
    NotWritable => "not-writable", "The output cannot be created.";
    FolderNotMade => "folder-not-made", "A folder for the output cannot be made.";
    OverwritesInput => "overwrites-input", "A file to be written is one that is read.";
    SameOutput => "same-output", "Two outputs are one file.";
    CellNotOfType => "cell-not-of-type", "A cell cannot be stored as its column is; the input changed while it was read.";
    SpreadsheetNeedsText => "spreadsheet-needs-text", "`--spreadsheet-safe` with a Parquet output.";
    DiskFull => "disk-full", "There is no room left.";
    Write => "write", "Writing an output failed half-way.";
    InputChanged => "input-changed", "The input changed between the two passes over it.";
}
