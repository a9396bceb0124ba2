//! The fingerprint of rows that come in batches.

use crate::Fingerprint;
use crate::fingerprint::CellHasher;
use crate::numbered::{Numbered, WITHOUT_NUMBER};
use incrowd_core::table::{RowBatch, ValueList};
use std::sync::Arc;

/// Takes the fingerprint of rows, batch by batch, as text or in coded columns.
#[derive(Debug, Clone)]
pub(crate) struct RowsHashed {
    hasher: CellHasher,
    columns: Vec<ColumnNumbers>,
    /// The numbers of the cells being added.
    numbers: Vec<u32>,
}

/// The numbers of the texts of a column.
#[derive(Debug, Clone, Default)]
struct ColumnNumbers {
    numbered: Numbered,
    /// The list that the last cells were from, and the number of each of its texts, if that was asked.
    list: Arc<ValueList>,
    of_list: Vec<u32>,
}

/// Not asked yet, or without a number.
const UNKNOWN: u32 = WITHOUT_NUMBER;

impl RowsHashed {
    pub(crate) fn new(columns: &[String]) -> Self {
        RowsHashed {
            hasher: CellHasher::new(columns),
            columns: vec![ColumnNumbers::default(); columns.len()],
            numbers: Vec::new(),
        }
    }

    /// Adds the rows of a batch.
    pub(crate) fn add(&mut self, rows: &RowBatch) {
        (0..self.columns.len()).for_each(|column| self.add_column(rows, column));
    }

    /// Adds the cells of a column of a batch. Each column needs all of them, in whatever order of columns.
    pub(crate) fn add_column(&mut self, rows: &RowBatch, column: usize) {
        self.numbers.clear();
        self.columns[column].number(rows, column, &mut self.numbers);
        let text = |row| rows.cell(row, column);
        self.hasher.column(column).add(&self.numbers, text);
    }

    /// The hasher of a column whose cells are numbered elsewhere.
    #[cfg(feature = "arrow")]
    pub(crate) fn column(&mut self, column: usize) -> &mut crate::fingerprint::ColumnHasher {
        self.hasher.column(column)
    }

    /// The fingerprint of all that was added so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.hasher.fingerprint()
    }
}

impl ColumnNumbers {
    fn number(&mut self, rows: &RowBatch, column: usize, numbers: &mut Vec<u32>) {
        let Some(coded) = rows.coded(column) else {
            numbers.extend((0..rows.rows()).map(|row| self.number_of(rows.cell(row, column))));
            return;
        };
        if !Arc::ptr_eq(&self.list, &coded.values) {
            self.list = Arc::clone(&coded.values);
            self.of_list.clear();
        }
        self.of_list.resize(coded.values.len(), UNKNOWN);
        for &code in &coded.codes {
            let mut number = self.of_list[code as usize];
            if number == UNKNOWN {
                number = self.number_of(coded.values.text(code));
                self.of_list[code as usize] = number;
            }
            numbers.push(number);
        }
    }

    /// What is no text has no number.
    fn number_of(&mut self, text: &[u8]) -> u32 {
        self.numbered.number(text).unwrap_or(WITHOUT_NUMBER)
    }
}
