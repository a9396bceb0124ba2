//! Clustering by definition: every pair of clusters looked at, on rows and texts, against the search that passes most of
//! them over.

use crate::region_case::{Axis, Case, case, case_of_rows};
use incrowd_core::algorithms::{
    Algorithm, EuclideanCluster, NcpCluster, RvCluster, RvClusterSuppress,
};
use incrowd_core::problem::{Settings, Unwatched};
use incrowd_core::publish::publish;
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::Promise;
use incrowd_testkit::tiny_problem;
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
    let small = (0..600).map(case);
    // With so many tuples, whole blocks of clusters are passed over.
    let large = (0..20).map(|seed| case_of_rows(seed, 200..300));
    for case in small.chain(large) {
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

/// The values that a published text may stand for, as positions in the list of raw values; of an interval, those that
/// lie in it.
fn meaning(case: &Case, column: usize, text: &str) -> BTreeSet<usize> {
    let listed = &case.oracle.quasi_identifiers[column].1;
    let interval = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let ends: Option<(f64, f64)> = interval.and_then(|it| {
        let dash = it[1..].find('-')? + 1;
        Some((it[..dash].parse().ok()?, it[dash + 1..].parse().ok()?))
    });
    let set = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    let is_meant = |way_up: &&Vec<String>| match (ends, set) {
        (Some((low, high)), _) => {
            let number: Option<f64> = way_up[0].parse().ok();
            number.is_some_and(|it| low <= it && it <= high)
        }
        (None, Some(set)) => set.split(", ").any(|it| it == way_up[0]),
        (None, None) => way_up.iter().any(|it| it == text),
    };
    let places = listed.iter().enumerate();
    let places = places.filter(|(_, way_up)| is_meant(way_up));
    places.map(|(place, _)| place).collect()
}

/// Checks that published values are disjoint or equal; returns whether there is more than one class.
fn check_disjoint(case: &Case, published: &[Vec<String>]) -> bool {
    for column in 0..case.axes.len() {
        let texts: BTreeSet<&str> = published.iter().map(|row| &row[column][..]).collect();
        let meanings: Vec<(&str, BTreeSet<usize>)> = (texts.into_iter())
            .map(|text| (text, meaning(case, column, text)))
            .collect();
        for (at, (one, of_one)) in meanings.iter().enumerate() {
            assert!(!of_one.is_empty(), "{}: {one}", case.name);
            for (other, of_other) in &meanings[at + 1..] {
                assert!(
                    of_one.is_disjoint(of_other),
                    "{}: {one} and {other}",
                    case.name
                );
            }
        }
    }
    let columns = case.axes.len();
    published
        .iter()
        .any(|row| row[..columns] != published[0][..columns])
}

#[test]
fn disjoint_clusters_publish_no_values_that_overlap() {
    for algorithm in [
        &NcpCluster as &dyn Algorithm,
        &EuclideanCluster,
        &RvCluster,
        &RvClusterSuppress,
    ] {
        let (mut compared, mut divided) = (0, 0);
        for seed in 0..600 {
            let mut case = case(seed);
            let overlapping = case.release(algorithm, "cost", 1);
            case.settings.push(("disjoint", "true"));
            let Some(published) = case.release(algorithm, "cost", 1) else {
                assert_eq!(overlapping, None, "{}", case.name);
                continue;
            };
            compared += 1;
            divided += usize::from(check_disjoint(&case, &published));
        }
        assert!(compared > 300 && divided > 150, "{divided} of {compared}");
    }
}

/// Ages lie in two crowds far from each other, so no cluster holds some of both.
#[test]
fn disjoint_clusters_keep_crowds_apart_and_split_what_is_large() {
    let rows = "20\n21\n22\n23\n70\n71\n72\n73\n74\n75";
    let oracle = tiny_problem("age", rows).require(Promise::KAnonymity { k: 2 });
    let prepared = oracle.prepare().unwrap();
    let metric = MetricSpec::named("ncp").unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric);
    let mut own = NcpCluster.entry().defaults();
    own.set("disjoint", &["true"]).unwrap();
    let problem = problem.with_settings(Settings {
        own,
        ..Settings::default()
    });
    let proposal = NcpCluster.solve(&problem, &Unwatched).unwrap();
    let release = publish(&problem, &proposal).unwrap();
    let texts = ["[20-21]", "[22-23]", "[70-71]", "[72-73]", "[74-75]"];
    assert_eq!(release.texts(0), texts);
}
