//! The counting pass on several threads: every tuple has one place, whoever meets it.

use super::beside::{Beside, RowsBeside};
use super::counting_column::CountingColumn;
use super::in_parallel::in_parallel;
use super::outside::{Outside, joined};
use super::partition::Partition;
use super::row_order::{NumberedRows, RowOrder};
use super::{Keys, Layout, Overflow, RowCounter};
use crate::Error;
use crate::table::{Cell, Dictionary, Meanings, RowBatch};
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much is held where. The result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountingSizes {
    /// Into how many partitions tuples are divided, a power of two.
    pub partitions: usize,
    /// The most tuples that a worker counts by itself, so that they stay in its cache.
    pub own_tuples: usize,
    /// How many tuples a worker hands over to a partition at once.
    pub handed_over: usize,
    /// The fewest new tuples of a partition that are worth looking for equal ones.
    pub fewest_new: usize,
    /// The most words of memory for combinations of tuples with columns [beside](SharedCounter::with_beside) them.
    pub beside_words: usize,
    /// The most values of all columns beside the tuples that a worker tells apart.
    pub beside_values: usize,
}

impl Default for CountingSizes {
    fn default() -> Self {
        CountingSizes {
            partitions: 256,
            own_tuples: 1 << 17,
            handed_over: 512,
            fewest_new: 1 << 12,
            beside_words: 1 << 22,
            beside_values: 1 << 17,
        }
    }
}

/// Counts rows on several threads, each with a [`CountWorker`]; memory grows with the distinct tuples.
///
/// Values are numbered once for all workers, so that a tuple is the same number for each of them and belongs to one
/// partition; nothing is merged afterwards. A worker numbers values by itself and asks for the common number only at
/// the first sight of a value; it hands tuples over to partitions some hundred at a time. Nobody waits long for a lock:
/// there is one for each column, taken for new values only, and one for each of many partitions.
///
/// ```
/// use incrowd_core::counts::{CountingSizes, RowCounter, SharedCounter};
/// use incrowd_core::table::RowBatch;
/// let mut batch = RowBatch::new(1);
/// batch.push_cell(b"39");
/// let counter = RowCounter::new(&["age".into()], &[0], &[]);
/// let shared = SharedCounter::of(&counter, CountingSizes::default())?;
/// std::thread::scope(|scope| {
///     let count = || {
///         let mut worker = shared.worker();
///         worker.add(&batch)?;
///         worker.finish()
///     };
///     let others = [scope.spawn(count), scope.spawn(count)];
///     others.into_iter().try_for_each(|other| other.join().expect("no panic"))
/// })?;
/// assert_eq!(*shared.finish(2)?.sizes()?, [2]);
/// # Ok::<(), incrowd_core::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedCounter {
    columns: Vec<Mutex<CountingColumn>>,
    /// Where each column is in a row.
    positions: Vec<usize>,
    quasi_identifiers: usize,
    rows_are_apart: bool,
    rows: AtomicU64,
    /// The widest layouts so far. Each is at least as wide in every column as those before it.
    layouts: Mutex<Layouts>,
    partitions: Vec<Mutex<Partition>>,
    /// For each column, what its codes are multiplied by to find the partition of a tuple.
    factors: Vec<u64>,
    seed: u64,
    sizes: CountingSizes,
    /// The memory that all partitions take.
    held: AtomicUsize,
    overflow: Option<Limited>,
    /// The columns of a tuple; those beside it follow them in `columns`.
    tuple_columns: usize,
    beside: Option<Beside>,
}

/// How codes are packed. The columns of a tuple come first, so that the key of a tuple is where a longer key begins.
#[derive(Debug, Clone)]
struct Layouts {
    tuples: Arc<Layout>,
    /// With the columns beside them.
    all: Arc<Layout>,
}

/// Where tuples go, and how much memory they may take before.
#[derive(Debug)]
struct Limited {
    overflow: Box<dyn Overflow>,
    limit: usize,
}

/// A panic in another thread ends the run, so it does not matter what it left unfinished.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedCounter {
    /// For more rows of the columns of `counter`, in addition to those that it has counted.
    pub fn of(counter: &RowCounter, sizes: CountingSizes) -> Result<Self, Error> {
        let random = DefaultHashBuilder::default();
        let columns = || counter.columns.iter();
        let partitions = sizes.partitions.next_power_of_two();
        let shared = SharedCounter {
            columns: columns().cloned().map(Mutex::new).collect(),
            positions: columns().map(|column| column.position).collect(),
            quasi_identifiers: counter.quasi_identifiers,
            rows_are_apart: counter.rows_are_apart,
            rows: AtomicU64::new(counter.rows),
            layouts: {
                let tuples = Arc::new(counter.layout.clone());
                let all = Arc::clone(&tuples);
                Mutex::new(Layouts { tuples, all })
            },
            partitions: (0..partitions).map(|_| Mutex::default()).collect(),
            factors: (0..counter.columns.len())
                .map(|at| random.hash_one(at) | 1)
                .collect(),
            seed: random.hash_one("partition"),
            sizes: CountingSizes {
                partitions,
                ..sizes
            },
            held: AtomicUsize::new(0),
            overflow: None,
            tuple_columns: counter.columns.len(),
            beside: None,
        };
        let mut worker = shared.worker();
        let mut counter = counter.clone();
        counter.bring_back()?;
        (worker.own, worker.own_sizes) = (counter.tuples, counter.sizes);
        worker.finish()?;
        Ok(shared)
    }

    /// The same, which holds tuples elsewhere when they take more memory than `limit`, in bytes. While they are counted
    /// and sorted, nothing but the finished table then takes as much: where that is more than the limit,
    /// [`SharedCounter::finish`] says so.
    pub fn with_overflow(self, limit: usize, overflow: Box<dyn Overflow>) -> Self {
        SharedCounter {
            overflow: Some(Limited { overflow, limit }),
            ..self
        }
    }

    /// The same, which also counts how often tuples occur with the values of columns beside them, by position among
    /// the columns `names`, as long as there are few such combinations: see [`SharedCounter::take_beside`]. Their
    /// lookups cost hardly more than those of tuples alone.
    pub fn with_beside(mut self, names: &[String], beside: &[usize]) -> Self {
        for &position in beside {
            if !self.positions.contains(&position) {
                let column = CountingColumn::new(&names[position], position);
                self.columns.push(Mutex::new(column));
                self.positions.push(position);
            }
        }
        let layouts = self.layouts.get_mut();
        let layouts = layouts.unwrap_or_else(PoisonError::into_inner);
        let sizes = layouts.tuples.fields().iter().map(|field| field.size());
        let added = self.columns.len() - self.tuple_columns;
        let sizes = sizes.chain(std::iter::repeat_n(0, added));
        layouts.all = Arc::new(Layout::of_sizes(sizes));
        self.beside = Some(Beside::new(names.len(), self.sizes.beside_words));
        self
    }

    /// The same, which also notes which of the rows counted [beside](SharedCounter::with_beside) the tuples every row is, in
    /// four to eight bytes each, unless there are more rows than this or they are not counted so to the end:
    /// see [`CountedRows::order`](super::CountedRows::order).
    pub fn with_order(mut self, most_rows: usize) -> Self {
        if let Some(beside) = &mut self.beside {
            beside.order = Some(RowOrder::of_at_most(most_rows));
        }
        self
    }

    /// What was counted [beside](SharedCounter::with_beside) the tuples, once every worker has
    /// [finished](CountWorker::finish).
    pub fn take_beside(&mut self) -> Option<RowsBeside> {
        let beside = self.beside.take()?;
        let columns = self.columns.iter().zip(&self.positions);
        let columns = columns.map(|(column, &position)| {
            let values = lock(column).values.iter().collect();
            (position, values)
        });
        Some(RowsBeside {
            columns: columns.collect(),
            layout: Arc::clone(&lock(&self.layouts).all),
            seed: self.seed,
            beside,
        })
    }

    /// Someone who counts rows on a thread.
    pub fn worker(&self) -> CountWorker<'_> {
        let Layouts { tuples, all } = lock(&self.layouts).clone();
        let is_beside = self.is_beside();
        let layout = if is_beside { all } else { Arc::clone(&tuples) };
        CountWorker {
            shared: self,
            columns: vec![WorkerColumn::default(); layout.fields().len()],
            own: Keys::new(layout.words()),
            layout,
            tuple_layout: tuples,
            is_beside,
            own_sizes: Vec::new(),
            own_rows: 0,
            numbered: NumberedRows::default(),
            rows_to_pass_on: 0,
            handed_over: vec![HandedOver::default(); self.sizes.partitions],
            block: Block::default(),
        }
    }

    /// Whether columns beside the tuples are counted still.
    fn is_beside(&self) -> bool {
        self.beside.as_ref().is_some_and(Beside::goes_on)
    }

    /// Layouts in which as many values of each column fit; of the columns of a tuple, or of all.
    fn layouts_for(&self, needed: &[usize]) -> Layouts {
        let mut layouts = lock(&self.layouts);
        let sizes = layouts.all.fields().iter().map(|field| field.size());
        let needed = needed.iter().copied().chain(std::iter::repeat(0));
        let needed: Vec<usize> = sizes
            .zip(needed)
            .map(|(size, needed)| size.max(needed))
            .collect();
        let all = Layout::of_sizes(needed.iter().copied());
        if all != *layouts.all {
            let tuples = Layout::of_sizes(needed.into_iter().take(self.tuple_columns));
            if tuples != *layouts.tuples {
                layouts.tuples = Arc::new(tuples);
            }
            layouts.all = Arc::new(all);
        }
        layouts.clone()
    }

    /// Counts rows that were met; there must not be more than fit.
    fn meet(&self, rows: usize) -> Result<(), Error> {
        let rows = rows as u64;
        match self.rows.fetch_add(rows, Ordering::Relaxed) + rows > u64::from(u32::MAX) {
            true => Err(Error::TooManyRows {
                limit: u32::MAX.into(),
            }),
            false => Ok(()),
        }
    }

    /// The partition of a tuple: by the upper bits of a sum of products, which do not depend on any layout.
    #[inline]
    fn partition(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.partitions.len() as u128) >> 64) as usize
    }

    /// All that was counted, once every worker has [finished](CountWorker::finish).
    pub fn finish(self, threads: usize) -> Result<RowCounter, Error> {
        let layout = unlocked(self.layouts).tuples;
        let partitions: Vec<Partition> = self.partitions.into_iter().map(unlocked).collect();
        let columns = self.columns.into_iter().take(self.tuple_columns);
        let columns: Vec<CountingColumn> = columns.map(unlocked).collect();
        let mut counter = RowCounter {
            quasi_identifiers: self.quasi_identifiers,
            rows: self.rows.into_inner(),
            layout: (*layout).clone(),
            rows_are_apart: self.rows_are_apart,
            threads,
            columns,
            ..RowCounter::new(&[], &[], &[])
        };
        let is_outside = partitions.iter().any(Partition::is_outside);
        let words = layout.words();
        if let Some(limited) = &self.overflow {
            let tuples = partitions.iter().map(Partition::len).sum::<usize>();
            let counted = counter.columns.len() - counter.quasi_identifiers;
            if is_outside || tuples * bytes_to_sort(words, counted) > limited.limit {
                let outside = move_all_out(&counter, limited, partitions, &layout, self.seed)?;
                counter.outside = Some(outside);
                return Ok(counter);
            }
        }
        let settled = in_parallel(threads, partitions, |partition| {
            partition.into_distinct(&layout, self.seed, &mut Vec::new())
        });
        let (keys, sizes) = end_to_end(threads, settled, words);
        (counter.tuples, counter.sizes) = (Keys::of_distinct(words, keys), sizes);
        Ok(counter)
    }
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The memory of a tuple while it is sorted: as it was counted, as an entry to be sorted, and as a class.
fn bytes_to_sort(words: usize, counted: usize) -> usize {
    (8 * words + 4) + 16 + bytes_of_class(words, counted)
}

/// The memory of a class of the finished table: its key and size, and its values of the counted columns.
fn bytes_of_class(words: usize, counted: usize) -> usize {
    8 * words + 4 + 12 * counted
}

/// Moves all tuples out of memory, each once. Refuses tables whose classes do not fit in memory afterwards.
fn move_all_out(
    counter: &RowCounter,
    limited: &Limited,
    partitions: Vec<Partition>,
    layout: &Arc<Layout>,
    seed: u64,
) -> Result<Outside, Error> {
    let sealed = limited.overflow.another()?;
    let rows_of_codes: Vec<Mutex<Vec<u32>>> = (counter.columns.iter())
        .map(|column| Mutex::new(vec![0; column.values.len()]))
        .collect();
    let items: Vec<(usize, Partition)> = partitions.into_iter().enumerate().collect();
    let parts = in_parallel(counter.threads, items, |(part, mut partition)| {
        partition.bring_back(&*limited.overflow, part)?;
        let (keys, sizes) = partition.into_distinct(layout, seed, &mut Vec::new());
        for (rows, field) in rows_of_codes.iter().zip(layout.fields()) {
            let mut rows = lock(rows);
            for (key, &size) in keys.chunks_exact(layout.words()).zip(&sizes) {
                rows[field.read(key) as usize] += size;
            }
        }
        sealed.append(part, &joined(&keys, &sizes, layout.words()))?;
        Ok(sizes.len())
    });
    let outside = Outside {
        overflow: sealed.into(),
        parts: parts.into_iter().collect::<Result<_, Error>>()?,
        rows_of_codes: rows_of_codes.into_iter().map(unlocked).collect(),
        words: layout.words(),
    };
    let counted = counter.columns.len() - counter.quasi_identifiers;
    let bytes = outside.tuples() * bytes_of_class(layout.words(), counted);
    match bytes > limited.limit {
        true => Err(Error::TooManyTuples {
            tuples: outside.tuples() as u64,
            bytes: bytes as u64,
            limit: limited.limit as u64,
        }),
        false => Ok(outside),
    }
}

/// The tuples of all partitions, end to end.
fn end_to_end(
    threads: usize,
    partitions: Vec<(Vec<u64>, Vec<u32>)>,
    words: usize,
) -> (Vec<u64>, Vec<u32>) {
    let tuples: usize = partitions.iter().map(|(_, sizes)| sizes.len()).sum();
    let (mut keys, mut sizes) = (vec![0; tuples * words], vec![0; tuples]);
    let (mut keys_left, mut sizes_left) = (&mut keys[..], &mut sizes[..]);
    let mut copies = Vec::with_capacity(partitions.len());
    for partition in partitions {
        let (to_keys, keys_after) = keys_left.split_at_mut(partition.0.len());
        let (to_sizes, sizes_after) = sizes_left.split_at_mut(partition.1.len());
        (keys_left, sizes_left) = (keys_after, sizes_after);
        copies.push((partition, to_keys, to_sizes));
    }
    // Each is freed as soon as it is copied.
    in_parallel(threads, copies, |((keys, sizes), to_keys, to_sizes)| {
        to_keys.copy_from_slice(&keys);
        to_sizes.copy_from_slice(&sizes);
    });
    (keys, sizes)
}

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
    own: Keys,
    own_sizes: Vec<u32>,
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

impl CountWorker<'_> {
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
        if let Some(Limited { overflow, limit }) = &shared.overflow
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
