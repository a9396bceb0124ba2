//! Trees, partitions and measures by definition: every split, every row, every pair, in a written-out matrix.

use super::data::random_columns;
use crate::decision_tree::{DEEPEST, DecisionTree, LEAST_ROWS};
use crate::partitioning::partition;
use crate::{AssociationMeasure, Classifier, Column, Sample, association, distance};
use std::collections::BTreeSet;

/// What a split of some rows may ask, as columns of numbers: every number, and for every text among the rows the share
/// of its values.
fn questions(features: &[Column], rows: &[u32]) -> Vec<Vec<f64>> {
    let mut columns = Vec::new();
    for feature in features {
        let meanings: Vec<_> = (0..feature.codes.len() as u32)
            .map(|row| feature.meaning(row))
            .collect();
        if feature.domain.is_numeric() {
            columns.push(meanings.iter().map(|it| (it.low + it.high) / 2.0).collect());
            continue;
        }
        let codes: BTreeSet<u32> = rows
            .iter()
            .map(|&row| feature.codes[row as usize])
            .collect();
        for code in codes {
            let asked = &feature.meanings[code as usize].values;
            let share = |values: &Vec<u32>| {
                let common = values.iter().filter(|value| asked.contains(value));
                common.count() as f64 / values.len() as f64
            };
            columns.push(meanings.iter().map(|it| share(&it.values)).collect());
        }
    }
    columns
}

fn entropy(classes: &[u32], rows: &[u32]) -> f64 {
    let distinct: BTreeSet<u32> = rows.iter().map(|&row| classes[row as usize]).collect();
    let entropy = distinct.iter().map(|class| {
        let same = rows.iter().filter(|&&row| classes[row as usize] == *class);
        let share = same.count() as f64 / rows.len() as f64;
        -share * share.log2()
    });
    entropy.sum::<f64>() * rows.len() as f64
}

/// The class of every row by the tree of some rows.
fn naive_tree(features: &[Column], classes: &[u32], rows: &[u32], depth: usize, found: &mut [u32]) {
    let columns = questions(features, rows);
    let mut best: Option<(f64, Vec<u32>, Vec<u32>)> = None;
    for column in columns.iter().filter(|_| depth < DEEPEST) {
        let mut numbers: Vec<f64> = rows.iter().map(|&row| column[row as usize]).collect();
        numbers.sort_by(|one, other| other.total_cmp(one));
        numbers.dedup_by(|one, other| (*one - *other).abs() < 1e-12);
        for &least in &numbers {
            let (above, below): (Vec<u32>, Vec<u32>) =
                rows.iter().partition(|&&row| column[row as usize] >= least);
            if above.len().min(below.len()) < LEAST_ROWS as usize {
                continue;
            }
            let left = entropy(classes, &above) + entropy(classes, &below);
            let gain = entropy(classes, rows) - left;
            if gain > 1e-9 && best.as_ref().is_none_or(|best| gain > best.0 + 1e-9) {
                best = Some((gain, above, below));
            }
        }
    }
    if let Some((_, above, below)) = best {
        naive_tree(features, classes, &below, depth + 1, found);
        return naive_tree(features, classes, &above, depth + 1, found);
    }
    let count = |class: u32| {
        rows.iter()
            .filter(|&&row| classes[row as usize] == class)
            .count()
    };
    let majority = (0..3).rev().max_by_key(|&class| count(class)).unwrap();
    for &row in rows {
        found[row as usize] = majority;
    }
}

fn for_random_samples(mut look: impl FnMut(&Sample<'_>, u64)) {
    for seed in 0..400 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let count = rng.usize(1..60);
        let features = random_columns(count, rng);
        let classes: Vec<u32> = (0..count)
            .map(|row| match rng.bool() {
                true => features[0].codes[row] % 3,
                false => rng.u32(0..3),
            })
            .collect();
        let rows: Vec<u32> = (0..count as u32).collect();
        let sample = Sample {
            features: &features,
            classes: &classes,
            class_count: 3,
            rows: &rows,
        };
        look(&sample, seed);
    }
}

#[test]
fn a_tree_takes_the_splits_that_tell_most() {
    let mut grown = 0;
    for_random_samples(|sample, seed| {
        let found = DecisionTree::learn(sample).predict(sample.features, sample.rows);
        let mut expected = vec![0; sample.rows.len()];
        naive_tree(
            sample.features,
            sample.classes,
            sample.rows,
            0,
            &mut expected,
        );
        assert_eq!(found, expected, "seed {seed}");
        grown += usize::from(found.iter().any(|class| *class != found[0]));
    });
    assert!(grown > 100, "only {grown} trees split anything");
}

#[test]
fn every_cut_of_a_partition_is_the_best_there_is() {
    for_random_samples(|sample, seed| {
        for cuts in 0..4 {
            let buckets = partition(sample, cuts);
            let mut rows: Vec<u32> = buckets.iter().flat_map(|it| it.rows.clone()).collect();
            rows.sort_unstable();
            assert_eq!(rows, sample.rows, "seed {seed}: every row is in one bucket");
            for bucket in &buckets {
                let of_class = |class: u32| {
                    let rows = bucket.rows.iter();
                    rows.filter(|&&row| sample.classes[row as usize] == class)
                        .count()
                };
                assert_eq!(of_class(bucket.majority), bucket.majority_rows as usize);
                assert!((0..3).all(|class| of_class(class) <= bucket.majority_rows as usize));
            }
            // One more cut lowers what is left to be told by as much as the best of all cuts does.
            let next = partition(sample, cuts + 1);
            let left = |buckets: &[crate::partitioning::Bucket]| -> f64 {
                let entropies = buckets.iter().map(|it| entropy(sample.classes, &it.rows));
                entropies.sum()
            };
            let gain = left(&buckets) - left(&next);
            let best = buckets.iter().map(|it| best_cut(sample, &it.rows));
            let best = best.fold(0.0, f64::max);
            assert!(
                (gain - best).abs() < 1e-9,
                "seed {seed}: {gain}, not {best}"
            );
        }
    });
}

fn best_cut(sample: &Sample<'_>, rows: &[u32]) -> f64 {
    let mut best: f64 = 0.0;
    for feature in sample.features {
        for &boundary in rows {
            let (some, others): (Vec<u32>, Vec<u32>) =
                rows.iter()
                    .partition(|&&row| match feature.domain.is_numeric() {
                        true => feature.meaning(row).number() >= feature.meaning(boundary).number(),
                        false => feature.codes[row as usize] == feature.codes[boundary as usize],
                    });
            if !some.is_empty() && !others.is_empty() {
                let left = entropy(sample.classes, &some) + entropy(sample.classes, &others);
                best = best.max(entropy(sample.classes, rows) - left);
            }
        }
    }
    best
}

/// Every row, spread over the values that its cell stands for.
fn spread(column: &Column, row: u32) -> Vec<(u32, f64)> {
    let values = &column.meaning(row).values;
    values
        .iter()
        .map(|&value| (value, 1.0 / values.len() as f64))
        .collect()
}

fn numbers(column: &Column) -> Vec<f64> {
    let rows = 0..column.codes.len() as u32;
    rows.map(|row| column.meaning(row).number()).collect()
}

fn naive_association(one: &Column, other: &Column) -> f64 {
    let rows = one.codes.len() as u32;
    let count = f64::from(rows);
    match AssociationMeasure::of(one, other) {
        AssociationMeasure::Pearson => {
            let (x, y) = (numbers(one), numbers(other));
            let sum = |of: &dyn Fn(usize) -> f64| (0..rows as usize).map(of).sum::<f64>();
            let above = count * sum(&|at| x[at] * y[at]) - sum(&|at| x[at]) * sum(&|at| y[at]);
            let part = |z: &[f64]| count * sum(&|at| z[at] * z[at]) - sum(&|at| z[at]).powi(2);
            let below = (part(&x) * part(&y)).max(0.0).sqrt();
            if below < 1e-6 { 0.0 } else { above / below }
        }
        AssociationMeasure::CramersV => {
            let share = |is_one: &dyn Fn(u32) -> bool, is_other: &dyn Fn(u32) -> bool| {
                let mut sum = 0.0;
                for row in 0..rows {
                    for (value, share) in spread(one, row) {
                        for (with, part) in spread(other, row) {
                            if is_one(value) && is_other(with) {
                                sum += share * part;
                            }
                        }
                    }
                }
                sum
            };
            let all = |_| true;
            let present = |column: &Column| {
                let rows = (0..rows).flat_map(|row| spread(column, row));
                rows.map(|(value, _)| value).collect::<BTreeSet<u32>>()
            };
            let (ones, others) = (present(one), present(other));
            let mut chi_squared = 0.0;
            for &value in &ones {
                for &with in &others {
                    let expected =
                        share(&|it| it == value, &all) * share(&all, &|it| it == with) / count;
                    let found = share(&|it| it == value, &|it| it == with);
                    chi_squared += (found - expected).powi(2) / expected;
                }
            }
            match ones.len().min(others.len()) {
                1 => 0.0,
                fewer => (chi_squared / count / (fewer - 1) as f64).sqrt(),
            }
        }
        AssociationMeasure::CorrelationRatio => {
            let (text, number) = match one.domain.is_numeric() {
                true => (other, numbers(one)),
                false => (one, numbers(other)),
            };
            let mean = number.iter().sum::<f64>() / count;
            let all: f64 = number.iter().map(|it| (it - mean).powi(2)).sum();
            let explained = (0..text.domain.len() as u32).map(|value| {
                let rows = (0..rows).flat_map(|row| {
                    let spread = spread(text, row).into_iter();
                    spread.map(move |(of, share)| (row, of, share))
                });
                let rows: Vec<_> = rows.filter(|(_, of, _)| *of == value).collect();
                let weight: f64 = rows.iter().map(|it| it.2).sum();
                let sum: f64 = rows.iter().map(|it| it.2 * number[it.0 as usize]).sum();
                if weight > 0.0 {
                    weight * (sum / weight - mean).powi(2)
                } else {
                    0.0
                }
            });
            let explained: f64 = explained.sum();
            if all < 1e-9 {
                0.0
            } else {
                (explained / all).sqrt()
            }
        }
    }
}

#[test]
fn associations_are_those_of_the_definitions() {
    let mut seen = [0; 3];
    for_random_samples(|sample, seed| {
        for (one, other) in [(0, 1), (1, 2), (2, 0)] {
            let (one, other) = (&sample.features[one], &sample.features[other]);
            let (found, expected) = (association(one, other), naive_association(one, other));
            let measure = AssociationMeasure::of(one, other);
            assert!(
                (found - expected).abs() < 1e-6,
                "seed {seed}, {measure:?}: {found}, {expected}"
            );
            seen[measure as usize] += usize::from(expected.abs() > 0.1);
        }
    });
    assert!(seen.iter().all(|&seen| seen > 50), "{seen:?}");
}

#[test]
fn distances_are_those_of_the_definitions() {
    for_random_samples(|sample, seed| {
        let raw = &sample.features[0];
        let rng = &mut fastrand::Rng::with_seed(seed);
        let released = Column {
            codes: (0..rng.usize(1..30))
                .map(|_| rng.u32(0..raw.meanings.len() as u32))
                .collect(),
            ..raw.clone()
        };
        let share = |column: &Column, is_meant: &dyn Fn(u32) -> bool| -> f64 {
            let rows = 0..column.codes.len() as u32;
            let shares = rows.flat_map(|row| spread(column, row));
            let sum: f64 = shares.filter(|it| is_meant(it.0)).map(|it| it.1).sum();
            sum / column.codes.len() as f64
        };
        let expected = match &*raw.domain {
            crate::Domain::Texts(values) => (0..*values as u32)
                .map(|value| share(raw, &|it| it == value) - share(&released, &|it| it == value))
                .map(|difference| difference.max(0.0))
                .sum(),
            // The area between the distribution functions, in steps of one: all numbers are whole.
            crate::Domain::Numbers(numbers) => {
                let low = numbers.iter().copied().fold(f64::MAX, f64::min);
                let high = numbers.iter().copied().fold(f64::MIN, f64::max);
                let area: f64 = (low as i32..high as i32)
                    .map(|step| {
                        let is_below = |value: u32| numbers[value as usize] <= f64::from(step);
                        (share(raw, &is_below) - share(&released, &is_below)).abs()
                    })
                    .sum();
                if high > low { area / (high - low) } else { 0.0 }
            }
        };
        let found = distance(raw, &released);
        assert!(
            (found - expected).abs() < 1e-9,
            "seed {seed}: {found}, not {expected}"
        );
    });
}
