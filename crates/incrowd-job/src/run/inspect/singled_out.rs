//! Columns whose names suggest nothing, but that single people out in combination with those proposed.

use super::hash;
use crate::error::Error;
use crate::run::control::Control;
use crate::run::input;
use crate::spec::Job;
use hashbrown::HashMap;
use incrowd_core::table::RowBatch;
use incrowd_io::RowSource;

/// The number of first rows examined.
const MOST_ROWS: usize = 50_000;

/// A column is added if it makes at least this share of rows unique that were not before.
const LEAST_GAIN: f64 = 0.05;

/// A column to add, and the share of rows that it makes unique in addition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Addition {
    pub(super) column: usize,
    pub(super) gain: f64,
}

/// Up to `most` of the `possible` columns, each the one that makes the most rows unique in combination with those
/// before.
pub(super) fn additions(
    job: &Job,
    source: &dyn RowSource,
    proposed: &[usize],
    possible: &[usize],
    most: usize,
    control: &Control,
) -> Result<Vec<Addition>, Error> {
    if possible.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    let all: Vec<usize> = proposed.iter().chain(possible).copied().collect();
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); all.len()];
    let mut known: Vec<HashMap<u64, u32>> = vec![HashMap::new(); all.len()];
    let missing = input::missing(job);
    let mut reader = source.open()?;
    let mut batch = RowBatch::default();
    while codes[0].len() < MOST_ROWS && reader.read(&mut batch)? {
        control.check()?;
        for row in 0..batch.rows().min(MOST_ROWS - codes[0].len()) {
            for ((&at, codes), known) in all.iter().zip(&mut codes).zip(&mut known) {
                let text = std::str::from_utf8(batch.cell(row, at)).unwrap_or_default();
                let next = known.len() as u32;
                let code = known.entry(hash(missing.normalize(text))).or_insert(next);
                codes.push(*code);
            }
        }
    }
    let rows = codes[0].len();
    let (given, possible_codes) = codes.split_at(proposed.len());
    let mut classes = vec![0_u32; rows];
    for column in given {
        classes = split(&classes, column);
    }
    let mut additions: Vec<Addition> = Vec::new();
    let mut alone = rows_alone(&classes);
    while additions.len() < most {
        control.check()?;
        let mut best: Option<(usize, Vec<u32>, usize)> = None;
        for (column, codes) in possible.iter().zip(possible_codes) {
            if additions.iter().any(|added| added.column == *column) {
                continue;
            }
            let finer = split(&classes, codes);
            let alone = rows_alone(&finer);
            if best.as_ref().is_none_or(|(_, _, most)| alone > *most) {
                best = Some((*column, finer, alone));
            }
        }
        let Some((column, finer, now)) = best else {
            break;
        };
        let gain = (now - alone) as f64 / rows.max(1) as f64;
        if gain < LEAST_GAIN {
            break;
        }
        additions.push(Addition { column, gain });
        (classes, alone) = (finer, now);
    }
    Ok(additions)
}

/// The classes of rows, split by one more column.
fn split(classes: &[u32], column: &[u32]) -> Vec<u32> {
    let mut finer: HashMap<(u32, u32), u32> = HashMap::new();
    let pairs = classes.iter().zip(column);
    pairs
        .map(|(&class, &code)| {
            let next = finer.len() as u32;
            *finer.entry((class, code)).or_insert(next)
        })
        .collect()
}

/// Rows that are alone in their class.
fn rows_alone(classes: &[u32]) -> usize {
    let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut rows = vec![0_u32; count];
    for &class in classes {
        rows[class as usize] += 1;
    }
    rows.iter().filter(|&&rows| rows == 1).count()
}
