//! Counting on several threads gives the table that a single counter gives, whatever is held where.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::counts::{
    CountedTable, CountingSizes, ListOutside, NotHeld, NumbersOutside, Overflow, RowCounter,
    SharedCounter,
};
use incrowd_core::table::RowBatch;
use incrowd_testkit::oracle::OracleProblem;
use incrowd_testkit::random::random_problem;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// From everything passed on at once to everything counted in one place.
const SIZES: [(usize, usize, usize, usize); 6] = [
    (1, 1, 1, 1),
    (2, 1, 3, 1),
    (4, 2, 1, 4),
    (16, 3, 2, 2),
    (64, 1000, 7, 5),
    (256, 1 << 16, 512, 1 << 12),
];

fn sizes(at: usize) -> CountingSizes {
    let (partitions, own_tuples, handed_over, fewest_new) = SIZES[at];
    CountingSizes {
        partitions,
        own_tuples,
        handed_over,
        fewest_new,
        ..CountingSizes::default()
    }
}

/// Counts the rows of a problem after `before`, in batches of a few rows that are dealt out to as many threads.
fn count(
    oracle: &OracleProblem,
    before: usize,
    sizes: CountingSizes,
    overflow: Option<(usize, Shelf)>,
    threads: usize,
    rng: &mut Rng,
) -> Result<RowCounter, Error> {
    let rows = oracle.table.rows.len();
    let mut dealt = vec![Vec::new(); threads];
    let mut start = before;
    while start < rows {
        let end = rows.min(start + rng.usize(1..=4));
        dealt[rng.usize(0..threads)].push(start..end);
        start = end;
    }
    let mut shared = SharedCounter::of(&oracle.count(0..before).unwrap(), sizes)?;
    if let Some((limit, shelf)) = overflow {
        shared = shared.with_overflow(limit, Box::new(shelf));
    }
    std::thread::scope(|scope| {
        let counting: Vec<_> = (dealt.iter())
            .map(|batches| {
                let mut worker = shared.worker();
                scope.spawn(move || {
                    for batch in batches {
                        worker.add(&oracle.table.batch(batch.clone()))?;
                    }
                    worker.finish()
                })
            })
            .collect();
        counting.into_iter().try_for_each(|it| it.join().unwrap())
    })?;
    shared.finish(threads)
}

/// Holds words, of all shelves together no more than there is room for.
#[derive(Debug, Clone)]
struct Shelf {
    parts: Arc<Mutex<Vec<Vec<u64>>>>,
    room: Arc<AtomicUsize>,
    appended: Arc<AtomicUsize>,
    /// Numbers in lists.
    listed: Arc<AtomicUsize>,
}

impl Shelf {
    fn with_room(words: usize) -> Self {
        Shelf {
            parts: Arc::default(),
            room: Arc::new(AtomicUsize::new(words)),
            appended: Arc::default(),
            listed: Arc::default(),
        }
    }

    fn take_room(&self, words: usize) -> Result<(), NotHeld> {
        let taken = (self.room).fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| {
            room.checked_sub(words)
        });
        taken.map_or_else(|_| Err(NotHeld("the shelf is full".into())), |_| Ok(()))
    }
}

impl Overflow for Shelf {
    fn append(&self, part: usize, words: &[u64]) -> Result<(), NotHeld> {
        self.appended.fetch_add(1, Ordering::Relaxed);
        self.take_room(words.len())?;
        let mut parts = self.parts.lock().unwrap();
        if parts.len() <= part {
            parts.resize(part + 1, Vec::new());
        }
        parts[part].extend_from_slice(words);
        Ok(())
    }

    fn read(&self, part: usize) -> Result<Vec<u64>, NotHeld> {
        Ok(self
            .parts
            .lock()
            .unwrap()
            .get(part)
            .cloned()
            .unwrap_or_default())
    }

    fn another(&self) -> Result<Box<dyn Overflow>, NotHeld> {
        Ok(Box::new(Shelf {
            parts: Arc::default(),
            ..self.clone()
        }))
    }

    fn list(&self) -> Result<Box<dyn ListOutside>, NotHeld> {
        Ok(Box::new(ShelfList {
            shelf: self.clone(),
            words: Vec::new(),
            halves: Vec::new(),
        }))
    }
}

/// A list on a shelf.
#[derive(Debug)]
struct ShelfList {
    shelf: Shelf,
    words: Vec<u64>,
    halves: Vec<u32>,
}

impl ListOutside for ShelfList {
    fn add_words(&mut self, words: &[u64]) -> Result<(), NotHeld> {
        self.shelf.take_room(words.len())?;
        self.words.extend_from_slice(words);
        Ok(())
    }

    fn add_halves(&mut self, halves: &[u32]) -> Result<(), NotHeld> {
        self.shelf.take_room(halves.len())?;
        self.halves.extend_from_slice(halves);
        Ok(())
    }

    fn end(self: Box<Self>) -> Result<Arc<dyn NumbersOutside>, NotHeld> {
        let numbers = self.words.len() + self.halves.len();
        self.shelf.listed.fetch_add(numbers, Ordering::Relaxed);
        Ok(Arc::new(*self))
    }
}

impl NumbersOutside for ShelfList {
    fn words(&self) -> &[u64] {
        assert!(self.halves.is_empty(), "they were written as halves");
        &self.words
    }

    fn halves(&self) -> &[u32] {
        assert!(self.words.is_empty(), "they were written as words");
        &self.halves
    }
}

#[track_caller]
fn assert_equal(one: &CountedTable, other: &CountedTable, case: &str) {
    assert_eq!(one.tuples, other.tuples, "{case}");
    assert_eq!(one.rows, other.rows, "{case}");
    assert_eq!(one.rows_excluded, other.rows_excluded, "{case}");
    for (one, other) in one.attributes.iter().zip(&other.attributes) {
        assert_eq!(one.rows_of_groups, other.rows_of_groups, "{case}");
    }
    for (one, other) in one.columns.iter().zip(&other.columns) {
        assert!(one.values.iter().eq(other.values.iter()), "{case}");
        assert_eq!(one.rows_of_values, other.rows_of_values, "{case}");
    }
}

#[test]
fn several_threads_count_what_one_counter_counts_whatever_is_held_where() {
    for seed in 0..150 {
        let rng = &mut Rng::with_seed(seed);
        let oracle = random_problem(seed);
        let rows = oracle.table.rows.len();
        let is_apart = rng.bool();
        let finish = |mut counter: RowCounter| {
            if is_apart {
                counter.keep_rows_apart();
            }
            oracle.finish(counter).unwrap()
        };
        let alone = finish(oracle.count(0..rows).unwrap());
        for at in 0..SIZES.len() {
            for threads in [1, 2, 4, 8] {
                let before = rng.usize(0..=rows) * rng.usize(0..2);
                let counter = count(&oracle, before, sizes(at), None, threads, rng).unwrap();
                assert_eq!(counter.rows(), rows as u64);
                let case = format!("seed {seed}, sizes {at}, {threads} threads");
                assert_equal(&alone, &finish(counter), &case);
            }
        }
    }
}

#[test]
fn what_is_counted_beside_tuples_is_what_the_rows_say_until_it_is_given_up() {
    let (mut complete, mut given_up, mut in_order) = (0, 0, 0);
    for seed in 0..100 {
        let rng = &mut Rng::with_seed(seed);
        let oracle = random_problem(seed);
        let table = &oracle.table;
        let rows = table.rows.len();
        let alone = oracle.finish(oracle.count(0..rows).unwrap()).unwrap();
        let beside: Vec<usize> = (0..table.columns.len()).collect();
        for at in 0..SIZES.len() {
            for threads in [1, 2, 4, 8] {
                let case = format!("seed {seed}, sizes {at}, {threads} threads");
                let sizes = CountingSizes {
                    beside_words: [0, 5, 1 << 20][rng.usize(0..3)],
                    beside_values: [2, 1 << 10][rng.usize(0..2)],
                    ..sizes(at)
                };
                let shared = SharedCounter::of(&oracle.count(0..0).unwrap(), sizes).unwrap();
                let most_rows = [0, rows - 1, rows, 1 << 20][rng.usize(0..4)];
                let shared = shared.with_beside(&table.columns, &beside);
                let mut shared = shared.with_order(most_rows);
                let expected: Mutex<BTreeMap<Vec<Vec<u8>>, u32>> = Mutex::default();
                let cells = |batch: &RowBatch, row: usize| -> Vec<Vec<u8>> {
                    let columns = 0..table.columns.len();
                    columns.map(|it| batch.cell(row, it).to_vec()).collect()
                };
                let step = rng.usize(1..=4);
                std::thread::scope(|scope| {
                    for thread in 0..threads {
                        let (shared, expected) = (&shared, &expected);
                        scope.spawn(move || {
                            let mut worker = shared.worker();
                            for start in (0..rows).step_by(step).skip(thread).step_by(threads) {
                                let batch = table.batch(start..rows.min(start + step));
                                if !worker.add(&batch).unwrap() {
                                    continue;
                                }
                                let mut expected = expected.lock().unwrap();
                                for row in 0..batch.rows() {
                                    *expected.entry(cells(&batch, row)).or_default() += 1;
                                }
                            }
                            worker.finish().unwrap();
                        });
                    }
                });
                let expected = expected.into_inner().unwrap();
                let counted = shared.take_beside().unwrap().together();
                let found = counted.sizes.iter().enumerate();
                let found: Vec<_> = found
                    .map(|(row, &size)| (cells(&counted.rows, row), size))
                    .collect();
                assert_eq!(found.len(), expected.len(), "each once: {case}");
                assert_eq!(
                    found.into_iter().collect::<BTreeMap<_, _>>(),
                    expected,
                    "{case}"
                );
                let has_order = counted.are_all && rows <= most_rows;
                assert_eq!(counted.order.is_some(), has_order, "{case}");
                if let Some(order) = &counted.order {
                    in_order += 1;
                    let whole = table.batch(0..rows);
                    let expected: Vec<_> = (0..rows).map(|row| cells(&whole, row)).collect();
                    let order = order.of_rows(0..rows).flatten();
                    let found = order.map(|row| cells(&counted.rows, row as usize));
                    assert_eq!(found.collect::<Vec<_>>(), expected, "{case}");
                }
                let are_all = expected.values().sum::<u32>() as usize == rows;
                assert!(are_all || !counted.are_all, "{case}");
                complete += usize::from(counted.are_all);
                given_up += usize::from(!are_all);
                let counter = shared.finish(threads).unwrap();
                assert_equal(&alone, &oracle.finish(counter).unwrap(), &case);
            }
        }
    }
    assert!(complete > 100 && given_up > 100, "{complete}, {given_up}");
    assert!(in_order > 50, "{in_order}");
}

/// The most that the classes of a table take.
fn bytes_of_classes(counter: &RowCounter, oracle: &OracleProblem) -> usize {
    counter.sizes().unwrap().len() * (8 + 4 + 12 * oracle.counted_columns().len())
}

#[test]
fn tuples_outside_memory_give_the_same_table_and_the_same_values() {
    let (mut moved, mut held, mut in_memory) = (0, 0, 0);
    for seed in 0..150 {
        let rng = &mut Rng::with_seed(seed);
        let oracle = random_problem(seed);
        let rows = oracle.table.rows.len();
        let is_apart = rng.bool();
        let whole = oracle.count(0..rows).unwrap();
        let alone = oracle.finish(whole.clone()).unwrap();
        for at in 0..SIZES.len() {
            for threads in [1, 2, 4, 8] {
                let case = format!("seed {seed}, sizes {at}, {threads} threads");
                let shelf = Shelf::with_room(usize::MAX);
                // As little memory as the finished table takes, or less than that.
                let fits = rng.bool();
                let limit = bytes_of_classes(&whole, &oracle) - usize::from(!fits);
                let before = rng.usize(0..=rows) * rng.usize(0..2);
                let overflow = Some((limit, shelf.clone()));
                let mut counter =
                    count(&oracle, before, sizes(at), overflow, threads, rng).unwrap();
                moved += shelf.appended.load(Ordering::Relaxed);
                let missing = oracle.missing_for_core();
                for column in 0..whole.names().len() {
                    let values = counter.values(column, &missing);
                    assert_eq!(values, whole.values(column, &missing), "{case}");
                    assert_eq!(
                        counter.codes(column).unwrap().len(),
                        whole.sizes().unwrap().len()
                    );
                }
                assert_eq!(counter.sizes().unwrap().iter().sum::<u32>() as usize, rows);
                // Tuples come back when more rows are counted.
                let mut more = counter.clone();
                more.absorb(&counter).unwrap();
                assert_eq!(more.rows(), 2 * rows as u64);
                assert_eq!(more.sizes().unwrap().len(), whole.sizes().unwrap().len());
                if is_apart {
                    counter.keep_rows_apart();
                    let mut whole = whole.clone();
                    whole.keep_rows_apart();
                    let alone = oracle.finish(whole).unwrap();
                    assert_equal(&alone, &oracle.finish(counter).unwrap(), &case);
                } else {
                    assert_equal(&alone, &oracle.finish(counter).unwrap(), &case);
                }
                let listed = shelf.listed.load(Ordering::Relaxed);
                if !fits {
                    assert!(listed > alone.tuples.len(), "{case}: {listed}");
                    held += 1;
                } else if !is_apart {
                    assert_eq!(listed, 0, "{case}");
                    in_memory += 1;
                }
            }
        }
    }
    assert!(moved > 1000, "{moved}");
    assert!(held > 1000 && in_memory > 500, "{held}, {in_memory}");
}

#[test]
fn a_full_shelf_is_an_error_wherever_it_is_met() {
    let oracle = random_problem(3);
    let rows = oracle.table.rows.len();
    let whole = oracle.count(0..rows).unwrap();
    let limit = bytes_of_classes(&whole, &oracle) - 1;
    let mut failed = 0;
    for room in 0.. {
        let rng = &mut Rng::with_seed(1);
        let overflow = Some((limit, Shelf::with_room(room)));
        let table = count(&oracle, 0, sizes(2), overflow, 2, rng)
            .and_then(|counter| oracle.finish(counter));
        match table {
            Ok(_) => break,
            Err(error) => {
                let why = "the shelf is full".into();
                assert_eq!(error, Error::TuplesNotHeld { why });
                failed += 1;
            }
        }
    }
    assert!(failed > 10, "{failed}");
}
