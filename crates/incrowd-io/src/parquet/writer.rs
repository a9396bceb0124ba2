//! Rows of text to columns of values.

use super::chunk::{self, Chunk};
use crate::column_type::ColumnType;
use crate::fingerprint::Out;
use crate::gathered::{GatheredColumn, NotText};
use crate::stored_type::StoredType;
use crate::{Encoding, Error};
use incrowd_core::table::RowBatch;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, Type};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A row group is held in memory until it has this many rows or this many bytes.
const ROW_GROUP_ROWS: usize = 1 << 18;
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Writes columns, a row group at a time.
pub(crate) struct ParquetWriter {
    names: Vec<String>,
    types: Vec<StoredType>,
    file: OutputFile,
    /// The cells of the row group being filled.
    group: Vec<GatheredColumn>,
    /// How many columns are encoded at once.
    threads: usize,
}

/// The file is opened with the first row group, since the types may be set until then.
enum OutputFile {
    Unbegun(Out),
    Begun(Box<SerializedFileWriter<Out>>),
    /// Opening it failed, which was reported.
    Lost,
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
            group: columns.iter().map(|_| GatheredColumn::default()).collect(),
            threads: 1,
        }
    }

    /// Encodes so many columns at once. The bytes written are the same.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
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
            cells
                .add(batch, column)
                .map_err(|NotText { row }| Error::NotUtf8 {
                    input: path.display().to_string(),
                    row: Some(batch.first_row() + row as u64 + 1),
                    position: column + 1,
                    likely: Encoding::Windows1252,
                })?;
        }
        let rows = self.group.first().map_or(0, GatheredColumn::rows);
        let bytes: usize = self.group.iter().map(GatheredColumn::bytes).sum();
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
        if self.group.iter().all(|column| column.rows() == 0) {
            return Ok(());
        }
        let columns = std::mem::take(&mut self.group);
        let types = std::mem::take(&mut self.types);
        let threads = self.threads;
        let writer = self.begun()?;
        let places = writer.schema_descr().columns().to_vec();
        let chunks = encode_all(threads, &columns, &types, &places);
        let mut group = writer.next_row_group()?;
        for (position, chunk) in chunks.into_iter().enumerate() {
            let Chunk { bytes, close } = chunk?.ok_or(Failure::NotOfType(position))?;
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        self.group = columns.iter().map(|_| GatheredColumn::default()).collect();
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

/// The chunk of each column, in their order, or why there is none.
type Encoded = Result<Option<Chunk>, ParquetError>;

fn encode_all(
    threads: usize,
    columns: &[GatheredColumn],
    types: &[StoredType],
    places: &[ColumnDescPtr],
) -> Vec<Encoded> {
    let properties = properties();
    let encode = |at: usize| chunk::encode(&columns[at], &types[at], &places[at], &properties);
    if threads <= 1 {
        return (0..columns.len()).map(encode).collect();
    }
    let next = AtomicUsize::new(0);
    let encoded: Mutex<Vec<(usize, Encoded)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(columns.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= columns.len() {
                        return;
                    }
                    let chunk = encode(at);
                    let mut encoded = encoded.lock().unwrap_or_else(PoisonError::into_inner);
                    encoded.push((at, chunk));
                }
            });
        }
    });
    let mut encoded = encoded.into_inner().unwrap_or_else(PoisonError::into_inner);
    encoded.sort_unstable_by_key(|&(at, _)| at);
    encoded.into_iter().map(|(_, chunk)| chunk).collect()
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
