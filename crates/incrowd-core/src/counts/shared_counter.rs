//! The counting pass on several threads: every tuple has one place, whoever meets it.

mod worker;

pub use worker::CountWorker;

use super::beside::{Beside, RowsBeside};
use super::counting_column::CountingColumn;
use super::in_parallel::in_parallel;
use super::outside::{Outside, Room, bytes_of_class, joined};
use super::partition::Partition;
use super::row_order::RowOrder;
use super::{Keys, Layout, Overflow, RowCounter};
use crate::Error;
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
    /// Where tuples go, and how much memory they may take before.
    room: Option<Room>,
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
            room: None,
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

    /// The same, which holds tuples elsewhere when they take more memory than `limit`, in bytes: while they are counted and
    /// sorted and, if even the finished table takes more, to the end.
    pub fn with_overflow(self, limit: usize, overflow: Box<dyn Overflow>) -> Self {
        SharedCounter {
            room: Some(Room {
                limit,
                overflow: overflow.into(),
            }),
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
        CountWorker::new(self)
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
            room: self.room.clone(),
            columns,
            ..RowCounter::new(&[], &[], &[])
        };
        let is_outside = partitions.iter().any(Partition::is_outside);
        let words = layout.words();
        if let Some(room) = &self.room {
            let tuples = partitions.iter().map(Partition::len).sum::<usize>();
            let counted = counter.columns.len() - counter.quasi_identifiers;
            if is_outside || tuples * bytes_to_sort(words, counted) > room.limit {
                let outside = move_all_out(&counter, room, partitions, &layout, self.seed)?;
                counter.outside = Some(outside);
                // All that was held while rows were counted goes.
                counter.room = Some(Room {
                    limit: room.limit,
                    overflow: room.overflow.another()?.into(),
                });
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

/// Moves all tuples out of memory, each once.
fn move_all_out(
    counter: &RowCounter,
    room: &Room,
    partitions: Vec<Partition>,
    layout: &Arc<Layout>,
    seed: u64,
) -> Result<Outside, Error> {
    let sealed = room.overflow.another()?;
    let rows_of_codes: Vec<Mutex<Vec<u32>>> = (counter.columns.iter())
        .map(|column| Mutex::new(vec![0; column.values.len()]))
        .collect();
    let items: Vec<(usize, Partition)> = partitions.into_iter().enumerate().collect();
    let parts = in_parallel(counter.threads, items, |(part, mut partition)| {
        partition.bring_back(&*room.overflow, part)?;
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
    Ok(Outside {
        overflow: sealed.into(),
        parts: parts.into_iter().collect::<Result<_, Error>>()?,
        rows_of_codes: rows_of_codes.into_iter().map(unlocked).collect(),
        words: layout.words(),
    })
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
