//! Same bytes whatever the threads: what is published does not depend on which worker got which rows.
//!
//! Threads differ from run to run in one thing only: which worker takes the next batch. So the laws here draw that,
//! with batches of a few rows, and demand of every algorithm what a single worker gives.

use fastrand::Rng;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::counts::{CountedTable, RowCounter};
use incrowd_core::hierarchy::automatic;
use incrowd_core::problem::{Settings, Unwatched};
use incrowd_core::publish::{PublishedRows, SuppressedRows, Tally, publish};
use incrowd_core::table::Kind;
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::OracleProblem;
use incrowd_testkit::random::random_problem;
use std::ops::Range;

/// The numbers of workers.
const WORKERS: [usize; 4] = [1, 2, 3, 8];

/// Batches of a few rows, each with the worker that takes it.
fn spread(rows: usize, workers: usize, rng: &mut Rng) -> Vec<(usize, Range<usize>)> {
    let mut batches = Vec::new();
    let mut start = 0;
    while start < rows {
        let end = rows.min(start + rng.usize(1..=4));
        batches.push((rng.usize(0..workers), start..end));
        start = end;
    }
    batches
}

/// Counts the batches as the workers do, and joins what they have counted.
fn count(oracle: &OracleProblem, workers: usize, batches: &[(usize, Range<usize>)]) -> RowCounter {
    let empty = oracle.count(0..0).unwrap();
    let mut counters = vec![empty; workers];
    for (worker, rows) in batches {
        counters[*worker]
            .add(&oracle.table.batch(rows.clone()))
            .unwrap();
    }
    let mut counters = counters.into_iter();
    let mut all = counters.next().unwrap();
    for counter in counters {
        all.absorb(&counter).unwrap();
    }
    all
}

/// The counted table with levels made from its own values.
fn with_automatic_levels(oracle: &OracleProblem, counter: RowCounter) -> CountedTable {
    let missing = oracle.missing_for_core();
    let columns = oracle.quasi_identifiers.iter().enumerate();
    let hierarchies = columns.map(|(at, (column, _))| {
        let values = counter.values(at, &missing);
        let present = values.iter().map(|&(text, _)| text);
        let kind = Kind::of(present.filter(|text| !text.is_empty()));
        automatic(column, &values, kind).unwrap().hierarchy
    });
    let hierarchies = hierarchies.collect();
    let distances = vec![None; oracle.counted_columns().len()];
    counter.finish(hierarchies, distances, missing).unwrap()
}

/// All that an algorithm publishes: the cells, and what it says of itself.
fn published(
    oracle: &OracleProblem,
    table: CountedTable,
    workers: usize,
    batches: &[(usize, Range<usize>)],
) -> Vec<String> {
    let mut models = oracle.clone();
    models.max_levels = table
        .lattice()
        .top()
        .levels()
        .map(|level| level.0)
        .collect();
    // Distances along a hierarchy need one that was made for them.
    (models.models).retain(|model| !model.spec().contains("hierarchical"));
    let prepared = models.prepare_counted(table).unwrap();
    let metrics = ["discernibility", "loss"].map(|name| {
        let spec: MetricSpec = name.parse().unwrap();
        spec.build(&prepared.table).unwrap()
    });
    let mut all = Vec::new();
    for algorithm in ALGORITHMS {
        for metric in &metrics {
            let problem = prepared.problem(&**metric).with_settings(Settings {
                own: PartitionSettings {
                    scheme: Some(Scheme::Ops),
                    ..PartitionSettings::default()
                }
                .given(),
                ..prepared.problem(&**metric).settings
            });
            let name = algorithm.entry().name;
            let proposal = match algorithm.solve(&problem, &Unwatched) {
                Ok(proposal) => proposal,
                Err(error) => {
                    all.push(format!("{name}: {error}"));
                    continue;
                }
            };
            let release = publish(&problem, &proposal).unwrap();
            let recoder = release.recoder(&oracle.table.columns, &[], SuppressedRows::Star);
            let mut recoders = vec![recoder.unwrap(); workers];
            let mut text = format!("{name}: {:?} {:?}\n", proposal.guarantee, release.reached());
            let mut rows = PublishedRows::default();
            for (worker, batch) in batches {
                let batch = oracle.table.batch(batch.clone());
                recoders[*worker].recode(&batch, &mut rows).unwrap();
                text.push_str(&String::from_utf8_lossy(rows.rows().bytes()));
            }
            let mut tally = Tally::default();
            recoders.iter().for_each(|it| tally.add(it.tally()));
            release.confirm(&tally).unwrap();
            all.push(text);
        }
    }
    all
}

#[test]
fn every_algorithm_publishes_the_same_whatever_the_workers() {
    for seed in 0..60 {
        let rng = &mut Rng::with_seed(seed);
        let oracle = random_problem(seed);
        let rows = oracle.table.rows.len();
        let mut expected: Option<Vec<String>> = None;
        for workers in WORKERS {
            let batches = spread(rows, workers, rng);
            let table = with_automatic_levels(&oracle, count(&oracle, workers, &batches));
            let got = published(&oracle, table, workers, &batches);
            let expected = expected.get_or_insert_with(|| got.clone());
            assert_eq!(*expected, got, "seed {seed}, {workers} workers");
        }
    }
}

#[test]
fn values_and_their_levels_are_the_same_whatever_the_workers() {
    for seed in 0..400 {
        let rng = &mut Rng::with_seed(seed);
        let oracle = random_problem(seed);
        let rows = oracle.table.rows.len();
        let missing = oracle.missing_for_core();
        let columns = oracle.quasi_identifiers.len() + oracle.counted_columns().len();
        let whole = oracle.count(0..rows).unwrap();
        for workers in WORKERS {
            let counter = count(&oracle, workers, &spread(rows, workers, rng));
            for column in 0..columns {
                assert_eq!(
                    whole.values(column, &missing),
                    counter.values(column, &missing),
                    "seed {seed}, {workers} workers, column {column}"
                );
            }
        }
    }
}
