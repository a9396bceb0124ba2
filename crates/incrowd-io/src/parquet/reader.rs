//! Columns of values to columns of texts, each value once where they are stored so.

use super::paged::{PagedCells, PagedColumn};
use super::plain_name::plain_name;
use super::value::meaning_of;
use crate::cell_text::{AsText, Meaning};
use crate::column_type::ColumnType;
use crate::csv::check_columns;
use crate::file::SharedFile;
use crate::sealed::{SealedFile, SealedReader};
use crate::stored_type::StoredType;
use crate::utf8::check_utf8;
use crate::{Error, Fingerprint, RowReader};
use incrowd_core::table::{CodedColumn, RowBatch, ValueList};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length};
use parquet::file::serialized_reader::SerializedFileReader;
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

const BATCH_ROWS: usize = 8192;

impl Length for SealedFile {
    fn len(&self) -> u64 {
        self.bytes()
    }
}

impl ChunkReader for SealedFile {
    type T = BufReader<SealedReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(self.read_from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes, ParquetError> {
        // Memory is reserved for what is there, not for what is claimed: a damaged file may claim any length.
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
    file: SealedFile,
    parquet: SerializedFileReader<SealedFile>,
    columns: Vec<String>,
    meanings: Vec<Meaning>,
    /// The columns of the row group being read.
    group: Vec<OpenColumn>,
    /// Rows of the group that were read, and those that were not.
    group_rows_read: u64,
    group_rows: u64,
    next_group: usize,
    rows: u64,
    rows_total: u64,
}

impl ParquetReader {
    /// Reads the footer, and checks that every column can be converted to text.
    pub(crate) fn open(input: String, file: SharedFile) -> Result<ParquetReader, Error> {
        let file = SealedFile::new(file).map_err(|source| Error::Read {
            input: input.clone(),
            byte: 0,
            source,
        })?;
        let parquet = unless_panicking(|| {
            let parquet = SerializedFileReader::new(file.clone())?;
            check_places(&parquet, file.bytes())?;
            Ok(parquet)
        })
        .map_err(|source| broken(&input, &file, source))?;
        let metadata = parquet.metadata().file_metadata();
        let schema = metadata.schema_descr();
        let fields = schema.root_schema().get_fields();
        let columns: Vec<String> = fields.iter().map(|field| field.name().into()).collect();
        if columns.is_empty() {
            return Err(Error::Empty { input });
        }
        check_columns(&input, &columns)?;
        let mut meanings = Vec::with_capacity(columns.len());
        for leaf in schema.columns() {
            match meaning_of(leaf) {
                Some(meaning) => meanings.push(meaning),
                None => {
                    return Err(Error::UnsupportedColumnType {
                        input,
                        column: leaf.path().parts().first().cloned().unwrap_or_default(),
                        kind: plain_name(leaf),
                    });
                }
            }
        }
        let rows_total = u64::try_from(metadata.num_rows()).unwrap_or(0);
        Ok(ParquetReader {
            input,
            file,
            columns,
            meanings,
            group: Vec::new(),
            group_rows_read: 0,
            group_rows: 0,
            next_group: 0,
            rows: 0,
            rows_total,
            parquet,
        })
    }

    /// Opens the next row group that has rows; `false` at the end.
    fn open_group(&mut self) -> Result<bool, ParquetError> {
        while self.group_rows == 0 {
            if self.next_group == self.parquet.num_row_groups() {
                return Ok(false);
            }
            let group = self.parquet.get_row_group(self.next_group)?;
            self.next_group += 1;
            self.group_rows = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
            self.group_rows_read = 0;
            self.group.clear();
            for (at, &meaning) in self.meanings.iter().enumerate() {
                let pages = group.get_column_page_reader(at)?;
                let place = group.metadata().column(at).column_descr();
                self.group
                    .push(match PagedColumn::new(pages, place, meaning) {
                        Some(paged) => OpenColumn::Paged(Box::new(paged)),
                        None => OpenColumn::Values(cells(group.get_column_reader(at)?, meaning)),
                    });
            }
        }
        Ok(true)
    }

    /// Fills a batch; returns whether every text of its columns is known to be UTF-8.
    fn fill(&mut self, batch: &mut RowBatch) -> Result<bool, ParquetError> {
        if !self.open_group()? {
            return Ok(true);
        }
        let rows = self.group_rows.min(BATCH_ROWS as u64) as usize;
        let (mut columns, mut are_utf8) = (Vec::with_capacity(self.group.len()), true);
        for at in 0..self.group.len() {
            let PagedCells { column, is_utf8 } = self.read_cells(at, rows)?;
            are_utf8 &= is_utf8;
            columns.push(column);
        }
        batch.set_coded(columns);
        self.group_rows_read += rows as u64;
        self.group_rows -= rows as u64;
        self.rows += rows as u64;
        Ok(are_utf8)
    }

    /// The next cells of a column. One whose pages turn out not to be read by us is read by the parquet crate, from
    /// where we are.
    fn read_cells(&mut self, at: usize, rows: usize) -> Result<PagedCells, ParquetError> {
        if let OpenColumn::Paged(paged) = &mut self.group[at] {
            if let Some(cells) = paged.read(rows)? {
                return Ok(cells);
            }
            let group = self.parquet.get_row_group(self.next_group - 1)?;
            let mut column = cells(group.get_column_reader(at)?, self.meanings[at]);
            let mut skipped = 0;
            while skipped < self.group_rows_read {
                let rows = (self.group_rows_read - skipped).min(BATCH_ROWS as u64);
                column.read(rows as usize)?;
                skipped += rows;
            }
            self.group[at] = OpenColumn::Values(column);
        }
        match &mut self.group[at] {
            OpenColumn::Values(column) => {
                let mut list = ValueList::default();
                column.read(rows)?;
                (0..rows).try_for_each(|row| column.push(row, &mut list))?;
                let is_utf8 = list.bytes().is_ascii();
                let codes = (0..rows as u32).collect();
                let values = Arc::new(list);
                Ok(PagedCells {
                    column: CodedColumn { values, codes },
                    is_utf8,
                })
            }
            OpenColumn::Paged(_) => Err(ParquetError::General("a column was not opened".into())),
        }
    }
}

/// A column of the row group being read.
enum OpenColumn {
    Paged(Box<PagedColumn>),
    /// By the parquet crate, value by value.
    Values(Box<dyn Cells + Send>),
}

/// Turns a panic of the decoder into an error: it means that the file is damaged.
///
/// The parquet crate trusts much of what a file claims. A reader that failed is not used again, so it does not matter
/// what the panic left unfinished.
fn unless_panicking<T>(
    decode: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        Err(ParquetError::General(
            "the metadata of the file is inconsistent".into(),
        ))
    })
}

/// Refuses columns that are claimed to be outside the file, the one claim that often makes the decoder panic.
fn check_places(
    parquet: &SerializedFileReader<SealedFile>,
    bytes: u64,
) -> Result<(), ParquetError> {
    for group in parquet.metadata().row_groups() {
        for column in group.columns() {
            let start = match column.dictionary_page_offset() {
                Some(start) => start,
                None => column.data_page_offset(),
            };
            let place = u64::try_from(start)
                .ok()
                .zip(u64::try_from(column.compressed_size()).ok());
            let end = place.and_then(|(start, length)| start.checked_add(length));
            if end.is_none_or(|end| end > bytes) {
                return Err(ParquetError::General(
                    "the metadata places a column outside the file".into(),
                ));
            }
        }
    }
    Ok(())
}

/// Converts an error of the decoder, unless the file changed while it was read.
fn broken(input: &str, file: &SealedFile, source: ParquetError) -> Error {
    let input = input.into();
    match file.has_changed() {
        true => Error::InputChanged { input },
        false => Error::BrokenParquet {
            input,
            source: source.into(),
        },
    }
}

/// The cells of a column, a few thousand at a time.
trait Cells {
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

impl<T: DataType> Cells for Column<T>
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

fn cells(reader: ColumnReader, meaning: Meaning) -> Box<dyn Cells + Send> {
    fn typed<T: DataType>(reader: ColumnReaderImpl<T>, meaning: Meaning) -> Box<dyn Cells + Send>
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

impl RowReader for ParquetReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        if batch.columns() != self.columns.len() {
            *batch = RowBatch::new(self.columns.len());
        }
        batch.clear(self.rows);
        let are_utf8 = unless_panicking(|| self.fill(batch))
            .map_err(|source| broken(&self.input, &self.file, source))?;
        if !are_utf8 {
            check_utf8(&self.input, batch)?;
        }
        if self.rows_total == 0 {
            return Err(Error::NoRows {
                input: self.input.clone(),
            });
        }
        Ok(batch.rows() > 0)
    }

    fn bytes_read(&self) -> u64 {
        // Columns are stored separately, so the position in the file says little about progress; the share of rows
        // does.
        let share = self.rows as f64 / self.rows_total.max(1) as f64;
        (share * self.file.bytes() as f64) as u64
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        Ok(self.file.fingerprint())
    }

    fn delimiter(&self) -> Option<u8> {
        None
    }

    fn types(&self) -> Option<Vec<ColumnType>> {
        let schema = self.parquet.metadata().file_metadata().schema_descr();
        let columns = schema.columns().iter().zip(&self.meanings);
        Some(
            columns
                .map(|(column, &meaning)| ColumnType::of_stored(StoredType::of(column, meaning)))
                .collect(),
        )
    }
}
