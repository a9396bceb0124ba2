//! Regions by definition: rows, texts and the words of the card, against the algorithms that cut points.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::{Algorithm, Finest, Mondrian, MondrianInfoGain, MondrianLsd};
use incrowd_core::privacy::{KAnonymity, PrivacyModel};
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::publish::{
    PublishedRows, SuppressedRows, compare_with_original, publish, verify,
};
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::{
    MissingPolicy, OracleProblem, Promise, RawHierarchy, RawTable, Thousandths,
};
use incrowd_testkit::random::random_hierarchy;
use incrowd_testkit::tiny_problem;
use std::collections::{BTreeMap, BTreeSet};

/// How a column is cut and published.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Axis {
    Numbers,
    Groups,
    Order,
}

/// The rows of each part of a cut.
type Parts = Vec<Vec<usize>>;

/// A random table, with what each quasi-identifier is.
struct Case {
    oracle: OracleProblem,
    axes: Vec<Axis>,
    name: String,
}

fn case(seed: u64) -> Case {
    let rng = &mut Rng::with_seed(seed);
    let rows = rng.usize(1..50);
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
    }
}

impl Case {
    fn cell(&self, row: usize, column: usize) -> &str {
        self.oracle.cell(row, column)
    }

    fn number(&self, row: usize, column: usize) -> Option<f64> {
        self.cell(row, column).parse().ok()
    }

    fn way_up(&self, row: usize, column: usize) -> &[String] {
        let ways_up = &self.oracle.quasi_identifiers[column].1;
        let cell = self.cell(row, column);
        ways_up.iter().find(|it| it[0] == cell).unwrap()
    }

    /// The position of a value in its column's own order.
    fn rank(&self, row: usize, column: usize) -> f64 {
        let ways_up = &self.oracle.quasi_identifiers[column].1;
        let cell = self.cell(row, column);
        match self.axes[column] {
            Axis::Numbers => self.number(row, column).unwrap_or(f64::NEG_INFINITY),
            _ => ways_up.iter().position(|it| it[0] == cell).unwrap() as f64,
        }
    }

    /// The least and greatest rank of some rows.
    fn ends(&self, rows: &[usize], column: usize) -> (f64, f64) {
        let ranks = rows.iter().map(|&row| self.rank(row, column));
        ranks.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), rank| {
            (low.min(rank), high.max(rank))
        })
    }

    /// The level of the lowest group with all rows.
    fn common(&self, rows: &[usize], column: usize) -> usize {
        let way = self.way_up(rows[0], column);
        let all = |level: &usize| {
            let mut ways = rows.iter().map(|&row| self.way_up(row, column));
            // The same label may stand for another group on another way up.
            ways.all(|other| other[*level..] == way[*level..])
        };
        (0..way.len()).find(all).unwrap()
    }

    fn width(&self, rows: &[usize], column: usize) -> f64 {
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

    fn is_safe(&self, rows: &[usize]) -> bool {
        let all = self.oracle.rows();
        let models = self.oracle.models.iter();
        !rows.is_empty() && models.clone().all(|it| it.holds(&self.oracle, rows, &all))
    }

    /// The parts of a cut in two below a rank.
    fn below(&self, rows: &[usize], column: usize, rank: f64) -> Parts {
        let (low, high) = (rows.iter().copied()).partition(|&row| self.rank(row, column) < rank);
        vec![low, high]
    }

    /// The parts of a cut into the children of the lowest common group.
    fn children(&self, rows: &[usize], column: usize) -> Parts {
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

    /// The cuts of the widest side at its median, as the card says, in the order they are tried.
    fn median_cuts(&self, rows: &[usize]) -> Vec<Parts> {
        let mut columns: Vec<usize> = (0..self.axes.len()).collect();
        columns.retain(|&column| self.width(rows, column) > 0.0);
        let width = |column: &usize| self.width(rows, *column);
        columns.sort_by(|one, other| width(other).total_cmp(&width(one)));
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

    /// The most even cuts of every column, in the order of columns and places, with the width of what they cut.
    fn even_cuts(&self, rows: &[usize]) -> Vec<(f64, Parts)> {
        let mut cuts = Vec::new();
        for column in 0..self.axes.len() {
            let width = self.width(rows, column);
            if width == 0.0 {
                continue;
            }
            if self.axes[column] == Axis::Groups {
                cuts.push((width, self.children(rows, column)));
                continue;
            }
            let mut ranks: Vec<f64> = rows.iter().map(|&row| self.rank(row, column)).collect();
            ranks.sort_by(f64::total_cmp);
            ranks.dedup();
            let all: Vec<Parts> = (ranks[1..].iter())
                .map(|&rank| self.below(rows, column, rank))
                .collect();
            let unevenness = |parts: &Parts| parts[0].len().abs_diff(parts[1].len());
            let least = all.iter().map(unevenness).min().unwrap();
            let even = all.into_iter().filter(|parts| unevenness(parts) == least);
            cuts.extend(even.map(|parts| (width, parts)));
        }
        cuts
    }

    /// Cuts all rows while there is a safe cut, taking the first that `choose` gives.
    fn regions(&self, choose: &dyn Fn(&[usize]) -> Vec<Parts>) -> Vec<Vec<usize>> {
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
    fn text(&self, rows: &[usize], column: usize) -> String {
        let texts: BTreeSet<&str> = rows.iter().map(|&row| self.cell(row, column)).collect();
        if let [text] = Vec::from_iter(&texts)[..] {
            return (*text).to_owned();
        }
        match self.axes[column] {
            Axis::Numbers if texts.contains("") => "*".to_owned(),
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

    /// The rows as published in these regions.
    fn published(&self, regions: &[Vec<usize>]) -> Vec<Vec<String>> {
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
    fn release(
        &self,
        algorithm: &dyn Algorithm,
        target: &str,
        threads: usize,
    ) -> Option<Vec<Vec<String>>> {
        let name = &self.name;
        let prepared = self.oracle.prepare().unwrap();
        let metric = MetricSpec::named("ncp")
            .unwrap()
            .build(&prepared.table)
            .unwrap();
        let problem = self.problem(prepared.problem(&*metric), target, threads);
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
            let compared = compare_with_original(&counted, &original.table);
            assert_eq!(compared.violations, [], "{name}: {published:?}");
        }
        Some(published)
    }

    fn problem<'a>(&self, problem: Problem<'a>, target: &str, threads: usize) -> Problem<'a> {
        let axes = self.axes.iter().enumerate();
        let plain = axes.filter(|(_, axis)| **axis == Axis::Order);
        let settings = Settings {
            targets: problem.table.column(target).into_iter().collect(),
            without_hierarchy: plain.map(|(at, _)| at).collect(),
            threads,
            ..Settings::default()
        };
        problem.with_settings(settings)
    }
}

/// Compares what an algorithm publishes with what the definition does.
fn check(algorithm: &dyn Algorithm, target: &str, choose: &dyn Fn(&Case, &[usize]) -> Vec<Parts>) {
    let mut compared = 0;
    for seed in 0..400 {
        let case = case(seed);
        let expected = case.is_safe(&case.oracle.rows()).then(|| {
            let regions = case.regions(&|rows| choose(&case, rows));
            case.published(&regions)
        });
        let published = case.release(algorithm, target, 1);
        assert_eq!(published, expected, "{}, {:?}", case.name, case.oracle);
        compared += usize::from(published.is_some());
    }
    assert!(compared > 200, "only {compared} tables had a release");
}

#[test]
fn mondrian_cuts_the_widest_side_at_its_median() {
    check(&Mondrian, "cost", &|case, rows| case.median_cuts(rows));
}

/// Cuts by what they cost, those that gain no more than chance by the width of what they cut, then in their order.
fn cheapest(
    case: &Case,
    rows: &[usize],
    cost: &dyn Fn(&[usize]) -> f64,
    chance: f64,
) -> Vec<Parts> {
    let whole = cost(rows);
    let weigh = |(width, parts): (f64, Parts)| {
        let after: f64 = parts.iter().map(|part| cost(part)).sum();
        let gains = whole - after > chance * (parts.len() - 1) as f64;
        (if gains { after } else { whole }, width, parts)
    };
    let mut cuts: Vec<_> = case.even_cuts(rows).into_iter().map(weigh).collect();
    cuts.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
    cuts.into_iter().map(|(_, _, parts)| parts).collect()
}

#[test]
fn infogain_makes_the_cut_that_leaves_the_least_entropy() {
    let units = |rows: usize| (rows as f64 * (rows as f64).log2() * 1048576.0).round();
    check(&MondrianInfoGain, "disease", &|case, rows| {
        let counts = |part: &[usize]| {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for &row in part {
                let disease = case.cell(row, case.axes.len()).to_owned();
                *counts.entry(disease).or_default() += 1;
            }
            counts
        };
        let cost = |part: &[usize]| {
            units(part.len()) - counts(part).values().map(|&rows| units(rows)).sum::<f64>()
        };
        let chance = 2.77 * 1048576.0 * (counts(rows).len() - 1) as f64;
        cheapest(case, rows, &cost, chance)
    });
}

#[test]
fn lsd_makes_the_cut_that_leaves_the_least_deviation() {
    check(&MondrianLsd, "cost", &|case, rows| {
        let deviation = |part: &[usize]| {
            let cost = |row: usize| case.number(row, case.axes.len() + 1).unwrap();
            let mean = part.iter().map(|&row| cost(row)).sum::<f64>() / part.len() as f64;
            part.iter().map(|&row| (cost(row) - mean).powi(2)).sum()
        };
        let chance = 4.0 * deviation(rows) / rows.len() as f64;
        cheapest(case, rows, &deviation, chance)
    });
}

/// Two columns of numbers, so many different pairs that every thread has regions of its own.
fn large() -> Case {
    let rng = &mut Rng::with_seed(1);
    let row = |rng: &mut Rng| {
        let disease = rng.choice(["flu", "cold", "gout"]).unwrap();
        let (one, other) = (rng.u32(0..200), rng.u32(0..200));
        [
            one.to_string(),
            other.to_string(),
            disease.to_owned(),
            (one * other).to_string(),
        ]
        .to_vec()
    };
    let hierarchy = || {
        (0..200)
            .map(|it| vec![it.to_string(), "*".to_owned()])
            .collect()
    };
    let names = ["q0", "q1", "disease", "cost"].map(str::to_owned);
    let oracle = OracleProblem {
        table: RawTable {
            columns: names.to_vec(),
            rows: (0..20_000).map(|_| row(rng)).collect(),
        },
        max_levels: vec![1, 1],
        quasi_identifiers: vec![
            ("q0".to_owned(), hierarchy()),
            ("q1".to_owned(), hierarchy()),
        ],
        ..case(0).oracle
    };
    Case {
        oracle,
        axes: vec![Axis::Numbers; 2],
        name: "large".to_owned(),
    }
}

#[test]
fn a_region_cannot_be_told_from_the_threads_that_cut_it() {
    let case = large();
    for algorithm in [
        &Mondrian as &dyn Algorithm,
        &MondrianInfoGain,
        &MondrianLsd,
        &Finest,
    ] {
        let one = case.release(algorithm, "cost", 1);
        let classes: BTreeSet<&[String]> = one.iter().flatten().map(|row| &row[..2]).collect();
        assert!(classes.len() > 1000, "{}", classes.len());
        for threads in [2, 3, 8] {
            assert_eq!(case.release(algorithm, "cost", threads), one);
        }
    }
}

/// The width of published values, by the definition of the metric.
fn ncp(case: &Case, published: &[Vec<String>]) -> f64 {
    let (counted, original) = case.oracle.counted_alike(published.to_vec()).unwrap();
    assert!(
        verify(&counted, &original.models).is_safe(),
        "{}",
        case.name
    );
    let mut classes: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (row, texts) in published.iter().enumerate() {
        classes
            .entry(&texts[..case.axes.len()])
            .or_default()
            .push(row);
    }
    let widths = classes.values().map(|rows| {
        let columns = (0..case.axes.len()).map(|column| match case.axes[column] {
            Axis::Order => {
                let texts: BTreeSet<&str> =
                    rows.iter().map(|&row| case.cell(row, column)).collect();
                let all = case.oracle.quasi_identifiers[column].1.len() as f64;
                if texts.len() > 1 {
                    texts.len() as f64 / all
                } else {
                    0.0
                }
            }
            _ => case.width(rows, column),
        });
        columns.sum::<f64>() * rows.len() as f64
    });
    widths.sum()
}

#[test]
fn finest_is_never_wider_than_mondrian() {
    let (mut finer, mut compared) = (0, 0);
    for seed in 0..400 {
        let case = case(seed);
        let Some(regions) = case.release(&Mondrian, "cost", 1) else {
            assert_eq!(case.release(&Finest, "cost", 1), None, "{}", case.name);
            continue;
        };
        let finest = case.release(&Finest, "cost", 1).expect(&case.name);
        let is_any = |row: &Vec<String>| row[..case.axes.len()].iter().all(|cell| cell == "*");
        if regions.iter().chain(&finest).any(is_any) {
            continue;
        }
        let (before, after) = (ncp(&case, &regions), ncp(&case, &finest));
        assert!(
            after <= before + 1e-4,
            "{}: {after} is more than {before}",
            case.name
        );
        finer += usize::from(after < before - 1e-4);
        compared += 1;
    }
    assert!(compared > 200 && finer > 100, "{finer} of {compared}");
}

#[test]
fn finest_is_about_half_as_wide_as_mondrian_on_adult() {
    let table = crate::adult::count(&crate::adult::EIGHT, &[]);
    let metric = MetricSpec::named("ncp").unwrap().build(&table).unwrap();
    for (k, most) in [(5, 0.6), (10, 0.6), (50, 0.7)] {
        let models: Vec<Box<dyn PrivacyModel>> = vec![Box::new(KAnonymity { k })];
        let problem = Problem::new(&table, &models, &*metric);
        let width = |algorithm: &dyn Algorithm| {
            let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
            publish(&problem, &proposal).unwrap().loss(&*metric).0
        };
        let (finest, mondrian) = (width(&Finest), width(&Mondrian));
        assert!(finest <= most * mondrian, "k = {k}: {finest} of {mondrian}");
    }
}

/// Odd and even numbers: an interval of the odd ones would hold even ones, which are beyond the acceptable level.
#[test]
fn no_interval_reaches_beyond_the_highest_acceptable_level() {
    let oracle = tiny_problem("n", "1\n3\n5\n2\n4\n6")
        .with_hierarchy(
            "n",
            "1 odd *\n3 odd *\n5 odd *\n2 even *\n4 even *\n6 even *",
        )
        .require(Promise::KAnonymity { k: 2 })
        .up_to(&[1]);
    let prepared = oracle.prepare().unwrap();
    let metric = MetricSpec::named("ncp")
        .unwrap()
        .build(&prepared.table)
        .unwrap();
    let problem = prepared.problem(&*metric);
    for algorithm in [&Mondrian as &dyn Algorithm, &Finest] {
        let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
        let release = publish(&problem, &proposal).unwrap();
        assert_eq!(release.texts(0), ["{1, 3, 5}", "{2, 4, 6}"]);
    }
}
