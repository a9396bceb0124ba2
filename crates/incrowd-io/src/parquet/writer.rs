//! Rows of text to columns of values.

use super::chunk::Chunk;
use super::encoders::{Encoders, Forms, GroupInWork};
use crate::column_type::ColumnType;
use crate::gathered::{GatheredColumn, NotText};
use crate::hashing::Out;
use crate::stored_type::StoredType;
use crate::{Encoding, Error};
use incrowd_core::table::RowBatch;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A row group is held in memory until it has this many rows, or no fewer bytes than this. Where it ends does not depend on how
/// rows come.
const ROW_GROUP_ROWS: usize = 1 << 18;
const ROW_GROUP_BYTES: usize = 64 << 20;

/// Writes columns, a row group at a time. Where there are threads for it, one row group is encoded while the next is filled.
pub(crate) struct ParquetWriter {
    names: Vec<String>,
    types: Vec<StoredType>,
    file: OutputFile,
    /// The cells of the row group being filled, and how many rows it may get.
    group: Vec<GatheredColumn>,
    group_rows: usize,
    /// With so many bytes it is full as well.
    group_bytes: usize,
    /// Empty columns for the row group after it, with the memory of one before.
    next_group: Vec<GatheredColumn>,
    /// How many columns are encoded at once.
    threads: usize,
    encoders: Option<Encoders>,
    /// The row group before the one being filled.
    in_work: Option<GroupInWork>,
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
            group: vec![GatheredColumn::default(); columns.len()],
            group_rows: ROW_GROUP_ROWS,
            group_bytes: ROW_GROUP_BYTES,
            next_group: Vec::new(),
            threads: 1,
            encoders: None,
            in_work: None,
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
        let mut first = 0;
        while first < batch.rows() {
            let rows = self.group.first().map_or(0, GatheredColumn::rows);
            let most = batch.rows().min(first + self.group_rows - rows);
            let end = self.end_of_what_fits(batch, first..most);
            self.add(path, batch, first..end)?;
            let is_full =
                rows + end - first == self.group_rows || self.bytes_of_group() >= self.group_bytes;
            if is_full {
                let written = self.hand_over_group();
                written.map_err(|failure| to_error(path, self.bytes(), failure))?;
            }
            first = end;
        }
        Ok(())
    }

    fn bytes_of_group(&self) -> usize {
        self.group.iter().map(GatheredColumn::bytes).sum()
    }

    /// Where rows end that can be added before it is looked at whether the row group is full: it is not, before the last of them.
    fn end_of_what_fits(&self, batch: &RowBatch, rows: Range<usize>) -> usize {
        let room = self.group_bytes.saturating_sub(self.bytes_of_group());
        let mut end = rows.end;
        while end - rows.start > 1 && most_bytes(batch, rows.start..end, room) >= room {
            end = rows.start + (end - rows.start) / 2;
        }
        end
    }

    /// Adds some rows of a batch to the row group being filled.
    fn add(&mut self, path: &Path, batch: &RowBatch, rows: Range<usize>) -> Result<(), Error> {
        for (column, cells) in self.group.iter_mut().enumerate() {
            cells
                .add(batch, column, rows.clone())
                .map_err(|NotText { row }| Error::NotUtf8 {
                    input: path.display().to_string(),
                    row: Some(batch.first_row() + row as u64 + 1),
                    position: column + 1,
                    likely: Encoding::Windows1252,
                })?;
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

    /// Has the row group encoded that was filled, once the one before it is written.
    fn hand_over_group(&mut self) -> Result<(), Failure> {
        self.write_group()?;
        let places = self.begun()?.schema_descr().columns().to_vec();
        let mut next = std::mem::take(&mut self.next_group);
        next.resize_with(self.group.len(), GatheredColumn::default);
        let columns = std::mem::replace(&mut self.group, next);
        if columns.iter().all(|column| column.rows() == 0) {
            return Ok(());
        }
        let encoders = self.encoders.get_or_insert_with(|| {
            let forms = Forms {
                types: self.types.clone(),
                places,
                properties: properties(),
            };
            Encoders::start(forms, self.threads)
        });
        let are_others = encoders.are_others();
        self.in_work = Some(encoders.encode(columns));
        match are_others {
            true => Ok(()),
            false => self.write_group(),
        }
    }

    /// Writes the row group that was handed over, if any.
    fn write_group(&mut self) -> Result<(), Failure> {
        let Some(in_work) = self.in_work.take() else {
            return Ok(());
        };
        let (encoded, columns): (Vec<_>, Vec<_>) = in_work.finish().into_iter().unzip();
        self.next_group = columns;
        let mut group = self.begun()?.next_row_group()?;
        for (position, chunk) in encoded.into_iter().enumerate() {
            let Chunk { bytes, close } = chunk?.ok_or(Failure::NotOfType(position))?;
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(mut self, path: &Path) -> Result<Out, Error> {
        let bytes = self.bytes();
        self.hand_over_group()
            .and_then(|()| self.write_group())
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

/// The most bytes that some rows can add to a row group; counted no further than matters.
fn most_bytes(batch: &RowBatch, rows: Range<usize>, matters: usize) -> usize {
    let columns = 0..batch.columns();
    let codes = 4 * rows.len() * columns.len();
    let lists = columns.clone().map(|column| match batch.coded(column) {
        Some(coded) => coded.values.bytes().len(),
        None => usize::MAX,
    });
    let of_lists = lists.fold(codes, usize::saturating_add);
    if of_lists < matters {
        return of_lists;
    }
    let cells = rows.flat_map(|row| columns.clone().map(move |column| batch.cell(row, column)));
    codes + cells.map(<[u8]>::len).sum::<usize>()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;
    use crate::hashing::Hashing;
    use crate::synced_file::SyncedFile;
    use incrowd_core::table::{CodedColumn, ValueList};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use std::collections::HashSet;
    use std::fs::File;
    use std::io::BufWriter;

    /// Rows by number: a text of which there are few, one of its own, some of them long, and a whole number or none.
    fn cells(row: usize) -> [String; 3] {
        let number = (row as i64 * 7919) % 50 - 25;
        let length = if row % 500 < 5 { 3000 } else { 0 };
        [
            format!("label {}", (row * row) % 7),
            format!("only {row}{:length$}", ""),
            if number == 3 {
                String::new()
            } else {
                number.to_string()
            },
        ]
    }

    fn batches(rows: usize, rows_of_batch: usize) -> Vec<RowBatch> {
        let of = |start: usize| {
            let rows = start..rows.min(start + rows_of_batch);
            let mut batch = RowBatch::new(3);
            let column = |at: usize| CodedColumn {
                values: Arc::new(ValueList::from_iter(
                    rows.clone().map(|row| &*cells(row)[at].clone().leak()),
                )),
                codes: (0..rows.len() as u32).collect(),
            };
            batch.set_coded((0..3).map(column).collect());
            batch
        };
        (0..rows).step_by(rows_of_batch).map(of).collect()
    }

    fn writer(path: &Path, threads: usize) -> ParquetWriter {
        let out = Hashing::new(BufWriter::new(SyncedFile::new(File::create(path).unwrap())));
        let names = ["few", "many", "number"].map(str::to_owned);
        let mut writer = ParquetWriter::new(out, &names);
        writer.set_types(vec![
            ColumnType::LABEL,
            ColumnType::TEXT,
            ColumnType::INTEGER,
        ]);
        writer.use_threads(threads);
        writer.group_rows = 100;
        writer
    }

    fn write(path: &Path, rows: usize, rows_of_batch: usize, threads: usize) -> Fingerprint {
        let mut writer = writer(path, threads);
        for batch in batches(rows, rows_of_batch) {
            writer.write(path, &batch).unwrap();
        }
        let mut out = writer.finish(path).unwrap();
        let hash = out.fingerprint();
        out.into_inner().into_inner().unwrap();
        hash
    }

    #[test]
    fn small_row_groups_are_the_same_bytes_whatever_the_threads_and_however_rows_come() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        for rows in [0, 1, 99, 1000, 5000] {
            let alone = write(&path, rows, 37, 1);
            let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
            assert_eq!(reader.num_row_groups(), rows.div_ceil(100));
            let read: Vec<[String; 3]> = (reader.get_row_iter(None).unwrap())
                .map(|row| {
                    let row = row.unwrap();
                    let text = |field: &parquet::record::Field| match field {
                        parquet::record::Field::Null => String::new(),
                        parquet::record::Field::Str(text) => text.clone(),
                        field => field.to_string(),
                    };
                    let cells: Vec<_> = row.get_column_iter().map(|(_, it)| text(it)).collect();
                    cells.try_into().unwrap()
                })
                .collect();
            assert!(
                read == (0..rows).map(cells).collect::<Vec<_>>(),
                "{rows} rows"
            );
            for (threads, rows_of_batch) in [(2, 37), (4, 1), (8, 250)] {
                let hash = write(&path, rows, rows_of_batch, threads);
                assert_eq!(hash, alone, "{rows} rows, {threads} threads");
            }
        }
    }

    /// The same rows as text.
    fn as_text(coded: &RowBatch) -> RowBatch {
        let mut text = RowBatch::new(coded.columns());
        for row in 0..coded.rows() {
            (0..coded.columns()).for_each(|column| text.push_cell(coded.cell(row, column)));
        }
        text
    }

    #[test]
    fn a_row_group_ends_with_the_row_that_fills_it_however_rows_come() {
        const ROWS: usize = 3000;
        const BYTES: usize = 9000;
        let (mut expected, mut rows, mut bytes) = (Vec::new(), 0, 0);
        let mut seen = vec![HashSet::new(); 3];
        for row in 0..ROWS {
            for (cell, seen) in cells(row).into_iter().zip(&mut seen) {
                let length = cell.len();
                bytes += 4 + if seen.insert(cell) { length } else { 0 };
            }
            rows += 1;
            if bytes >= BYTES || rows == 200 || row == ROWS - 1 {
                expected.push(rows);
                (rows, bytes) = (0, 0);
                seen.iter_mut().for_each(HashSet::clear);
            }
        }
        assert!(expected.contains(&200) && expected.iter().any(|&rows| rows < 100));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        for (threads, rows_of_batch) in [(1, 1), (2, 37), (1, 250), (4, 5000)] {
            for is_text in [false, true] {
                let mut writer = writer(&path, threads);
                (writer.group_rows, writer.group_bytes) = (200, BYTES);
                for batch in batches(ROWS, rows_of_batch) {
                    let text = is_text.then(|| as_text(&batch));
                    writer
                        .write(&path, text.as_ref().unwrap_or(&batch))
                        .unwrap();
                }
                writer
                    .finish(&path)
                    .unwrap()
                    .into_inner()
                    .into_inner()
                    .unwrap();
                let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
                let groups = reader.metadata().row_groups().iter();
                let found: Vec<i64> = groups.map(|group| group.num_rows()).collect();
                assert_eq!(found, expected, "batches of {rows_of_batch}");
            }
        }
    }

    #[test]
    fn a_cell_that_is_not_of_its_type_is_the_same_error_whatever_the_threads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        for threads in [1, 2, 4, 8] {
            let mut writer = writer(&path, threads);
            let mut wrong = RowBatch::new(3);
            wrong.push_cell(b"label");
            wrong.push_cell(b"text");
            wrong.push_cell(b"no number");
            let batches = batches(500, 37);
            let all = batches[..5].iter().chain([&wrong]).chain(&batches[5..]);
            let written = all
                .map(|batch| writer.write(&path, batch))
                .find(Result::is_err);
            let error = match written {
                Some(error) => error,
                None => writer.finish(&path).map(drop),
            };
            assert!(
                matches!(error, Err(Error::CellNotOfType { position: 3, .. })),
                "{threads} threads: {error:?}"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_the_same_error_whatever_the_threads() {
        let path = Path::new("/dev/full");
        for threads in [1, 2, 4, 8] {
            let mut writer = writer(path, threads);
            let batches = batches(2000, 37);
            let written = batches.iter().map(|batch| writer.write(path, batch));
            let error = match written.into_iter().find(Result::is_err) {
                Some(error) => error,
                None => writer.finish(path).map(drop),
            };
            assert!(
                matches!(error, Err(Error::DiskFull { .. })),
                "{threads} threads: {error:?}"
            );
        }
    }
}
