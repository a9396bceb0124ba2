//! Columns read value by value, by the parquet crate: encodings that are rare.

use crate::cell_text::{AsText, Meaning};
use incrowd_core::table::ValueList;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;

/// The cells of a column, a few thousand at a time.
pub(super) trait ColumnOfValues: Send {
    /// Reads the next `rows` cells.
    fn read(&mut self, rows: usize) -> Result<(), ParquetError>;
    /// Adds the text of `row`, counted within those read last. Rows come in order.
    fn push(&mut self, row: usize, list: &mut ValueList) -> Result<(), ParquetError>;
}

struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    meaning: Meaning,
    /// For each row, 0 if it has no value; none at all if every row has one.
    levels: Vec<i16>,
    /// The values there are.
    values: Vec<T::T>,
    next_value: usize,
    room: String,
}

impl<T: DataType> ColumnOfValues for Column<T>
where
    T::T: AsText,
{
    fn read(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.levels.clear();
        self.values.clear();
        self.next_value = 0;
        let (read, ..) =
            self.reader
                .read_records(rows, Some(&mut self.levels), None, &mut self.values)?;
        if read < rows {
            return Err(ParquetError::EOF(
                "a column has fewer values than the file has rows".into(),
            ));
        }
        Ok(())
    }

    fn push(&mut self, row: usize, list: &mut ValueList) -> Result<(), ParquetError> {
        if self.levels.get(row) == Some(&0) {
            list.push(b"");
            return Ok(());
        }
        let text = self
            .values
            .get(self.next_value)
            .and_then(|value| value.as_text(self.meaning, &mut self.room));
        self.next_value += 1;
        match text {
            Some(text) => list.push(text),
            None => {
                return Err(ParquetError::General(
                    "a value does not have the type of its column".into(),
                ));
            }
        }
        Ok(())
    }
}

/// The column that the parquet crate reads.
pub(super) fn column_of_values(reader: ColumnReader, meaning: Meaning) -> Box<dyn ColumnOfValues> {
    fn typed<T: DataType>(reader: ColumnReaderImpl<T>, meaning: Meaning) -> Box<dyn ColumnOfValues>
    where
        T::T: AsText,
    {
        Box::new(Column {
            reader,
            meaning,
            levels: Vec::new(),
            values: Vec::new(),
            next_value: 0,
            room: String::new(),
        })
    }
    match reader {
        ColumnReader::BoolColumnReader(reader) => typed(reader, meaning),
        ColumnReader::Int32ColumnReader(reader) => typed(reader, meaning),
        ColumnReader::Int64ColumnReader(reader) => typed(reader, meaning),
        ColumnReader::Int96ColumnReader(reader) => typed(reader, meaning),
        ColumnReader::FloatColumnReader(reader) => typed(reader, meaning),
        ColumnReader::DoubleColumnReader(reader) => typed(reader, meaning),
        ColumnReader::ByteArrayColumnReader(reader) => typed(reader, meaning),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => typed(reader, meaning),
    }
}
