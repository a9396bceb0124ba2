//! Equal rows that are divided between regions.

use crate::region_case::{Axis, Case, case};
use fastrand::Rng;
use incrowd_core::algorithms::{Algorithm, Mondrian, MondrianInfoGain, MondrianLsd};
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::utility::{METRICS, MetricSpec};
use incrowd_testkit::oracle::{OracleProblem, Promise, RawHierarchy, RawTable};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn relaxed_regions_are_safe_and_hold_the_rows_they_stand_for() {
    let mut compared = 0;
    for seed in 0..400 {
        let mut case = case(seed);
        case.settings.push(("relaxed", "true"));
        for algorithm in [&Mondrian as &dyn Algorithm, &MondrianInfoGain, &MondrianLsd] {
            let target = if algorithm.entry().name == "mondrian-infogain" {
                "disease"
            } else {
                "cost"
            };
            // Recoded, confirmed, verified and compared with the original inside.
            let published = case.release(algorithm, target, 1);
            let is_safe = case.is_safe(&case.oracle.rows());
            assert_eq!(published.is_some(), is_safe, "{}", case.name);
            compared += usize::from(is_safe);
        }
    }
    assert!(compared > 600, "only {compared} releases");
}

/// Halves sorted numbers while both halves have k, and says how each number is published. Of an odd number, the half
/// that keeps equal numbers together is preferred, then the larger one below.
fn halved(numbers: &[i32], k: usize, published: &mut Vec<(i32, String)>) {
    let (least, greatest) = (numbers[0], numbers[numbers.len() - 1]);
    let halves = [numbers.len().div_ceil(2), numbers.len() / 2];
    let keeps_together =
        |half: &usize| numbers.get(half.wrapping_sub(1)) != numbers.get(*half) && *half > 0;
    let half = halves.into_iter().find(keeps_together).unwrap_or(halves[1]);
    if least < greatest && halves[1] >= k {
        halved(&numbers[..half], k, published);
        halved(&numbers[half..], k, published);
        return;
    }
    let text = match least == greatest {
        true => least.to_string(),
        false => format!("[{least}-{greatest}]"),
    };
    published.extend(numbers.iter().map(|&number| (number, text.clone())));
}

/// A table of small numbers, to be cut where rows are equal.
fn of_numbers(rng: &mut Rng, rows: usize, columns: usize, k: usize) -> Case {
    let row = |_| {
        let numbers = (0..columns).map(|_| rng.i32(-3..6).to_string());
        numbers.chain(["flu".to_owned(), "1".to_owned()]).collect()
    };
    let quasi_identifiers = (0..columns).map(|column| {
        let any = |number: i32| vec![number.to_string(), "*".to_owned()];
        (format!("q{column}"), (-3..6).map(any).collect())
    });
    let rows = (0..rows).map(row).collect();
    let quasi_identifiers: Vec<(String, RawHierarchy)> = quasi_identifiers.collect();
    let names = quasi_identifiers.iter().map(|(name, _)| name.clone());
    let names = names.chain(["disease".to_owned(), "cost".to_owned()]);
    let oracle = OracleProblem {
        table: RawTable {
            columns: names.collect(),
            rows,
        },
        max_levels: vec![1; columns],
        quasi_identifiers,
        models: vec![Promise::KAnonymity { k }.into()],
        ..case(0).oracle
    };
    Case {
        oracle,
        axes: vec![Axis::Numbers; columns],
        name: format!("k={k}"),
        settings: vec![("relaxed", "true")],
    }
}

#[test]
fn relaxed_cuts_halve_a_column_of_numbers() {
    for seed in 0..300 {
        let rng = &mut Rng::with_seed(seed);
        let rows = rng.usize(1..60);
        let k = rng.usize(1..6).min(rows);
        let case = of_numbers(rng, rows, 1, k);
        let mut numbers: Vec<i32> = (0..rows)
            .map(|row| case.cell(row, 0).parse().unwrap())
            .collect();
        let published = case.release(&Mondrian, "cost", 1).unwrap();
        let texts = published.into_iter().map(|row| row[0].clone());
        let mut published: Vec<(i32, String)> = numbers.iter().copied().zip(texts).collect();
        numbers.sort_unstable();
        let mut expected = Vec::new();
        halved(&numbers, k, &mut expected);
        published.sort();
        expected.sort();
        assert_eq!(published, expected, "seed {seed}");
    }
}

#[test]
fn a_relaxed_region_of_numbers_with_any_width_has_fewer_than_two_k_rows() {
    let mut shared = 0;
    for seed in 0..300 {
        let rng = &mut Rng::with_seed(seed);
        let k = rng.usize(2..7);
        let (rows, columns) = (rng.usize(k..150), rng.usize(1..4));
        let case = of_numbers(rng, rows, columns, k);
        let published = case.release(&Mondrian, "cost", 1).unwrap();
        let mut classes: BTreeMap<&[String], usize> = BTreeMap::new();
        let mut raw: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
        for (row, published) in case.oracle.table.rows.iter().zip(&published) {
            *classes.entry(&published[..columns]).or_default() += 1;
            raw.entry(&row[..columns])
                .or_default()
                .insert(&published[..columns]);
        }
        for (texts, rows) in classes {
            assert!(rows >= k, "seed {seed}");
            let is_wide = texts.iter().any(|text| text.starts_with('['));
            assert!(
                !is_wide || rows < 2 * k,
                "seed {seed}: {texts:?}, {rows}, {k}"
            );
        }
        shared += raw.values().filter(|texts| texts.len() > 1).count();
    }
    assert!(shared > 100, "equal rows were divided only {shared} times");
}

#[test]
fn no_metric_depends_on_whether_rows_were_kept_apart() {
    for seed in 0..60 {
        let case = case(seed);
        let rows = 0..case.oracle.table.rows.len();
        let tables = [false, true].map(|is_apart| {
            let mut counter = case.oracle.count(rows.clone()).unwrap();
            if is_apart {
                counter.keep_rows_apart();
            }
            case.oracle.finish(counter).unwrap()
        });
        for entry in METRICS {
            let [together, apart] = tables.each_ref().map(|table| {
                let target = format!("{}(column=disease)", entry.name);
                let specs = [entry.name.parse::<MetricSpec>(), target.parse()];
                let metric = specs
                    .into_iter()
                    .find_map(|spec| spec.ok()?.build(table).ok())?;
                let problem = Problem::new(table, &[], &*metric);
                let proposal = Proposal {
                    recoding: ColumnRecoding::FullDomain(table.lattice().top().clone()).into(),
                    guarantee: Guarantee::Heuristic,
                    loss: None,
                    nodes_checked: 0,
                    steps: Vec::new(),
                };
                Some(publish(&problem, &proposal).unwrap().loss(&*metric))
            });
            let is_same = match (together, apart) {
                (Some(one), Some(other)) => one.is_about(other),
                (one, other) => one == other,
            };
            assert!(
                is_same,
                "{}, {}: {together:?} {apart:?}",
                case.name, entry.name
            );
        }
    }
}
