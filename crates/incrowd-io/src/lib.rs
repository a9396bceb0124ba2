//! Reads tables about people and writes their releases, row by row.
//!
//! Rows are touched twice, once to count them and once to write them, and here memory never grows with their number: a
//! [`Source`] is opened once per pass and returns batches of rows; a [`Sink`] takes them, and its file appears complete
//! or not at all. Both compute the [`Fingerprint`] of the bytes on the fly, which goes into the certificate. A
//! pass after the first only checks that the bytes are the same ([`RowSource::open_again`]), unless the fingerprint was left
//! to it.
//!
//! `incrowd-core` decides what a cell means; here it is UTF-8 text, and a missing value is the empty text.
//!
//! ```
//! use incrowd_core::table::RowBatch;
//! use incrowd_io::{CsvOptions, RowSource, Source};
//!
//! let source = Source::spooled(&b"age;zip\n39;10115\n"[..], CsvOptions::default())?;
//! let mut reader = source.open()?;
//! assert_eq!(reader.columns(), ["age", "zip"]);
//! let mut batch = RowBatch::default();
//! assert!(reader.read(&mut batch)?);
//! assert_eq!(batch.cell(0, 1), b"10115");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`RowSink`] takes nothing but rows that a release has recoded, and ends with the release's confirmation: raw rows
//! cannot be written by mistake.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(any(feature = "parquet", feature = "arrow"))]
mod cell_text;
mod claims;
mod column_type;
mod csv;
mod engine;
mod error;
mod file;
mod fingerprint;
#[cfg(feature = "parquet")]
mod gathered;
mod hashing;
mod mapped_list;
mod memory;
mod numbered;
mod overflow_file;
#[cfg(feature = "parquet")]
mod parquet;
mod part_file;
mod row_source;
mod rows_hashed;
mod seal;
#[cfg(feature = "parquet")]
mod sealed;
mod sha256;
mod sink;
mod source;
#[cfg(feature = "parquet")]
mod stored_type;
mod synced_file;
mod turns;
#[cfg(feature = "parquet")]
mod utf8;

#[cfg(feature = "arrow")]
pub use arrow::{ArrowSink, ArrowTable, BatchTexts, array_of_texts};
pub use claims::Claims;
pub use column_type::ColumnType;
pub use csv::{CsvEncoder, CsvOptions, EncodedRows, FormattedRows, Header, ReleaseEncoder};
pub use engine::{
    Approach, Cancel, EngineFacts, EngineHandle, GroupRoom, LastStep, NewTable, Publishing, Step,
    TakeGroups,
};
pub use error::{Encoding, EngineError, Error};
pub use fingerprint::{Fingerprint, RowsHasher};
pub use hashing::WorkBetween;
pub use memory::{MemorySink, MemoryTable};
pub use overflow_file::OverflowFile;
pub use row_source::{ChangeRows, RowReader, RowSource, RowsRead, SharedReader};
pub use seal::{LeftFingerprint, RowsSeal};
pub use sink::{OutputFormat, PendingFile, ReadyFile, RowSink, Sink, Written, write_atomically};
pub use source::Source;
