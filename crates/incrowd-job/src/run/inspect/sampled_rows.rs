//! Some rows of a table, drawn at random, of which every column is known.
//!
//! Whatever needs many columns at once is computed from these rows: which columns determine others, which tell rows
//! apart in combination. A table of up to some ten thousand rows is its own sample. Rows are drawn by a hash of their
//! number, so the same rows are drawn every time, whatever the number of threads.

use super::spread::Spread;
use crate::run::sample::{MOST_COUNTED, Sample, hash};

/// Rows drawn: fewer if there are very many columns, so that memory stays bounded.
pub(super) fn most_rows(columns: usize) -> usize {
    (MOST_COUNTED / columns.max(1)).clamp(1 << 10, 1 << 15)
}

/// Draws rows while they are read.
#[derive(Debug, Clone)]
pub(super) struct RowDraw {
    rows: Sample<Drawn>,
}

/// A row: what it is ordered by, and the hashes of its cells.
#[derive(Debug, Clone)]
struct Drawn {
    order: u64,
    cells: Box<[u64]>,
}

impl RowDraw {
    pub(super) fn new(columns: usize) -> Self {
        RowDraw {
            rows: Sample::new(most_rows(columns)),
        }
    }

    /// Takes the row with this number into account; its cells are asked for only if it is drawn.
    pub(super) fn see(&mut self, number: u64, cells: impl FnOnce() -> Box<[u64]>) {
        let order = hash(&number.to_le_bytes());
        self.rows.add(order, || Drawn {
            order,
            cells: cells(),
        });
    }

    pub(super) fn absorb(&mut self, other: RowDraw) {
        self.rows.absorb(other.rows, |_, _| ());
    }

    /// The rows drawn, in an order that has nothing to do with theirs in the table.
    pub(super) fn finish(self, columns: usize) -> SampledRows {
        let mut drawn: Vec<&Drawn> = self.rows.counted().map(|row| &row.thing).collect();
        drawn.sort_unstable_by_key(|row| row.order);
        let numbered = |column: usize| {
            let mut numbers = hashbrown::HashMap::new();
            let codes = drawn.iter().map(|row| {
                let next = numbers.len() as u32;
                *numbers.entry(row.cells[column]).or_insert(next)
            });
            let codes: Vec<u32> = codes.collect();
            let distinct = numbers.len();
            SampledColumn { codes, distinct }
        };
        SampledRows {
            rows: drawn.len(),
            is_exact: self.rows.is_exact(),
            columns: (0..columns).map(numbered).collect(),
        }
    }
}

/// A column of sampled rows, its values numbered from 0 on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampledColumn {
    pub(super) codes: Vec<u32>,
    pub(super) distinct: usize,
}

impl SampledColumn {
    pub(super) fn spread(&self) -> Spread {
        let mut rows = vec![0u64; self.distinct];
        self.codes.iter().for_each(|&code| rows[code as usize] += 1);
        Spread::of(rows.into_iter())
    }

    /// The classes of this column, split by another.
    pub(super) fn split(&self, other: &SampledColumn) -> SampledColumn {
        let mut numbers = hashbrown::HashMap::with_capacity(self.distinct.max(other.distinct));
        let pairs = self.codes.iter().zip(&other.codes);
        let codes = pairs.map(|(&ours, &theirs)| {
            let next = numbers.len() as u32;
            let pair = u64::from(ours) << 32 | u64::from(theirs);
            *numbers.entry(pair).or_insert(next)
        });
        let codes = codes.collect();
        SampledColumn {
            codes,
            distinct: numbers.len(),
        }
    }
}

/// Rows drawn from a table, or all of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampledRows {
    pub(super) rows: usize,
    /// Whether these are all rows of the table.
    pub(super) is_exact: bool,
    pub(super) columns: Vec<SampledColumn>,
}

impl SampledRows {
    /// All rows in one class.
    pub(super) fn one_class(&self) -> SampledColumn {
        SampledColumn {
            codes: vec![0; self.rows],
            distinct: self.rows.min(1),
        }
    }
}
