//! Parquet in and out, as text.
//!
//! Uses the column readers and writers of the parquet crate itself. Its Arrow layer would turn columns into
//! arrays that are text again a moment later, for three times the compile time.

mod reader;
mod value;
mod writer;

pub(crate) use reader::ParquetReader;
pub(crate) use writer::ParquetWriter;
