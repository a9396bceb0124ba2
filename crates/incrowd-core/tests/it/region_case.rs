//! Random tables for algorithms that publish regions, and what they publish by definition: rows, texts and the words of
//! the cards, without points or leaves.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::Algorithm;
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::publish::{
    PublishedRows, SuppressedRows, compare_with_original, publish, verify,
};
use incrowd_core::recode::PublishedNumbers;
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::{
    MissingPolicy, OracleProblem, Promise, RawHierarchy, RawTable, Thousandths,
};
use incrowd_testkit::random::random_hierarchy;
use std::collections::{BTreeMap, BTreeSet};

/// How a column is cut and published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Axis {
    Numbers,
    Groups,
    Order,
}

/// The rows of each part of a cut.
pub(crate) type Parts = Vec<Vec<usize>>;

/// A random table, with what each quasi-identifier is.
pub(crate) struct Case {
    pub(crate) oracle: OracleProblem,
    pub(crate) axes: Vec<Axis>,
    pub(crate) name: String,
    /// What is set of the algorithm's own settings.
    pub(crate) settings: Vec<(&'static str, &'static str)>,
}

pub(crate) fn case(seed: u64) -> Case {
    case_of_rows(seed, 1..50)
}

/// A random table with so many rows.
pub(crate) fn case_of_rows(seed: u64, rows: std::ops::Range<usize>) -> Case {
    let rng = &mut Rng::with_seed(seed);
    let rows = rng.usize(rows);
    let columns = rng.usize(1..4);
    let mut axes = Vec::new();
    let mut quasi_identifiers: Vec<(String, RawHierarchy)> = Vec::new();
    let mut cells: Vec<Vec<String>> = Vec::new();
    for column in 0..columns {
        let axis = [Axis::Numbers, Axis::Groups, Axis::Order][rng.usize(0..3)];
        let values = rng.usize(1..12);
        let hierarchy: RawHierarchy = match axis {
            Axis::Numbers => {
                let numbers: BTreeSet<String> = (0..values)
                    .map(|_| match rng.u8(0..4) {
                        0 => format!("{}.5", rng.i32(-3..9)),
                        1 => format!("{}", rng.i64(-2_000_000_000_000..1_000)),
                        _ => format!("{}", rng.i32(-9..30)),
                    })
                    .collect();
                let any = |it: &String| vec![it.clone(), "*".to_owned()];
                let mut hierarchy: RawHierarchy = numbers.iter().map(any).collect();
                if rng.u8(0..4) == 0 {
                    hierarchy.push(vec![String::new(), "*".to_owned()]);
                }
                hierarchy
            }
            Axis::Groups => {
                let height = rng.u8(2..4);
                let mut hierarchy = random_hierarchy(rng, values, height);
                // So that nothing here is a number, or a label of two groups.
                for way in &mut hierarchy {
                    (way.iter_mut().enumerate()).for_each(|(at, it)| *it = format!("{at}:{it}"));
                }
                hierarchy
            }
            Axis::Order => {
                let any = |it: usize| vec![format!("v{it}"), "*".to_owned()];
                (0..values).map(any).collect()
            }
        };
        let cell = |rng: &mut Rng| hierarchy[rng.usize(0..hierarchy.len())][0].clone();
        cells.push((0..rows).map(|_| cell(rng)).collect());
        quasi_identifiers.push((format!("q{column}"), hierarchy));
        axes.push(axis);
    }
    let diseases = ["flu", "cold", "gout"];
    cells.push(
        (0..rows)
            .map(|_| rng.choice(diseases).unwrap().to_owned())
            .collect(),
    );
    cells.push(
        (0..rows)
            .map(|_| format!("{}", rng.u32(0..1_000_000)))
            .collect(),
    );
    let mut names: Vec<String> = (0..columns).map(|it| format!("q{it}")).collect();
    names.extend(["disease".to_owned(), "cost".to_owned()]);
    let row = |row: usize| cells.iter().map(|column| column[row].clone()).collect();
    let mut oracle = OracleProblem {
        table: RawTable {
            columns: names,
            rows: (0..rows).map(row).collect(),
        },
        max_levels: quasi_identifiers
            .iter()
            .map(|(_, ways)| ways[0].len() as u8 - 1)
            .collect(),
        quasi_identifiers,
        sensitive: vec![("disease".to_owned(), None)],
        target: Some("cost".to_owned()),
        models: Vec::new(),
        max_suppressed: 0,
        missing: MissingPolicy::OwnValue,
        missing_tokens: Vec::new(),
        population: None,
    };
    oracle = oracle.require(Promise::KAnonymity { k: rng.usize(1..6) });
    match rng.u8(0..3) {
        0 => oracle = oracle.require(Promise::DistinctLDiversity { l: 2 }),
        1 => {
            oracle = oracle.require(Promise::FrequencyLDiversity {
                l: Thousandths(1500),
            })
        }
        _ => {}
    }
    Case {
        oracle,
        axes,
        name: format!("seed {seed}"),
        settings: Vec::new(),
    }
}

impl Case {
    pub(crate) fn cell(&self, row: usize, column: usize) -> &str {
        self.oracle.cell(row, column)
    }

    pub(crate) fn number(&self, row: usize, column: usize) -> Option<f64> {
        self.cell(row, column).parse().ok()
    }

    pub(crate) fn way_up(&self, row: usize, column: usize) -> &[String] {
        let ways_up = &self.oracle.quasi_identifiers[column].1;
        let cell = self.cell(row, column);
        ways_up.iter().find(|it| it[0] == cell).unwrap()
    }

    /// The position of a value in its column's own order.
    pub(crate) fn rank(&self, row: usize, column: usize) -> f64 {
        let ways_up = &self.oracle.quasi_identifiers[column].1;
        let cell = self.cell(row, column);
        match self.axes[column] {
            Axis::Numbers => self.number(row, column).unwrap_or(f64::NEG_INFINITY),
            _ => ways_up.iter().position(|it| it[0] == cell).unwrap() as f64,
        }
    }

    /// The least and greatest rank of some rows.
    pub(crate) fn ends(&self, rows: &[usize], column: usize) -> (f64, f64) {
        let ranks = rows.iter().map(|&row| self.rank(row, column));
        ranks.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), rank| {
            (low.min(rank), high.max(rank))
        })
    }

    /// The level of the lowest group with all rows.
    pub(crate) fn common(&self, rows: &[usize], column: usize) -> usize {
        let way = self.way_up(rows[0], column);
        let all = |level: &usize| {
            let mut ways = rows.iter().map(|&row| self.way_up(row, column));
            // The same label may stand for another group on another way up.
            ways.all(|other| other[*level..] == way[*level..])
        };
        (0..way.len()).find(all).unwrap()
    }

    pub(crate) fn width(&self, rows: &[usize], column: usize) -> f64 {
        let ways_up = &self.oracle.quasi_identifiers[column].1;
        let (low, high) = self.ends(rows, column);
        if low == high {
            return 0.0;
        }
        match self.axes[column] {
            Axis::Numbers if low == f64::NEG_INFINITY => 1.0,
            Axis::Numbers => {
                let all: Vec<usize> = (0..self.oracle.table.rows.len())
                    .filter(|&row| self.number(row, column).is_some())
                    .collect();
                let (least, greatest) = self.ends(&all, column);
                (high - low) / (greatest - least)
            }
            Axis::Groups => {
                let level = self.common(rows, column);
                let way = self.way_up(rows[0], column);
                let under = ways_up
                    .iter()
                    .filter(|it| it[level..] == way[level..])
                    .count();
                under as f64 / ways_up.len() as f64
            }
            Axis::Order => (high - low + 1.0) / ways_up.len() as f64,
        }
    }

    pub(crate) fn is_safe(&self, rows: &[usize]) -> bool {
        let all = self.oracle.rows();
        let models = self.oracle.models.iter();
        !rows.is_empty() && models.clone().all(|it| it.holds(&self.oracle, rows, &all))
    }

    /// The parts of a cut in two below a rank.
    pub(crate) fn below(&self, rows: &[usize], column: usize, rank: f64) -> Parts {
        let (low, high) = (rows.iter().copied()).partition(|&row| self.rank(row, column) < rank);
        vec![low, high]
    }

    /// The parts of a cut into the children of the lowest common group.
    pub(crate) fn children(&self, rows: &[usize], column: usize) -> Parts {
        let level = self.common(rows, column) - 1;
        let mut parts: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
        for &row in rows {
            parts
                .entry(&self.way_up(row, column)[level..])
                .or_default()
                .push(row);
        }
        parts.into_values().collect()
    }

    /// The cuts of the widest side at its median, as the card says, in the order they are tried. Widths count as much as
    /// `emphasis` says of a column; where that is the same, the plain width counts.
    pub(crate) fn median_cuts(
        &self,
        rows: &[usize],
        emphasis: &dyn Fn(usize) -> f64,
    ) -> Vec<Parts> {
        let mut columns: Vec<usize> = (0..self.axes.len()).collect();
        columns.retain(|&column| self.width(rows, column) > 0.0);
        let width = |column: &usize| self.width(rows, *column);
        let emphasized = |column: &usize| emphasis(*column) * width(column);
        columns.sort_by(|one, other| {
            let by_emphasis = emphasized(other).total_cmp(&emphasized(one));
            by_emphasis.then(width(other).total_cmp(&width(one)))
        });
        let mut cuts = Vec::new();
        for column in columns {
            if self.axes[column] == Axis::Groups {
                cuts.push(self.children(rows, column));
                continue;
            }
            let mut ranks: Vec<f64> = rows.iter().map(|&row| self.rank(row, column)).collect();
            ranks.sort_by(f64::total_cmp);
            if self.axes[column] == Axis::Numbers && ranks[0] == f64::NEG_INFINITY {
                cuts.push(self.below(rows, column, f64::MIN));
            }
            let median = ranks[(ranks.len() - 1) / 2];
            let above = ranks.iter().copied().find(|&rank| rank > median);
            let mut at = Vec::new();
            at.extend(above.map(|rank| self.below(rows, column, rank)));
            at.push(self.below(rows, column, median));
            at.retain(|parts| parts.iter().all(|part| !part.is_empty()));
            at.sort_by_key(|parts| parts[0].len().abs_diff(parts[1].len()));
            cuts.extend(at);
        }
        cuts
    }

    /// Cuts all rows while there is a safe cut, taking the first that `choose` gives.
    pub(crate) fn regions(&self, choose: &dyn Fn(&[usize]) -> Vec<Parts>) -> Vec<Vec<usize>> {
        let mut to_do = vec![self.oracle.rows()];
        let mut regions = Vec::new();
        while let Some(rows) = to_do.pop() {
            let is_safe = |parts: &Vec<Vec<usize>>| parts.iter().all(|part| self.is_safe(part));
            match choose(&rows).into_iter().find(is_safe) {
                Some(parts) => to_do.extend(parts),
                None => regions.push(rows),
            }
        }
        regions
    }

    /// What a region publishes in a column.
    pub(crate) fn text(&self, rows: &[usize], column: usize) -> String {
        let texts: BTreeSet<&str> = rows.iter().map(|&row| self.cell(row, column)).collect();
        if let [text] = Vec::from_iter(&texts)[..] {
            return (*text).to_owned();
        }
        match self.axes[column] {
            Axis::Numbers if texts.contains("") => "*".to_owned(),
            Axis::Numbers if self.numbers() != PublishedNumbers::Interval => {
                self.centre(rows, column)
            }
            Axis::Numbers => {
                let by_rank = |one: &&usize, other: &&usize| {
                    self.rank(**one, column)
                        .total_cmp(&self.rank(**other, column))
                };
                let least = *rows.iter().min_by(by_rank).unwrap();
                let greatest = *rows.iter().max_by(by_rank).unwrap();
                format!(
                    "[{}-{}]",
                    self.cell(least, column),
                    self.cell(greatest, column)
                )
            }
            Axis::Groups => self.way_up(rows[0], column)[self.common(rows, column)].clone(),
            Axis::Order => {
                let order = self.oracle.quasi_identifiers[column].1.iter();
                let inside: Vec<&str> = order
                    .map(|it| it[0].as_str())
                    .filter(|it| texts.contains(it))
                    .collect();
                format!("{{{}}}", inside.join(", "))
            }
        }
    }

    pub(crate) fn numbers(&self) -> PublishedNumbers {
        let numbers = self.settings.iter().find(|(name, _)| *name == "numbers");
        PublishedNumbers::named(numbers.map_or("", |(_, word)| word))
    }

    /// The mean or median of a region: cells are whole numbers or halves, so doubled they add up exactly.
    pub(crate) fn centre(&self, rows: &[usize], column: usize) -> String {
        let number = |&row: &usize| self.number(row, column).unwrap();
        let mut doubled: Vec<i64> = rows.iter().map(|row| (number(row) * 2.0) as i64).collect();
        doubled.sort_unstable();
        let (rows, middle) = (doubled.len(), (doubled.len() - 1) / 2);
        // As a fraction.
        let (sum, rows) = match self.numbers() {
            PublishedNumbers::Median => (doubled[middle] + doubled[rows / 2], 4),
            _ => (doubled.iter().sum::<i64>(), 2 * rows as i64),
        };
        let listed = &self.oracle.quasi_identifiers[column].1;
        let has_halves = listed.iter().any(|it| it[0].contains('.'));
        let unit = if has_halves { 1000 } else { 100 };
        // Halves are rounded away from zero.
        let rounded = (2 * sum.abs() * unit + rows) / (2 * rows);
        let sign = if sum < 0 && rounded > 0 { "-" } else { "" };
        let places = if has_halves { 3 } else { 2 };
        let text = format!("{sign}{}.{:0places$}", rounded / unit, rounded % unit);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The rows as published in these regions.
    pub(crate) fn published(&self, regions: &[Vec<usize>]) -> Vec<Vec<String>> {
        let mut published = self.oracle.table.rows.clone();
        for rows in regions {
            for (column, _) in self.axes.iter().enumerate() {
                let text = self.text(rows, column);
                rows.iter()
                    .for_each(|&row| published[row][column].clone_from(&text));
            }
        }
        published
    }

    /// What an algorithm publishes, checked in every way a release is.
    pub(crate) fn release(
        &self,
        algorithm: &dyn Algorithm,
        target: &str,
        threads: usize,
    ) -> Option<Vec<Vec<String>>> {
        let metric = MetricSpec::named("ncp").unwrap();
        self.release_by(&metric, algorithm, target, threads)
    }

    /// The same with a metric.
    pub(crate) fn release_by(
        &self,
        metric: &MetricSpec,
        algorithm: &dyn Algorithm,
        target: &str,
        threads: usize,
    ) -> Option<Vec<Vec<String>>> {
        let name = &self.name;
        let mut counter = self.oracle.count(0..self.oracle.table.rows.len()).unwrap();
        if self.settings.contains(&("relaxed", "true")) {
            counter.keep_rows_apart();
        }
        let table = self.oracle.finish(counter).unwrap();
        let prepared = self.oracle.prepare_counted(table).unwrap();
        let metric = metric.build(&prepared.table).unwrap();
        let problem = prepared.problem(&*metric);
        let problem = self.problem(problem, algorithm, target, threads);
        let proposal = match algorithm.solve(&problem, &Unwatched) {
            Ok(proposal) => proposal,
            Err(Error::NoSolution { .. } | Error::NoneFound { .. }) => return None,
            Err(error) => panic!("{name}: {error}"),
        };
        let release = publish(&problem, &proposal).expect(name);
        assert_eq!(release.recoding().name(), "regions");
        let recoder = release.recoder(&self.oracle.table.columns, &[], SuppressedRows::Drop);
        let (mut recoder, mut rows) = (recoder.unwrap(), PublishedRows::default());
        let all = self.oracle.table.batch(0..self.oracle.table.rows.len());
        recoder.recode(&all, &mut rows).unwrap();
        release.confirm(recoder.tally()).unwrap();
        let rows = rows.rows();
        let text = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
        let row = |row| {
            (0..rows.columns())
                .map(|column| text(row, column))
                .collect()
        };
        let published: Vec<Vec<String>> = (0..rows.rows()).map(row).collect();
        let is_any = |row: &Vec<String>| row.iter().all(|cell| cell == "*");
        if !published.iter().any(is_any) {
            let (counted, original) = self.oracle.counted_alike(published.clone()).expect(name);
            assert!(verify(&counted, &original.models).is_safe(), "{name}");
            let compared = compare_with_original(&counted, &original.table, self.numbers());
            assert_eq!(compared.violations, [], "{name}: {published:?}");
        }
        Some(published)
    }

    pub(crate) fn problem<'a>(
        &self,
        problem: Problem<'a>,
        algorithm: &dyn Algorithm,
        target: &str,
        threads: usize,
    ) -> Problem<'a> {
        let mut own = algorithm.entry().defaults();
        for (name, value) in &self.settings {
            own.set(name, &[value]).unwrap();
        }
        let axes = self.axes.iter().enumerate();
        let plain = axes.filter(|(_, axis)| **axis == Axis::Order);
        let settings = Settings {
            targets: problem.table.column(target).into_iter().collect(),
            without_hierarchy: plain.map(|(at, _)| at).collect(),
            threads,
            own,
            ..Settings::default()
        };
        problem.with_settings(settings)
    }
}
