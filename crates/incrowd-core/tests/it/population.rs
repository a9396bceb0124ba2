//! Who in a population a published row could be: every text against every raw value.

use crate::region_case::{Case, case};
use fastrand::Rng;
use incrowd_core::algorithms::{Algorithm, Finest, Mondrian, NcpCluster};
use incrowd_core::privacy::{KMap, PrivacyModel};
use incrowd_core::problem::{Problem, Unwatched};
use incrowd_core::publish::{PublishedRows, SuppressedRows, match_population, publish};
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::random::random_population;
use std::collections::BTreeMap;

/// Whether a published text stands for a raw value, by what it says.
fn stands_for(case: &Case, text: &str, cell: &str, column: usize) -> bool {
    let ways_up = &case.oracle.quasi_identifiers[column].1;
    let way_up = ways_up.iter().find(|way| way[0] == cell).unwrap();
    if text == cell || way_up.iter().any(|label| label == text) {
        return true;
    }
    if let Some(inner) = text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
        return inner.split(", ").any(|element| element == cell);
    }
    let Some(inner) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else {
        return false;
    };
    let mut dashes = inner.match_indices('-');
    let ends = dashes.find_map(|(at, _)| {
        let low: f64 = inner[..at].parse().ok()?;
        let high: f64 = inner[at + 1..].parse().ok()?;
        Some((low, high))
    });
    let (low, high) = ends.expect("an interval");
    let number: Option<f64> = cell.parse().ok();
    number.is_some_and(|number| low <= number && number <= high)
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
        checked += 1;
        let smallest = release.smallest_class() as usize;
        beyond_the_table += usize::from(fewest > smallest);
    }
    assert!(
        checked > 80 && beyond_the_table > 30,
        "{checked} {beyond_the_table}"
    );
}
