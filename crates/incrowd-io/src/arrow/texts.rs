//! Single record batches to texts and back, for tables that come in parts.

use super::array::array;
use super::cells::Reading;
use super::plain_name::plain_name;
use crate::Error;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use incrowd_core::table::RowBatch;

/// Turns record batches with the same columns into rows of text, as an [`ArrowTable`](super::ArrowTable) does.
#[derive(Clone)]
pub struct BatchTexts {
    readings: Vec<Reading>,
}

impl std::fmt::Debug for BatchTexts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("BatchTexts")
    }
}

impl BatchTexts {
    /// For batches with these columns; refused if a value of one of them is not one text.
    pub fn new(input: &str, schema: &Schema) -> Result<Self, Error> {
        let readings = schema.fields().iter().map(|field| {
            Reading::of(field.data_type()).ok_or_else(|| Error::UnsupportedColumnType {
                input: input.to_owned(),
                column: field.name().clone(),
                kind: plain_name(field.data_type()),
            })
        });
        Ok(BatchTexts {
            readings: readings.collect::<Result<_, _>>()?,
        })
    }

    /// Adds the rows of a record batch to `rows`, nulls as empty texts.
    pub fn append(&self, batch: &RecordBatch, rows: &mut RowBatch) {
        let columns = self.readings.iter().zip(batch.columns());
        let columns: Vec<_> = columns.map(|(it, array)| it.open(array)).collect();
        let mut room = String::new();
        for row in 0..batch.num_rows() {
            for column in &columns {
                rows.push_cell(column.text(row, &mut room));
            }
        }
    }
}

/// A column of `rows` as an array, empty texts null; none if a text is not of that type.
pub fn array_of_texts(kind: &DataType, rows: &RowBatch, column: usize) -> Option<ArrayRef> {
    array(kind, rows, column)
}
