//! Clustering by definition: every pair of clusters looked at, on rows and texts, against the search that passes most of
//! them over.

use crate::mondrian::{Axis, Case, case};
use incrowd_core::algorithms::{Algorithm, EuclideanCluster, NcpCluster};
use std::collections::{BTreeMap, BTreeSet};

/// The parts in which the whole of a column is counted.
const WHOLE: f64 = 16_777_216.0;

/// What merged clusters lose.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Loss {
    Certainty,
    Range,
}

/// The naive search.
struct Naive<'c> {
    case: &'c Case,
    loss: Loss,
    /// What each column loses as a whole.
    wholes: Vec<f64>,
    /// The rows of each tuple, in the order of the values as they are listed.
    tuples: Vec<Vec<usize>>,
}

impl<'c> Naive<'c> {
    fn new(case: &'c Case, loss: Loss) -> Self {
        let mut tuples: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for row in case.oracle.rows() {
            let listed = |column: usize| {
                let ways_up = &case.oracle.quasi_identifiers[column].1;
                let is_own = |it: &Vec<String>| it[0] == case.cell(row, column);
                ways_up.iter().position(is_own).unwrap()
            };
            let key = (0..case.axes.len()).map(listed).collect();
            tuples.entry(key).or_default().push(row);
        }
        let mut naive = Naive {
            case,
            loss,
            wholes: Vec::new(),
            tuples: tuples.into_values().collect(),
        };
        let range = |column: usize| match (loss, case.axes[column]) {
            (Loss::Certainty, _) => 1.0,
            (Loss::Range, Axis::Numbers) => {
                let (least, greatest) = naive.numbers(&case.oracle.rows(), column);
                (greatest - least).max(0.0)
            }
            (Loss::Range, _) => (naive.listed(column) - 1) as f64,
        };
        let ranges: Vec<f64> = (0..case.axes.len()).map(range).collect();
        let widest = ranges.iter().copied().fold(0.0, f64::max);
        let whole = |range: &f64| match widest > 0.0 {
            true => (range / widest * WHOLE).round(),
            false => 0.0,
        };
        naive.wholes = ranges.iter().map(whole).collect();
        naive
    }

    fn listed(&self, column: usize) -> usize {
        self.case.oracle.quasi_identifiers[column].1.len()
    }

    /// The least and greatest number of some rows.
    fn numbers(&self, rows: &[usize], column: usize) -> (f64, f64) {
        let numbers = rows.iter().filter_map(|&row| self.case.number(row, column));
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
            (low.min(it), high.max(it))
        })
    }

    /// What some rows lose in a column.
    fn lost(&self, rows: &[usize], column: usize) -> u64 {
        let case = self.case;
        let texts: BTreeSet<&str> = rows.iter().map(|&row| case.cell(row, column)).collect();
        if texts.len() == 1 {
            return 0;
        }
        let whole = self.wholes[column];
        let values = match case.axes[column] {
            Axis::Numbers if texts.contains("") => return whole as u64,
            Axis::Numbers => {
                let (least, greatest) = self.numbers(&case.oracle.rows(), column);
                let place = |it: f64| ((it - least) / (greatest - least) * whole).round() as u64;
                let (low, high) = self.numbers(rows, column);
                return place(high) - place(low);
            }
            Axis::Order => texts.len(),
            Axis::Groups => {
                let level = case.common(rows, column);
                let group = &case.way_up(rows[0], column)[level..];
                let ways_up = case.oracle.quasi_identifiers[column].1.iter();
                ways_up.filter(|it| it[level..] == *group).count()
            }
        };
        let (values, listed) = match self.loss {
            Loss::Certainty => (values, self.listed(column)),
            Loss::Range => (values - 1, self.listed(column) - 1),
        };
        values as u64 * (whole / listed as f64).round() as u64
    }

    fn extent(&self, rows: &[usize]) -> u64 {
        let columns = 0..self.case.axes.len();
        columns.map(|column| self.lost(rows, column)).sum()
    }

    fn cost(&self, rows: &[usize]) -> u64 {
        match self.loss {
            Loss::Certainty => self.extent(rows) * rows.len() as u64,
            Loss::Range => self.extent(rows),
        }
    }

    /// Merges the unsafe cluster with the fewest rows with the one that loses least, until all are safe.
    fn clusters(&self) -> Vec<Vec<usize>> {
        let mut clusters = self.tuples.clone();
        loop {
            let is_unsafe = |it: &usize| {
                let rows = &clusters[*it];
                !rows.is_empty() && !self.case.is_safe(rows)
            };
            let unsafe_ones = (0..clusters.len()).filter(is_unsafe);
            let Some(taken) = unsafe_ones.min_by_key(|&it| (clusters[it].len(), it)) else {
                break;
            };
            let merged = |it: usize| [&clusters[it][..], &clusters[taken]].concat();
            let others = (0..clusters.len()).filter(|&it| it != taken && !clusters[it].is_empty());
            let into = others.min_by_key(|&it| (self.cost(&merged(it)), it));
            let into = into.expect("all rows together are safe");
            clusters[into] = merged(into);
            clusters[taken].clear();
        }
        clusters.retain(|rows| !rows.is_empty());
        clusters
    }

    /// Splits a cluster and its parts in two while both are safe, as the card says.
    fn split(&self, rows: Vec<usize>) -> Vec<Vec<usize>> {
        let inside = |tuple: &&Vec<usize>| rows.contains(&tuple[0]);
        let mut tuples: Vec<&Vec<usize>> = self.tuples.iter().filter(inside).collect();
        let joint = |one: &[usize], other: &[usize]| self.extent(&[one, other].concat());
        let farthest = |from: &[usize]| -> &Vec<usize> {
            let mut farthest = tuples[0];
            for tuple in &tuples {
                if joint(from, tuple) > joint(from, farthest) {
                    farthest = tuple;
                }
            }
            farthest
        };
        let one = farthest(tuples[0]);
        let other = farthest(one);
        tuples.sort_by_key(|it| joint(one, it) as i64 - joint(other, it) as i64);
        let parts = |cut: usize| {
            let rows = |tuples: &[&Vec<usize>]| -> Vec<usize> {
                tuples.iter().flat_map(|it| it.iter().copied()).collect()
            };
            (rows(&tuples[..cut]), rows(&tuples[cut..]))
        };
        let mut best = None;
        for cut in 1..tuples.len() {
            let (before, after) = parts(cut);
            let cost = self.cost(&before) + self.cost(&after);
            let is_safe = self.case.is_safe(&before) && self.case.is_safe(&after);
            let is_better = best.is_none_or(|(least, _)| cost < least);
            if is_safe && cost < self.cost(&rows) && is_better {
                best = Some((cost, cut));
            }
        }
        let Some((_, cut)) = best else {
            return vec![rows];
        };
        let (before, after) = parts(cut);
        let parts = [before, after].into_iter();
        parts.flat_map(|it| self.split(it)).collect()
    }
}

/// Compares what an algorithm publishes with what the definition does.
fn check(algorithm: &dyn Algorithm, loss: Loss) {
    let (mut compared, mut split) = (0, 0);
    for seed in 0..600 {
        let case = case(seed);
        let expected = case.is_safe(&case.oracle.rows()).then(|| {
            let naive = Naive::new(&case, loss);
            let mut clusters = naive.clusters();
            if loss == Loss::Certainty {
                let merged = clusters.len();
                let parts = clusters.into_iter();
                clusters = parts.flat_map(|it| naive.split(it)).collect();
                split += usize::from(clusters.len() > merged);
            }
            case.published(&clusters)
        });
        let published = case.release(algorithm, "cost", 1);
        assert_eq!(published, expected, "{}, {:?}", case.name, case.oracle);
        compared += usize::from(published.is_some());
    }
    assert!(compared > 300, "only {compared} tables had a release");
    assert!(loss == Loss::Range || split > 10, "{split} were split");
}

#[test]
fn ncp_cluster_merges_as_if_it_had_looked_at_every_pair() {
    check(&NcpCluster, Loss::Certainty);
}

#[test]
fn euclidean_cluster_merges_as_if_it_had_looked_at_every_pair() {
    check(&EuclideanCluster, Loss::Range);
}
