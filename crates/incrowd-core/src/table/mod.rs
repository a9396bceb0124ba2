//! What a table is made of: values as codes, rows in batches.
//!
//! A cell is a [`ValueCode`] into its column's [`Dictionary`]; the text is needed only at the edges. Rows are
//! handed over as [`RowBatch`]es of raw cells, so a file larger than memory is no special case.

mod batch;
mod cell;
mod coded;
mod date_form;
pub(crate) mod decimal;
mod dictionary;
mod name;
mod slots;
mod value;

pub use crate::numbers::ValueCode;
pub use batch::RowBatch;
pub(crate) use cell::Cell;
pub(crate) use coded::Meanings;
pub use coded::{CodedColumn, ValueList};
pub use date_form::{DateForm, DateForms};
pub use decimal::{Decimal, NotADecimal};
pub use dictionary::Dictionary;
pub(crate) use name::without_accent;
pub use name::{steers, words_of_name};
pub(crate) use slots::{NOBODY, Slots};
pub use value::{Kind, Number, parse_date, parse_number};
