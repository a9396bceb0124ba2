//! Whether regions are safe as readers see them.
//!
//! Classes that print alike are one class to a reader, and people may match several boxes. Neither is known before all regions
//! are, so it is looked at in the end.

use super::cuts::Judge;
use super::people::PeopleInBoxes;
use crate::counts::LeafSet;
use crate::privacy::{ClassView, Monotonicity, PrivacyModel};
use crate::problem::Problem;
use crate::recode::{PublishedCells, Recoding, Regions};
use std::collections::BTreeMap;

/// Whether no more rows than allowed are in classes that break a promise as readers see them.
pub(super) fn prints_safely(
    problem: &Problem<'_>,
    people: Option<&PeopleInBoxes<'_>>,
    regions: &Regions,
) -> bool {
    let may_break = |model: &dyn PrivacyModel| {
        model.monotonicity() == Monotonicity::None || model.reads_overlaps()
    };
    if !problem.models.iter().any(|model| may_break(&**model)) {
        return true;
    }
    Printed::of(problem, people, regions).rows_suppressed() <= problem.max_suppressed
}

/// Classes of equal texts, and which of them break a promise.
pub(super) struct Printed {
    tuples: Vec<Vec<u32>>,
    rows: Vec<u32>,
    /// How many people match each.
    people: Vec<u32>,
    /// For each, the others that somebody matches as well.
    shared: Vec<Vec<u32>>,
    is_suppressed: Vec<bool>,
}

impl Printed {
    /// The classes that readers see of some regions, judged.
    pub(super) fn of(
        problem: &Problem<'_>,
        people: Option<&PeopleInBoxes<'_>>,
        regions: &Regions,
    ) -> Self {
        let mut printed = Printed::new(problem, people, regions);
        // What is suppressed is no longer about anyone, which may save others.
        while let unsafe_classes = printed.unsafe_classes(problem)
            && !unsafe_classes.is_empty()
        {
            for class in unsafe_classes {
                printed.is_suppressed[class] = true;
            }
        }
        printed
    }

    pub(super) fn rows_suppressed(&self) -> u32 {
        let rows = self.rows.iter().zip(&self.is_suppressed);
        let suppressed = rows.filter(|(_, is_suppressed)| **is_suppressed);
        suppressed.map(|(rows, _)| rows).sum()
    }

    /// Rows of each published class.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        let rows = self.rows.iter().zip(&self.is_suppressed);
        let published = rows.filter(|(_, is_suppressed)| !**is_suppressed);
        published.map(|(&rows, _)| rows)
    }

    fn new(problem: &Problem<'_>, people: Option<&PeopleInBoxes<'_>>, regions: &Regions) -> Self {
        let table = problem.table;
        let columns = regions.columns(table);
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for tuple in 0..table.tuples.len() {
            let value = columns.iter().map(|column| match column.cells {
                PublishedCells::ByTuple { values, .. } => values[tuple],
                PublishedCells::ByLeaf(_) => 0,
            });
            let class = classes.entry(value.collect()).or_default();
            class.push(tuple as u32);
        }
        let covers = |values: &Vec<u32>| -> Vec<&LeafSet> {
            let cells = columns.iter().zip(values);
            let cover = cells.filter_map(|(column, &value)| match column.cells {
                PublishedCells::ByTuple { covers, .. } => Some(&covers[value as usize]),
                PublishedCells::ByLeaf(_) => None,
            });
            cover.collect()
        };
        let sizes = table.tuples.sizes();
        let rows = |tuples: &Vec<u32>| tuples.iter().map(|&it| sizes[it as usize]).sum();
        let (mut matching, mut shared) = (vec![0; classes.len()], vec![Vec::new(); classes.len()]);
        if let Some(people) = people {
            let boxes: Vec<Vec<&LeafSet>> = classes.keys().map(covers).collect();
            matching = boxes.iter().map(|covers| people.inside(covers)).collect();
            if problem.models.iter().any(|model| model.reads_overlaps()) {
                shared = people.shared(&boxes);
            }
        }
        Printed {
            rows: classes.values().map(rows).collect(),
            is_suppressed: vec![false; classes.len()],
            tuples: classes.into_values().collect(),
            people: matching,
            shared,
        }
    }

    fn unsafe_classes(&self, problem: &Problem<'_>) -> Vec<usize> {
        let mut judge = Judge::new(problem);
        let published = |class: usize| match self.is_suppressed[class] {
            true => 0,
            false => self.rows[class],
        };
        let is_unsafe = |&class: &usize| {
            let (rows, people) = (self.rows[class], self.people[class]);
            let others = self.shared[class].iter();
            let among = rows + others.map(|&other| published(other as usize)).sum::<u32>();
            let view = ClassView::of_size(rows).with_people(people);
            let view = view.with_rows_among_people(among);
            let mut about_overlaps = problem.models.iter().filter(|it| it.reads_overlaps());
            let tuples = &problem.table.tuples;
            !judge.is_safe_among(rows, people, tuples, &self.tuples[class])
                || !about_overlaps.all(|model| model.holds(&view))
        };
        let classes = 0..self.rows.len();
        let classes = classes.filter(|&class| !self.is_suppressed[class]);
        classes.filter(is_unsafe).collect()
    }
}
