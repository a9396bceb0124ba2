//! Counting at the size where the short cuts of the kernel are taken: thousands of tuples, keys of one and of
//! several words, upper key spaces small and large.

use fastrand::Rng;
use incrowd_core::counts::{CountedTable, FrequencySet, Scratch, roll_up};
use incrowd_core::lattice::{Level, Node};
use incrowd_core::table::ValueCode;
use incrowd_testkit::census;
use incrowd_testkit::oracle::{OracleProblem, RawHierarchy};
use incrowd_testkit::tiny_problem;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A census of 10000 rows with seven quasi-identifiers and the income as sensitive column.
fn census_problem() -> OracleProblem {
    let mut file = Vec::new();
    census(10_000, 1, &mut file).unwrap();
    let text = String::from_utf8(file).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let (quasi, sensitive) = header.rsplit_once(',').unwrap();
    let columns = format!("{} | {sensitive}", quasi.replace(',', " "));
    let mut problem = tiny_problem(&columns, &rows.replace(',', " "));
    for (column, ways_up) in &mut problem.quasi_identifiers {
        match column.as_str() {
            "age" => refine(ways_up, |age| {
                let age: u32 = age.parse().unwrap();
                vec![(age / 5).to_string(), (age / 20).to_string()]
            }),
            "zip" => refine(ways_up, |zip| {
                let prefixes = (1..zip.len()).rev().map(|length| zip[..length].to_owned());
                prefixes.collect()
            }),
            "education" | "occupation" => refine(ways_up, |value| vec![value[..1].to_owned()]),
            _ => {}
        }
    }
    problem.max_levels = (problem.quasi_identifiers.iter())
        .map(|(_, ways_up)| ways_up[0].len() as u8 - 1)
        .collect();
    problem
}

/// Puts levels between the values and the top.
fn refine(ways_up: &mut RawHierarchy, groups: impl Fn(&str) -> Vec<String>) {
    for way in ways_up {
        let between = groups(&way[0]);
        way.splice(1..1, between);
    }
}

/// Lists values that no row has until keys need more than one word.
fn widened(mut problem: OracleProblem) -> OracleProblem {
    for (_, ways_up) in &mut problem.quasi_identifiers {
        let levels = ways_up[0].len();
        for value in ways_up.len()..1100 {
            let mut way = vec![format!("none {value}"); levels - 1];
            way.push("*".into());
            ways_up.push(way);
        }
    }
    problem
}

/// Of each class the published texts, its rows and the rows of each sensitive value.
type Classes<'a> = HashMap<Vec<&'a str>, (u32, BTreeMap<&'a str, u32>)>;

/// The rows grouped by their texts.
fn grouped<'a>(problem: &'a OracleProblem, node: &Node) -> Classes<'a> {
    let ways_up: Vec<HashMap<&str, &str>> = (problem.quasi_identifiers.iter())
        .zip(node.levels())
        .map(|((_, ways_up), level)| {
            let labels = ways_up.iter();
            labels
                .map(|way| (way[0].as_str(), way[level.index()].as_str()))
                .collect()
        })
        .collect();
    let mut classes = Classes::new();
    for row in &problem.table.rows {
        let (income, quasi) = row.split_last().unwrap();
        let cells = quasi.iter().zip(&ways_up);
        let look = cells.map(|(cell, ways_up)| ways_up[cell.as_str()]);
        let (size, incomes) = classes.entry(look.collect()).or_default();
        *size += 1;
        *incomes.entry(income).or_default() += 1;
    }
    classes
}

/// What the core counted, as texts.
fn spelled_out<'a>(table: &'a CountedTable, node: &Node, classes: &FrequencySet) -> Classes<'a> {
    let class = |class: usize| {
        let look = (table.attributes.iter().enumerate()).map(|(at, attribute)| {
            let group = table.group(classes, class, at);
            attribute.hierarchy.label(node.level(at), group)
        });
        let histogram = classes.histograms(0).class(class);
        let incomes = histogram.values.iter().zip(histogram.counts);
        let text = |value| table.columns[0].values.text(ValueCode(value));
        let incomes = incomes.map(|(&value, &rows)| (text(value), rows)).collect();
        (look.collect(), (classes.sizes()[class], incomes))
    };
    (0..classes.len()).map(class).collect()
}

#[test]
fn classes_of_a_census_are_its_rows_grouped_by_text() {
    let narrow = census_problem();
    let wide = widened(narrow.clone());
    let tables = [
        narrow.prepare().unwrap().table,
        wide.prepare().unwrap().table,
    ];
    let words: Vec<usize> = tables.iter().map(|table| table.layout.words()).collect();
    assert_eq!(words, [1, 2]);
    let rng = &mut Rng::with_seed(5);
    let scratch = &mut Scratch::default();
    let top = tables[0].lattice().top().clone();
    let mut seen = BTreeSet::new();
    for _ in 0..6 {
        let mut node = tables[0].lattice().bottom();
        let mut lower = tables.each_ref().map(|table| table.tuples.clone());
        while node != top {
            // One or two attributes at a time, so that there are many stations on the way.
            let mut higher = node.clone();
            for _ in 0..rng.usize(1..=2) {
                let attribute = rng.usize(0..top.len());
                let level = rng.u8(node.level(attribute).0..=top.level(attribute).0);
                higher = higher.with(attribute, Level(level));
            }
            let expected = grouped(&narrow, &higher);
            for (table, lower) in tables.iter().zip(&mut lower) {
                let mut upper = FrequencySet::default();
                roll_up(table, (&node, lower), &higher, &[0], scratch, &mut upper);
                assert!(
                    spelled_out(table, &higher, &upper) == expected,
                    "{higher:?}"
                );
                *lower = upper;
            }
            seen.insert(higher.clone());
            node = higher;
            if expected.len() < 50 {
                break;
            }
        }
    }
    assert!(seen.len() > 30, "{} nodes", seen.len());
}
