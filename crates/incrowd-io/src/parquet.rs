//! Parquet in and out, as text.

use crate::csv::check_columns;
use crate::file::{SharedFile, SharedFileReader};
use crate::sink::Out;
use crate::{Encoding, Error, Fingerprint, RowReader};
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use incrowd_core::table::RowBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, Length};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

const BATCH_ROWS: usize = 4096;
/// A row group is what a writer must hold in memory.
const ROW_GROUP_ROWS: usize = 1 << 20;
const ROW_GROUP_BYTES: usize = 64 << 20;

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.bytes()
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<SharedFileReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(self.read_from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes, ParquetError> {
        // Not allocated before it is read: a broken footer may claim any length.
        let mut buffer = Vec::new();
        self.read_from(start)
            .take(length as u64)
            .read_to_end(&mut buffer)?;
        if buffer.len() < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(buffer.into())
    }
}

/// Reads one pass over a Parquet input.
pub(crate) struct ParquetReader {
    input: String,
    file: SharedFile,
    batches: ParquetRecordBatchReader,
    columns: Vec<String>,
    rows: u64,
    rows_total: u64,
    text: String,
}

impl ParquetReader {
    /// Reads the footer, and checks that every column can become text.
    pub(crate) fn open(input: String, file: SharedFile) -> Result<ParquetReader, Error> {
        let broken = |source: ParquetError| broken(&input, source);
        let builder = ParquetRecordBatchReaderBuilder::try_new(file.clone()).map_err(broken)?;
        let columns: Vec<String> = builder
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        if columns.is_empty() {
            return Err(Error::Empty { input });
        }
        check_columns(&input, &columns)?;
        for field in builder.schema().fields() {
            if !becomes_text(field.data_type()) {
                return Err(Error::UnsupportedColumnType {
                    input,
                    column: field.name().clone(),
                    kind: field.data_type().to_string(),
                });
            }
        }
        let rows_total = builder.metadata().file_metadata().num_rows().max(0) as u64;
        if rows_total == 0 {
            return Err(Error::NoRows { input });
        }
        let batches = builder
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(broken)?;
        Ok(ParquetReader {
            input,
            file,
            batches,
            columns,
            rows: 0,
            rows_total,
            text: String::new(),
        })
    }
}

fn broken(input: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::BrokenParquet {
        input: input.into(),
        source: source.into(),
    }
}

/// Whether one cell of this type is one text.
fn becomes_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, value) => becomes_text(value),
        DataType::FixedSizeBinary(_) | DataType::Interval(_) => false,
        kind => !kind.is_nested(),
    }
}

/// A column, looked at so that a cell becomes text without asking for the type again.
enum Cells<'a> {
    Text(&'a arrow_array::StringArray),
    LargeText(&'a arrow_array::LargeStringArray),
    /// Text by the old convention of writing it as bytes; checked to be UTF-8 with the batch.
    Bytes(&'a arrow_array::BinaryArray),
    LargeBytes(&'a arrow_array::LargeBinaryArray),
    Other(&'a dyn Array, ArrayFormatter<'a>),
}

impl<'a> Cells<'a> {
    fn new(
        column: &'a ArrayRef,
        options: &FormatOptions<'a>,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(match column.data_type() {
            DataType::Utf8 => Cells::Text(column.as_string()),
            DataType::LargeUtf8 => Cells::LargeText(column.as_string()),
            DataType::Binary => Cells::Bytes(column.as_binary()),
            DataType::LargeBinary => Cells::LargeBytes(column.as_binary()),
            _ => Cells::Other(column, ArrayFormatter::try_new(column, options)?),
        })
    }

    fn push(
        &self,
        row: usize,
        text: &mut String,
        batch: &mut RowBatch,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let cell: &[u8] = match self {
            Cells::Text(cells) if cells.is_valid(row) => cells.value(row).as_bytes(),
            Cells::LargeText(cells) if cells.is_valid(row) => cells.value(row).as_bytes(),
            Cells::Bytes(cells) if cells.is_valid(row) => cells.value(row),
            Cells::LargeBytes(cells) if cells.is_valid(row) => cells.value(row),
            Cells::Other(cells, formatter) if cells.is_valid(row) => {
                text.clear();
                formatter.value(row).write(text)?;
                text.as_bytes()
            }
            _ => b"",
        };
        batch.push_cell(cell);
        Ok(())
    }
}

impl RowReader for ParquetReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        if batch.columns() != self.columns.len() {
            *batch = RowBatch::new(self.columns.len());
        }
        batch.clear(self.rows);
        let Some(rows) = self.batches.next() else {
            return Ok(false);
        };
        let rows = rows.map_err(|source| broken(&self.input, source))?;
        let options = FormatOptions::new().with_display_error(false);
        let columns = rows
            .columns()
            .iter()
            .map(|column| Cells::new(column, &options))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|source| broken(&self.input, source))?;
        for row in 0..rows.num_rows() {
            for column in &columns {
                column
                    .push(row, &mut self.text, batch)
                    .map_err(|source| broken(&self.input, source))?;
            }
        }
        self.rows += rows.num_rows() as u64;
        if let Some((row, column)) = crate::first_broken_cell(batch) {
            return Err(Error::NotUtf8 {
                input: self.input.clone(),
                row: Some(batch.first_row() + row as u64 + 1),
                position: column + 1,
                likely: Encoding::Windows1252,
            });
        }
        Ok(batch.rows() > 0)
    }

    fn bytes_read(&self) -> u64 {
        // Columns are stored apart, so the place in the file says little; the share of rows does.
        let share = self.rows as f64 / self.rows_total as f64;
        (share * self.file.bytes() as f64) as u64
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        self.file.fingerprint().map_err(|source| Error::Read {
            input: self.input.clone(),
            byte: 0,
            source,
        })
    }

    fn delimiter(&self) -> Option<u8> {
        None
    }
}

/// Writes text columns, a row group at a time.
pub(crate) struct ParquetWriter {
    writer: ArrowWriter<Out>,
    schema: SchemaRef,
    builders: Vec<StringBuilder>,
}

impl ParquetWriter {
    pub(crate) fn new(path: &Path, out: Out, columns: &[String]) -> Result<ParquetWriter, Error> {
        let fields = columns
            .iter()
            .map(|column| Field::new(column, DataType::Utf8, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_created_by(concat!("incrowd version ", env!("CARGO_PKG_VERSION")).into())
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .build();
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(out, schema.clone(), options)
            .map_err(|source| write_error(path, 0, source))?;
        Ok(ParquetWriter {
            writer,
            schema,
            builders: columns.iter().map(|_| StringBuilder::new()).collect(),
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.writer.bytes_written() as u64
    }

    pub(crate) fn write(&mut self, path: &Path, batch: &RowBatch) -> Result<(), Error> {
        for (column, builder) in self.builders.iter_mut().enumerate() {
            for row in 0..batch.rows() {
                match batch.cell(row, column) {
                    b"" => builder.append_null(),
                    cell => match std::str::from_utf8(cell) {
                        Ok(text) => builder.append_value(text),
                        Err(_) => {
                            return Err(Error::NotUtf8 {
                                input: path.display().to_string(),
                                row: Some(batch.first_row() + row as u64 + 1),
                                position: column + 1,
                                likely: Encoding::Windows1252,
                            });
                        }
                    },
                }
            }
        }
        let arrays = self
            .builders
            .iter_mut()
            .map(|builder| Arc::new(builder.finish()) as ArrayRef)
            .collect();
        let result = RecordBatch::try_new(self.schema.clone(), arrays)
            .map_err(ParquetError::from)
            .and_then(|rows| self.writer.write(&rows))
            .and_then(|()| match self.writer.in_progress_size() {
                bytes if bytes > ROW_GROUP_BYTES => self.writer.flush(),
                _ => Ok(()),
            });
        result.map_err(|source| write_error(path, self.bytes(), source))
    }

    pub(crate) fn finish(self, path: &Path) -> Result<Out, Error> {
        let bytes = self.bytes();
        self.writer
            .into_inner()
            .map_err(|source| write_error(path, bytes, source))
    }
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
