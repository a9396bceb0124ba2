//! A column of labels that is being filled: every label once, and which of them each row has.

use crate::fingerprint::ColumnHasher;
use crate::numbered::{WITHOUT_NUMBER, next_number};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use incrowd_core::table::{Dictionary, RowBatch, ValueCode, ValueList};
use std::ops::Range;
use std::sync::Arc;

/// Labels of the rows of a release, record batch by record batch.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    texts: Dictionary,
    /// By label, its number in the fingerprint; most often its code.
    numbers: Vec<u32>,
    numbered: usize,
    /// The codes of full record batches, and of the one being filled.
    full: Vec<Vec<u32>>,
    open: Vec<u32>,
    /// The list that the last cells were from, and which label each of its texts is, if that was asked.
    list: Arc<ValueList>,
    of_list: Vec<u32>,
    /// Of all cells.
    bytes: u64,
}

/// Not asked yet.
const UNKNOWN: u32 = u32::MAX;

/// A cell is not UTF-8.
#[derive(Debug)]
pub(super) struct NotText;

impl Labels {
    /// Adds the cells of some rows of a column.
    pub(super) fn add(
        &mut self,
        rows: &RowBatch,
        column: usize,
        range: Range<usize>,
        hasher: &mut ColumnHasher,
    ) -> Result<(), NotText> {
        let before = self.open.len();
        match rows.coded(column) {
            None => {
                for row in range {
                    let code = self.code(rows.cell(row, column))?;
                    self.open.push(code);
                }
            }
            Some(coded) => {
                if !Arc::ptr_eq(&self.list, &coded.values) {
                    self.list = Arc::clone(&coded.values);
                    self.of_list.clear();
                }
                self.of_list.resize(coded.values.len(), UNKNOWN);
                self.open.reserve(range.len());
                for &text in &coded.codes[range] {
                    let mut code = self.of_list[text as usize];
                    if code == UNKNOWN {
                        code = self.code(coded.values.text(text))?;
                        self.of_list[text as usize] = code;
                    }
                    self.open.push(code);
                }
            }
        }
        let (texts, added) = (&self.texts, &self.open[before..]);
        let text = |at: usize| texts.text(ValueCode(added[at])).as_bytes();
        match self.numbered == self.numbers.len() {
            // All have numbers, which then are their codes.
            true => hasher.add(added, text),
            false => {
                let numbers = added.iter().map(|&code| self.numbers[code as usize]);
                hasher.add(&numbers.collect::<Vec<_>>(), text);
            }
        }
        Ok(())
    }

    fn code(&mut self, cell: &[u8]) -> Result<u32, NotText> {
        if let Some(code) = self.texts.lookup(cell) {
            return Ok(code.0);
        }
        let text = std::str::from_utf8(cell).map_err(|_| NotText)?;
        let number = next_number(cell, self.numbered);
        self.numbered += usize::from(number.is_some());
        self.numbers.push(number.unwrap_or(WITHOUT_NUMBER));
        Ok(self.texts.encode(text).0)
    }

    /// Ends a record batch.
    pub(super) fn end_batch(&mut self) {
        let lengths: Vec<u64> = self.texts.iter().map(|text| text.len() as u64).collect();
        let bytes = self.open.iter().map(|&code| lengths[code as usize]);
        self.bytes += bytes.sum::<u64>();
        let next = Vec::with_capacity(self.open.len());
        self.full.push(std::mem::replace(&mut self.open, next));
    }

    /// The bytes of all cells of full record batches.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The arrays of full record batches, which share one dictionary; the empty text is null.
    pub(super) fn finish(self) -> Vec<ArrayRef> {
        // The empty text has a code like any other, and codes after it move up.
        let empty = self.texts.lookup(b"").map(|code| code.0);
        let values = self.texts.iter().filter(|text| !text.is_empty());
        let values: ArrayRef = Arc::new(StringArray::from_iter_values(values));
        let arrays = self.full.into_iter().map(|codes| {
            let keys: Int32Array = match empty {
                // The memory stays where it is.
                None => Vec::from_iter(codes.into_iter().map(|code| code as i32)).into(),
                Some(empty) => {
                    let key = |code: u32| match code == empty {
                        true => None,
                        false => Some(code as i32 - i32::from(code > empty)),
                    };
                    codes.into_iter().map(key).collect()
                }
            };
            let array = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(&values));
            Arc::new(array.expect("every key is that of a text")) as ArrayRef
        });
        arrays.collect()
    }
}
