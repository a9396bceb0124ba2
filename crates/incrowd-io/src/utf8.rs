//! Whether cells that came as bytes are text.

use crate::{Encoding, Error};
use incrowd_core::table::RowBatch;

/// Refuses a batch with a cell that is not UTF-8.
pub(crate) fn check_utf8(input: &str, batch: &RowBatch) -> Result<(), Error> {
    match first_broken_cell(batch) {
        None => Ok(()),
        Some((row, column)) => Err(Error::NotUtf8 {
            input: input.into(),
            row: Some(batch.first_row() + row as u64 + 1),
            position: column + 1,
            likely: Encoding::Windows1252,
        }),
    }
}

/// The first cell of `batch` that is not UTF-8: its row in the batch and its column, both from 0.
fn first_broken_cell(batch: &RowBatch) -> Option<(usize, usize)> {
    // A cell cannot be broken if all bytes are ASCII, which is quick to tell and nearly always so.
    if batch.coded(0).is_none() && batch.bytes().is_ascii() {
        return None;
    }
    (0..batch.rows())
        .flat_map(|row| (0..batch.columns()).map(move |column| (row, column)))
        .find(|&(row, column)| std::str::from_utf8(batch.cell(row, column)).is_err())
}
