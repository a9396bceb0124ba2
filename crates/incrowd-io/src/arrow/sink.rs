//! A release as record batches.

use super::NAME;
use super::array::array;
use super::labels::Labels;
use super::table::ArrowTable;
use crate::Error;
use crate::column_type::ColumnType;
use crate::csv::check_columns;
use crate::rows_hashed::RowsHashed;
use crate::sink::{RowSink, Written};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_core::table::RowBatch;
use std::sync::{Arc, Mutex, PoisonError};

/// A record batch is full with so many rows, or so many bytes of text. Where it ends does not depend on how rows come.
const BATCH_ROWS: usize = 1 << 16;
const BATCH_BYTES: usize = 16 << 20;

/// Keeps a release as Arrow record batches. Clones share it: one goes to the job, the other tells what has come of it.
///
/// Columns that are published as they are keep their types, where the table has types: what comes from Arrow or Parquet
/// keeps its own, whole numbers of a CSV file become `Int64`. What is generalized is a dictionary of `Utf8`, one for all
/// batches, and so is text that came as a dictionary; all other text is `Utf8`, however the table stores it. Empty cells are
/// null.
#[derive(Debug, Clone, Default)]
pub struct ArrowSink {
    begun: Option<Begun>,
    finished: Arc<Mutex<Option<ArrowTable>>>,
}

impl ArrowSink {
    /// The release, once it is there.
    pub fn release(&self) -> Option<ArrowTable> {
        let finished = self.finished.lock();
        finished.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RowSink for ArrowSink {
    fn keeps_types(&self) -> bool {
        true
    }

    fn begin(&mut self, columns: &[String], types: Option<Vec<ColumnType>>) -> Result<(), Error> {
        self.begun = Some(Begun::new(columns, types)?);
        Ok(())
    }

    fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        let begun = self.begun.as_mut();
        begun.expect("rows come after `begin`").push(rows.rows())
    }

    fn finish(self: Box<Self>, _: Confirmation) -> Result<Written, Error> {
        let begun = self.begun.expect("the end comes after `begin`");
        let (table, written) = begun.finish()?;
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        *finished = Some(table);
        Ok(written)
    }
}

/// A release that is being written.
#[derive(Debug, Clone)]
struct Begun {
    schema: SchemaRef,
    /// The columns of full record batches, without those of labels.
    batches: Vec<Vec<ArrayRef>>,
    /// The rows of the record batch being filled, without those of labels.
    rows: RowBatch,
    /// How many rows that are.
    open_rows: usize,
    /// By column: its labels, if it has some.
    labels: Vec<Option<Labels>>,
    /// The columns that have none.
    without_labels: Vec<usize>,
    hasher: RowsHashed,
    /// Of the cells that are no labels.
    bytes: u64,
}

impl Begun {
    fn new(columns: &[String], types: Option<Vec<ColumnType>>) -> Result<Begun, Error> {
        check_columns(NAME, columns)?;
        let types = types.unwrap_or_else(|| vec![ColumnType::TEXT; columns.len()]);
        let labels = types.iter().map(|kind| {
            let has_labels = *kind == ColumnType::LABEL;
            has_labels.then(Labels::default)
        });
        let labels: Vec<_> = labels.collect();
        let without_labels = (0..labels.len()).filter(|&column| labels[column].is_none());
        let without_labels: Vec<usize> = without_labels.collect();
        let fields = columns.iter().zip(types);
        let fields = fields.map(|(name, kind)| Field::new(name, kind.to_arrow(), true));
        Ok(Begun {
            schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
            batches: Vec::new(),
            rows: RowBatch::new(without_labels.len()),
            open_rows: 0,
            labels,
            without_labels,
            hasher: RowsHashed::new(columns),
            bytes: 0,
        })
    }

    fn push(&mut self, rows: &RowBatch) -> Result<(), Error> {
        for &column in &self.without_labels {
            self.hasher.add_column(rows, column);
        }
        let mut first = 0;
        while first < rows.rows() {
            let most = rows.rows().min(first + BATCH_ROWS - self.open_rows);
            let mut end = if self.without_labels.is_empty() {
                most
            } else {
                first
            };
            while end < most && self.rows.byte_len() < BATCH_BYTES {
                for &column in &self.without_labels {
                    let cell = rows.cell(end, column);
                    self.bytes += cell.len() as u64;
                    self.rows.push_cell(cell);
                }
                end += 1;
            }
            for (column, labels) in self.labels.iter_mut().enumerate() {
                if let Some(labels) = labels {
                    let added = labels.add(rows, column, first..end, self.hasher.column(column));
                    added.map_err(|_| Self::not_of_type(column))?;
                }
            }
            self.open_rows += end - first;
            first = end;
            if self.open_rows >= BATCH_ROWS || self.rows.byte_len() >= BATCH_BYTES {
                self.end_batch()?;
            }
        }
        Ok(())
    }

    fn end_batch(&mut self) -> Result<(), Error> {
        if self.open_rows == 0 {
            return Ok(());
        }
        let mut arrays = Vec::with_capacity(self.rows.columns());
        for (position, &column) in self.without_labels.iter().enumerate() {
            let array = array(self.schema.field(column).data_type(), &self.rows, position);
            arrays.push(array.ok_or_else(|| Self::not_of_type(column))?);
        }
        self.labels.iter_mut().flatten().for_each(Labels::end_batch);
        self.batches.push(arrays);
        self.rows.clear(0);
        self.open_rows = 0;
        Ok(())
    }

    fn not_of_type(column: usize) -> Error {
        Error::CellNotOfType {
            path: NAME.into(),
            position: column + 1,
        }
    }

    fn finish(mut self) -> Result<(ArrowTable, Written), Error> {
        self.end_batch()?;
        let label_bytes: u64 = self.labels.iter().flatten().map(Labels::bytes).sum();
        let labels = std::mem::take(&mut self.labels).into_iter();
        let labels = labels.map(|labels| labels.map(|labels| labels.finish().into_iter()));
        let mut labels: Vec<_> = labels.collect();
        let batches = self.batches.into_iter().map(|arrays| {
            let mut arrays = arrays.into_iter();
            let columns = labels.iter_mut().map(|labels| match labels {
                Some(labels) => labels.next(),
                None => arrays.next(),
            });
            let columns =
                columns.map(|array| array.expect("each column has an array for each batch"));
            RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())
                .expect("every array has the type of its field and a value for each row")
        });
        let batches: Vec<RecordBatch> = batches.collect();
        let written = Written {
            sha256: self.hasher.fingerprint(),
            bytes: self.bytes + label_bytes,
        };
        Ok((ArrowTable::new(self.schema, batches)?, written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryTable, RowSource};
    use arrow_array::StringArray;
    use arrow_array::cast::AsArray;
    use arrow_schema::DataType;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.into()).collect()
    }

    fn rows(cells: impl IntoIterator<Item = [String; 2]>) -> RowBatch {
        let mut rows = RowBatch::new(2);
        let cells = cells.into_iter().flatten();
        cells.for_each(|cell| rows.push_cell(cell.as_bytes()));
        rows
    }

    fn fingerprint(source: &impl RowSource) -> crate::Fingerprint {
        source.open().unwrap().fingerprint().unwrap()
    }

    #[test]
    fn a_release_is_the_same_however_its_rows_come() {
        let all: Vec<[String; 2]> = (0..BATCH_ROWS * 2 + 5)
            .map(|row| [row.to_string(), "x".repeat(row % 3)])
            .collect();
        let names = columns(&["n", "text"]);
        let same = MemoryTable::new(&names, &all).unwrap();
        let types = || Some(vec![ColumnType::INTEGER, ColumnType::TEXT]);
        for size in [1, 4096, 100_000] {
            let mut begun = Begun::new(&names, types()).unwrap();
            for part in all.chunks(size) {
                begun.push(&rows(part.iter().cloned())).unwrap();
            }
            let (table, written) = begun.finish().unwrap();
            let sizes: Vec<usize> = table.batches().iter().map(RecordBatch::num_rows).collect();
            assert_eq!(sizes, [BATCH_ROWS, BATCH_ROWS, 5]);
            assert_eq!(written.sha256, fingerprint(&same));
            assert_eq!(fingerprint(&table), fingerprint(&same));
            let bytes: usize = all.iter().flatten().map(String::len).sum();
            assert_eq!(written.bytes, bytes as u64);
        }
    }

    #[test]
    fn labels_have_one_dictionary_for_all_batches_and_nulls_for_empty_texts() {
        let text = |row: usize| ["b", "", "a", "c"][row % 4].to_owned();
        let all: Vec<[String; 2]> = (0..BATCH_ROWS + 3)
            .map(|row| [text(row), text(row / 2)])
            .collect();
        let names = columns(&["label", "text"]);
        let types = vec![ColumnType::LABEL, ColumnType::TEXT];
        let mut begun = Begun::new(&names, Some(types)).unwrap();
        all.chunks(1000)
            .for_each(|part| begun.push(&rows(part.iter().cloned())).unwrap());
        let (table, written) = begun.finish().unwrap();
        let same = MemoryTable::new(&names, &all).unwrap();
        assert_eq!(written.sha256, fingerprint(&same));
        assert_eq!(fingerprint(&table), fingerprint(&same));
        let batches = table.batches();
        let of = |batch: &RecordBatch| batch.column(0).as_any_dictionary().values().clone();
        assert_eq!(batches.len(), 2);
        assert!(Arc::ptr_eq(&of(&batches[0]), &of(&batches[1])));
        assert_eq!(
            of(&batches[0]).as_string::<i32>(),
            &StringArray::from(vec!["b", "a", "c"])
        );
        assert_eq!(batches[0].column(0).null_count(), BATCH_ROWS / 4);
    }

    #[test]
    fn labels_that_are_long_or_many_have_the_fingerprint_of_the_same_table_in_memory() {
        let label = |row: usize| match row % 3 {
            0 => format!("{}", row % 20_000),
            1 => "x".repeat(250 + row % 10),
            _ => String::new(),
        };
        let all: Vec<[String; 2]> = (0..70_000)
            .map(|row| [label(row), label(row / 4)])
            .collect();
        let names = columns(&["one", "other"]);
        let same = MemoryTable::new(&names, &all).unwrap();
        for size in [777, 70_000] {
            let mut begun = Begun::new(&names, Some(vec![ColumnType::LABEL; 2])).unwrap();
            all.chunks(size)
                .for_each(|part| begun.push(&rows(part.iter().cloned())).unwrap());
            let (table, written) = begun.finish().unwrap();
            assert_eq!(written.sha256, fingerprint(&same));
            assert_eq!(fingerprint(&table), fingerprint(&same));
            let bytes: usize = all.iter().flatten().map(String::len).sum();
            assert_eq!(written.bytes, bytes as u64);
        }
    }

    #[test]
    fn a_release_of_labels_only_has_its_rows() {
        let names = columns(&["one", "other"]);
        let mut begun = Begun::new(&names, Some(vec![ColumnType::LABEL; 2])).unwrap();
        begun
            .push(&rows([["x".into(), "".into()], ["x".into(), "y".into()]]))
            .unwrap();
        let (table, _) = begun.finish().unwrap();
        assert_eq!(table.batches()[0].num_rows(), 2);
    }

    #[test]
    fn a_batch_ends_before_its_text_is_too_long_for_an_array() {
        let mut begun = Begun::new(&columns(&["n", "text"]), None).unwrap();
        let long = rows([[String::new(), "x".repeat(BATCH_BYTES / 2)]]);
        (0..3).for_each(|_| begun.push(&long).unwrap());
        let (table, _) = begun.finish().unwrap();
        let sizes: Vec<usize> = table.batches().iter().map(RecordBatch::num_rows).collect();
        assert_eq!(sizes, [2, 1]);
    }

    #[test]
    fn a_release_without_rows_has_its_columns() {
        let begun = Begun::new(&columns(&["n", "text"]), Some(vec![ColumnType::INTEGER; 2]));
        let (table, written) = begun.unwrap().finish().unwrap();
        assert!(table.batches().is_empty());
        let kinds = table.schema().fields().iter();
        let kinds: Vec<&DataType> = kinds.map(|field| field.data_type()).collect();
        assert_eq!(kinds, [&DataType::Int64; 2]);
        assert_eq!(written.bytes, 0);
    }

    #[test]
    fn a_cell_that_is_not_of_the_type_of_its_column_is_refused() {
        let types = vec![ColumnType::TEXT, ColumnType::INTEGER];
        let mut begun = Begun::new(&columns(&["a", "n"]), Some(types)).unwrap();
        begun.push(&rows([["x".into(), "Grace".into()]])).unwrap();
        let error = begun.finish().unwrap_err();
        assert!(matches!(error, Error::CellNotOfType { position: 2, .. }));
        assert!(!format!("{error} {:?} {}", error.place(), error.hint()).contains("Grace"));
    }

    #[test]
    fn nothing_is_there_before_the_end() {
        let mut sink = ArrowSink::default();
        sink.begin(&columns(&["a", "b"]), None).unwrap();
        let begun = sink.begun.as_mut().unwrap();
        begun.push(&rows([["1".into(), "2".into()]])).unwrap();
        assert!(sink.clone().release().is_none());
        assert!(sink.begin(&columns(&["a", "a"]), None).is_err());
    }
}
