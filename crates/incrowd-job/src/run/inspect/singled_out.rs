//! Columns whose names suggest nothing, but that single people out in combination with those proposed.

use super::sampled_rows::{SampledColumn, SampledRows};
use crate::error::Error;
use crate::run::control::Control;

/// A column is added if it makes at least this share of rows unique that were not before.
const LEAST_GAIN: f64 = 0.05;

/// A column to add, and the share of the sampled rows that it makes unique in addition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Addition {
    pub(super) column: usize,
    pub(super) gain: f64,
}

/// Up to `most` of the `possible` columns, each the one that makes the most rows unique in combination with those
/// before.
pub(super) fn additions(
    rows: &SampledRows,
    proposed: &[usize],
    possible: &[usize],
    most: usize,
    control: &Control,
) -> Result<Vec<Addition>, Error> {
    let mut additions: Vec<Addition> = Vec::new();
    let (mut classes, mut alone) = together(rows, proposed);
    while additions.len() < most {
        let mut best = None;
        for &column in possible {
            control.check()?;
            if additions.iter().any(|added| added.column == column) {
                continue;
            }
            let finer = classes.split(&rows.columns[column]);
            let alone = finer.spread().unique;
            if best.as_ref().is_none_or(|(_, _, most)| alone > *most) {
                best = Some((column, finer, alone));
            }
        }
        let Some((column, finer, now)) = best else {
            break;
        };
        let gain = now.saturating_sub(alone) as f64 / rows.rows.max(1) as f64;
        if gain < LEAST_GAIN {
            break;
        }
        additions.push(Addition { column, gain });
        (classes, alone) = (finer, now);
    }
    Ok(additions)
}

/// For each of these columns, the share of the sampled rows that it makes unique in addition to those that others do.
pub(super) fn gains(
    rows: &SampledRows,
    others: &[usize],
    columns: &[usize],
    control: &Control,
) -> Result<Vec<f64>, Error> {
    let (classes, alone) = together(rows, others);
    let gain = |&column: &usize| {
        control.check()?;
        let now = classes.split(&rows.columns[column]).spread().unique;
        Ok(now.saturating_sub(alone) as f64 / rows.rows.max(1) as f64)
    };
    columns.iter().map(gain).collect()
}

/// The classes of several columns, and the rows that are alone in theirs.
fn together(rows: &SampledRows, columns: &[usize]) -> (SampledColumn, u64) {
    let mut classes = rows.one_class();
    for &column in columns {
        classes = classes.split(&rows.columns[column]);
    }
    let alone = classes.spread().unique;
    (classes, alone)
}
