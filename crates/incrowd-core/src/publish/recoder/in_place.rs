//! Published rows that are not copied: every cell of theirs is in the raw rows or among the texts of a class.

use super::{Plan, PublishedCell};
use crate::hierarchy::ANY;
use crate::publish::ClassNumber;
use crate::table::RowBatch;
use std::ops::Range;

/// Rows of a release, where they stand. Only a [`Recoder`](super::Recoder) makes them, so code that writes them cannot
/// publish raw rows.
#[derive(Debug, Clone, Copy)]
pub struct RecodedRows<'a> {
    pub(super) plan: &'a Plan,
    pub(super) raw: &'a RowBatch,
    /// The raw rows that are published, each with its class.
    pub(super) rows: &'a [(usize, u32)],
}

/// Published columns side by side, by position in the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    /// Columns whose texts are those of the row's class.
    OfClass(Range<usize>),
    /// Columns that are unchanged, and side by side in the raw rows as well.
    Unchanged(Range<usize>),
}

/// The published cells of a row, in as few runs as there can be.
pub(super) fn runs(cells: &[PublishedCell]) -> Vec<Run> {
    use PublishedCell::{Counted, Recoded, Unchanged};
    let mut runs = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| cells[before]);
        match (runs.last_mut(), before, *cell) {
            (Some(Run::OfClass(run)), _, Recoded(_)) => run.end = at + 1,
            (Some(Run::Unchanged(run)), Some(Unchanged(before)), Unchanged(position))
                if position == before + 1 =>
            {
                run.end = at + 1;
            }
            (_, _, Recoded(_)) => runs.push(Run::OfClass(at..at + 1)),
            // A counted cell may stand as another one in the raw rows, so it stands alone.
            (_, _, Unchanged(_) | Counted(_)) => runs.push(Run::Unchanged(at..at + 1)),
        }
    }
    runs
}

impl<'a> RecodedRows<'a> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of published columns.
    pub fn columns(&self) -> usize {
        self.plan.cells.len()
    }

    /// The raw row that is published as this one, by position in its batch.
    pub fn raw_row(&self, row: usize) -> usize {
        self.rows[row].0
    }

    /// The class of a row; none if it is published as `*` throughout.
    #[inline]
    pub fn class(&self, row: usize) -> Option<ClassNumber> {
        let class = self.rows[row].1;
        let is_suppressed = self.plan.map.classes().is_suppressed[class as usize];
        (!is_suppressed).then_some(ClassNumber(class))
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.plan.map.classes().is_suppressed.len()
    }

    /// The published columns, in runs.
    pub fn runs(&self) -> &'a [Run] {
        &self.plan.runs
    }

    /// One cell.
    #[inline]
    pub fn cell(&self, row: usize, column: usize) -> &'a [u8] {
        let (raw_row, class) = self.rows[row];
        match self.plan.cells[column] {
            _ if self.class(row).is_none() => ANY.as_bytes(),
            PublishedCell::Unchanged(position) => self.raw.cell(raw_row, position),
            PublishedCell::Counted(position) => {
                self.plan.without_token(self.raw, raw_row, position)
            }
            PublishedCell::Recoded(attribute) => {
                let text = self.plan.map.texts_of_class(class)[attribute] as usize;
                self.plan.map.attributes()[attribute].texts[text].as_bytes()
            }
        }
    }

    /// What stands between unchanged cells side by side, if they can be written as [one text](RecodedRows::unchanged).
    pub fn separator(&self) -> Option<u8> {
        self.raw.separator()
    }

    /// The text of unchanged columns side by side in a row that has a class.
    #[inline]
    pub fn unchanged(&self, row: usize, columns: &Range<usize>) -> &'a [u8] {
        let (raw_row, _) = self.rows[row];
        match self.plan.cells[columns.start] {
            PublishedCell::Unchanged(first) if self.class(row).is_some() => self
                .raw
                .cells_in_text(raw_row, first..first + columns.len()),
            PublishedCell::Counted(_) => self.cell(row, columns.start),
            _ => &[],
        }
    }

    /// Adds copies of the rows to a batch; as codes if that has begun with them.
    pub(super) fn copy_to(&self, published: &mut RowBatch) {
        let map = &*self.plan.map;
        let is_coded = published.coded(0).is_some();
        if !is_coded {
            for row in 0..self.len() {
                (0..self.columns()).for_each(|column| published.push_cell(self.cell(row, column)));
            }
            return;
        }
        // Only where suppressed rows are left out.
        for (column, cell) in self.plan.cells.iter().enumerate() {
            match *cell {
                PublishedCell::Unchanged(position) | PublishedCell::Counted(position) => {
                    let Some(coded) = self.raw.coded(position) else {
                        continue;
                    };
                    let codes = self.rows.iter().map(|&(row, _)| coded.codes[row]);
                    published.push_codes(column, codes);
                }
                PublishedCell::Recoded(attribute) => {
                    let texts = |&(_, class): &(usize, u32)| map.texts_of_class(class)[attribute];
                    published.push_codes(column, self.rows.iter().map(texts));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_side_by_side_are_one_run_only_if_they_are_so_in_the_raw_rows_too() {
        use PublishedCell::{Recoded, Unchanged};
        // Column 3 is dropped.
        let cells = [
            Unchanged(0),
            Recoded(1),
            Recoded(0),
            Unchanged(4),
            Unchanged(5),
            Unchanged(7),
        ];
        let expected = [
            Run::Unchanged(0..1),
            Run::OfClass(1..3),
            Run::Unchanged(3..5),
            Run::Unchanged(5..6),
        ];
        assert_eq!(runs(&cells), expected);
        assert_eq!(runs(&[]), []);
        let cells = [Unchanged(0), PublishedCell::Counted(1), Unchanged(2)];
        let alone = [0..1, 1..2, 2..3].map(Run::Unchanged);
        assert_eq!(runs(&cells), alone);
    }
}
