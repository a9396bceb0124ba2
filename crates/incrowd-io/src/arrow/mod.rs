//! Arrow record batches in and out: cells are text in between, and columns published as they are keep their types.
//!
//! A cell is the text that the same value has in a Parquet file, and null the empty text. Text comes out as `Utf8`, however
//! it was stored; what is generalized comes out as a dictionary of its labels, and so does text that came as one.

mod array;
mod cells;
mod coder;
mod labels;
mod plain_name;
mod reader;
mod recent;
mod remembered;
mod sink;
mod table;
mod texts;

pub use sink::ArrowSink;
pub use table::ArrowTable;
pub use texts::{BatchTexts, array_of_texts};

/// What an Arrow table is called in messages.
const NAME: &str = "the Arrow table";
