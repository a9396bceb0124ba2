//! Cells of a column to a coded column.

use super::cells::Cells;
use super::remembered::{Numbers, Remembered};
use crate::fingerprint::ColumnHasher;
use crate::numbered::{NotUtf8, Numbered, WITHOUT_NUMBER};
use incrowd_core::table::{CodedColumn, ValueList};
use std::ops::Range;
use std::sync::Arc;

/// Codes the cells of a column, batch by batch. Texts with a number are in one list for all batches, so that whoever counts or
/// recodes rows looks at each of them once.
#[derive(Default)]
pub(super) struct ColumnCoder {
    texts: Numbered,
    /// The texts that have a number; replaced when there are more.
    list: Arc<ValueList>,
    /// The numbers of the rows being coded.
    numbers: Vec<u32>,
    /// The greatest of them.
    greatest: u32,
    /// Their texts, if some of them have no number.
    spelled: Option<ValueList>,
    room: String,
    /// Those of all rows so far, if they are wanted and all have one.
    met: Option<Numbers>,
}

impl ColumnCoder {
    /// Keeps for the next pass what this one meets, of so many rows.
    pub(super) fn remember(&mut self, rows: usize) {
        self.met = Numbers::with_room(rows);
    }

    /// Looks at some rows. Returns how many of them make a batch: fewer if their texts are longer than `most_bytes`. If one is
    /// not UTF-8, says at which position.
    pub(super) fn look(
        &mut self,
        cells: &mut dyn Cells,
        rows: Range<usize>,
        most_bytes: usize,
    ) -> Result<usize, usize> {
        self.numbers.clear();
        self.spelled = None;
        let looked = cells.number(
            rows.clone(),
            &mut self.room,
            &mut self.texts,
            &mut self.numbers,
        );
        if let Err(NotUtf8) = looked {
            return Err(self.numbers.len());
        }
        self.greatest = self.numbers.iter().fold(0, |most, &it| it.max(most));
        if self.greatest != WITHOUT_NUMBER {
            return Ok(rows.len());
        }
        let mut list = ValueList::default();
        for row in rows {
            list.push(cells.text(row, &mut self.room));
            if list.bytes().len() >= most_bytes {
                break;
            }
        }
        let fit = list.len();
        self.spelled = Some(list);
        Ok(fit)
    }

    /// The first rows of those looked at.
    pub(super) fn code(&mut self, rows: usize, hasher: &mut ColumnHasher) -> CodedColumn {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.truncate(rows);
        let greatest = self.greatest;
        self.met = (self.met.take()).and_then(|met| met.with(&numbers, greatest));
        match self.spelled.take() {
            Some(list) => {
                hasher.add_below(&numbers, greatest, |row| list.text(row as u32));
                CodedColumn {
                    values: Arc::new(list),
                    codes: (0..rows as u32).collect(),
                }
            }
            None => {
                let values = self.listed();
                hasher.add_below(&numbers, greatest, |row| values.text(numbers[row]));
                CodedColumn {
                    values,
                    codes: numbers,
                }
            }
        }
    }

    /// What the next pass need not look at, once this one has met all rows; `hasher` is the one that hashed them.
    pub(super) fn remembered(&mut self, hasher: &ColumnHasher) -> Option<Remembered> {
        Some(Remembered {
            numbers: self.met.take()?,
            texts: self.listed(),
            hasher: hasher.clone(),
        })
    }

    fn listed(&mut self) -> Arc<ValueList> {
        if self.list.len() < self.texts.len() {
            let mut list = ValueList::clone(&self.list);
            let new = self.list.len() as u32..self.texts.len() as u32;
            new.for_each(|number| list.push(self.texts.text(number)));
            self.list = Arc::new(list);
        }
        Arc::clone(&self.list)
    }
}
