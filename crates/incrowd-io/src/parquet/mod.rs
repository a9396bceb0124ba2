//! Parquet in and out: cells are text in between, and columns published unchanged keep their types.
//!
//! Uses the column readers and writers of the parquet crate itself. Its Arrow layer would convert columns into arrays
//! that immediately become text again, for three times the compile time.

mod parse;
mod plain_name;
mod reader;
mod value;
mod writer;

pub(crate) use reader::ParquetReader;
pub(crate) use writer::ParquetWriter;
