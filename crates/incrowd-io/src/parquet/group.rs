//! A row group whose columns are read by whoever needs their cells first, on any thread.
//!
//! Rows are handed out in parts before anything of them is read. A column can only be read in order, so whoever asks
//! for a part whose predecessors were not read yet reads those too, and leaves them to those who will ask for them. Threads
//! begin at different columns: while one is being read, the others turn to those that are free.

use super::paged::{PagedCells, PagedColumn};
use super::values::{ColumnOfValues, column_of_values};
use crate::cell_text::Meaning;
use crate::sealed::{SealedFile, SealedRegion};
use incrowd_core::table::{CodedColumn, ValueList};
use parquet::column::page::PageReader;
use parquet::column::reader::get_column_reader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// Rows of a part; the last one of a row group may have fewer.
const PART_ROWS: usize = 8192;

impl Length for SealedRegion {
    fn len(&self) -> u64 {
        self.bytes()
    }
}

impl ChunkReader for SealedRegion {
    type T = crate::sealed::SealedReader;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(self.read_from(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes, ParquetError> {
        Ok(self.bytes_from(start, length)?)
    }
}

/// A row group being read.
pub(super) struct OpenGroup {
    rows: usize,
    columns: Vec<Mutex<ColumnInParts>>,
}

impl fmt::Debug for OpenGroup {
    /// Without pages, which hold what people said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenGroup")
            .field("rows", &self.rows)
            .field("columns", &self.columns.len())
            .finish()
    }
}

impl OpenGroup {
    /// Opens the row group of this number. Nothing is read yet.
    pub(super) fn new(
        file: &SealedFile,
        metadata: &Arc<ParquetMetaData>,
        number: usize,
        meanings: &[Meaning],
    ) -> Result<OpenGroup, ParquetError> {
        let rows = usize::try_from(metadata.row_group(number).num_rows()).unwrap_or(0);
        let columns = (meanings.iter().enumerate()).map(|(at, &meaning)| {
            let column = ColumnInParts::new(ColumnPlace {
                file: file.clone(),
                metadata: Arc::clone(metadata),
                group: number,
                column: at,
                meaning,
            });
            Ok(Mutex::new(column?))
        });
        Ok(OpenGroup {
            rows,
            columns: columns.collect::<Result<_, ParquetError>>()?,
        })
    }

    /// How many parts it has.
    pub(super) fn parts(&self) -> usize {
        self.rows.div_ceil(PART_ROWS)
    }

    /// How many rows a part has.
    pub(super) fn rows_of(&self, part: usize) -> usize {
        self.rows.saturating_sub(part * PART_ROWS).min(PART_ROWS)
    }

    /// The cells of a part, column by column. Every part must be asked for once: what is read of it early is kept.
    ///
    /// The error, if any, is that of the first column that has one, whoever met it.
    pub(super) fn read(&self, part: usize) -> Result<Vec<PagedCells>, ParquetError> {
        let columns = self.columns.len();
        let mut cells: Vec<Option<Cells>> = Vec::new();
        cells.resize_with(columns, || None);
        let mut missing: Vec<usize> = (0..columns).map(|at| (part + at) % columns).collect();
        while !missing.is_empty() {
            let before = missing.len();
            missing.retain(|&at| match self.columns[at].try_lock() {
                Ok(column) => {
                    cells[at] = Some(self.take(column, part));
                    false
                }
                Err(TryLockError::WouldBlock) => true,
                Err(TryLockError::Poisoned(column)) => {
                    cells[at] = Some(self.take(column.into_inner(), part));
                    false
                }
            });
            // All that are left are being read by others: waits for one of them.
            if missing.len() == before {
                let at = missing.remove(0);
                let column = self.columns[at]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                cells[at] = Some(self.take(column, part));
            }
        }
        cells.into_iter().flatten().collect()
    }

    fn take(&self, mut column: MutexGuard<'_, ColumnInParts>, part: usize) -> Cells {
        while column.next <= part {
            let next = column.next;
            let rows = self.rows_of(next);
            let cells = column.read_next(rows);
            column.read.insert(next, cells);
        }
        (column.read.remove(&part))
            .unwrap_or_else(|| Err(ParquetError::General("rows were asked for twice".into())))
    }
}

/// The cells of a column in a part, or why they could not be read.
type Cells = Result<PagedCells, ParquetError>;

/// A column of a row group, with what was read of it ahead of those who will ask for it.
struct ColumnInParts {
    place: ColumnPlace,
    column: OpenColumn,
    rows_read: usize,
    /// The part that is read next.
    next: usize,
    /// Parts that were read and not asked for yet. No more than were handed out.
    read: BTreeMap<usize, Cells>,
}

enum OpenColumn {
    Paged(Box<PagedColumn>),
    /// By the parquet crate, value by value.
    Values(Box<dyn ColumnOfValues>),
    /// Reading failed. Nobody sees what comes after that.
    Failed,
}

impl ColumnInParts {
    fn new(place: ColumnPlace) -> Result<Self, ParquetError> {
        let paged = PagedColumn::new(
            place.pages()?,
            place.metadata().column_descr(),
            place.meaning,
        );
        let column = match paged {
            Some(paged) => OpenColumn::Paged(Box::new(paged)),
            None => OpenColumn::Values(place.values()?),
        };
        Ok(ColumnInParts {
            place,
            column,
            rows_read: 0,
            next: 0,
            read: BTreeMap::new(),
        })
    }

    fn read_next(&mut self, rows: usize) -> Cells {
        self.next += 1;
        let cells = unless_panicking(|| self.read_cells(rows));
        match cells {
            Ok(_) => self.rows_read += rows,
            Err(_) => self.column = OpenColumn::Failed,
        }
        cells
    }

    /// The next cells. A column whose pages turn out not to be read by us is read by the parquet crate, from where we are.
    fn read_cells(&mut self, rows: usize) -> Cells {
        if let OpenColumn::Paged(paged) = &mut self.column {
            if let Some(cells) = paged.read(rows)? {
                return Ok(cells);
            }
            let mut column = self.place.values()?;
            let mut skipped = 0;
            while skipped < self.rows_read {
                let rows = (self.rows_read - skipped).min(PART_ROWS);
                column.read(rows)?;
                skipped += rows;
            }
            self.column = OpenColumn::Values(column);
        }
        let OpenColumn::Values(column) = &mut self.column else {
            return Err(ParquetError::General("an earlier page is damaged".into()));
        };
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
}

/// Where the pages of a column of a row group are.
struct ColumnPlace {
    file: SealedFile,
    metadata: Arc<ParquetMetaData>,
    group: usize,
    column: usize,
    meaning: Meaning,
}

impl ColumnPlace {
    fn metadata(&self) -> &ColumnChunkMetaData {
        self.metadata.row_group(self.group).column(self.column)
    }

    /// Its pages, from the first.
    fn pages(&self) -> Result<Box<dyn PageReader>, ParquetError> {
        let rows = usize::try_from(self.metadata.row_group(self.group).num_rows()).unwrap_or(0);
        let region = Arc::new(self.file.region());
        let pages = SerializedPageReader::new(region, self.metadata(), rows, None)?;
        Ok(Box::new(pages))
    }

    /// Its values, as the parquet crate reads them.
    fn values(&self) -> Result<Box<dyn ColumnOfValues>, ParquetError> {
        let reader = get_column_reader(self.metadata().column_descr_ptr(), self.pages()?);
        Ok(column_of_values(reader, self.meaning))
    }
}

/// Turns a panic of the decoder into an error: it means that the file is damaged.
///
/// The parquet crate trusts much of what a file claims. A reader that failed is not used again, so it does not matter
/// what the panic left unfinished.
pub(super) fn unless_panicking<T>(
    decode: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        Err(ParquetError::General(
            "the metadata of the file is inconsistent".into(),
        ))
    })
}
