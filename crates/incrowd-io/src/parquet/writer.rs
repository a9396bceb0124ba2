//! Rows of text to columns of text.

use crate::sink::Out;
use crate::{Encoding, Error};
use bytes::Bytes;
use incrowd_core::table::RowBatch;
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A row group is held in memory until it is full: with so many rows or so many bytes of text.
const ROW_GROUP_ROWS: usize = 1 << 18;
const ROW_GROUP_BYTES: usize = 64 << 20;
/// How many cells are handed over at once.
const PIECE: usize = 1 << 12;

/// Writes columns of text, a row group at a time.
pub(crate) struct ParquetWriter {
    writer: SerializedFileWriter<Out>,
    /// The cells of the row group being filled.
    group: Vec<Column>,
}

#[derive(Default)]
struct Column {
    text: Vec<u8>,
    /// Where each cell ends in `text`.
    ends: Vec<usize>,
}

impl ParquetWriter {
    pub(crate) fn new(path: &Path, out: Out, columns: &[String]) -> Result<ParquetWriter, Error> {
        let writer = schema(columns)
            .and_then(|schema| SerializedFileWriter::new(out, Arc::new(schema), properties()))
            .map_err(|source| write_error(path, 0, source))?;
        Ok(ParquetWriter {
            writer,
            group: columns.iter().map(|_| Column::default()).collect(),
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.writer.bytes_written() as u64
    }

    pub(crate) fn write(&mut self, path: &Path, batch: &RowBatch) -> Result<(), Error> {
        for (column, cells) in self.group.iter_mut().enumerate() {
            for row in 0..batch.rows() {
                let cell = batch.cell(row, column);
                if std::str::from_utf8(cell).is_err() {
                    return Err(Error::NotUtf8 {
                        input: path.display().to_string(),
                        row: Some(batch.first_row() + row as u64 + 1),
                        position: column + 1,
                        likely: Encoding::Windows1252,
                    });
                }
                cells.text.extend_from_slice(cell);
                cells.ends.push(cells.text.len());
            }
        }
        let rows = self.group.first().map_or(0, |column| column.ends.len());
        let bytes: usize = self.group.iter().map(|column| column.text.len()).sum();
        if rows >= ROW_GROUP_ROWS || bytes >= ROW_GROUP_BYTES {
            self.write_group()
                .map_err(|source| write_error(path, self.bytes(), source))?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.group.iter().all(|column| column.ends.is_empty()) {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.group {
            let mut writer = group
                .next_column()?
                .expect("the schema has as many columns as the table");
            let text = Bytes::from(std::mem::take(&mut column.text));
            let mut start = 0;
            for ends in column.ends.chunks(PIECE) {
                let mut levels = Vec::with_capacity(ends.len());
                let mut values = Vec::with_capacity(ends.len());
                for &end in ends {
                    // A missing value is the empty text everywhere else, and null here.
                    levels.push(i16::from(end > start));
                    if end > start {
                        values.push(ByteArray::from(text.slice(start..end)));
                    }
                    start = end;
                }
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&values, Some(&levels), None)?;
            }
            writer.close()?;
            column.ends.clear();
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(mut self, path: &Path) -> Result<Out, Error> {
        let bytes = self.bytes();
        self.write_group()
            .and_then(|()| self.writer.into_inner())
            .map_err(|source| write_error(path, bytes, source))
    }
}

fn schema(columns: &[String]) -> Result<Type, ParquetError> {
    let field = |column: &String| {
        let field = Type::primitive_type_builder(column, PhysicalType::BYTE_ARRAY)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::String))
            .build()?;
        Ok(Arc::new(field))
    };
    let fields = columns
        .iter()
        .map(field)
        .collect::<Result<_, ParquetError>>()?;
    Type::group_type_builder("schema")
        .with_fields(fields)
        .build()
}

/// Nothing here depends on the time or the machine, so equal tables make equal files.
fn properties() -> Arc<WriterProperties> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("incrowd version ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::SNAPPY)
        .build();
    Arc::new(properties)
}

fn write_error(path: &Path, bytes: u64, source: ParquetError) -> Error {
    let source = match source {
        ParquetError::External(source) => source,
        source => Box::new(source),
    };
    match source.downcast::<io::Error>() {
        Ok(source) => Error::of_write(path, bytes, *source),
        Err(source) => Error::Write {
            path: path.into(),
            source,
        },
    }
}
