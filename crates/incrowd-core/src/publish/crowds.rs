//! Crowds if a missing cell may be any value: everyone a row could be.
//!
//! Two classes could be the same if every column is equal, or missing in one of them. Classes that miss the same
//! columns have the same *pattern*. Between two patterns, only the columns that neither misses distinguish classes, so
//! both are sorted by these, and equal neighbors belong together. The work grows with the classes and with the number
//! of patterns, which are few however many cells are missing unless they are missing at random in many columns.

use super::classes::{Class, Classes};
use crate::counts::{Histogram, Work};
use crate::privacy::{ClassView, PrivacyModel};
use crate::problem::{Interruption, Meter};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that cannot be distinguished, and their values of some counted columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Crowd {
    size: u32,
    rows_of_values: BTreeMap<usize, BTreeMap<u32, u32>>,
}

impl Crowd {
    fn add_class(&mut self, class: Class<'_>, columns: &BTreeSet<usize>) {
        self.size += class.size();
        for &column in columns {
            let histogram = class.histogram(column);
            let values = histogram.values.iter().zip(histogram.counts);
            self.add_values(column, values);
        }
    }

    fn add(&mut self, other: &Crowd) {
        self.size += other.size;
        for (&column, rows_of_values) in &other.rows_of_values {
            self.add_values(column, rows_of_values.iter());
        }
    }

    fn add_values<'v>(&mut self, column: usize, values: impl Iterator<Item = (&'v u32, &'v u32)>) {
        let ours = self.rows_of_values.entry(column).or_default();
        for (&value, &rows) in values {
            *ours.entry(value).or_insert(0) += rows;
        }
    }

    /// How many distinct values are counted.
    fn values(&self) -> usize {
        self.rows_of_values.values().map(BTreeMap::len).sum()
    }

    /// Evaluates a model on the crowd.
    pub(super) fn ask<T>(
        &self,
        model: &dyn PrivacyModel,
        question: impl Fn(&ClassView<'_>) -> T,
    ) -> T {
        let rows_of_values = model
            .column()
            .and_then(|column| self.rows_of_values.get(&column));
        let (values, counts): (Vec<u32>, Vec<u32>) = (rows_of_values.into_iter().flatten())
            .map(|(&value, &rows)| (value, rows))
            .unzip();
        let histogram = Histogram {
            values: &values,
            counts: &counts,
        };
        question(&ClassView::new(self.size, histogram))
    }
}

/// The crowd of every published class among the published ones, with the columns that models read; none if every class
/// is its own crowd.
pub(super) fn crowds(
    classes: &Classes,
    models: &[Box<dyn PrivacyModel>],
    meter: &Meter<'_>,
) -> Result<Option<Vec<Crowd>>, Interruption> {
    if classes.wildcards().iter().all(Option::is_none) {
        return Ok(None);
    }
    let all: Vec<Class<'_>> = classes.all().collect();
    let columns: BTreeSet<usize> = models.iter().filter_map(|model| model.column()).collect();
    let mut patterns: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    for (at, class) in all.iter().enumerate() {
        if !class.is_suppressed() {
            let cells = class.groups().iter().zip(classes.wildcards());
            let misses = cells.map(|(group, wildcard)| Some(*group) == *wildcard);
            patterns.entry(misses.collect()).or_default().push(at);
        }
    }
    let mut crowds = vec![Crowd::default(); all.len()];
    for (missed, seekers) in &patterns {
        for (also_missed, members) in &patterns {
            let told: Vec<usize> = (0..missed.len())
                .filter(|&at| !missed[at] && !also_missed[at])
                .collect();
            let told_of = |at: usize| told.iter().map(move |_| at).zip(&told);
            let told_of = |at: usize| told_of(at).map(|(at, column)| all[at].groups()[*column]);
            let sorted = |classes: &[usize]| {
                let mut sorted = classes.to_vec();
                sorted.sort_by(|&one, &other| told_of(one).cmp(told_of(other)));
                sorted
            };
            let (seekers, members) = (sorted(seekers), sorted(members));
            meter.spend(Work::of((seekers.len() + members.len()) * (1 + told.len())))?;
            let mut members = members.as_slice();
            for seekers in seekers.chunk_by(|&one, &other| told_of(one).eq(told_of(other))) {
                let groups = || told_of(seekers[0]);
                let before = members.partition_point(|&at| told_of(at).lt(groups()));
                let alike = members[before..].partition_point(|&at| told_of(at).eq(groups()));
                let (alike, after) = members[before..].split_at(alike);
                members = after;
                let mut found = Crowd::default();
                for &at in alike {
                    found.add_class(all[at], &columns);
                }
                for &at in seekers {
                    crowds[at].add(&found);
                }
                meter.spend(Work::of(alike.len() + seekers.len() * (1 + found.values())))?;
            }
        }
    }
    Ok(Some(crowds))
}
