//! Rows of text to columns of values.

use super::parse::FromText;
use crate::cell_text::Meaning;
use crate::column_type::ColumnType;
use crate::fingerprint::Out;
use crate::stored_type::StoredType;
use crate::{Encoding, Error};
use bytes::Bytes;
use incrowd_core::table::RowBatch;
use parquet::basic::{Compression, Type as PhysicalType};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A row group is held in memory until it has this many rows or this many bytes of text.
const ROW_GROUP_ROWS: usize = 1 << 18;
const ROW_GROUP_BYTES: usize = 64 << 20;
/// How many cells are handed over at once.
const PIECE: usize = 1 << 12;

/// Writes columns, a row group at a time.
pub(crate) struct ParquetWriter {
    names: Vec<String>,
    types: Vec<StoredType>,
    file: OutputFile,
    /// The cells of the row group being filled.
    group: Vec<Column>,
}

/// The file is opened with the first row group, since the types may be set until then.
enum OutputFile {
    Unbegun(Out),
    Begun(Box<SerializedFileWriter<Out>>),
    /// Opening it failed, which was reported.
    Lost,
}

#[derive(Default)]
struct Column {
    text: Vec<u8>,
    /// Where each cell ends in `text`.
    ends: Vec<usize>,
}

/// Why a row group was not written.
enum Failure {
    Parquet(ParquetError),
    /// A cell in the column of this position, from 0, is not of its type.
    NotOfType(usize),
}

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Failure {
        Failure::Parquet(error)
    }
}

impl ParquetWriter {
    pub(crate) fn new(out: Out, columns: &[String]) -> ParquetWriter {
        ParquetWriter {
            names: columns.to_vec(),
            types: vec![StoredType::text(); columns.len()],
            file: OutputFile::Unbegun(out),
            group: columns.iter().map(|_| Column::default()).collect(),
        }
    }

    /// Sets the types of columns, before any row is written.
    pub(crate) fn set_types(&mut self, types: Vec<ColumnType>) {
        for (ours, given) in self.types.iter_mut().zip(types) {
            *ours = given.into_stored();
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match &self.file {
            OutputFile::Begun(writer) => writer.bytes_written() as u64,
            OutputFile::Unbegun(_) | OutputFile::Lost => 0,
        }
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
            let written = self.write_group();
            written.map_err(|failure| to_error(path, self.bytes(), failure))?;
        }
        Ok(())
    }

    /// The writer, with the schema written.
    fn begun(&mut self) -> Result<&mut SerializedFileWriter<Out>, ParquetError> {
        if let OutputFile::Unbegun(_) = self.file {
            let schema = schema(&self.names, &self.types)?;
            if let OutputFile::Unbegun(out) = std::mem::replace(&mut self.file, OutputFile::Lost) {
                let writer = SerializedFileWriter::new(out, Arc::new(schema), properties())?;
                self.file = OutputFile::Begun(Box::new(writer));
            }
        }
        match &mut self.file {
            OutputFile::Begun(writer) => Ok(writer),
            _ => Err(ParquetError::General("the file was not begun".into())),
        }
    }

    fn write_group(&mut self) -> Result<(), Failure> {
        self.begun()?;
        if self.group.iter().all(|column| column.ends.is_empty()) {
            return Ok(());
        }
        let mut columns = std::mem::take(&mut self.group);
        let types = std::mem::take(&mut self.types);
        let mut group = self.begun()?.next_row_group()?;
        for (position, (column, stored)) in columns.iter_mut().zip(&types).enumerate() {
            let mut writer = group
                .next_column()?
                .expect("the schema has as many columns as the table");
            let written = match stored.physical {
                PhysicalType::BOOLEAN => column.write::<BoolType>(stored, &mut writer),
                PhysicalType::INT32 => column.write::<Int32Type>(stored, &mut writer),
                PhysicalType::INT64 => column.write::<Int64Type>(stored, &mut writer),
                PhysicalType::INT96 => column.write::<Int96Type>(stored, &mut writer),
                PhysicalType::FLOAT => column.write::<FloatType>(stored, &mut writer),
                PhysicalType::DOUBLE => column.write::<DoubleType>(stored, &mut writer),
                PhysicalType::BYTE_ARRAY if stored.meaning == Meaning::Itself => {
                    column.write_text(&mut writer)
                }
                PhysicalType::BYTE_ARRAY => column.write::<ByteArrayType>(stored, &mut writer),
                PhysicalType::FIXED_LEN_BYTE_ARRAY => {
                    column.write::<FixedLenByteArrayType>(stored, &mut writer)
                }
            };
            if !written? {
                return Err(Failure::NotOfType(position));
            }
            writer.close()?;
        }
        group.close()?;
        self.group = columns.iter().map(|_| Column::default()).collect();
        self.types = types;
        Ok(())
    }

    pub(crate) fn finish(mut self, path: &Path) -> Result<Out, Error> {
        let bytes = self.bytes();
        self.write_group()
            .map_err(|failure| to_error(path, bytes, failure))?;
        match self.file {
            OutputFile::Begun(writer) => writer
                .into_inner()
                .map_err(|source| write_error(path, bytes, source)),
            OutputFile::Unbegun(out) => Ok(out),
            OutputFile::Lost => Err(write_error(
                path,
                bytes,
                ParquetError::General("the file was not begun".into()),
            )),
        }
    }
}

impl Column {
    /// Writes all cells unchanged, and moves their text instead of copying it.
    fn write_text(
        &mut self,
        writer: &mut SerializedColumnWriter<'_>,
    ) -> Result<bool, ParquetError> {
        let text = Bytes::from(std::mem::take(&mut self.text));
        let mut start = 0;
        for ends in self.ends.chunks(PIECE) {
            let mut levels = Vec::with_capacity(ends.len());
            let mut values = Vec::with_capacity(ends.len());
            for &end in ends {
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
        Ok(true)
    }

    /// Writes all cells; `false` if one is not of the type.
    fn write<T: DataType>(
        &self,
        stored: &StoredType,
        writer: &mut SerializedColumnWriter<'_>,
    ) -> Result<bool, ParquetError>
    where
        T::T: FromText,
    {
        let mut start = 0;
        for ends in self.ends.chunks(PIECE) {
            let mut levels = Vec::with_capacity(ends.len());
            let mut values = Vec::with_capacity(ends.len());
            for &end in ends {
                // A missing value is the empty text everywhere else, and null here.
                levels.push(i16::from(end > start));
                if end > start {
                    let text = std::str::from_utf8(&self.text[start..end]).ok();
                    match text.and_then(|text| T::T::from_text(text, stored)) {
                        Some(value) => values.push(value),
                        None => return Ok(false),
                    }
                }
                start = end;
            }
            writer
                .typed::<T>()
                .write_batch(&values, Some(&levels), None)?;
        }
        Ok(true)
    }
}

fn schema(names: &[String], types: &[StoredType]) -> Result<Type, ParquetError> {
    let fields = names.iter().zip(types);
    let fields = fields
        .map(|(name, stored)| Ok(Arc::new(stored.field(name)?)))
        .collect::<Result<_, ParquetError>>()?;
    Type::group_type_builder("schema")
        .with_fields(fields)
        .build()
}

/// Nothing here depends on the time or the machine, so that equal tables give equal files.
fn properties() -> Arc<WriterProperties> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("incrowd version ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::SNAPPY)
        .build();
    Arc::new(properties)
}

fn to_error(path: &Path, bytes: u64, failure: Failure) -> Error {
    match failure {
        Failure::Parquet(source) => write_error(path, bytes, source),
        Failure::NotOfType(position) => Error::CellNotOfType {
            path: path.into(),
            position: position + 1,
        },
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
