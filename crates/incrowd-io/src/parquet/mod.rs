//! Parquet in and out: cells are text in between, and columns published unchanged keep their types.
//!
//! Uses the pages, column readers and column writers of the parquet crate itself. Its Arrow layer would convert columns
//! into arrays that immediately become text again, for three times the compile time.
//!
//! Most columns are stored as a dictionary of their values and a number for each row. Both directions keep to that: a
//! value becomes text, or is made from text, once for each dictionary (`paged.rs`, `chunk.rs`), and rows are numbers.

mod chunk;
mod distinct;
mod encoders;
mod group;
mod hybrid;
mod paged;
mod parse;
mod plain;
mod plain_name;
mod reader;
mod texts;
mod value;
mod values;
mod writer;

pub(crate) use reader::ParquetReader;
pub(crate) use writer::ParquetWriter;
