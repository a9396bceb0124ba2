//! The bundled Adult table, counted.

use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{self, Hierarchy};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Source};
use std::path::{Path, PathBuf};

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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult")
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
    let hierarchies = quasi_identifiers
        .iter()
        .map(|column| hierarchy(column))
        .collect();
    let distances = vec![None; counted.len()];
    counter
        .finish(hierarchies, distances, Missing::default())
        .expect("every value is listed")
}

fn hierarchy(column: &str) -> Hierarchy {
    let path = folder().join("hierarchies").join(format!("{column}.csv"));
    let bytes = std::fs::read(path).expect("the hierarchies are part of the project");
    hierarchy::parse(&bytes, hierarchy::Options::new(column)).expect("the hierarchies are sound")
}
