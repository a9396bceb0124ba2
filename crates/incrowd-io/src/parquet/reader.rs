//! A Parquet file to rows of text, part by part.

use super::group::{OpenGroup, unless_panicking};
use super::plain_name::plain_name;
use super::value::meaning_of;
use crate::cell_text::Meaning;
use crate::column_type::ColumnType;
use crate::csv::check_columns;
use crate::file::SharedFile;
use crate::row_source::{RowsRead, Unsplit};
use crate::seal::Pass;
use crate::sealed::{SealedFile, SealedFingerprint, SealedRegion};
use crate::stored_type::StoredType;
use crate::utf8::check_utf8;
use crate::{Error, Fingerprint, RowReader};
use incrowd_core::table::RowBatch;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use std::io;
use std::sync::Arc;

/// Reads one pass over a Parquet input.
pub(crate) struct ParquetReader {
    input: Arc<Input>,
    fingerprint: SealedFingerprint,
    metadata: Arc<ParquetMetaData>,
    columns: Vec<String>,
    meanings: Vec<Meaning>,
    /// The row group being handed out, and the part of it that comes next.
    group: Option<Arc<OpenGroup>>,
    next_part: usize,
    next_group: usize,
    rows: u64,
    rows_total: u64,
    /// Bytes of the file that were passed over, once any were.
    passed_over: Option<u64>,
}

/// What is read, and how to name it.
#[derive(Debug)]
struct Input {
    name: String,
    file: SealedFile,
}

impl Input {
    /// Converts an error of the decoder, unless the file changed while it was read.
    fn broken(&self, source: ParquetError) -> Error {
        let input = self.name.clone();
        match self.file.has_changed() {
            true => Error::InputChanged { input },
            false => Error::BrokenParquet {
                input,
                source: source.into(),
            },
        }
    }

    /// Converts an error of reading at a byte, unless the file changed while it was read.
    fn unreadable(&self, byte: u64, source: io::Error) -> Error {
        let input = self.name.clone();
        match self.file.has_changed() {
            true => Error::InputChanged { input },
            false => Error::Read {
                input,
                byte,
                source,
            },
        }
    }
}

impl ParquetReader {
    /// Reads the footer, and checks that every column can be converted to text.
    pub(crate) fn open(
        input: String,
        file: SharedFile,
        pass: Pass,
    ) -> Result<ParquetReader, Error> {
        let sealed = SealedFile::new(file, pass).map_err(|source| Error::Read {
            input: input.clone(),
            byte: 0,
            source,
        });
        let (file, fingerprint) = sealed?;
        let input = Input { name: input, file };
        let metadata = unless_panicking(|| {
            let parquet = SerializedFileReader::new(input.file.region())?;
            check_places(&parquet, input.file.bytes())?;
            Ok(Arc::new(parquet.metadata().clone()))
        })
        .map_err(|source| input.broken(source))?;
        let schema = metadata.file_metadata().schema_descr();
        let fields = schema.root_schema().get_fields();
        let columns: Vec<String> = fields.iter().map(|field| field.name().into()).collect();
        if columns.is_empty() {
            return Err(Error::Empty { input: input.name });
        }
        check_columns(&input.name, &columns)?;
        let mut meanings = Vec::with_capacity(columns.len());
        for leaf in schema.columns() {
            match meaning_of(leaf) {
                Some(meaning) => meanings.push(meaning),
                None => {
                    return Err(Error::UnsupportedColumnType {
                        input: input.name,
                        column: leaf.path().parts().first().cloned().unwrap_or_default(),
                        kind: plain_name(leaf),
                    });
                }
            }
        }
        let rows_total = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        Ok(ParquetReader {
            input: Arc::new(input),
            fingerprint,
            metadata,
            columns,
            meanings,
            group: None,
            next_part: 0,
            next_group: 0,
            rows: 0,
            rows_total,
            passed_over: None,
        })
    }

    /// The row group that the next rows are in, opened if it is not yet; none at the end.
    fn group(&mut self) -> Result<Option<Arc<OpenGroup>>, ParquetError> {
        loop {
            if let Some(group) = &self.group
                && self.next_part < group.parts()
            {
                return Ok(Some(Arc::clone(group)));
            }
            self.group = None;
            if self.next_group == self.metadata.num_row_groups() {
                return Ok(None);
            }
            let group = OpenGroup::new(
                &self.input.file,
                &self.metadata,
                self.next_group,
                &self.meanings,
            )?;
            self.group = Some(Arc::new(group));
            self.next_group += 1;
            self.next_part = 0;
        }
    }

    /// The next rows, not read yet, and whether there are any.
    fn next_rows(&mut self) -> Result<(UnreadRows, bool), Error> {
        let group =
            unless_panicking(|| self.group()).map_err(|source| self.input.broken(source))?;
        if self.rows_total == 0 {
            return Err(Error::NoRows {
                input: self.input.name.clone(),
            });
        }
        let unread = UnreadRows {
            input: Arc::clone(&self.input),
            columns: self.columns.len(),
            first_row: self.rows,
            part: self.next_part,
            group,
        };
        if let Some(group) = &unread.group {
            self.rows += group.rows_of(self.next_part) as u64;
            self.next_part += 1;
        }
        let has_rows = unread.group.is_some();
        Ok((unread, has_rows))
    }
}

/// A part of a row group that any thread can read.
#[derive(Debug)]
struct UnreadRows {
    input: Arc<Input>,
    columns: usize,
    first_row: u64,
    part: usize,
    /// None at the end of the file, or once the part was read: its pages are not held any longer.
    group: Option<Arc<OpenGroup>>,
}

impl Unsplit for UnreadRows {
    fn split_into(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        if batch.columns() != self.columns {
            *batch = RowBatch::new(self.columns);
        }
        batch.clear(self.first_row);
        let Some(group) = self.group.take() else {
            return Ok(());
        };
        let cells = group.read(self.part);
        let cells = cells.map_err(|source| self.input.broken(source))?;
        let are_utf8 = cells.iter().all(|cells| cells.is_utf8);
        batch.set_coded(cells.into_iter().map(|cells| cells.column).collect());
        match are_utf8 {
            true => Ok(()),
            false => check_utf8(&self.input.name, batch),
        }
    }
}

/// Refuses columns that are claimed to be outside the file, the one claim that often makes the decoder panic.
fn check_places(
    parquet: &SerializedFileReader<SealedRegion>,
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

impl RowReader for ParquetReader {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, Error> {
        let (mut rows, has_rows) = self.next_rows()?;
        rows.split_into(batch)?;
        Ok(has_rows)
    }

    fn read_ahead(&mut self, rows: &mut RowsRead) -> Result<bool, Error> {
        let (unread, has_rows) = self.next_rows()?;
        rows.set_unsplit(Box::new(unread));
        Ok(has_rows)
    }

    /// Reads the next bytes of the file, whatever they are, which are compared with those of the pass before.
    fn pass_over(&mut self) -> Result<bool, Error> {
        // There are no rows after this.
        (self.group, self.next_group) = (None, self.metadata.num_row_groups());
        let from = self.passed_over.unwrap_or(0);
        let checked = self.input.file.check_from(from);
        let end = checked.map_err(|source| self.input.unreadable(from, source))?;
        self.passed_over = Some(end);
        Ok(end > from)
    }

    fn passes_over_quickly(&self) -> bool {
        true
    }

    fn bytes_read(&self) -> u64 {
        if let Some(bytes) = self.passed_over {
            return bytes;
        }
        // Columns are stored separately, so the position in the file says little about progress; the share of rows
        // does.
        let share = self.rows as f64 / self.rows_total.max(1) as f64;
        (share * self.input.file.bytes() as f64) as u64
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, Error> {
        // The rest as well: nothing else looks at it.
        while self.passed_over.is_some() && self.pass_over()? {}
        let taken = self.fingerprint.get();
        taken.map_err(|source| self.input.unreadable(0, source))
    }

    fn delimiter(&self) -> Option<u8> {
        None
    }

    fn types(&self) -> Option<Vec<ColumnType>> {
        let schema = self.metadata.file_metadata().schema_descr();
        let columns = schema.columns().iter().zip(&self.meanings);
        Some(
            columns
                .map(|(column, &meaning)| ColumnType::of_stored(StoredType::of(column, meaning)))
                .collect(),
        )
    }
}
