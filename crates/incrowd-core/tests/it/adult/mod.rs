//! The bundled Adult table, counted.

use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{self, Hierarchy, HierarchySpec};
use incrowd_core::table::RowBatch;
use std::fs;
use std::path::PathBuf;

/// The eight quasi-identifiers of most experiments.
pub(crate) const EIGHT: [&str; 8] = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
];

/// A file of `data/adult`.
pub(crate) fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../data/adult")
        .join(file)
}

/// Adult with these quasi-identifiers and sensitive columns, and the hierarchies it comes with.
pub(crate) fn count(quasi_identifiers: &[&str], sensitive: &[&str]) -> CountedTable {
    count_with(quasi_identifiers, sensitive, |column, _| hierarchy(column))
}

/// Adult with these quasi-identifiers, whose levels are nothing but raw values and `*`.
pub(crate) fn count_without_levels(quasi_identifiers: &[&str]) -> CountedTable {
    count_with(quasi_identifiers, &[], |column, values| {
        HierarchySpec::Suppress.build(column, values).unwrap()
    })
}

fn count_with(
    quasi_identifiers: &[&str],
    sensitive: &[&str],
    hierarchy: impl Fn(&str, &[(&str, u32)]) -> Hierarchy,
) -> CountedTable {
    let mut reader = csv::Reader::from_path(path("adult.csv")).unwrap();
    let names: Vec<String> = reader.headers().unwrap().iter().map(Into::into).collect();
    let positions = |columns: &[&str]| -> Vec<usize> {
        let position = |column: &&str| names.iter().position(|name| name == column).unwrap();
        columns.iter().map(position).collect()
    };
    let (quasi, counted) = (positions(quasi_identifiers), positions(sensitive));
    let mut counter = RowCounter::new(&names, &quasi, &counted);
    let mut batch = RowBatch::new(names.len());
    for record in reader.byte_records() {
        for cell in &record.unwrap() {
            batch.push_cell(cell);
        }
    }
    counter.add(&batch).unwrap();
    let missing = Missing::default();
    let hierarchies = quasi_identifiers.iter().enumerate();
    let hierarchies =
        hierarchies.map(|(at, column)| hierarchy(column, &counter.values(at, &missing)));
    let hierarchies = hierarchies.collect();
    let distances = vec![None; sensitive.len()];
    counter.finish(hierarchies, distances, missing).unwrap()
}

fn hierarchy(column: &str) -> Hierarchy {
    let text = fs::read(path(&format!("hierarchies/{column}.csv"))).unwrap();
    let options = hierarchy::Options::new(column).with_header(hierarchy::Header::Yes);
    hierarchy::parse(&text, options).unwrap()
}
