//! Who in a population a published row could be: every text against every raw value.

use crate::region_case::{Case, case};
use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::{ALGORITHMS, Algorithm, Finest, Mondrian, NcpCluster, find};
use incrowd_core::privacy::{KMap, PrivacyModel};
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::publish::{
    PublishedRows, Release, SuppressedRows, match_population, publish, verify_among,
};
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::{self, MissingPolicy, OracleProblem, Promise, Thousandths};
use incrowd_testkit::random::{random_model, random_population, random_problem};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a published text stands for a raw value, by what it says.
fn stands_for(case: &Case, text: &str, cell: &str, column: usize) -> bool {
    oracle::stands_for(&case.oracle.quasi_identifiers[column].1, text, cell)
}

/// Compares the people found for the classes of some published rows, of the table itself, with those counted one by one.
fn check(case: &Case, published: &[Vec<String>]) {
    let columns = case.axes.len();
    let mut expected: BTreeMap<&[String], (u32, u32)> = BTreeMap::new();
    for row in published {
        let people = || {
            let all = 0..case.oracle.table.rows.len();
            let is_one = |person: &usize| {
                (0..columns).all(|column| {
                    stands_for(case, &row[column], case.cell(*person, column), column)
                })
            };
            all.filter(is_one).count() as u32
        };
        let class = expected.entry(&row[..columns]);
        class.or_insert_with(|| (0, people())).0 += 1;
    }
    let (file, population) = case.oracle.counted_alike(published.to_vec()).unwrap();
    let found = match_population(&file, &population.table);
    let mut found: Vec<(u32, u32)> = found.iter().map(|it| (it.size, it.people)).collect();
    let mut expected: Vec<(u32, u32)> = expected.into_values().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{}: {published:?}", case.name);
}

#[test]
fn the_people_of_a_region_are_all_those_in_its_box() {
    let algorithms: [&dyn Algorithm; 3] = [&Mondrian, &Finest, &NcpCluster];
    let (mut compared, mut more_than_rows) = (0, 0);
    for seed in 0..150 {
        let case = case(seed);
        for algorithm in algorithms {
            let Some(published) = case.release(algorithm, "cost", 1) else {
                continue;
            };
            check(&case, &published);
            compared += 1;
            let (file, population) = case.oracle.counted_alike(published).unwrap();
            let classes = match_population(&file, &population.table);
            more_than_rows += usize::from(classes.iter().any(|it| it.people > it.size));
        }
    }
    // Boxes overlap, so some classes match rows of others.
    assert!(
        compared > 200 && more_than_rows > 20,
        "{compared} {more_than_rows}"
    );
}

#[test]
fn the_people_of_a_raw_row_are_those_with_equal_values() {
    for seed in 0..100 {
        let case = case(seed);
        let mut sample = case.oracle.table.rows.clone();
        let mut at = 0;
        sample.retain(|_| {
            at += 1;
            at % 3 == 0
        });
        check(&case, &sample);
        // A value that nobody in the population has matches nobody, and makes no other match more.
        let Some(first) = sample.first_mut() else {
            continue;
        };
        first[0] = "nowhere".to_owned();
        check(&case, &sample);
    }
}

#[test]
fn the_people_of_a_level_are_those_of_its_groups() {
    for seed in 0..100 {
        let case = case(seed);
        for level in 0..3 {
            let mut rows = case.oracle.table.rows.clone();
            for (at, row) in rows.iter_mut().enumerate() {
                for (column, cell) in row.iter_mut().take(case.axes.len()).enumerate() {
                    let way = case.way_up(at, column);
                    cell.clone_from(&way[level.min(way.len() - 1)]);
                }
            }
            check(&case, &rows);
        }
    }
}

#[test]
fn the_check_counts_the_people_of_a_region_by_what_its_texts_stand_for() {
    let (mut checked, mut beyond_the_table) = (0, 0);
    for seed in 0..150 {
        let mut case = case(seed);
        let rng = &mut Rng::with_seed(seed);
        case.oracle.population = Some(random_population(&case.oracle, rng));
        let prepared = case.oracle.prepare().unwrap();
        let metric = MetricSpec::named("ncp").unwrap();
        let metric = metric.build(&prepared.table).unwrap();
        let problem = case.problem(prepared.problem(&*metric), &Mondrian, "cost", 1);
        let Ok(proposal) = Mondrian.solve(&problem, &Unwatched) else {
            continue;
        };
        // A promise that always holds says what is reached.
        let models: [Box<dyn PrivacyModel>; 1] = [Box::new(KMap { k: 1 })];
        let mapped = Problem::new(&prepared.table, &models, &*metric);
        let release = publish(&mapped, &proposal).expect(&case.name);

        let recoder = release.recoder(&case.oracle.table.columns, &[], SuppressedRows::Drop);
        let (mut recoder, mut rows) = (recoder.unwrap(), PublishedRows::default());
        let all = case.oracle.table.batch(0..case.oracle.table.rows.len());
        recoder.recode(&all, &mut rows).unwrap();
        let rows = rows.rows();
        let text = |row, column| std::str::from_utf8(rows.cell(row, column)).unwrap();
        let people = |row: usize| {
            let people = case.oracle.people().into_iter();
            let is_one = |person: &&[String]| {
                let mut cells = person.iter().enumerate();
                cells.all(|(column, cell)| stands_for(&case, text(row, column), cell, column))
            };
            people.filter(is_one).count()
        };
        let fewest = (0..rows.rows()).map(people).min().unwrap();
        assert_eq!(
            release.reached()[0].worst,
            Some(fewest as f64),
            "{}",
            case.name
        );
        // One more than match the loneliest box, and there is no release.
        let k = fewest as u32 + 1;
        let models: [Box<dyn PrivacyModel>; 1] = [Box::new(KMap { k })];
        let refused = publish(&Problem::new(&prepared.table, &models, &*metric), &proposal);
        let refused = refused.map(|release| release.rows_published());
        assert!(
            matches!(refused, Err(Error::CheckFailed { .. })),
            "{}",
            case.name
        );
        checked += 1;
        let smallest = release.smallest_class() as usize;
        beyond_the_table += usize::from(fewest > smallest);
    }
    assert!(
        checked > 80 && beyond_the_table > 30,
        "{checked} {beyond_the_table}"
    );
}

/// The published rows of a release.
fn rows_of(release: &Release<'_>, oracle: &OracleProblem) -> Vec<Vec<String>> {
    let recoder = release.recoder(&oracle.table.columns, &[], SuppressedRows::Drop);
    let (mut recoder, mut rows) = (recoder.unwrap(), PublishedRows::default());
    let all = oracle.table.batch(0..oracle.table.rows.len());
    recoder.recode(&all, &mut rows).unwrap();
    let rows = rows.rows();
    let text = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
    let columns = 0..rows.columns();
    (0..rows.rows())
        .map(|row| columns.clone().map(|column| text(row, column)).collect())
        .collect()
}

/// What a promise about people comes to in published rows, by definition: everyone of the population is compared with every
/// row, cell by cell.
fn reached(oracle: &OracleProblem, published: &[Vec<String>], promise: &Promise) -> Option<f64> {
    let people = oracle.people();
    let positions: Vec<usize> = (oracle.quasi_identifiers.iter())
        .map(|(column, _)| oracle.table.position(column))
        .collect();
    let about: Vec<BTreeSet<usize>> = (published.iter())
        .map(|row| {
            let is_about = |person: &usize| {
                let cells = positions.iter().zip(people[*person]);
                let mut cells = cells.zip(&oracle.quasi_identifiers);
                cells.all(|((&at, cell), (_, ways))| oracle::stands_for(ways, &row[at], cell))
            };
            (0..people.len()).filter(is_about).collect()
        })
        .collect();
    let of_row = |row: usize| match promise {
        Promise::KMap { .. } => about[row].len() as f64,
        Promise::DeltaPresence { min, .. } => {
            let is_alike = |other: &&Vec<String>| {
                let mut positions = positions.iter();
                positions.all(|&at| other[at] == published[row][at])
            };
            let own = published.iter().filter(is_alike).count() as i128;
            let among = about.iter().filter(|it| !it.is_disjoint(&about[row]));
            let all = about[row].len();
            match all > 0 && 1000 * own >= min.0 * all as i128 {
                true => among.count() as f64 / all as f64,
                false => f64::INFINITY,
            }
        }
        _ => unreachable!("only promises about people are asked for"),
    };
    let rows = (0..published.len()).map(of_row);
    match promise {
        Promise::KMap { .. } => rows.reduce(f64::min),
        _ => rows.reduce(f64::max),
    }
}

#[test]
fn every_algorithm_keeps_promises_about_people_as_readers_and_verification_count_them() {
    // Of each algorithm: releases, and those that do not follow levels.
    let mut released: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut beyond_the_table = 0;
    for seed in 0..200 {
        let mut oracle = random_problem(seed);
        let rng = &mut Rng::with_seed(seed);
        if oracle.missing == MissingPolicy::MatchAny {
            continue;
        }
        oracle.population = Some(random_population(&oracle, rng));
        let name = ["k-map", "delta-presence"][usize::from(seed % 3 == 0)];
        oracle.models = random_model(name, &oracle, rng).into_iter().collect();
        let prepared = oracle.prepare().unwrap();
        for algorithm in ALGORITHMS {
            let entry = algorithm.entry();
            let metric = MetricSpec::named(algorithm.default_metric()).unwrap();
            let metric = metric.build(&prepared.table).unwrap();
            let problem = prepared.problem(&*metric);
            let case = format!("seed {seed}, {}, {}", entry.name, oracle.models[0].spec());
            let Ok(proposal) = algorithm.solve(&problem, &Unwatched) else {
                continue;
            };
            let release = publish(&problem, &proposal).expect(&case);
            let published = rows_of(&release, &oracle);
            let promise = &oracle.models[0].promise;
            let expected = reached(&oracle, &published, promise);
            // A label may stand on several levels, and a level says which of them is meant.
            let is_clear = release.node().is_none() || labels_are_distinct(&oracle);
            if is_clear {
                assert_eq!(
                    release.reached()[0].worst,
                    expected,
                    "{case}: {published:?}"
                );
                let enough = match promise {
                    Promise::KMap { k } => *k as f64,
                    _ => 0.0,
                };
                assert!(expected.is_none_or(|people| people >= enough), "{case}");
            }
            assert!(release.reached()[0].holds, "{case}");
            let (file, original) = oracle.counted_alike(published).unwrap();
            let population = original.table.population.as_deref();
            let verified = verify_among(&file, &original.models, population, None);
            assert!(verified.is_safe(), "{case}: {verified:?}");
            if is_clear {
                assert_eq!(verified.reached[0].worst, expected, "{case}");
            }
            let (all, others) = released.entry(entry.name).or_default();
            *all += 1;
            *others += usize::from(release.node().is_none());
            let smallest = f64::from(release.smallest_class());
            let is_k_map = matches!(promise, Promise::KMap { .. });
            beyond_the_table += usize::from(is_k_map && expected > Some(smallest));
        }
    }
    assert_eq!(released.len(), ALGORITHMS.len(), "{released:?}");
    let full_domain = ["optimal", "samarati", "incognito", "datafly", "mu-argus"];
    for (name, (all, others)) in &released {
        let follows_levels =
            full_domain.contains(name) || name.starts_with("rv-") && !name.contains("cluster");
        let enough = if name.contains("lsd") { 5 } else { 20 };
        assert!(*all >= enough, "{released:?}");
        assert!(follows_levels || *others >= enough / 2, "{released:?}");
    }
    assert!(beyond_the_table > 250, "{beyond_the_table}");
}

/// Whether no text is the label of several levels or groups.
fn labels_are_distinct(oracle: &OracleProblem) -> bool {
    oracle.quasi_identifiers.iter().all(|(_, ways)| {
        let mut levels: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for way in ways {
            for (level, label) in way.iter().enumerate() {
                levels.entry(label).or_default().insert(level);
            }
        }
        levels.values().all(|levels| levels.len() == 1)
    })
}

#[test]
fn presence_counts_every_box_that_shares_people() {
    // Two boxes over the same four people, one with three rows and one with one: each could be three of four, but all are in.
    let rows = "1 1 x\n1 2 x\n2 1 x\n2 2 x";
    let mut oracle = incrowd_testkit::tiny_problem("a b | s", rows);
    let person = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
    oracle.population = Some(vec![
        person("1", "1"),
        person("1", "2"),
        person("2", "1"),
        person("2", "2"),
    ]);
    let max = |max| Promise::DeltaPresence {
        min: Thousandths(0),
        max: Thousandths(max),
    };
    let published = [
        ["[1-2]", "*"],
        ["[1-2]", "*"],
        ["[1-2]", "*"],
        ["*", "[1-2]"],
    ];
    let published: Vec<Vec<String>> = (published.iter())
        .map(|[a, b]| vec![(*a).to_owned(), (*b).to_owned(), "x".to_owned()])
        .collect();
    let oracle = oracle.require(max(750));
    let (file, original) = oracle.counted_alike(published).unwrap();
    let population = original.table.population.as_deref();
    let verified = verify_among(&file, &original.models, population, None);
    assert_eq!(verified.reached[0].worst, Some(1.0), "{verified:?}");
    assert!(!verified.is_safe());
}

#[test]
fn what_does_not_say_who_it_is_about_is_refused() {
    let case = (0..).map(case).find(|case| {
        let has_numbers = case
            .axes
            .iter()
            .any(|axis| format!("{axis:?}").contains("Number"));
        has_numbers && case.release(&Mondrian, "cost", 1).is_some()
    });
    let mut case = case.unwrap();
    let rng = &mut Rng::with_seed(1);
    case.oracle.population = Some(random_population(&case.oracle, rng));
    case.oracle.models = vec![Promise::KMap { k: 1 }.into()];
    let prepared = case.oracle.prepare().unwrap();
    let metric = MetricSpec::named("ncp").unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let mondrian = find("mondrian").unwrap();
    let mut own = mondrian.entry().defaults();
    own.set("numbers", &["mean"]).unwrap();
    let problem = prepared.problem(&*metric).with_settings(Settings {
        own,
        ..Settings::default()
    });
    let error = mondrian.solve(&problem, &Unwatched).unwrap_err();
    assert!(matches!(error, Error::PopulationRefused { .. }), "{error}");
}
