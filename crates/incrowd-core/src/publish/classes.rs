//! Classes as the check sees them: sorted tuples, no hashing, no roll-up, nothing shared with the searches.

use crate::counts::{Attribute, CountedColumn, CountedTable, Histogram, MissingCells};
use crate::privacy::{ClassView, PrivacyModel};
use std::collections::BTreeMap;

/// What a promise has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The promise, such as `k-anonymity(k=5)`.
    pub model: String,
    /// The worst value over all published classes; `None` when nothing is published.
    pub worst: Option<f64>,
    /// Whether every published class keeps the promise.
    pub holds: bool,
}

/// What a release gives away whatever was promised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Published classes of one row: nobody hides that person.
    pub classes_of_one: u32,
    /// Every counted column.
    pub columns: Vec<ExposedColumn>,
}

/// What a counted column gives away in published rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExposedColumn {
    /// Classes whose rows all share one value: to know that somebody is in such a class is to know the value. A class
    /// of one row is one of them.
    pub homogeneous_classes: u32,
    /// The rows in them.
    pub homogeneous_rows: u32,
    /// Distinct values.
    pub distinct: u32,
    /// Rows whose value no other row has.
    pub rows_singled_out: u32,
}

/// One class of a release.
#[derive(Debug, Clone)]
pub(super) struct Class {
    /// The group of every attribute.
    pub(super) groups: Vec<u32>,
    pub(super) is_suppressed: bool,
    pub(super) crowd: Crowd,
}

impl Class {
    pub(super) fn size(&self) -> u32 {
        self.crowd.size
    }

    /// The values of a counted column with their rows.
    pub(super) fn rows_of_values(&self, column: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let values = self.crowd.rows_of_values[column].iter();
        values.map(|(&value, &rows)| (value, rows))
    }

    /// Rows of this class that `other` cannot account for.
    pub(super) fn rows_beyond(&self, other: &Class) -> u32 {
        let columns = self
            .crowd
            .rows_of_values
            .iter()
            .zip(&other.crowd.rows_of_values);
        let by_value = columns.map(|(ours, theirs)| {
            let beyond = ours
                .iter()
                .map(|(value, &rows)| rows.saturating_sub(theirs.get(value).copied().unwrap_or(0)));
            beyond.sum::<u32>()
        });
        by_value
            .max()
            .unwrap_or(0)
            .max(self.size().saturating_sub(other.size()))
    }
}

/// Rows that cannot be told apart, and the values of every counted column among them.
#[derive(Debug, Clone, Default)]
pub(super) struct Crowd {
    size: u32,
    rows_of_values: Vec<BTreeMap<u32, u32>>,
}

impl Crowd {
    fn add(&mut self, other: &Crowd) {
        self.size += other.size;
        self.rows_of_values
            .resize(other.rows_of_values.len(), BTreeMap::new());
        for (ours, theirs) in self.rows_of_values.iter_mut().zip(&other.rows_of_values) {
            for (&value, &rows) in theirs {
                *ours.entry(value).or_insert(0) += rows;
            }
        }
    }

    fn ask<T>(&self, model: &dyn PrivacyModel, question: impl Fn(&ClassView<'_>) -> T) -> T {
        let (values, counts): (Vec<u32>, Vec<u32>) = match model.column() {
            Some(column) => self.rows_of_values[column]
                .iter()
                .map(|(&value, &rows)| (value, rows))
                .unzip(),
            None => (Vec::new(), Vec::new()),
        };
        question(&ClassView {
            size: self.size,
            histogram: Histogram {
                values: &values,
                counts: &counts,
            },
        })
    }
}

/// The classes of a table, sorted by their groups.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    classes: Vec<Class>,
    /// The group of a missing cell where it could be any value; `None` where it is a value like others.
    wildcards: Vec<Option<u32>>,
}

impl Classes {
    /// The classes of a published table, whose values are taken as they stand.
    pub(super) fn as_published(table: &CountedTable) -> Self {
        let leaves = |attribute: &Attribute| (0..attribute.hierarchy.leaves() as u32).collect();
        let groups: Vec<Vec<u32>> = table.attributes.iter().map(leaves).collect();
        let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
        Classes::of_groups(table, &groups)
    }

    /// The classes of a table whose attributes' leaves fall into these groups.
    pub(super) fn of_groups(table: &CountedTable, groups_of_leaves: &[&[u32]]) -> Self {
        let mut tuples: Vec<(Vec<u32>, usize)> = (0..table.tuples.len())
            .map(|tuple| {
                let leaf = |attribute| table.group(&table.tuples, tuple, attribute) as usize;
                let groups = groups_of_leaves.iter().enumerate();
                (
                    groups
                        .map(|(attribute, groups)| groups[leaf(attribute)])
                        .collect(),
                    tuple,
                )
            })
            .collect();
        tuples.sort_unstable();
        let classes = tuples
            .chunk_by(|one, other| one.0 == other.0)
            .map(|tuples| {
                let mut crowd = Crowd {
                    size: 0,
                    rows_of_values: vec![BTreeMap::new(); table.columns.len()],
                };
                for &(_, tuple) in tuples {
                    crowd.size += table.tuples.sizes()[tuple];
                    for (column, rows_of_values) in crowd.rows_of_values.iter_mut().enumerate() {
                        let histogram = table.tuples.histograms(column).class(tuple);
                        for (&value, &rows) in histogram.values.iter().zip(histogram.counts) {
                            *rows_of_values.entry(value).or_insert(0) += rows;
                        }
                    }
                }
                Class {
                    groups: tuples[0].0.clone(),
                    is_suppressed: false,
                    crowd,
                }
            })
            .collect();
        let wildcards = (table.attributes.iter().zip(groups_of_leaves))
            .map(|(attribute, groups)| {
                let missing = groups[attribute.missing? as usize];
                let published_alike = groups.iter().filter(|group| **group == missing).count();
                // Together with other values a missing cell is published as one of them.
                let is_wildcard = table.missing.cells == MissingCells::MatchAny
                    && published_alike == 1
                    && groups.len() > 1;
                is_wildcard.then_some(missing)
            })
            .collect();
        Classes { classes, wildcards }
    }

    pub(super) fn published(&self) -> impl Iterator<Item = &Class> + Clone {
        self.classes.iter().filter(|class| !class.is_suppressed)
    }

    pub(super) fn all(&self) -> &[Class] {
        &self.classes
    }

    pub(super) fn rows_suppressed(&self) -> u32 {
        self.classes
            .iter()
            .filter(|class| class.is_suppressed)
            .map(Class::size)
            .sum()
    }

    /// The class with these groups.
    pub(super) fn find(&self, groups: &[u32]) -> Option<&Class> {
        let at = self
            .classes
            .binary_search_by(|class| class.groups.as_slice().cmp(groups));
        at.ok().map(|at| &self.classes[at])
    }

    /// Suppresses unsafe classes until every class left is safe.
    ///
    /// One round is enough unless missing cells match any value: then a suppressed class may have been part of
    /// another's crowd.
    pub(super) fn suppress_unsafe(&mut self, models: &[Box<dyn PrivacyModel>]) {
        loop {
            let is_unsafe: Vec<bool> = self
                .classes
                .iter()
                .map(|class| {
                    !class.is_suppressed && {
                        let crowd = self.crowd(class);
                        !models
                            .iter()
                            .all(|model| crowd.ask(&**model, |view| model.holds(view)))
                    }
                })
                .collect();
            if !is_unsafe.contains(&true) {
                return;
            }
            for (class, is_unsafe) in self.classes.iter_mut().zip(is_unsafe) {
                class.is_suppressed |= is_unsafe;
            }
        }
    }

    /// Everyone a row of the class could be, among the published.
    fn crowd(&self, class: &Class) -> Crowd {
        if self.wildcards.iter().all(Option::is_none) {
            return class.crowd.clone();
        }
        let mut crowd = Crowd::default();
        for other in self
            .published()
            .filter(|other| self.could_be_same(class, other))
        {
            crowd.add(&other.crowd);
        }
        crowd
    }

    fn could_be_same(&self, one: &Class, other: &Class) -> bool {
        one.groups
            .iter()
            .zip(&other.groups)
            .zip(&self.wildcards)
            .all(|((one, other), wildcard)| {
                one == other
                    || wildcard.is_some_and(|wildcard| *one == wildcard || *other == wildcard)
            })
    }

    /// What the published classes, as they stand in the file, give away of the table they are made from.
    pub(super) fn exposure(&self, table: &CountedTable) -> Exposure {
        let columns = table.columns.iter().enumerate();
        let column = |(at, column): (usize, &CountedColumn)| {
            let mut exposed = ExposedColumn::default();
            let mut rows_of_values = vec![0u32; column.values.len()];
            for class in self.published() {
                let of_class = &class.crowd.rows_of_values[at];
                if of_class.len() == 1 {
                    exposed.homogeneous_classes += 1;
                    exposed.homogeneous_rows += class.size();
                }
                for (&value, &rows) in of_class {
                    rows_of_values[value as usize] += rows;
                }
            }
            exposed.distinct = rows_of_values.iter().filter(|rows| **rows > 0).count() as u32;
            exposed.rows_singled_out =
                rows_of_values.iter().filter(|rows| **rows == 1).count() as u32;
            exposed
        };
        Exposure {
            classes_of_one: self.published().filter(|class| class.size() == 1).count() as u32,
            columns: columns.map(column).collect(),
        }
    }

    /// What every promise has come to over the published classes.
    pub(super) fn reached(&self, models: &[Box<dyn PrivacyModel>]) -> Vec<Reached> {
        let crowds: Vec<Crowd> = self.published().map(|class| self.crowd(class)).collect();
        models
            .iter()
            .map(|model| {
                let measures = crowds
                    .iter()
                    .map(|crowd| crowd.ask(&**model, |view| model.measure(view)));
                Reached {
                    model: model.describe(None),
                    worst: measures.reduce(|one, other| model.direction().worse(one, other)),
                    holds: crowds
                        .iter()
                        .all(|crowd| crowd.ask(&**model, |view| model.holds(view))),
                }
            })
            .collect()
    }
}
