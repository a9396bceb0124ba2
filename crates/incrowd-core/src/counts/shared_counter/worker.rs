//! One who counts rows on a thread.

use super::{Layouts, SharedCounter, lock};
use crate::Error;
use crate::counts::beside::Beside;
use crate::counts::counting_column::CountingColumn;
use crate::counts::row_order::NumberedRows;
use crate::counts::{Keys, Layout, Room};
use crate::table::{Cell, Dictionary, Meanings, RowBatch};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Counts rows for a [`SharedCounter`].
///
/// Tables of few tuples are counted here and handed over at the end. When a worker has met more than it keeps, it hands
/// all over and begins anew, unless few rows were equal: then it passes tuples on at once, for a while.
#[derive(Debug)]
pub struct CountWorker<'a> {
    shared: &'a SharedCounter,
    columns: Vec<WorkerColumn>,
    /// Of what is counted here.
    layout: Arc<Layout>,
    tuple_layout: Arc<Layout>,
    /// Whether columns beside the tuples are counted too.
    is_beside: bool,
    /// Tuples counted here, with their rows.
    pub(super) own: Keys,
    pub(super) own_sizes: Vec<u32>,
    /// The rows counted here since it was empty.
    own_rows: usize,
    /// Which rows these are, if that is to be noted.
    numbered: NumberedRows,
    /// So many rows are not counted here.
    rows_to_pass_on: usize,
    /// For each partition, tuples on the way to it.
    handed_over: Vec<HandedOver>,
    block: Block,
}

/// A column as a worker knows it.
#[derive(Debug, Clone, Default)]
struct WorkerColumn {
    known: KnownValues,
    /// The common codes of the texts of a list.
    of_list: Meanings,
}

/// The values of a column that a worker has met.
#[derive(Debug, Clone, Default)]
struct KnownValues {
    values: Dictionary,
    /// The common code of each.
    codes: Vec<u32>,
    /// More than any code met.
    needed: usize,
}

#[derive(Debug, Clone, Default)]
struct HandedOver {
    keys: Vec<u64>,
    sizes: Vec<u32>,
}

/// Working memory for the current rows, reused for the next.
#[derive(Debug, Default)]
struct Block {
    /// The codes, column by column.
    codes: Vec<u32>,
    /// The codes of each row, packed.
    keys: Vec<u64>,
    /// What determines the partition of each row.
    hashes: Vec<u64>,
    /// The number of each row's tuple.
    numbers: Vec<u32>,
    /// Of a partition that looks for equal tuples.
    slots: Vec<u32>,
}

/// Tuples are counted here as long as each has so many rows.
const WORTHWHILE: usize = 2;

/// After so many times the tuples that are counted here were passed on, it is tried again.
const PASSED_ON: usize = 16;

/// Values beside the tuples are told apart as long as each takes at most so many bytes on average, or they are few.
const BYTES_OF_VALUE: usize = 64;
const FEW_VALUES: usize = 1 << 12;

impl<'a> CountWorker<'a> {
    /// Of rows that go to this counter.
    pub(super) fn new(shared: &'a SharedCounter) -> Self {
        let Layouts { tuples, all } = lock(&shared.layouts).clone();
        let is_beside = shared.is_beside();
        let layout = if is_beside { all } else { Arc::clone(&tuples) };
        CountWorker {
            shared,
            columns: vec![WorkerColumn::default(); layout.fields().len()],
            own: Keys::new(layout.words()),
            layout,
            tuple_layout: tuples,
            is_beside,
            own_sizes: Vec::new(),
            own_rows: 0,
            numbered: NumberedRows::default(),
            rows_to_pass_on: 0,
            handed_over: vec![HandedOver::default(); shared.sizes.partitions],
            block: Block::default(),
        }
    }

    /// Counts the rows of a batch. Returns whether this includes the columns [beside](SharedCounter::with_beside) the
    /// tuples.
    pub fn add(&mut self, batch: &RowBatch) -> Result<bool, Error> {
        self.shared.meet(batch.rows())?;
        if self.is_beside && !self.shared.is_beside() {
            self.leave_beside()?;
        }
        let is_beside = self.is_beside;
        let beside = self.shared.beside.as_ref().filter(|_| is_beside);
        let is_numbered = beside.is_some_and(|beside| beside.has_room_for_order(batch.rows()));
        if !is_numbered {
            self.numbered = NumberedRows::default();
        }
        for rows in batch.blocks() {
            let count = rows.len();
            self.block.codes.clear();
            self.block.codes.reserve(count * self.columns.len());
            let columns = self.columns.iter_mut().zip(&self.shared.positions);
            for ((column, &position), shared) in columns.zip(&self.shared.columns) {
                let number_of = |row: usize| batch.first_row() + row as u64 + 1;
                if let Some(coded) = batch.coded(position) {
                    let WorkerColumn { known, of_list } = column;
                    of_list.begin(&coded.values);
                    let codes = coded.codes[rows.clone()].iter().copied();
                    of_list.of_all(codes, &mut self.block.codes, |at, cell| {
                        known.code(cell, shared, number_of(rows.start + at))
                    })?;
                    continue;
                }
                let cells = batch.cells_of_column(position, rows.clone());
                for (row, cell) in rows.clone().zip(cells) {
                    let code = column.known.code(cell, shared, number_of(row))?;
                    self.block.codes.push(code);
                }
            }
            self.make_room()?;
            self.pack(count);
            match self.rows_to_pass_on {
                0 => {
                    let first_row = batch.first_row() + rows.start as u64;
                    self.count_here(count, is_numbered.then_some(first_row))?;
                }
                _ => self.pass_on(count)?,
            }
        }
        if is_beside && self.has_too_many_values() {
            self.give_up_beside();
        }
        Ok(is_beside)
    }

    fn has_too_many_values(&self) -> bool {
        let beside = &self.columns[self.shared.tuple_columns..];
        let values: usize = beside.iter().map(|column| column.known.values.len()).sum();
        let bytes: usize = (beside.iter())
            .map(|column| column.known.values.byte_len())
            .sum();
        values > self.shared.sizes.beside_values || bytes > BYTES_OF_VALUE * values.max(FEW_VALUES)
    }

    /// Counts tuples only, from the next batch on; so does every other worker.
    fn give_up_beside(&self) {
        self.shared.beside.iter().for_each(Beside::give_up);
    }

    fn leave_beside(&mut self) -> Result<(), Error> {
        self.hand_over_own()?;
        self.is_beside = false;
        self.columns.truncate(self.shared.tuple_columns);
        self.layout = Arc::clone(&self.tuple_layout);
        self.own = Keys::new(self.layout.words());
        Ok(())
    }

    /// Packs the codes of so many rows.
    fn pack(&mut self, rows: usize) {
        let Block { codes, keys, .. } = &mut self.block;
        keys.clear();
        keys.resize(rows * self.layout.words(), 0);
        for (column, codes) in codes.chunks_exact(rows.max(1)).enumerate() {
            self.layout.pack(column, codes, keys);
        }
    }

    /// Counts so many rows here, and notes which they are from this row on.
    fn count_here(&mut self, rows: usize, noted_from: Option<u64>) -> Result<(), Error> {
        let Block { keys, numbers, .. } = &mut self.block;
        self.own.number_all(keys, numbers);
        if let Some(first_row) = noted_from {
            self.numbered.add(first_row, numbers);
        }
        self.own_sizes.resize(self.own.len(), 0);
        for &number in &*numbers {
            self.own_sizes[number as usize] += 1;
        }
        self.own_rows += rows;
        if self.own.len() > self.shared.sizes.own_tuples {
            let tuples = self.own.len();
            if self.own_rows < WORTHWHILE * tuples {
                match self.is_beside {
                    // Tuples alone may occur more often.
                    true => self.give_up_beside(),
                    false => self.rows_to_pass_on = PASSED_ON * tuples,
                }
            }
            self.hand_over_own()?;
        }
        Ok(())
    }

    fn pass_on(&mut self, rows: usize) -> Result<(), Error> {
        let (codes, hashes) = (&self.block.codes, &mut self.block.hashes);
        hashes.clear();
        hashes.resize(rows, 0);
        for (codes, &factor) in codes.chunks_exact(rows.max(1)).zip(&self.shared.factors) {
            for (hash, &code) in hashes.iter_mut().zip(codes) {
                *hash = hash.wrapping_add(factor.wrapping_mul(u64::from(code)));
            }
        }
        let words = self.layout.words();
        for row in 0..rows {
            let partition = self.shared.partition(self.block.hashes[row]);
            let key = &self.block.keys[row * words..][..words];
            let handed_over = &mut self.handed_over[partition];
            handed_over.keys.extend_from_slice(key);
            handed_over.sizes.push(1);
            if handed_over.sizes.len() >= self.shared.sizes.handed_over {
                self.hand_over(partition)?;
            }
        }
        self.rows_to_pass_on = self.rows_to_pass_on.saturating_sub(rows);
        Ok(())
    }

    /// Hands over what was counted here.
    fn hand_over_own(&mut self) -> Result<(), Error> {
        let own = std::mem::replace(&mut self.own, Keys::new(self.layout.words()));
        let own_sizes = std::mem::take(&mut self.own_sizes);
        if let Some(beside) = self.shared.beside.as_ref().filter(|_| self.is_beside) {
            let (seed, slots) = (self.shared.seed, &mut self.block.slots);
            let counted = (own.words(), &own_sizes[..]);
            let numbered = std::mem::take(&mut self.numbered);
            beside.add(&self.layout, counted, numbered, seed, slots);
        }
        let tuple_layout = Arc::clone(&self.tuple_layout);
        let (words, last) = (tuple_layout.words(), tuple_layout.mask_of_last_word());
        for (key, &size) in own.iter().zip(&own_sizes) {
            let mut hash = 0_u64;
            for (field, &factor) in tuple_layout.fields().iter().zip(&self.shared.factors) {
                hash = hash.wrapping_add(factor.wrapping_mul(u64::from(field.read(key))));
            }
            let partition = self.shared.partition(hash);
            let handed_over = &mut self.handed_over[partition];
            handed_over.keys.extend_from_slice(&key[..words]);
            if let Some(word) = handed_over.keys.last_mut() {
                *word &= last;
            }
            handed_over.sizes.push(size);
            if handed_over.sizes.len() >= self.shared.sizes.handed_over {
                self.hand_over(partition)?;
            }
        }
        (self.own, self.own_sizes) = (own, own_sizes);
        self.own.clear();
        self.own_sizes.clear();
        self.own_rows = 0;
        Ok(())
    }

    /// Hands over what is on the way to a partition.
    fn hand_over(&mut self, number: usize) -> Result<(), Error> {
        let shared = self.shared;
        let HandedOver { keys, sizes } = &mut self.handed_over[number];
        let mut partition = lock(&shared.partitions[number]);
        let before = partition.bytes();
        partition.add(&self.tuple_layout, keys, sizes);
        if partition.is_full(shared.sizes.fewest_new) {
            partition.settle(shared.seed, &mut self.block.slots);
        }
        keys.clear();
        sizes.clear();
        // A sum of differences, some of them negative.
        let held = |before: usize, after: usize| {
            let change = after.wrapping_sub(before);
            let held = shared.held.fetch_add(change, Ordering::Relaxed);
            held.wrapping_add(change)
        };
        let all = held(before, partition.bytes());
        if let Some(Room { overflow, limit }) = &shared.room
            && all > *limit
        {
            let before = partition.bytes();
            partition.move_out(&**overflow, number, shared.seed, &mut self.block.slots)?;
            held(before, partition.bytes());
        }
        Ok(())
    }

    fn hand_over_all(&mut self) -> Result<(), Error> {
        for partition in 0..self.handed_over.len() {
            if !self.handed_over[partition].sizes.is_empty() {
                self.hand_over(partition)?;
            }
        }
        Ok(())
    }

    /// Goes over to a wider layout if codes do not fit any more. A column gets at least one more bit each time, so this
    /// becomes rare.
    fn make_room(&mut self) -> Result<(), Error> {
        let fields = self.layout.fields().iter();
        let mut pairs = fields.zip(&self.columns);
        if pairs.all(|(field, column)| column.known.needed <= field.size()) {
            return Ok(());
        }
        let needed: Vec<usize> = self
            .columns
            .iter()
            .map(|column| column.known.needed)
            .collect();
        let Layouts { tuples, all } = self.shared.layouts_for(&needed);
        self.hand_over_all()?;
        let layout = match self.is_beside {
            true => all,
            false => Arc::clone(&tuples),
        };
        let keys = self.layout.repack(self.own.words(), &layout);
        self.own = Keys::of_distinct(layout.words(), keys);
        (self.layout, self.tuple_layout) = (layout, tuples);
        Ok(())
    }

    /// Hands over all that was counted.
    pub fn finish(mut self) -> Result<(), Error> {
        self.hand_over_own()?;
        self.hand_over_all()
    }
}

impl KnownValues {
    /// The common code of a cell that stands in a row.
    #[inline(always)] // every cell of a table passes here
    fn code(
        &mut self,
        cell: Cell<'_>,
        shared: &Mutex<CountingColumn>,
        row: u64,
    ) -> Result<u32, Error> {
        match self.values.lookup_cell(cell) {
            Some(code) => Ok(self.codes[code.index()]),
            None => self.encode_new(shared, cell.value(), row),
        }
    }

    /// The common code of a value that the worker sees for the first time.
    #[cold]
    fn encode_new(
        &mut self,
        shared: &Mutex<CountingColumn>,
        value: &[u8],
        row: u64,
    ) -> Result<u32, Error> {
        let mut shared = lock(shared);
        let code = shared.encode_new(value, row)?;
        // Checked to be text just now.
        self.values.encode(shared.values.text(code));
        self.codes.push(code.0);
        self.needed = self.needed.max(code.index() + 1);
        Ok(code.0)
    }
}
