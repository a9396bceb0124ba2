//! Classes as the check sees them: tuples of equal texts, brought together by [`alike`](super::alike).

use super::alike::{Alike, Division, Packing, Tuples, push_class};
use super::texts::{PublishedTexts, TextsOf};
use crate::counts::{
    Attribute, CountedColumn, CountedTable, Histogram, Histograms, LeafOrder, LeafSet, MissingCells,
};
use crate::problem::{Interruption, Meter};
use std::ops::Range;

/// What a release gives away whatever was promised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Published classes with one row: that person is not hidden.
    pub classes_of_one: u32,
    /// Every counted column.
    pub columns: Vec<ExposedColumn>,
}

/// What a counted column reveals in published rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExposedColumn {
    /// Classes whose rows all share one value: anyone known to be in such a class has that value. A class with one row
    /// is one of them.
    pub homogeneous_classes: u32,
    /// The rows in them.
    pub homogeneous_rows: u32,
    /// Distinct values.
    pub distinct: u32,
    /// Rows whose value no other row has.
    pub rows_singled_out: u32,
}

/// One class of a release.
#[derive(Clone, Copy)]
pub(super) struct Class<'c> {
    classes: &'c Classes,
    at: usize,
}

impl<'c> Class<'c> {
    /// Its place among all classes.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// The group of every attribute.
    pub(super) fn groups(self) -> &'c [u32] {
        let attributes = self.classes.wildcards.len();
        &self.classes.groups[self.at * attributes..][..attributes]
    }

    pub(super) fn size(self) -> u32 {
        self.classes.sizes[self.at]
    }

    /// Rows of the population that match the class; 0 if that is not known.
    pub(super) fn people(self) -> u32 {
        let people = self.classes.people.of_classes.get(self.at);
        people.copied().unwrap_or(0)
    }

    /// Published rows that could be about one of these people.
    pub(super) fn rows_among_people(self) -> u32 {
        let others = self.classes.people.sharing.get(self.at);
        let others = others.into_iter().flatten();
        let others = others.map(|&at| Class {
            at: at as usize,
            ..self
        });
        let published = others.filter(|class| !class.is_suppressed());
        self.size() + published.map(Class::size).sum::<u32>()
    }

    pub(super) fn is_suppressed(self) -> bool {
        self.classes.is_suppressed[self.at]
    }

    /// The values of a counted column with their rows.
    pub(super) fn histogram(self, column: usize) -> Histogram<'c> {
        self.classes.columns[column].class(self.at)
    }

    /// Rows of this class that `other` cannot account for.
    pub(super) fn rows_beyond(self, other: Class<'_>) -> u32 {
        self.rows_beyond_those(other.size(), |column| other.histogram(column))
    }

    /// Rows of this class that some tuples cannot account for.
    pub(super) fn rows_beyond_tuples(self, tuples: &RowsOfTuples) -> u32 {
        self.rows_beyond_those(tuples.size, |column| tuples.columns[column].class(0))
    }

    fn rows_beyond_those<'o>(self, size: u32, histogram: impl Fn(usize) -> Histogram<'o>) -> u32 {
        let by_value = (0..self.classes.columns.len()).map(|column| {
            let (ours, theirs) = (self.histogram(column), histogram(column));
            let accounted = |value: &u32| match theirs.values.binary_search(value) {
                Ok(at) => theirs.counts[at],
                Err(_) => 0,
            };
            let ours = ours.values.iter().zip(ours.counts);
            ours.map(|(value, rows)| rows.saturating_sub(accounted(value)))
                .sum::<u32>()
        });
        by_value
            .max()
            .unwrap_or(0)
            .max(self.size().saturating_sub(size))
    }
}

/// Who in a population matches each class, in the order of the classes.
#[derive(Debug, Clone, Default)]
pub(super) struct PeopleOfClasses {
    /// How many.
    pub(super) of_classes: Vec<u32>,
    /// The other classes that some of them match as well; empty if no class shares anybody with another, or if it does not
    /// matter.
    pub(super) sharing: Vec<Vec<u32>>,
}

/// The rows of some tuples of a table, together.
pub(super) struct RowsOfTuples {
    size: u32,
    /// The values of every counted column.
    columns: Vec<Histograms>,
}

impl RowsOfTuples {
    pub(super) fn new(table: &CountedTable, tuples: &[u32]) -> Self {
        let mut columns = vec![Histograms::default(); table.columns.len()];
        for (column, histograms) in columns.iter_mut().enumerate() {
            let of_tuples = table.tuples.histograms(column);
            let tuples = tuples.iter();
            push_class(
                histograms,
                tuples.map(|&tuple| of_tuples.class(tuple as usize)),
            );
        }
        let sizes = tuples
            .iter()
            .map(|&tuple| table.tuples.sizes()[tuple as usize]);
        RowsOfTuples {
            size: sizes.sum(),
            columns,
        }
    }
}

/// The classes of a table, sorted by their groups.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    /// The groups of each class, attribute by attribute.
    groups: Vec<u32>,
    sizes: Vec<u32>,
    is_suppressed: Vec<bool>,
    /// The values of every counted column.
    columns: Vec<Histograms>,
    /// Who matches each class; nobody if that is not known.
    people: PeopleOfClasses,
    /// The class of each tuple.
    of_tuples: Vec<u32>,
    /// The group of a missing cell if it could be any value; `None` if it is a value like others. One per attribute.
    wildcards: Vec<Option<u32>>,
    /// So many may judge classes at once.
    threads: usize,
}

impl std::fmt::Debug for Class<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Class")
            .field("groups", &self.groups())
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl Classes {
    /// The classes of a published table, whose values are taken literally.
    pub(super) fn as_published(
        table: &CountedTable,
        meter: &Meter<'_>,
    ) -> Result<Self, Interruption> {
        let leaves = |attribute: &Attribute| (0..attribute.hierarchy.leaves() as u32).collect();
        let groups: Vec<Vec<u32>> = table.attributes.iter().map(leaves).collect();
        let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
        Classes::of_groups(table, &groups, meter)
    }

    /// The classes of rows with equal texts.
    pub(super) fn of_texts(
        table: &CountedTable,
        texts: &[PublishedTexts],
        meter: &Meter<'_>,
    ) -> Result<Self, Interruption> {
        let group = |tuple: u32, attribute: usize| match texts[attribute].cells() {
            TextsOf::Leaves(texts) => texts[table.leaf(tuple as usize, attribute).index()],
            TextsOf::Tuples { texts, .. } => texts[tuple as usize],
        };
        let wildcards = (table.attributes.iter().zip(texts))
            .map(|(attribute, texts)| match texts.cells() {
                TextsOf::Leaves(texts) => wildcard(table, attribute, texts),
                TextsOf::Tuples { covers, .. } => alone(table, attribute, covers),
            })
            .collect();
        let groups = texts.iter().map(|texts| texts.texts().len());
        Classes::of_tuples(table, group, groups, wildcards, meter)
    }

    /// The classes of a table whose attributes' leaves fall into these groups.
    pub(super) fn of_groups(
        table: &CountedTable,
        groups_of_leaves: &[&[u32]],
        meter: &Meter<'_>,
    ) -> Result<Self, Interruption> {
        let group = |tuple: u32, attribute: usize| {
            let leaf = table.leaf(tuple as usize, attribute);
            groups_of_leaves[attribute][leaf.index()]
        };
        let wildcards = (table.attributes.iter().zip(groups_of_leaves))
            .map(|(attribute, groups)| wildcard(table, attribute, groups))
            .collect();
        let last = |groups: &&[u32]| groups.iter().max().map_or(0, |&last| last as usize);
        let groups = groups_of_leaves.iter().map(|groups| last(groups) + 1);
        Classes::of_tuples(table, group, groups, wildcards, meter)
    }

    /// The classes of a table whose tuples have these groups, of which every attribute has so many.
    fn of_tuples(
        table: &CountedTable,
        group: impl Fn(u32, usize) -> u32 + Sync,
        groups: impl Iterator<Item = usize>,
        wildcards: Vec<Option<u32>>,
        meter: &Meter<'_>,
    ) -> Result<Self, Interruption> {
        let columns = 0..table.columns.len();
        let columns: Vec<&Histograms> = columns.map(|at| table.tuples.histograms(at)).collect();
        let tuples = Tuples {
            sizes: table.tuples.sizes(),
            columns: &columns,
            text: group,
            packing: &Packing::new(groups),
            division: Division::default(),
        };
        let Alike {
            groups,
            sizes,
            columns,
            of_tuples,
        } = tuples.together(table.threads, meter)?;
        Ok(Classes {
            is_suppressed: vec![false; sizes.len()],
            groups,
            sizes,
            columns,
            people: PeopleOfClasses::default(),
            of_tuples,
            wildcards,
            threads: table.threads,
        })
    }

    /// The same without some rows of one class, `rows` altogether and `rows_with` with a value of a counted column. A
    /// class without rows is no longer published. None if the class has no such rows.
    pub(super) fn without(
        &self,
        class: u32,
        rows: u32,
        rows_with: impl Fn(usize, u32) -> u32,
    ) -> Option<Self> {
        let class = class as usize;
        let mut classes = self.clone();
        classes.sizes[class] = classes.sizes[class].checked_sub(rows)?;
        classes.is_suppressed[class] |= classes.sizes[class] == 0;
        for (column, histograms) in classes.columns.iter_mut().enumerate() {
            let mut rest = Histograms::default();
            let mut taken = 0;
            for at in 0..self.sizes.len() {
                let of_class = histograms.class(at);
                for (&value, &count) in of_class.values.iter().zip(of_class.counts) {
                    let gone = if at == class {
                        rows_with(column, value)
                    } else {
                        0
                    };
                    taken += gone;
                    if count > gone {
                        rest.push(value, count - gone);
                    } else if count < gone {
                        return None;
                    }
                }
                rest.end_class();
            }
            if taken != rows {
                return None;
            }
            *histograms = rest;
        }
        Some(classes)
    }

    /// Takes who in the population matches each class.
    pub(super) fn set_people(&mut self, people: PeopleOfClasses) {
        self.people = people;
    }

    /// The class of a tuple.
    pub(super) fn of_tuple(&self, tuple: usize) -> Class<'_> {
        Class {
            classes: self,
            at: self.of_tuples[tuple] as usize,
        }
    }

    /// The number of the class of each tuple.
    pub(super) fn of_all_tuples(&self) -> &[u32] {
        &self.of_tuples
    }

    /// Threads that may judge classes at once.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Whether a class is not published.
    pub(super) fn is_suppressed(&self, class: usize) -> bool {
        self.is_suppressed[class]
    }

    /// Whether every tuple of the table is in a class, and every row and counted value with it.
    pub(super) fn have_all_of(&self, table: &CountedTable) -> bool {
        let sum = |rows: &[u32]| rows.iter().map(|&rows| u64::from(rows)).sum::<u64>();
        let tuples = &table.tuples;
        self.of_tuples.len() == tuples.len()
            && sum(&self.sizes) == sum(tuples.sizes())
            && (0..table.columns.len()).all(|column| {
                sum(&self.columns[column].counts) == sum(&tuples.histograms(column).counts)
            })
    }

    /// Rows of each class.
    pub(super) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The values of a counted column in each class.
    pub(super) fn histograms(&self, column: usize) -> &Histograms {
        &self.columns[column]
    }

    /// All classes, in the order of their groups.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = Class<'_>> + Clone {
        (0..self.sizes.len()).map(|at| Class { classes: self, at })
    }

    pub(super) fn published(&self) -> impl Iterator<Item = Class<'_>> + Clone {
        self.published_of(0..self.sizes.len())
    }

    /// The published ones of a range of classes.
    pub(super) fn published_of(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = Class<'_>> + Clone {
        let classes = range.map(|at| Class { classes: self, at });
        classes.filter(|class| !class.is_suppressed())
    }

    pub(super) fn rows_suppressed(&self) -> u32 {
        let suppressed = self.all().filter(|class| class.is_suppressed());
        suppressed.map(Class::size).sum()
    }

    /// The group of a missing cell if it could be any value, for each attribute.
    pub(super) fn wildcards(&self) -> &[Option<u32>] {
        &self.wildcards
    }

    /// The class with these groups.
    pub(super) fn find(&self, groups: &[u32]) -> Option<Class<'_>> {
        let class = |at| Class { classes: self, at };
        let (mut low, mut high) = (0, self.sizes.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match class(middle).groups().cmp(groups) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(class(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Publishes a class no more.
    pub(super) fn suppress(&mut self, class: usize) {
        self.is_suppressed[class] = true;
    }

    /// What the published classes, as they are in the file, reveal about their table.
    pub(super) fn exposure(&self, table: &CountedTable) -> Exposure {
        let columns = table.columns.iter().enumerate();
        let column = |(at, column): (usize, &CountedColumn)| {
            let mut exposed = ExposedColumn::default();
            let mut rows_of_values = vec![0u32; column.values.len()];
            for class in self.published() {
                let of_class = class.histogram(at);
                if of_class.values.len() == 1 {
                    exposed.homogeneous_classes += 1;
                    exposed.homogeneous_rows += class.size();
                }
                for (&value, &rows) in of_class.values.iter().zip(of_class.counts) {
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
}

/// The group of a missing cell if it could be any value. Grouped with other values, it is published as one of them.
fn wildcard(table: &CountedTable, attribute: &Attribute, groups: &[u32]) -> Option<u32> {
    let missing = groups[attribute.missing?.index()];
    let published_alike = groups.iter().filter(|group| **group == missing).count();
    let is_wildcard =
        table.missing.cells == MissingCells::MatchAny && published_alike == 1 && groups.len() > 1;
    is_wildcard.then_some(missing)
}

/// The text that stands only for a missing cell, if it could be any value.
fn alone(table: &CountedTable, attribute: &Attribute, covers: &[LeafSet]) -> Option<u32> {
    let missing = LeafOrder::new(attribute).set([attribute.missing?.0]);
    let text = covers.iter().position(|leaves| *leaves == missing)?;
    let is_wildcard =
        table.missing.cells == MissingCells::MatchAny && attribute.hierarchy.leaves() > 1;
    is_wildcard.then_some(text as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Missing, RowCounter};
    use crate::hierarchy::Hierarchy;
    use crate::table::RowBatch;

    #[test]
    fn classes_that_lack_a_tuple_a_row_or_a_value_do_not_have_all() {
        let names = ["zip", "ill"].map(String::from);
        let mut counter = RowCounter::new(&names, &[0], &[1]);
        let mut batch = RowBatch::new(2);
        for (zip, ill) in [("a", "flu"), ("a", "cold"), ("b", "flu"), ("c", "cold")] {
            batch.push_cell(zip.as_bytes());
            batch.push_cell(ill.as_bytes());
        }
        counter.add(&batch).unwrap();
        let levels = ["a", "b", "c"].map(|zip| vec![zip.to_owned(), "*".to_owned()]);
        let hierarchy = Hierarchy::from_rows("zip", levels.as_slice()).unwrap();
        let table = counter.finish(vec![hierarchy], vec![None], Missing::default());
        let table = table.unwrap();
        let groups: [&[u32]; 1] = [&[0, 0, 1]];
        let all = Classes::of_groups(&table, &groups, &Meter::unlimited()).unwrap();
        assert_eq!(all.sizes, [3, 1]);
        assert!(all.have_all_of(&table));
        let lacks = |take: fn(&mut Classes)| {
            let mut classes = all.clone();
            take(&mut classes);
            !classes.have_all_of(&table)
        };
        assert!(lacks(|classes| classes.of_tuples.truncate(2)));
        assert!(lacks(|classes| classes.sizes[0] -= 1));
        assert!(lacks(
            |classes| classes.columns[0].counts.in_memory()[0] -= 1
        ));
    }
}
