//! Judging classes if a missing cell may be any value.
//!
//! A row with a missing cell is then in the crowd of every class it could belong to, and its own crowd is every row it
//! could be. The exception is a missing cell that is published under the same label as some other values: the label is
//! then a value like any other. Crowds overlap, so suppressing one class can shrink another's crowd: classes are
//! suppressed until every remaining crowd satisfies the models.
//!
//! Classes are sorted into kinds by the columns they miss. Whether classes of two kinds are in each other's crowds
//! depends on the columns that neither misses: the classes of one kind are added up by their values there, and those of
//! the other look them up. So the work grows with the classes times the kinds, not with the pairs of classes.

use super::{Interruption, Meter, Problem};
use crate::counts::{FrequencySet, Histogram, Work};
use crate::privacy::{ClassView, PrivacyModel};
use crate::utility::PublishedAttribute;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Clears `is_safe` for every class whose crowd violates one of `models`.
pub(super) fn judge<'m>(
    (problem, attributes): (&Problem<'_>, &[PublishedAttribute<'_>]),
    classes: &FrequencySet,
    models: impl Iterator<Item = &'m dyn PrivacyModel> + Clone,
    is_safe: &mut [bool],
    meter: &Meter<'_>,
) -> Result<(), Interruption> {
    let mut columns: Vec<usize> = models.clone().filter_map(PrivacyModel::column).collect();
    columns.sort_unstable();
    columns.dedup();
    let kinds = Kinds::new(problem, attributes, classes);
    loop {
        let crowds = kinds.crowds(classes, &columns, is_safe, meter)?;
        let mut all_are_safe = true;
        for (crowd, is_safe) in crowds.iter().zip(&mut *is_safe) {
            if *is_safe && !models.clone().all(|model| crowd.keeps(model, &columns)) {
                *is_safe = false;
                all_are_safe = false;
            }
        }
        if all_are_safe {
            return Ok(());
        }
    }
}

/// The rows a person could be, and their values of the columns that models read.
#[derive(Default, Clone)]
struct Crowd {
    size: u32,
    rows_of_values: Vec<BTreeMap<u32, u32>>,
}

impl Crowd {
    fn add_class(&mut self, classes: &FrequencySet, class: usize, columns: &[usize]) {
        self.size += classes.sizes()[class];
        self.rows_of_values.resize(columns.len(), BTreeMap::new());
        for (rows_of_values, &column) in self.rows_of_values.iter_mut().zip(columns) {
            let histogram = classes.histograms(column).class(class);
            for (&value, &rows) in histogram.values.iter().zip(histogram.counts) {
                *rows_of_values.entry(value).or_insert(0) += rows;
            }
        }
    }

    fn add(&mut self, other: &Crowd) -> Work {
        self.size += other.size;
        self.rows_of_values
            .resize(other.rows_of_values.len(), BTreeMap::new());
        let mut touched = 1;
        for (ours, theirs) in self.rows_of_values.iter_mut().zip(&other.rows_of_values) {
            touched += theirs.len();
            for (&value, &rows) in theirs {
                *ours.entry(value).or_insert(0) += rows;
            }
        }
        Work::of(touched)
    }

    fn keeps(&self, model: &dyn PrivacyModel, columns: &[usize]) -> bool {
        let column = model
            .column()
            .and_then(|it| columns.binary_search(&it).ok());
        let rows_of_values = column.and_then(|column| self.rows_of_values.get(column));
        let (values, counts): (Vec<u32>, Vec<u32>) = (rows_of_values.into_iter().flatten())
            .map(|(&value, &rows)| (value, rows))
            .unzip();
        let histogram = Histogram {
            values: &values,
            counts: &counts,
        };
        model.holds(&ClassView::new(self.size, histogram))
    }
}

/// Classes by the columns they miss.
struct Kinds {
    attributes: usize,
    /// The groups of each class; `None` if the cell is missing and not generalized together with others.
    groups: Vec<Option<u32>>,
    /// The classes of each kind.
    classes: Vec<Vec<usize>>,
}

impl Kinds {
    fn new(
        problem: &Problem<'_>,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
    ) -> Self {
        let table = problem.table;
        let missing: Vec<Option<u32>> = (table.attributes.iter().zip(attributes))
            .map(|(attribute, shown)| {
                // A group with other values is no longer a missing cell: someone who knows that a person has one of
                // these values looks only for that group.
                let is_told_apart =
                    |group: &u32| shown.leaves.len() > 1 && shown.leaves[*group as usize] == 1;
                (attribute.missing)
                    .map(|leaf| shown.groups_of_leaves()[leaf.index()])
                    .filter(is_told_apart)
            })
            .collect();
        let attributes = missing.len();
        let groups: Vec<Option<u32>> = (0..classes.len())
            .flat_map(|class| (0..attributes).map(move |attribute| (class, attribute)))
            .map(|(class, attribute)| {
                let group = table.group(classes, class, attribute).0;
                (Some(group) != missing[attribute]).then_some(group)
            })
            .collect();
        let mut kinds: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
        for (class, groups) in groups.chunks_exact(attributes).enumerate() {
            let misses = groups.iter().map(Option::is_none).collect();
            kinds.entry(misses).or_default().push(class);
        }
        Kinds {
            attributes,
            groups,
            classes: kinds.into_values().collect(),
        }
    }

    fn groups(&self, class: usize) -> &[Option<u32>] {
        &self.groups[class * self.attributes..][..self.attributes]
    }

    /// The crowd of every class among those that are safe so far.
    fn crowds(
        &self,
        classes: &FrequencySet,
        columns: &[usize],
        is_safe: &[bool],
        meter: &Meter<'_>,
    ) -> Result<Vec<Crowd>, Interruption> {
        let mut crowds = vec![Crowd::default(); classes.len()];
        for seeking in &self.classes {
            for sought in &self.classes {
                let (one, other) = (self.groups(seeking[0]), self.groups(sought[0]));
                let told: Vec<usize> = (0..self.attributes)
                    .filter(|&at| one[at].is_some() && other[at].is_some())
                    .collect();
                let told_of = |class: usize| -> Vec<Option<u32>> {
                    told.iter().map(|&at| self.groups(class)[at]).collect()
                };
                let mut found: HashMap<Vec<Option<u32>>, Crowd> = HashMap::new();
                for &class in sought.iter().filter(|&&class| is_safe[class]) {
                    let crowd = found.entry(told_of(class)).or_default();
                    crowd.add_class(classes, class, columns);
                    meter.spend(Work::of(1 + told.len()))?;
                }
                for &class in seeking.iter().filter(|&&class| is_safe[class]) {
                    if let Some(found) = found.get(&told_of(class)) {
                        meter.spend(crowds[class].add(found))?;
                    }
                    meter.spend(Work::of(1 + told.len()))?;
                }
            }
        }
        Ok(crowds)
    }
}
