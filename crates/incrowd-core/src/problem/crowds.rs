//! Judging when a missing cell may be any value.
//!
//! A row with a missing cell then stands in the crowd of every class it might belong to, and its own crowd is
//! every row it might be. That ends where a missing cell is published under the same label as some of the other
//! values: the label is then a value like any other. Crowds overlap, so suppressing one class can shrink another's crowd: classes are
//! suppressed until every crowd that is left keeps its promises.

use super::{Interruption, Meter, Problem};
use crate::counts::{FrequencySet, Histogram, Work};
use crate::privacy::{ClassView, PrivacyModel};
use crate::utility::PublishedAttribute;
use std::collections::BTreeMap;

/// Clears `is_safe` for every class whose crowd breaks one of `models`.
pub(super) fn judge<'m>(
    (problem, attributes): (&Problem<'_>, &[PublishedAttribute<'_>]),
    classes: &FrequencySet,
    models: impl Iterator<Item = &'m dyn PrivacyModel> + Clone,
    is_safe: &mut [bool],
    meter: &Meter<'_>,
) -> Result<(), Interruption> {
    let crowds = Crowds::new(problem, attributes, classes);
    loop {
        let mut unsafe_now: Vec<usize> = Vec::new();
        for class in (0..classes.len()).filter(|&class| is_safe[class]) {
            let members = crowds.members(class, is_safe);
            // Whoever might be in the crowd is asked, and most are not.
            meter.spend(Work::of(crowds.asked(class) + members.len()))?;
            if !models.clone().all(|model| holds(model, classes, &members)) {
                unsafe_now.push(class);
            }
        }
        if unsafe_now.is_empty() {
            return Ok(());
        }
        for class in unsafe_now {
            is_safe[class] = false;
        }
    }
}

struct Crowds {
    attributes: usize,
    /// The groups of each class; `None` where the cell is missing and not generalized together with others.
    groups: Vec<Option<u32>>,
    /// Classes with a missing cell.
    with_missing: Vec<usize>,
}

impl Crowds {
    fn new(
        problem: &Problem<'_>,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
    ) -> Self {
        let table = problem.table;
        let missing: Vec<Option<u32>> = (table.attributes.iter().zip(attributes))
            .map(|(attribute, shown)| {
                // A group with other values is no missing cell any more: who knows that somebody has one of these
                // looks for that group only.
                let is_told_apart =
                    |group: &u32| shown.leaves.len() > 1 && shown.leaves[*group as usize] == 1;
                (attribute.missing)
                    .map(|leaf| shown.groups_of_leaves[leaf as usize])
                    .filter(is_told_apart)
            })
            .collect();
        let attributes = missing.len();
        let groups: Vec<Option<u32>> = (0..classes.len())
            .flat_map(|class| (0..attributes).map(move |attribute| (class, attribute)))
            .map(|(class, attribute)| {
                let group = table.group(classes, class, attribute);
                (Some(group) != missing[attribute]).then_some(group)
            })
            .collect();
        let with_missing = groups
            .chunks_exact(attributes)
            .enumerate()
            .filter(|(_, groups)| groups.contains(&None))
            .map(|(class, _)| class)
            .collect();
        Crowds {
            attributes,
            groups,
            with_missing,
        }
    }

    fn groups(&self, class: usize) -> &[Option<u32>] {
        &self.groups[class * self.attributes..][..self.attributes]
    }

    fn matches(&self, one: usize, other: usize) -> bool {
        let pairs = self.groups(one).iter().zip(self.groups(other));
        pairs
            .clone()
            .all(|(one, other)| one.is_none() || other.is_none() || one == other)
    }

    /// How many classes [`Crowds::members`] looks at.
    fn asked(&self, class: usize) -> usize {
        match self.groups(class).contains(&None) {
            true => self.groups.len() / self.attributes,
            false => 1 + self.with_missing.len(),
        }
    }

    /// The published classes whose rows stand in the crowd of `class`, itself included.
    fn members(&self, class: usize, is_safe: &[bool]) -> Vec<usize> {
        if self.groups(class).contains(&None) {
            return (0..is_safe.len())
                .filter(|&other| is_safe[other] && self.matches(class, other))
                .collect();
        }
        let others = self.with_missing.iter().copied();
        std::iter::once(class)
            .chain(others.filter(|&other| is_safe[other] && self.matches(class, other)))
            .collect()
    }
}

fn holds(model: &dyn PrivacyModel, classes: &FrequencySet, members: &[usize]) -> bool {
    let size = members.iter().map(|&class| classes.sizes()[class]).sum();
    let mut rows = BTreeMap::new();
    if let Some(column) = model.column() {
        let histograms = classes.histograms(column);
        for &class in members {
            let histogram = histograms.class(class);
            for (&value, &count) in histogram.values.iter().zip(histogram.counts) {
                *rows.entry(value).or_insert(0) += count;
            }
        }
    }
    let (values, counts): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
    model.holds(&ClassView {
        size,
        histogram: Histogram {
            values: &values,
            counts: &counts,
        },
    })
}
