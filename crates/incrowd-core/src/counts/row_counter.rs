//! The counting pass: rows in, distinct tuples out.

use super::counting_column::{CountingColumn, NO_ROW, SortedValues};
use super::in_parallel::{in_parallel, pieces};
use super::outside::{Outside, Room};
use super::{Keys, Layout, Missing};
use crate::Error;
use crate::table::{RowBatch, ValueCode};
use std::borrow::Cow;

/// Counts rows batch by batch; memory grows with the distinct tuples, not with the rows.
///
/// The quasi-identifiers and the counted columns form one tuple, so each row costs one lookup in addition to those of
/// its values. The result of [`RowCounter::finish`] does not depend on the order of rows or on how they were
/// distributed over counters. A [`SharedCounter`](super::SharedCounter) counts the same on several threads.
#[derive(Debug, Clone)]
pub struct RowCounter {
    pub(super) columns: Vec<CountingColumn>,
    pub(super) quasi_identifiers: usize,
    pub(super) rows: u64,
    /// How the codes of a tuple are packed; it grows with the numbers of values.
    pub(super) layout: Layout,
    pub(super) tuples: Keys,
    /// The rows of each tuple.
    pub(super) sizes: Vec<u32>,
    pub(super) block: Block,
    pub(super) rows_are_apart: bool,
    pub(super) threads: usize,
    /// Where what is made of the tuples goes, if memory is limited.
    pub(super) room: Option<Room>,
    /// All tuples, if they are not in memory.
    pub(super) outside: Option<Outside>,
}

/// Working memory for the current rows, reused for the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// The codes, column by column.
    codes: Vec<u32>,
    /// The codes of each row, packed.
    keys: Vec<u64>,
    /// The number of each row's tuple.
    numbers: Vec<u32>,
}

impl RowCounter {
    /// A counter for rows of the columns `names`. The quasi-identifiers and the columns to count are given by
    /// position; a column may be in both lists.
    pub fn new(names: &[String], quasi_identifiers: &[usize], counted: &[usize]) -> Self {
        let columns: Vec<CountingColumn> = quasi_identifiers
            .iter()
            .chain(counted)
            .map(|&position| CountingColumn::new(&names[position], position))
            .collect();
        let layout = Layout::of_sizes(columns.iter().map(|_| 0));
        RowCounter {
            tuples: Keys::new(layout.words()),
            layout,
            columns,
            quasi_identifiers: quasi_identifiers.len(),
            rows: 0,
            sizes: Vec::new(),
            block: Block::default(),
            rows_are_apart: false,
            threads: 1,
            room: None,
            outside: None,
        }
    }

    /// Uses so many threads to [finish](RowCounter::finish). The table is the same whatever their number.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Makes every row a tuple by itself when counting is finished, for algorithms that divide equal rows. Rows that
    /// are equal in all columns of a tuple stay interchangeable.
    pub fn keep_rows_apart(&mut self) {
        self.rows_are_apart = true;
    }

    /// Counts the rows of a batch.
    pub fn add(&mut self, batch: &RowBatch) -> Result<(), Error> {
        for rows in batch.blocks() {
            let codes = &mut self.block.codes;
            codes.clear();
            for column in &mut self.columns {
                for row in rows.clone() {
                    let cell = batch.cell_in_text(row, column.position);
                    let code = match column.values.lookup_cell(cell) {
                        Some(code) => code,
                        None => {
                            column.encode_new(cell.value(), batch.first_row() + row as u64 + 1)?
                        }
                    };
                    codes.push(code.0);
                }
            }
            self.count_block(std::iter::repeat_n(1, rows.len()))?;
        }
        Ok(())
    }

    /// The columns that make up a tuple: the quasi-identifiers, then the counted columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Counts a number of rows that have these texts in the [columns](RowCounter::names) of a tuple; a missing cell is
    /// the empty text.
    pub fn count(&mut self, tuple: &[&str], rows: u32) -> Result<(), Error> {
        expect_one_each("texts of a tuple", tuple.len(), self.columns.len())?;
        let row = self.rows + 1;
        self.block.codes.clear();
        for (column, text) in self.columns.iter_mut().zip(tuple) {
            self.block.codes.push(column.encode(text, row).0);
        }
        self.count_block([rows].into_iter())
    }

    /// Merges the counts of another counter of the same columns.
    pub fn absorb(&mut self, other: &RowCounter) -> Result<(), Error> {
        if other.outside.is_some() {
            let mut other = other.clone();
            other.bring_back()?;
            return self.absorb(&other);
        }
        let recode: Vec<Vec<u32>> = self
            .columns
            .iter_mut()
            .zip(&other.columns)
            .map(|(ours, theirs)| {
                theirs
                    .values
                    .iter()
                    .zip(&theirs.first_rows)
                    .map(|(text, &row)| ours.encode(text, row).0)
                    .collect()
            })
            .collect();
        let codes = &mut self.block.codes;
        codes.clear();
        for (recode, field) in recode.iter().zip(other.layout.fields()) {
            let theirs = other.tuples.iter().map(|tuple| field.read(tuple));
            codes.extend(theirs.map(|code| recode[code as usize]));
        }
        self.count_block(other.sizes.iter().copied())
    }

    /// Counts the tuples whose codes are in `self.block`, each with its number of rows.
    fn count_block(&mut self, sizes: impl ExactSizeIterator<Item = u32>) -> Result<(), Error> {
        self.bring_back()?;
        self.make_room();
        let Block {
            codes,
            keys,
            numbers,
        } = &mut self.block;
        keys.clear();
        keys.resize(sizes.len() * self.layout.words(), 0);
        for (column, codes) in codes.chunks_exact(sizes.len().max(1)).enumerate() {
            self.layout.pack(column, codes, keys);
        }
        self.tuples.number_all(keys, numbers);
        for (&number, rows) in numbers.iter().zip(sizes) {
            self.rows += u64::from(rows);
            if self.rows > u64::from(u32::MAX) {
                return Err(Error::TooManyRows {
                    limit: u32::MAX.into(),
                });
            }
            match self.sizes.get_mut(number as usize) {
                Some(size) => *size += rows,
                None => self.sizes.push(rows),
            }
        }
        Ok(())
    }

    /// Repacks the tuples if a column has outgrown its bits. It gets at least one more bit each time, so this becomes
    /// rare.
    fn make_room(&mut self) {
        let needed = self.columns.iter().map(|column| column.values.len());
        let sizes = self.layout.fields().iter().map(|field| field.size());
        let pairs = needed.zip(sizes);
        if pairs.clone().all(|(needed, size)| needed <= size) {
            return;
        }
        let layout = Layout::of_sizes(pairs.map(|(needed, size)| needed.max(size)));
        let keys = self.layout.repack(self.tuples.words(), &layout);
        self.tuples = Keys::of_distinct(layout.words(), keys);
        self.layout = layout;
    }

    /// Rows counted so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows of each distinct combination of values.
    pub fn sizes(&self) -> Result<Cow<'_, [u32]>, Error> {
        let Some(outside) = &self.outside else {
            return Ok(Cow::Borrowed(&self.sizes));
        };
        let mut all = Vec::with_capacity(outside.tuples());
        for part in 0..outside.parts.len() {
            all.extend(outside.read(part)?.1);
        }
        Ok(Cow::Owned(all))
    }

    /// The value of a column (quasi-identifiers first) in each distinct combination: equal values have equal codes,
    /// which say nothing else and are different in another counter.
    pub fn codes(&self, column: usize) -> Result<Vec<ValueCode>, Error> {
        let field = self.layout.field(column);
        let code = |tuple: &[u64]| ValueCode(field.read(tuple));
        let Some(outside) = &self.outside else {
            return Ok(self.tuples.iter().map(code).collect());
        };
        let mut all = Vec::with_capacity(outside.tuples());
        for part in 0..outside.parts.len() {
            let (keys, _) = outside.read(part)?;
            all.extend(keys.chunks_exact(outside.words).map(code));
        }
        Ok(all)
    }

    /// A counter of some of the tuples, by the same codes, without values or threads of its own.
    pub(super) fn of_tuples(&self, tuples: Keys, sizes: Vec<u32>) -> RowCounter {
        RowCounter {
            quasi_identifiers: self.quasi_identifiers,
            layout: self.layout.clone(),
            rows_are_apart: self.rows_are_apart,
            tuples,
            sizes,
            ..RowCounter::new(&[], &[], &[])
        }
    }

    /// Brings tuples back into memory.
    pub(super) fn bring_back(&mut self) -> Result<(), Error> {
        let Some(outside) = self.outside.take() else {
            return Ok(());
        };
        let mut keys = Vec::with_capacity(outside.tuples() * outside.words);
        self.sizes.reserve(outside.tuples());
        for part in 0..outside.parts.len() {
            let (keys_of_part, sizes_of_part) = outside.read(part)?;
            keys.extend(keys_of_part);
            self.sizes.extend(sizes_of_part);
        }
        self.tuples = Keys::of_distinct(outside.words, keys);
        Ok(())
    }

    /// The distinct values of a column (quasi-identifiers first) with their rows: numbers and dates in their order,
    /// text in byte order. Missing cells are one value, the empty text, which comes first.
    ///
    /// Codes depend on which value a counter saw first, and so on how rows were distributed over counters. They do not
    /// leave the counter: everything built from a table uses this order.
    pub fn values(&self, column: usize, missing: &Missing) -> Vec<(&str, u32)> {
        let sorted = SortedValues::of(&self.columns[column], missing);
        let mut rows = vec![0; sorted.values.len()];
        let mut add = |rows_of_codes: &[u32]| {
            for (&rank, rows_of_code) in sorted.ranks.iter().zip(rows_of_codes) {
                rows[rank as usize] += rows_of_code;
            }
        };
        if let Some(outside) = &self.outside {
            add(&outside.rows_of_codes[column]);
            return sorted.values.into_iter().zip(rows).collect();
        }
        let field = self.layout.field(column);
        let parts = in_parallel(
            self.threads,
            pieces(self.sizes.len(), self.threads),
            |range| {
                let mut rows_of_codes = vec![0; sorted.ranks.len()];
                for tuple in range {
                    let code = field.read(self.tuples.get(tuple as u32));
                    rows_of_codes[code as usize] += self.sizes[tuple];
                }
                rows_of_codes
            },
        );
        parts.iter().for_each(|rows_of_codes| add(rows_of_codes));
        sorted.values.into_iter().zip(rows).collect()
    }

    /// Adds a value to a column although no row has it, so that two tables number their values in the same way.
    pub fn learn(&mut self, column: usize, value: &str) {
        self.columns[column].encode(value, NO_ROW);
    }
}

/// Fails unless there is one of `what` per column: extra ones would be dropped silently.
pub(super) fn expect_one_each(
    what: &'static str,
    given: usize,
    expected: usize,
) -> Result<(), Error> {
    match given == expected {
        true => Ok(()),
        false => Err(Error::NotOnePerColumn {
            what,
            given,
            expected,
        }),
    }
}
