//! Tables for the tests of several algorithms.

use crate::counts::{CountedTable, Missing, RowCounter};
use crate::draw::Draw;
use crate::hierarchy::Hierarchy;
use crate::table::RowBatch;

/// So many columns with four levels each, and one that is counted.
pub(in crate::algorithms) fn random_table(columns: usize, draw: &mut Draw) -> CountedTable {
    let names: Vec<String> = (0..=columns).map(|column| format!("c{column}")).collect();
    let quasi: Vec<usize> = (0..columns).collect();
    let mut counter = RowCounter::new(&names, &quasi, &[columns]);
    let mut batch = RowBatch::new(names.len());
    for _ in 0..300 {
        for column in 0..names.len() {
            let values = if column < columns { 8 } else { 5 };
            let cell = draw.below(values).min(draw.below(values));
            batch.push_cell(cell.to_string().as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let hierarchies = names[..columns].iter().map(|name| four_levels(name));
    counter
        .finish(hierarchies.collect(), vec![None], Missing::default())
        .unwrap()
}

/// The values from 0 to 7, by two, by four, and all.
pub(in crate::algorithms) fn four_levels(name: &str) -> Hierarchy {
    let ways_up: Vec<Vec<String>> = (0..8)
        .map(|value| {
            let (pair, half) = (format!("pair {}", value / 2), format!("half {}", value / 4));
            vec![value.to_string(), pair, half, "*".to_owned()]
        })
        .collect();
    Hierarchy::from_rows(name, &ways_up).unwrap()
}
