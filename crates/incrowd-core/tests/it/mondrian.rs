//! Regions by definition: rows, texts and the words of the card, against the algorithms that cut points.

use crate::region_case::{Axis, Case, Parts, case};
use fastrand::Rng;
use incrowd_core::algorithms::{
    Algorithm, EuclideanCluster, Finest, Mondrian, MondrianInfoGain, MondrianLsd, NcpCluster,
    RvCluster, RvClusterSuppress,
};
use incrowd_core::privacy::{KAnonymity, PrivacyModel};
use incrowd_core::problem::{Problem, Unwatched};
use incrowd_core::publish::{publish, verify};
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::{OracleProblem, Promise, RawTable};
use incrowd_testkit::tiny_problem;
use std::collections::{BTreeMap, BTreeSet};

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
    check(&Mondrian, "cost", &|case, rows| {
        case.median_cuts(rows, &|_| 1.0)
    });
}

/// The rows of each value of a column, equal numbers together however they are written.
fn rows_of_values(case: &Case, column: usize) -> Parts {
    let mut values: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for row in case.oracle.rows() {
        let value = match (case.axes[column], case.number(row, column)) {
            (Axis::Numbers, Some(number)) => format!("{number}"),
            _ => case.cell(row, column).to_owned(),
        };
        values.entry(value).or_default().push(row);
    }
    values.into_values().collect()
}

#[test]
fn infogain_weights_widths_by_the_entropy_that_a_column_explains() {
    let diseases = |case: &Case, rows: &[usize]| {
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        for &row in rows {
            let disease = case.cell(row, case.axes.len()).to_owned();
            *counts.entry(disease).or_default() += 1.0;
        }
        counts
    };
    // In nats, weighted by rows.
    let entropy = |case: &Case, rows: &[usize]| -> f64 {
        let counts = diseases(case, rows);
        let all = rows.len() as f64;
        counts.values().map(|it| it * (all / it).ln()).sum()
    };
    check(&MondrianInfoGain, "disease", &|case, rows| {
        let all = case.oracle.rows();
        let emphasis = |column: usize| {
            let values = rows_of_values(case, column);
            let within: f64 = values.iter().map(|rows| entropy(case, rows)).sum();
            let degrees = (values.len() - 1) * (diseases(case, &all).len() - 1);
            let gain = entropy(case, &all) - within - degrees as f64 / 2.0;
            match gain > 1e-9 * entropy(case, &all) {
                true => (gain / entropy(case, &all)).powf(0.25),
                false => 0.0,
            }
        };
        case.median_cuts(rows, &emphasis)
    });
}

#[test]
fn lsd_weights_widths_by_the_deviation_that_a_column_explains() {
    let deviation = |case: &Case, rows: &[usize]| -> f64 {
        let cost = |row: usize| case.number(row, case.axes.len() + 1).unwrap();
        let mean = rows.iter().map(|&row| cost(row)).sum::<f64>() / rows.len() as f64;
        rows.iter().map(|&row| (cost(row) - mean).powi(2)).sum()
    };
    check(&MondrianLsd, "cost", &|case, rows| {
        let all = case.oracle.rows();
        let emphasis = |column: usize| {
            let values = rows_of_values(case, column);
            let within: f64 = values.iter().map(|rows| deviation(case, rows)).sum();
            let (whole, rows) = (deviation(case, &all), all.len() as f64);
            let free = rows - values.len() as f64;
            if whole < 1e-9 || free < 0.5 {
                return 0.0;
            }
            let share = 1.0 - within / free / (whole / (rows - 1.0));
            if share > 1e-9 { share.powf(0.25) } else { 0.0 }
        };
        case.median_cuts(rows, &emphasis)
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
            rows: (0..12_000).map(|_| row(rng)).collect(),
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
        settings: Vec::new(),
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
        &NcpCluster,
        &EuclideanCluster,
        &RvCluster,
        &RvClusterSuppress,
    ] {
        let one = case.release(algorithm, "cost", 1);
        let classes: BTreeSet<&[String]> = one.iter().flatten().map(|row| &row[..2]).collect();
        assert!(classes.len() > 1000, "{}", classes.len());
        assert_eq!(case.release(algorithm, "cost", 3), one);
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
    for algorithm in [
        &Mondrian as &dyn Algorithm,
        &Finest,
        &NcpCluster,
        &EuclideanCluster,
    ] {
        let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
        let release = publish(&problem, &proposal).unwrap();
        assert_eq!(release.texts(0), ["{1, 3, 5}", "{2, 4, 6}"]);
    }
}
