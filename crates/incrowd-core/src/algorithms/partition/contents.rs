//! What models read of classes beside their sizes: how often the values of some columns occur, and how many people match.

use crate::counts::{Histogram, Histograms, Work};

/// The contents of many classes, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct AllContents {
    /// Rows of the population that match each class.
    people: Vec<u32>,
    /// The values of each column that models read.
    columns: Vec<Histograms>,
}

/// The contents of one class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contents<'c> {
    /// Rows of the population that match it.
    pub(super) people: u32,
    columns: Columns<'c>,
}

#[derive(Debug, Clone, Copy)]
enum Columns<'c> {
    One(&'c [Histograms], usize),
    Merged(&'c [MergedColumn]),
}

impl<'c> Contents<'c> {
    /// The values of one of the columns that models read.
    #[inline]
    pub(super) fn histogram(self, column: usize) -> Histogram<'c> {
        match self.columns {
            Columns::One(columns, class) => columns[column].class(class),
            Columns::Merged(columns) => columns[column].histogram(),
        }
    }

    /// How many values there are, in all columns.
    fn values(self) -> usize {
        let columns = 0..self.columns();
        columns.map(|at| self.histogram(at).values.len()).sum()
    }

    fn columns(self) -> usize {
        match self.columns {
            Columns::One(columns, _) => columns.len(),
            Columns::Merged(columns) => columns.len(),
        }
    }
}

impl AllContents {
    /// Of no class yet, with so many columns.
    pub(super) fn new(columns: usize) -> Self {
        AllContents {
            people: Vec::new(),
            columns: vec![Histograms::default(); columns],
        }
    }

    #[inline]
    pub(super) fn of(&self, class: usize) -> Contents<'_> {
        Contents {
            people: self.people[class],
            columns: Columns::One(&self.columns, class),
        }
    }

    /// The contents of no class yet, with as many columns.
    pub(super) fn none_like_it(&self) -> Self {
        AllContents::new(self.columns.len())
    }

    /// Adds a class.
    pub(super) fn push(&mut self, contents: Contents<'_>) {
        self.people.push(contents.people);
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.push_class(contents.histogram(at));
        }
    }

    /// Adds a class of people whom no row is about.
    pub(super) fn push_people(&mut self, people: u32) {
        self.people.push(people);
        self.columns.iter_mut().for_each(Histograms::end_class);
    }

    /// Adds the class of a tuple, given what is counted of each column.
    pub(super) fn push_tuple(&mut self, counted: &[&Histograms], tuple: usize) {
        self.people.push(0);
        for (column, counted) in self.columns.iter_mut().zip(counted) {
            column.push_class(counted.class(tuple));
        }
    }

    /// The contents of classes that are put together, each time those that are listed.
    pub(super) fn merged<'m>(&self, members: impl Iterator<Item = &'m [u32]>) -> Self {
        let mut merged = AllContents::new(self.columns.len());
        let mut room = Merged::default();
        for members in members {
            let members = members.iter().map(|&one| self.of(one as usize));
            merged.push_together(members, &mut room);
        }
        merged
    }

    /// Adds these classes, of which there is at least one, put together.
    pub(super) fn push_together<'c>(
        &mut self,
        classes: impl ExactSizeIterator<Item = Contents<'c>>,
        room: &mut Merged,
    ) {
        match classes.len() {
            1 => classes.for_each(|one| self.push(one)),
            _ => self.push(room.of(classes).0),
        }
    }

    /// Forgets all classes, but keeps the room.
    pub(super) fn clear(&mut self) {
        self.people.clear();
        self.columns.iter_mut().for_each(Histograms::clear);
    }

    /// Bytes held, roughly.
    pub(super) fn memory(&self) -> usize {
        let values: usize = self.columns.iter().map(Histograms::memory).sum();
        4 * self.people.len() * (1 + self.columns.len()) + values
    }
}

/// The contents of several classes together, in room that is used again.
#[derive(Debug, Default)]
pub(super) struct Merged {
    people: u32,
    columns: Vec<MergedColumn>,
}

/// The values of one column.
#[derive(Debug, Default)]
struct MergedColumn {
    /// Rows of every value.
    rows_of_values: Vec<u32>,
    /// Those that occur; ascending once settled.
    values: Vec<u32>,
    counts: Vec<u32>,
    is_ascending: bool,
}

impl Merged {
    /// Forgets what it held.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.people = 0;
        self.columns.iter_mut().for_each(MergedColumn::clear);
    }

    #[inline]
    pub(super) fn add(&mut self, contents: Contents<'_>) {
        self.people += contents.people;
        if self.columns.len() < contents.columns() {
            self.columns
                .resize_with(contents.columns(), MergedColumn::default);
        }
        for (at, column) in (0..contents.columns()).zip(&mut self.columns) {
            column.add(contents.histogram(at));
        }
    }

    /// All that was added since it was cleared.
    #[inline]
    pub(super) fn all(&mut self) -> Contents<'_> {
        self.columns.iter_mut().for_each(MergedColumn::settle);
        Contents {
            people: self.people,
            columns: Columns::Merged(&self.columns),
        }
    }

    /// The contents of these classes together, and the work it took.
    pub(super) fn of<'c>(
        &mut self,
        contents: impl Iterator<Item = Contents<'c>>,
    ) -> (Contents<'_>, Work) {
        self.clear();
        let mut looks = 0;
        for contents in contents {
            self.add(contents);
            looks += contents.values() + contents.columns();
        }
        let all = self.all();
        (all, Work::of(looks + 2 * all.values()))
    }
}

impl MergedColumn {
    #[inline]
    fn clear(&mut self) {
        for value in self.values.drain(..) {
            self.rows_of_values[value as usize] = 0;
        }
        self.is_ascending = true;
    }

    #[inline]
    fn add(&mut self, more: Histogram<'_>) {
        // Values ascend.
        let most = more.values.last().map_or(0, |&last| last as usize + 1);
        if self.rows_of_values.len() < most {
            self.rows_of_values.resize(most, 0);
        }
        for (&value, &count) in more.values.iter().zip(more.counts) {
            let rows = &mut self.rows_of_values[value as usize];
            if *rows == 0 {
                self.is_ascending &= self.values.last().is_none_or(|&last| last < value);
                self.values.push(value);
            }
            *rows += count;
        }
    }

    #[inline]
    fn settle(&mut self) {
        if !self.is_ascending {
            self.values.sort_unstable();
            self.is_ascending = true;
        }
        self.counts.clear();
        let rows = &self.rows_of_values;
        let counts = self.values.iter().map(|&value| rows[value as usize]);
        self.counts.extend(counts);
    }

    #[inline]
    fn histogram(&self) -> Histogram<'_> {
        Histogram {
            values: &self.values,
            counts: &self.counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use std::collections::BTreeMap;

    #[test]
    fn what_is_added_in_any_order_is_what_was_added_up() {
        let mut draw = Draw::new(61);
        let mut room = Merged::default();
        for _ in 0..300 {
            let columns = 1 + draw.below(2);
            let mut all = AllContents::new(columns);
            let mut expected = vec![BTreeMap::<u32, u32>::new(); columns];
            let mut expected_people = 0;
            for added in 0..1 + draw.below(5) {
                if added > 0 && draw.below(4) == 0 {
                    all.push_people(2);
                    expected_people += 2;
                    continue;
                }
                let counted: Vec<Histograms> = (expected.iter_mut())
                    .map(|expected| {
                        let mut histograms = Histograms::default();
                        for value in 0..10 {
                            if draw.below(3) == 0 {
                                let count = 1 + draw.below(4) as u32;
                                histograms.push(value, count);
                                *expected.entry(value).or_default() += count;
                            }
                        }
                        histograms.end_class();
                        histograms
                    })
                    .collect();
                all.push_tuple(&counted.iter().collect::<Vec<_>>(), 0);
            }
            room.clear();
            for class in 0..all.people.len() {
                room.add(all.of(class));
                // Somebody may look at it in between.
                let so_far = room.all().histogram(0);
                assert!(so_far.values.is_sorted() && so_far.counts.iter().all(|&count| count > 0));
            }
            let merged = room.all();
            assert_eq!(merged.people, expected_people);
            let mut copy = all.none_like_it();
            copy.push_people(0);
            copy.push(merged);
            assert_eq!(copy.of(0).histogram(0).values, []);
            let members: Vec<u32> = (0..all.people.len() as u32).collect();
            let together = all.merged([&members[..1], &members[..]].into_iter());
            assert_eq!(
                together.of(0).histogram(0).values,
                all.of(0).histogram(0).values
            );
            for (at, expected) in expected.iter().enumerate() {
                let all = [merged, copy.of(1), together.of(1)];
                for histogram in all.map(|of| of.histogram(at)) {
                    assert!(histogram.values.iter().eq(expected.keys()));
                    assert!(histogram.counts.iter().eq(expected.values()));
                }
            }
        }
    }
}
