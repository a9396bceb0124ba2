//! Whatever raw values look like, every algorithm's release can be written, and read back for what it stands for.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{ExtraLeaf, Hierarchy, automatic, build};
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::publish::{
    PublishedRows, SuppressedRows, compare_with_original, publish, verify,
};
use incrowd_core::recode::PublishedNumbers;
use incrowd_core::table::{Kind, RowBatch};
use incrowd_core::utility::MetricSpec;
use std::collections::{BTreeMap, BTreeSet};

/// Texts that look like something this program writes, or are hard to write at all.
const NASTY: &[&str] = &[
    "",
    "*",
    "**",
    "{*}",
    "a",
    "b",
    "c",
    ",",
    ", ",
    "a, b",
    "\"",
    "\"a\"",
    "\"\"",
    "{",
    "}",
    "{}",
    "{{",
    "}}",
    "{a}",
    "{a, b}",
    "{{a, b}}",
    "{{{a, b}}}",
    "{\"a\", b}",
    "{b, a}",
    "[",
    "]",
    "[]",
    "[1-2]",
    "[[1-2]]",
    "[1,2)",
    "1-2",
    "1..2",
    "-",
    "--",
    " ",
    "  ",
    " a",
    "a ",
    "\ta",
    "a\nb",
    "é",
    "=1+1",
    "any",
    "other",
    "{\"\"}",
    "{ a}",
    "''",
    "a*",
    "\\",
    "\u{feff}a",
];

const NUMBERS: &[&str] = &[
    "1", "2", "3", "-1", "-2", "1.0", "01", "1e3", "1e-3", "10", "0", "-0", "2024", "",
];

const DATES: &[&str] = &[
    "2024-01-02",
    "2024-01-03",
    "2024-02-01",
    "2023-12-31",
    "1999-01-01",
    "",
];

/// Some of these texts, each once.
fn some<'a>(texts: &[&'a str], most: usize, rng: &mut Rng) -> Vec<&'a str> {
    let mut texts = texts.to_vec();
    rng.shuffle(&mut texts);
    texts.truncate(rng.usize(1..=most));
    texts
}

struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Two quasi-identifiers, a column to predict, and the number of the row, which keeps rows from being all `*`.
    fn random(rng: &mut Rng) -> Self {
        let pools = [NASTY, NASTY, NUMBERS, DATES];
        let values: Vec<Vec<&str>> = (0..2)
            .map(|_| some(pools[rng.usize(0..pools.len())], 6, rng))
            .collect();
        let rows = (0..rng.usize(2..=14)).map(|row| {
            let mut cells: Vec<String> = (values.iter())
                .map(|values| values[rng.usize(0..values.len())].to_owned())
                .collect();
            cells.push(["yes", "no"][rng.usize(0..2)].to_owned());
            cells.push(row.to_string());
            cells
        });
        Table {
            rows: rows.collect(),
            names: ["p", "q", "target", "row"].map(str::to_owned).to_vec(),
        }
    }

    fn count(&self) -> RowCounter {
        let mut batch = RowBatch::new(self.names.len());
        for cell in self.rows.iter().flatten() {
            batch.push_cell(cell.as_bytes());
        }
        let mut counter = RowCounter::new(&self.names, &[0, 1], &[2]);
        counter.add(&batch).unwrap();
        for value in ["yes", "no"] {
            counter.learn(2, value);
        }
        counter
    }
}

/// Levels for a column, of any making: by rule, chosen from the data, or listed, not always completely and with labels
/// that look like values.
fn levels(column: &str, values: &[(&str, u32)], rng: &mut Rng) -> Hierarchy {
    let texts: Vec<&str> = values.iter().map(|(text, _)| *text).collect();
    let present = texts.iter().copied().filter(|text| !text.is_empty());
    let kind = Kind::of(present);
    match rng.u8(0..6) {
        0 => build::suppress(column, &texts).unwrap(),
        1 => build::mask(column, &texts, 1).unwrap(),
        2 => build::order(column, &texts, build::Arrangement::Natural).unwrap(),
        3 => automatic(column, values, kind).unwrap().hierarchy,
        _ => {
            let labels = some(NASTY, 4, rng);
            let label = |rng: &mut Rng| labels[rng.usize(0..labels.len())];
            let mut listed = Vec::new();
            let mut unlisted = Vec::new();
            for text in &texts {
                match rng.u8(0..5) {
                    0 if !listed.is_empty() => unlisted.push(*text),
                    _ => listed.push([*text, label(rng), "*"]),
                }
            }
            let hierarchy = Hierarchy::from_rows(column, listed);
            // Empty cells take labels of other levels, and then a label may have two parents.
            let Ok(mut hierarchy) = hierarchy else {
                return build::suppress(column, &texts).unwrap();
            };
            for text in unlisted {
                let extra = match text.is_empty() {
                    true => ExtraLeaf::OwnBranch,
                    false => ExtraLeaf::Suppressed,
                };
                hierarchy = hierarchy.with_extra_leaf(text, extra);
            }
            hierarchy
        }
    }
}

/// A published file as `verify` counts it: texts as they stand.
fn counted_as_published(table: &Table) -> CountedTable {
    let counter = table.count();
    let missing = Missing::default();
    let levels = ["p", "q"].iter().enumerate().map(|(at, column)| {
        let values = counter.values(at, &missing);
        let texts: Vec<&str> = values.iter().map(|(text, _)| *text).collect();
        build::suppress(column, &texts).unwrap()
    });
    let levels = levels.collect();
    counter.finish(levels, vec![None], missing).unwrap()
}

#[test]
fn every_release_is_written_and_read_back_whatever_the_values_look_like() {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..400 {
        let rng = &mut Rng::with_seed(seed);
        let table = Table::random(rng);
        let counter = table.count();
        let missing = Missing::default();
        let hierarchies = (["p", "q"].iter().enumerate())
            .map(|(at, column)| levels(column, &counter.values(at, &missing), rng))
            .collect();
        let counted = counter.finish(hierarchies, vec![None], missing).unwrap();
        let promise = format!("k-anonymity(k={})", rng.usize(1..=3));
        let spec: ModelSpec = promise.parse().unwrap();
        let models: Vec<Box<dyn PrivacyModel>> = spec.build_all(&counted.columns, &[]).unwrap();
        let metric = ["discernibility", "hdm"][rng.usize(0..2)];
        let metric = MetricSpec::named(metric).unwrap().build(&counted).unwrap();
        let partition = PartitionSettings {
            schemes: ["p", "q"]
                .map(|column| (column.to_owned(), Scheme::ALL[rng.usize(0..6)]))
                .to_vec(),
            ..PartitionSettings::default()
        };
        let problem = Problem::new(&counted, &models, &*metric)
            .allow_suppressed(rng.u32(0..=counted.rows))
            .with_settings(Settings {
                targets: vec![0],
                without_hierarchy: (0..2).filter(|_| rng.bool()).collect(),
                own: partition.given(),
                ..Settings::default()
            });
        for algorithm in ALGORITHMS {
            let case = format!("seed {seed}, {}", algorithm.entry().name);
            let proposal = match algorithm.solve(&problem, &Unwatched) {
                Ok(proposal) => proposal,
                Err(Error::NoSolution { .. } | Error::TargetNotNumeric { .. }) => continue,
                Err(error) => panic!("{case}: {error}"),
            };
            let release = publish(&problem, &proposal).expect(&case);
            *kinds.entry(release.recoding().name()).or_default() += 1;
            let mut recoder = release
                .recoder(&table.names, &[], SuppressedRows::Drop)
                .unwrap();
            let mut batch = RowBatch::new(table.names.len());
            for cell in table.rows.iter().flatten() {
                batch.push_cell(cell.as_bytes());
            }
            let mut published = PublishedRows::default();
            recoder.recode(&batch, &mut published).unwrap();
            release.confirm(recoder.tally()).expect(&case);
            let rows = published.rows();
            let text = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
            let file = Table {
                names: table.names.clone(),
                rows: (0..rows.rows())
                    .map(|row| (0..rows.columns()).map(|at| text(row, at)).collect())
                    .collect(),
            };
            let looks: BTreeSet<&[String]> = file.rows.iter().map(|row| &row[..2]).collect();
            assert_eq!(
                looks.len(),
                release.classes(),
                "{case}: texts tell classes apart"
            );
            if file.rows.is_empty() {
                continue;
            }
            let file = counted_as_published(&file);
            assert!(verify(&file, &models).is_safe(), "{case}");
            let compared = compare_with_original(&file, &counted, PublishedNumbers::Interval);
            assert_eq!(compared.violations, [], "{case}");
        }
    }
    let enough = kinds.len() == 4 && kinds.values().all(|releases| *releases > 300);
    assert!(enough, "{kinds:?}");
}
