//! Counting on several threads gives the table that a single counter gives, whatever is held where.

use fastrand::Rng;
use incrowd_core::counts::{CountedTable, CountingSizes, RowCounter, SharedCounter};
use incrowd_testkit::oracle::OracleProblem;
use incrowd_testkit::random::random_problem;

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
    }
}

/// Counts the rows of a problem after `before`, in batches of a few rows that are dealt out to as many threads.
fn count(
    oracle: &OracleProblem,
    before: usize,
    sizes: CountingSizes,
    threads: usize,
    rng: &mut Rng,
) -> RowCounter {
    let rows = oracle.table.rows.len();
    let mut dealt = vec![Vec::new(); threads];
    let mut start = before;
    while start < rows {
        let end = rows.min(start + rng.usize(1..=4));
        dealt[rng.usize(0..threads)].push(start..end);
        start = end;
    }
    let shared = SharedCounter::of(&oracle.count(0..before).unwrap(), sizes);
    std::thread::scope(|scope| {
        for batches in &dealt {
            let mut worker = shared.worker();
            scope.spawn(move || {
                for batch in batches {
                    worker.add(&oracle.table.batch(batch.clone())).unwrap();
                }
                worker.finish();
            });
        }
    });
    shared.finish(threads)
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
                let counter = count(&oracle, before, sizes(at), threads, rng);
                assert_eq!(counter.rows(), rows as u64);
                let case = format!("seed {seed}, sizes {at}, {threads} threads");
                assert_equal(&alone, &finish(counter), &case);
            }
        }
    }
}
