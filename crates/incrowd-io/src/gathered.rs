//! The cells of a column that is being filled: every text once, and which of them each row has.

use incrowd_core::table::{Dictionary, RowBatch, ValueList};
use std::ops::Range;
use std::sync::Arc;

/// A column being filled.
#[derive(Debug, Clone, Default)]
pub(crate) struct GatheredColumn {
    texts: Dictionary,
    /// Of all texts.
    text_bytes: usize,
    /// The text of each row.
    codes: Vec<u32>,
    /// The list that the last cells were from, and which text each of its texts is, if that was asked.
    list: Arc<ValueList>,
    of_list: Vec<u32>,
}

/// Not asked yet.
const UNKNOWN: u32 = u32::MAX;

/// A cell of this row, counted in the batch from 0, is not UTF-8.
#[derive(Debug)]
pub(crate) struct NotText {
    pub(crate) row: usize,
}

impl GatheredColumn {
    /// Adds the cells of a column in some rows of a batch.
    pub(crate) fn add(
        &mut self,
        batch: &RowBatch,
        column: usize,
        rows: Range<usize>,
    ) -> Result<(), NotText> {
        let Some(coded) = batch.coded(column) else {
            for row in rows {
                let code = self.code(batch.cell(row, column));
                self.codes.push(code.ok_or(NotText { row })?);
            }
            return Ok(());
        };
        if !Arc::ptr_eq(&self.list, &coded.values) {
            self.list = Arc::clone(&coded.values);
            self.of_list.clear();
        }
        self.of_list.resize(coded.values.len(), UNKNOWN);
        let start = self.codes.len();
        let texts = coded.codes[rows.clone()].iter();
        let known = texts.clone().map(|&text| self.of_list[text as usize]);
        self.codes.extend(known);
        // Most batches have no text that was not met before.
        let most = self.codes[start..]
            .iter()
            .fold(0, |most, &code| most.max(code));
        if most != UNKNOWN {
            return Ok(());
        }
        for (at, (row, &text)) in rows.zip(texts).enumerate() {
            let mut code = self.of_list[text as usize];
            if code == UNKNOWN {
                let found = self.code(coded.values.text(text));
                code = found.ok_or(NotText { row })?;
                self.of_list[text as usize] = code;
            }
            self.codes[start + at] = code;
        }
        Ok(())
    }

    /// The code of a text; none if it is not UTF-8. What is equal to a text is one, so only new ones are checked.
    fn code(&mut self, cell: &[u8]) -> Option<u32> {
        if let Some(code) = self.texts.lookup(cell) {
            return Some(code.0);
        }
        let text = std::str::from_utf8(cell).ok()?;
        self.text_bytes += text.len();
        Some(self.texts.encode(text).0)
    }

    /// Removes all rows and texts, but keeps the memory of the rows for as many again.
    pub(crate) fn clear(&mut self) {
        let mut codes = std::mem::take(&mut self.codes);
        codes.clear();
        *self = GatheredColumn {
            codes,
            ..GatheredColumn::default()
        };
    }

    pub(crate) fn rows(&self) -> usize {
        self.codes.len()
    }

    /// About the memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.text_bytes + 4 * self.codes.len()
    }

    pub(crate) fn texts(&self) -> &Dictionary {
        &self.texts
    }

    pub(crate) fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    pub(crate) fn codes(&self) -> &[u32] {
        &self.codes
    }
}
