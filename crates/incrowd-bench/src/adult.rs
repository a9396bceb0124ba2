//! The bundled Adult table, counted.

use crate::paths;
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{self, Hierarchy, HierarchySpec};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Source};
use std::path::PathBuf;

/// The eight quasi-identifiers of the benchmarks, of which the smaller sets are the first few.
pub(crate) const QUASI_IDENTIFIERS: [&str; 8] = [
    "age",
    "workclass",
    "race",
    "occupation",
    "education",
    "marital-status",
    "sex",
    "native-country",
];

/// The folder of the table and its hierarchies.
pub(crate) fn folder() -> PathBuf {
    paths::project().join("data/adult")
}

/// Reads and counts the table.
pub(crate) fn count(quasi_identifiers: &[&str], counted: &[&str]) -> CountedTable {
    let source = Source::new(folder().join("adult.csv"), CsvOptions::default());
    let mut reader = source.open().expect("the table is part of the project");
    let names = reader.columns().to_vec();
    let positions = |columns: &[&str]| -> Vec<usize> {
        columns
            .iter()
            .map(|column| {
                names
                    .iter()
                    .position(|name| name == column)
                    .expect("a column of Adult")
            })
            .collect()
    };
    let mut counter = RowCounter::new(&names, &positions(quasi_identifiers), &positions(counted));
    let mut batch = RowBatch::new(names.len());
    while reader.read(&mut batch).expect("the table is sound") {
        counter.add(&batch).expect("the table is UTF-8");
    }
    let missing = Missing::default();
    let hierarchies = quasi_identifiers
        .iter()
        .enumerate()
        .map(|(at, column)| hierarchy(column, &counter.values(at, &missing)))
        .collect();
    let distances = vec![None; counted.len()];
    counter
        .finish(hierarchies, distances, missing)
        .expect("every value is listed")
}

/// The hierarchy of the column; the values and `*` where none is bundled.
fn hierarchy(column: &str, values: &[(&str, u32)]) -> Hierarchy {
    let path = folder().join("hierarchies").join(format!("{column}.csv"));
    if !path.exists() {
        let rule = HierarchySpec::Suppress;
        return rule.build(column, values).expect("any values will do");
    }
    let bytes = std::fs::read(path).expect("the hierarchies are part of the project");
    hierarchy::parse(&bytes, hierarchy::Options::new(column)).expect("the hierarchies are sound")
}
