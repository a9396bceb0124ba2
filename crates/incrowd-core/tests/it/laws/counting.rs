//! Counts are the same however they are made.

use super::{for_every_model, seeds};
use fastrand::Rng;
use incrowd_core::counts::{CountedTable, FrequencySet, KnownSets, Scratch, roll_up};
use incrowd_core::lattice::Node;
use incrowd_core::privacy::Counted;
use incrowd_testkit::bridge::classes_at;
use incrowd_testkit::random::{random_problem, wide_problem};
use std::collections::BTreeMap;

/// Of each class its groups, its size and the values of every column.
type Listed = BTreeMap<Vec<u32>, (u32, Vec<Vec<(u32, u32)>>)>;

fn listed(table: &CountedTable, classes: &FrequencySet) -> Listed {
    let attributes = 0..table.attributes.len();
    let class = |class: usize| {
        let groups: Vec<u32> = (attributes.clone())
            .map(|attribute| table.group(classes, class, attribute).0)
            .collect();
        let histograms = (0..table.columns.len())
            .map(|column| {
                let histogram = classes.histograms(column).class(class);
                let pairs = histogram.values.iter().zip(histogram.counts);
                pairs.map(|(&value, &count)| (value, count)).collect()
            })
            .collect();
        (groups, (classes.sizes()[class], histograms))
    };
    let listed: Listed = (0..classes.len()).map(class).collect();
    assert_eq!(listed.len(), classes.len(), "no class is listed twice");
    listed
}

#[test]
fn rolling_up_from_any_node_below_equals_counting_the_tuples() {
    let problems = seeds(300).map(random_problem);
    for oracle in problems.chain(seeds(20).map(wide_problem)) {
        let rng = &mut Rng::with_seed(7);
        let table = oracle.prepare().unwrap().table;
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        let scratch = &mut Scratch::default();
        let top = table.lattice().top().clone();
        let mut known = KnownSets::new(&table, columns.clone(), 1 << 12);
        let (mut upper, mut counted) = (FrequencySet::default(), FrequencySet::default());
        for _ in 0..8 {
            let mut node = table.lattice().bottom();
            let mut lower = table.tuples.clone();
            while node != top {
                let levels = node.levels().zip(top.levels());
                let higher = Node::from_levels(levels.map(|(level, top)| rng.u8(level.0..=top.0)));
                let below = (&node, &lower);
                roll_up(&table, below, &higher, &columns, scratch, &mut upper);
                let direct = listed(&table, &classes_at(&table, &higher, &columns));
                assert_eq!(listed(&table, &upper), direct);
                let _ = known.count(&higher, &mut counted);
                assert_eq!(listed(&table, &counted), direct);
                let _ = known.count_and_remember(&higher);
                std::mem::swap(&mut lower, &mut upper);
                node = higher;
            }
        }
    }
}

#[test]
fn rows_counted_in_parts_and_in_any_order_give_the_same_table() {
    for seed in seeds(300) {
        let oracle = random_problem(seed);
        let rng = &mut Rng::with_seed(seed);
        let rows = oracle.table.rows.len();
        let whole = oracle.finish(oracle.count(0..rows).unwrap()).unwrap();

        let mut shuffled = oracle.clone();
        rng.shuffle(&mut shuffled.table.rows);
        let cut = rng.usize(0..=rows);
        let mut counter = shuffled.count(cut..rows).unwrap();
        counter.absorb(&shuffled.count(0..cut).unwrap()).unwrap();
        assert_eq!(counter.rows(), rows as u64);
        let parts = shuffled.finish(counter).unwrap();

        assert_eq!(whole.tuples, parts.tuples, "seed {seed}");
        assert_eq!(whole.rows, parts.rows);
        assert_eq!(whole.rows_excluded, parts.rows_excluded);
        assert_eq!(whole.rows as usize, oracle.rows().len());
        for (one, other) in whole.attributes.iter().zip(&parts.attributes) {
            assert_eq!(one.rows_of_groups, other.rows_of_groups, "seed {seed}");
        }
        for (one, other) in whole.columns.iter().zip(&parts.columns) {
            assert!(one.values.iter().eq(other.values.iter()), "seed {seed}");
            assert_eq!(one.rows_of_values, other.rows_of_values, "seed {seed}");
        }
    }
}

#[test]
fn what_a_model_says_it_counts_is_what_it_measures() {
    let mut seen = Vec::new();
    for_every_model(20, |oracle, case, _| {
        let prepared = oracle.prepare().unwrap();
        let table = &prepared.table;
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        let bottom = table.lattice().bottom();
        for node in [&bottom, table.lattice().top()] {
            let classes = classes_at(table, node, &columns);
            for model in &prepared.models {
                let Some(counted) = model.counted() else {
                    continue;
                };
                let mut measures = Vec::new();
                model.measure_all(&classes, &mut measures);
                for (class, measure) in measures.into_iter().enumerate() {
                    let count = match counted {
                        Counted::Rows => classes.sizes()[class],
                        Counted::Values => {
                            let column = model.column().expect("values are those of a column");
                            classes.histograms(column).class(class).values.len() as u32
                        }
                    };
                    assert_eq!(measure, f64::from(count), "{case}");
                }
                seen.push(model.name());
            }
        }
    });
    assert!(seen.contains(&"k-anonymity") && seen.contains(&"distinct-l-diversity"));
}
