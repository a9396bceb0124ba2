//! Everything an analyst can ask about small tables, held against an oracle that counts rows one by one and shares no
//! code with the server.
//!
//! The *rounded numbers* of a table are all that an analyst may learn from answers about levels: how many rows there are
//! and have each label, rounded down; how many each promise suppresses at each node, in steps. Two tables with the same
//! rounded numbers must give the same answers to all questions. Then no difference of answers, however many are asked,
//! tells more than the rounded numbers; and those fit other tables as well.

use super::*;
use crate::analyst::{masked_spread, masked_tree};
use crate::counted::Counted;
use incrowd_job::{AttachedTable, Control, Ground, Job, MemoryTable, Negotiation, Options};
use std::collections::BTreeMap;
use std::sync::Arc;

const MASK: u64 = 10;
const FLOOR: u64 = 2;
const CEILING: u64 = 6;
/// Raw values of the two columns; each has a level of pairs and one of fours, then `*`.
const VALUES: [u64; 2] = [6, 4];
const HEIGHTS: [usize; 2] = [3, 2];

type Row = [u64; 2];

/// The label of a value at a level, as a number: pairs, then fours, then everything.
fn label(column: usize, level: usize, value: u64) -> u64 {
    match level {
        _ if level == HEIGHTS[column] => 0,
        level => value >> level,
    }
}

fn nodes() -> Vec<[usize; 2]> {
    let first = 0..=HEIGHTS[0];
    first
        .flat_map(|one| (0..=HEIGHTS[1]).map(move |other| [one, other]))
        .collect()
}

/// All that an analyst may learn.
#[derive(Debug, PartialEq, Eq, Clone)]
struct Rounded {
    rows: u64,
    labels: Vec<BTreeMap<u64, u64>>,
    suppressed: Vec<u64>,
}

fn down(rows: u64) -> u64 {
    rows - rows % MASK
}

fn classes_at(rows: &[Row], node: [usize; 2]) -> BTreeMap<[u64; 2], u64> {
    let mut classes = BTreeMap::new();
    for row in rows {
        let key = [label(0, node[0], row[0]), label(1, node[1], row[1])];
        *classes.entry(key).or_default() += 1;
    }
    classes
}

fn suppressed(rows: &[Row], node: [usize; 2], k: u64) -> u64 {
    let classes = classes_at(rows, node);
    classes.values().filter(|size| **size < k).sum()
}

fn rounded(rows: &[Row]) -> Rounded {
    let mut all = Rounded {
        rows: down(rows.len() as u64),
        labels: Vec::new(),
        suppressed: Vec::new(),
    };
    for column in 0..2 {
        for level in 0..=HEIGHTS[column] {
            let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
            for row in rows {
                *counts.entry(label(column, level, row[column])).or_default() += 1;
            }
            counts.retain(|_, rows| *rows >= MASK);
            all.labels.push(
                counts
                    .into_iter()
                    .map(|(label, rows)| (label, down(rows)))
                    .collect(),
            );
        }
    }
    for node in nodes() {
        for k in FLOOR..=CEILING {
            let step = (2 * k).next_multiple_of(MASK);
            all.suppressed.push(suppressed(rows, node, k) / step);
        }
    }
    all
}

fn counted(rows: &[Row]) -> Counted {
    let cells = rows
        .iter()
        .map(|row| [format!("a{}", row[0]), format!("b{}", row[1])]);
    let table = MemoryTable::new(["one", "two"], cells).unwrap();
    let hierarchies = tempfile::tempdir().unwrap();
    let mut job = Job::default().quasi_identifiers(["one", "two"]);
    for (column, name) in ["one", "two"].iter().enumerate() {
        let mut text = String::new();
        for value in 0..VALUES[column] {
            let letter = ["a", "b"][column];
            text += &format!("{letter}{value}");
            for level in 1..HEIGHTS[column] {
                text += &format!(",{letter}{}-{}", level, label(column, level, value));
            }
            text += ",*\n";
        }
        let path = hierarchies.path().join(format!("{name}.csv"));
        std::fs::write(&path, text).unwrap();
        job = job.hierarchy(*name, path.to_str().unwrap());
    }
    job.data.table = Some(AttachedTable::new(table));
    let ground = Ground::count(&job, &Control::default()).unwrap();
    let options = Options {
        many_questions: true,
        ..Options::default()
    };
    let control = Arc::new(Control::default());
    Counted {
        generation: 1,
        negotiation: Negotiation::new(Arc::new(ground), options, &control).unwrap(),
        control,
        columns: vec![0, 1],
    }
}

fn bounds() -> Bounds {
    let mut bounds = Bounds {
        mask: MASK as u32,
        max_suppressed: incrowd_job::Budget::Percent(100.0),
        ..Bounds::default()
    };
    bounds.models[0].floor = FLOOR as f64;
    bounds.models[0].ceiling = CEILING as f64;
    bounds
}

/// Every answer to every question that an analyst can ask about levels and rows.
fn all_answers(counted: &Counted) -> Vec<Value> {
    let bounds = bounds();
    let mut answers = Vec::new();
    let mask = Mask::of_rows(counted, bounds.mask);
    answers.push(json!(mask.rows()));
    for column in 0..2 {
        let shown = counted.ground().levels_shown(column).unwrap();
        answers.push(masked_tree(&shown, &mask));
    }
    for k in FLOOR..=CEILING {
        for node in nodes() {
            for budget in ["0", "5", "10", "17", "20", "33", "\"20%\"", "\"66.6%\""] {
                let text = format!(
                    r#"{{"model":"k-anonymity","parameter":{k},"max_suppressed":{budget},"max_levels":[{},{}]}}"#,
                    node[0], node[1]
                );
                let asked = match of_wish(counted, &bounds, &text) {
                    Ok(asked) => asked,
                    Err(failure) => {
                        answers.push(serde_json::to_value(failure).unwrap());
                        continue;
                    }
                };
                let answer = negotiate(counted, &bounds, &asked).unwrap();
                answers.push(serde_json::to_value(answer).unwrap());
                if budget == "10" {
                    answers.push(curve(counted, &bounds, &asked).unwrap());
                    let filter = LatticeFilter {
                        at_most_suppressed: Some(17),
                        ..LatticeFilter::default()
                    };
                    for filter in [LatticeFilter::default(), filter] {
                        let drawn = lattice(counted, &asked, &filter).unwrap();
                        answers.push(serde_json::to_value(drawn).unwrap());
                    }
                    let levels = [node[0] as u8, node[1] as u8];
                    let spread = counted.ground().spread(&asked.wish, &levels).unwrap();
                    let offer = counted
                        .negotiation
                        .offer_at(&asked.wish, &levels, &counted.control)
                        .unwrap();
                    let mask = Mask::new(counted, &bounds, (asked.entry, &asked.wish)).unwrap();
                    let suppressed = mask.suppressed(offer.rows_suppressed);
                    answers.push(masked_spread(spread, suppressed, &mask));
                }
            }
        }
    }
    answers
}

fn random_rows(random: &mut fastrand::Rng) -> Vec<Row> {
    let rows = random.usize(20..45);
    let skewed = |random: &mut fastrand::Rng, values: u64| {
        random.u64(0..values) * random.u64(0..2) + random.u64(0..2)
    };
    (0..rows)
        .map(|_| {
            [
                skewed(random, VALUES[0]).min(VALUES[0] - 1),
                skewed(random, VALUES[1]).min(VALUES[1] - 1),
            ]
        })
        .collect()
}

/// All tables that differ in one row: one less, one more, or one of another kind.
fn neighbors(rows: &[Row]) -> Vec<Vec<Row>> {
    let mut found = Vec::new();
    let domain = || (0..VALUES[0]).flat_map(|one| (0..VALUES[1]).map(move |other| [one, other]));
    for row in domain() {
        found.push([rows, &[row]].concat());
    }
    for at in 0..rows.len() {
        if rows[..at].contains(&rows[at]) {
            continue;
        }
        let mut fewer = rows.to_vec();
        fewer.remove(at);
        found.push(fewer);
        for row in domain().filter(|row| *row != rows[at]) {
            let mut other = rows.to_vec();
            other[at] = row;
            found.push(other);
        }
    }
    found
}

fn numbers_of_rows<'v>(value: &'v Value, found: &mut Vec<(&'v str, u64)>) {
    const NAMES: [&str; 9] = [
        "rows",
        "rows_suppressed",
        "rows_beyond",
        "classes",
        "least",
        "greatest",
        "budget",
        "more",
        "suppressed",
    ];
    match value {
        Value::Array(items) => items.iter().for_each(|item| numbers_of_rows(item, found)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_u64() {
                    Some(number) if NAMES.contains(&name.as_str()) => found.push((name, number)),
                    _ if name == "points" => {
                        let points = field.as_array().unwrap().iter();
                        found.extend(points.map(|point| ("points", point[1].as_u64().unwrap())));
                    }
                    _ => numbers_of_rows(field, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_number_of_rows_is_a_multiple_of_the_mask_and_every_label_has_as_many() {
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..3 {
        let rows = random_rows(&mut random);
        let counted = counted(&rows);
        let answers = all_answers(&counted);
        let mut found = Vec::new();
        answers
            .iter()
            .for_each(|answer| numbers_of_rows(answer, &mut found));
        assert!(found.len() > 1000);
        for (name, number) in found {
            assert_eq!(number % MASK, 0, "{name}");
        }
        // Raw values that too few rows have are named nowhere.
        let text = Value::Array(answers).to_string();
        for (column, letter) in ["a", "b"].iter().enumerate() {
            for value in 0..VALUES[column] {
                let count = rows.iter().filter(|row| row[column] == value).count() as u64;
                let is_named = text.contains(&format!("\"{letter}{value}\""));
                assert_eq!(is_named, count >= MASK, "{letter}{value} in {count} rows");
            }
        }
    }
}

#[test]
fn tables_with_the_same_rounded_numbers_give_the_same_answers_to_everything() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut compared = 0;
    for _ in 0..6 {
        let rows = random_rows(&mut random);
        let known = rounded(&rows);
        let same: Vec<Vec<Row>> = neighbors(&rows)
            .into_iter()
            .filter(|other| rounded(other) == known)
            .collect();
        if same.is_empty() {
            continue;
        }
        let answers = all_answers(&counted(&rows));
        for other in same.iter().take(3) {
            compared += 1;
            let others = all_answers(&counted(other));
            for (answer, other_answer) in answers.iter().zip(&others) {
                assert_eq!(answer, other_answer, "{rows:?} and {other:?}");
            }
        }
    }
    assert!(compared >= 12, "only {compared} pairs of tables were alike");
}

/// A table as the number of rows with each pair of values: quick to change and to count.
type Cells = [u64; 24];

fn cells(rows: &[Row]) -> Cells {
    let mut cells = [0; 24];
    for row in rows {
        cells[(row[0] * VALUES[1] + row[1]) as usize] += 1;
    }
    cells
}

fn rows_of(cells: &Cells) -> Vec<Row> {
    let places = (0..).zip(cells);
    let rows =
        places.flat_map(|(at, &count)| (0..count).map(move |_| [at / VALUES[1], at % VALUES[1]]));
    rows.collect()
}

fn suppressed_in(cells: &Cells, node: [usize; 2], k: u64) -> u64 {
    let mut classes = [0; 24];
    for (at, count) in (0..).zip(cells) {
        let key = label(0, node[0], at / VALUES[1]) * VALUES[1] + label(1, node[1], at % VALUES[1]);
        classes[key as usize] += count;
    }
    classes.iter().filter(|size| **size < k).sum()
}

/// The same rounded numbers, in another form.
fn rounded_cells(cells: &Cells) -> Vec<u64> {
    let mut all = vec![down(cells.iter().sum())];
    for column in 0..2 {
        for level in 0..=HEIGHTS[column] {
            let mut counts = [0; 6];
            for (at, count) in (0..).zip(cells) {
                let value = [at / VALUES[1], at % VALUES[1]][column];
                counts[label(column, level, value) as usize] += count;
            }
            all.extend(counts.map(down));
        }
    }
    for node in nodes() {
        for k in FLOOR..=CEILING {
            all.push(suppressed_in(cells, node, k) / (2 * k).next_multiple_of(MASK));
        }
    }
    all
}

/// Changes some rows: one more, one less, one of another kind.
fn change(cells: &mut Cells, random: &mut fastrand::Rng) {
    let (one, other) = (random.usize(0..24), random.usize(0..24));
    match random.u8(0..3) {
        0 => cells[one] += 1,
        1 => cells[one] = cells[one].saturating_sub(1),
        _ if cells[one] > 0 => {
            cells[one] -= 1;
            cells[other] += 1;
        }
        _ => {}
    }
}

/// Tables that nobody can tell from this one by any answers, found by walking from one to the next.
struct Alike {
    rounded: Vec<u64>,
    found: Vec<Cells>,
}

impl Alike {
    fn to(cells: Cells, random: &mut fastrand::Rng) -> Self {
        let mut alike = Alike {
            rounded: rounded_cells(&cells),
            found: vec![cells],
        };
        alike.walk(5_000, random, &|_| false);
        alike
    }

    /// Goes on until one of them differs as wanted.
    fn walk(
        &mut self,
        steps: usize,
        random: &mut fastrand::Rng,
        differs: &dyn Fn(&Cells) -> bool,
    ) -> bool {
        for _ in 0..steps {
            let mut other = *random.choice(&self.found).unwrap();
            for _ in 0..random.usize(1..5) {
                change(&mut other, random);
            }
            if rounded_cells(&other) == self.rounded {
                if self.found.len() < 500 {
                    self.found.push(other);
                }
                if differs(&other) {
                    return true;
                }
            }
        }
        false
    }

    fn has(&mut self, random: &mut fastrand::Rng, differs: &dyn Fn(&Cells) -> bool) -> bool {
        self.found.iter().any(differs) || self.walk(200_000, random, differs)
    }
}

#[test]
fn no_number_below_the_mask_is_certain_after_all_questions() {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut labels, mut sums) = (0, 0);
    for _ in 0..5 {
        let table = cells(&random_rows(&mut random));
        assert_eq!(cells(&rows_of(&table)), table);
        let mut alike = Alike::to(table, &mut random);
        for column in 0..2 {
            for value in 0..VALUES[column] {
                let count = |cells: &Cells| -> u64 {
                    let places = (0..).zip(cells);
                    let own =
                        places.filter(|(at, _)| [at / VALUES[1], at % VALUES[1]][column] == value);
                    own.map(|(_, count)| count).sum()
                };
                let own = count(&table);
                if own > 0 && own < MASK {
                    labels += 1;
                    let is_open = alike.has(&mut random, &|other| count(other) != own);
                    assert!(is_open, "value {value} of column {column} in {table:?}");
                }
            }
        }
        for node in nodes() {
            for k in FLOOR..=CEILING {
                let own = suppressed_in(&table, node, k);
                if own > 0 && own < MASK {
                    sums += 1;
                    let is_open =
                        alike.has(&mut random, &|other| suppressed_in(other, node, k) != own);
                    assert!(
                        is_open,
                        "rows suppressed at {node:?} with k = {k} in {table:?}"
                    );
                }
            }
        }
    }
    assert!(labels > 15 && sums > 50, "{labels} labels, {sums} sums");
}

#[test]
fn both_ways_to_round_agree() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..50 {
        let one = random_rows(&mut random);
        let mut other = cells(&one);
        change(&mut other, &mut random);
        let other = rows_of(&other);
        let is_same = rounded(&one) == rounded(&other);
        assert_eq!(
            is_same,
            rounded_cells(&cells(&one)) == rounded_cells(&cells(&other))
        );
    }
}
