//! Counting a node from a counted node below it.
//!
//! Every class of the lower set is mapped to its class of the upper set by replacing the bits of the attributes that
//! rise; sizes are added, histograms merged. Only the lower set is read. This is the kernel of the whole product, so it
//! avoids everything but arithmetic: one table lookup per attribute that rises, one probe per class.

mod group;
mod large;
mod merge;
#[cfg(test)]
mod tests;

use self::group::{Grouping, Lower};
use self::large::{Division, Parts};
use self::merge::{
    Entries, Members, MergeScratch, add_histograms, is_best_added, merge_histograms,
};
use super::cells::Cells;
use super::in_parallel::SpareThreads;
use super::{CountedTable, FrequencySet};
use crate::lattice::Node;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;

/// Working memory of [`roll_up`], kept between calls.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Slot to class of the upper set.
    slots: Vec<u32>,
    /// Lower class to upper class.
    class_of: Vec<u32>,
    /// Which lower classes each upper one consists of.
    members: Members,
    merging: MergeScratch,
    /// Who may help with large sets.
    spare: Arc<SpareThreads>,
    division: Division,
    has_cells: bool,
}

impl Scratch {
    /// Of one who alone goes over a table.
    pub(crate) fn of_table(table: &CountedTable) -> Self {
        let others = table.threads.saturating_sub(1);
        Scratch::helped_by(table, Arc::new(SpareThreads::new(others)))
    }

    /// Of one whom these may help with large sets.
    pub(crate) fn helped_by(table: &CountedTable, spare: Arc<SpareThreads>) -> Self {
        Scratch {
            spare,
            division: Division::of_table(table),
            ..Scratch::default()
        }
    }

    /// Lets histograms of few values be kept as cells, which are merged in less time. Whoever reads them does so with
    /// [`Histograms::read`](super::Histograms::read). What is counted from them is kept as cells, too.
    pub(crate) fn with_cells(self) -> Self {
        Scratch {
            has_cells: true,
            ..self
        }
    }

    /// Gives the upper classes of the last roll-up that [tracked](roll_up_tracked) them other numbers.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        for class in &mut self.class_of {
            *class = numbers[*class as usize];
        }
    }

    /// The upper class of each lower class of the last roll-up that [tracked](roll_up_tracked) them.
    pub(crate) fn class_of(&self) -> &[u32] {
        &self.class_of
    }
}

/// The mapping of one attribute's groups.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    /// The upper group of each lower one; none if they do not change.
    pub(crate) above: Option<Cow<'a, [u32]>>,
    /// The number of upper groups.
    pub(crate) groups: usize,
}

/// The classes of node `to`, from those of `from` at or below it, into `upper`, whose memory is reused.
/// `columns` says whose histograms to carry along.
pub fn roll_up(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let steps = steps(table, from, to);
    regroup(table, lower, &steps, columns, scratch, upper);
}

/// [`roll_up`], or [`roll_up_tracked`] if `is_tracked`, unless there are more classes than `most` and this is found out before
/// all are formed: whether `upper` is complete.
#[must_use]
pub(crate) fn roll_up_at_most(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    (columns, is_tracked): (&[usize], bool),
    most: usize,
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) -> bool {
    let steps = steps(table, from, to);
    let is_complete = match is_tracked || !columns.is_empty() {
        true => regroup_classes::<true>(table, lower, &steps, most, scratch, upper),
        false => regroup_classes::<false>(table, lower, &steps, most, scratch, upper),
    };
    if is_complete {
        regroup_columns(table, lower, columns, scratch, upper);
    }
    is_complete
}

/// [`roll_up`], after which `scratch` knows the upper class of each lower one.
pub(crate) fn roll_up_tracked(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let steps = steps(table, from, to);
    regroup_as::<true>(table, lower, &steps, columns, scratch, upper);
}

/// The first half of [`roll_up_tracked`]: keys and sizes. Histograms are left empty until [`roll_up_columns`] adds them.
pub(crate) fn roll_up_classes(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let steps = steps(table, from, to);
    let is_complete = regroup_classes::<true>(table, lower, &steps, usize::MAX, scratch, upper);
    debug_assert!(is_complete);
    // Nobody is to take them for those of the new classes.
    let outdated = upper.histograms.iter_mut().flatten();
    outdated.for_each(|histograms| histograms.forget_classes());
}

/// The second half of [`roll_up_tracked`]: the histograms of these columns, from the same lower classes and with the scratch
/// that the first half left behind.
pub(crate) fn roll_up_columns(
    table: &CountedTable,
    lower: &FrequencySet,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    debug_assert_eq!(scratch.class_of.len(), lower.len());
    regroup_columns(table, lower, columns, scratch, upper);
}

fn steps<'a>(table: &'a CountedTable, from: &Node, to: &Node) -> SmallVec<[Step<'a>; 16]> {
    debug_assert!(from.is_at_or_below(to));
    let levels = from.levels().zip(to.levels());
    (table.attributes.iter().zip(levels))
        .map(|(attribute, (from, to))| Step {
            above: (from != to).then(|| attribute.groups_between(from, to)),
            groups: attribute.hierarchy.groups(to),
        })
        .collect()
}

/// [`roll_up`] for arbitrary groups: one step per attribute.
pub(crate) fn regroup(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    if columns.is_empty() {
        regroup_as::<false>(table, lower, steps, columns, scratch, upper);
    } else {
        regroup_as::<true>(table, lower, steps, columns, scratch, upper);
    }
}

fn regroup_as<const TRACKED: bool>(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let is_complete = regroup_classes::<TRACKED>(table, lower, steps, usize::MAX, scratch, upper);
    debug_assert!(is_complete);
    regroup_columns(table, lower, columns, scratch, upper);
}

/// Whether all classes are formed: of large sets, only if there are no more than `most`.
fn regroup_classes<const TRACKED: bool>(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    most: usize,
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) -> bool {
    upper.make_empty(lower.words);
    let lower = Lower::all(lower);
    let Scratch {
        slots,
        class_of,
        spare,
        division,
        ..
    } = scratch;
    if division.is_large(lower.len()) {
        let grouping = Grouping::new(table, steps, division.piece);
        division.group::<TRACKED>(&grouping, lower, most, spare, upper, class_of)
    } else {
        let grouping = Grouping::new(table, steps, lower.len());
        grouping.group::<TRACKED>(lower, upper, slots, class_of);
        true
    }
}

fn regroup_columns(
    table: &CountedTable,
    lower: &FrequencySet,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let mut spare = std::mem::take(&mut upper.histograms);
    spare.resize(table.columns.len(), None);
    upper.histograms.resize(table.columns.len(), None);
    let classes = upper.len();
    let is_large = scratch.division.is_large(lower.len());
    let (mut is_listed, mut parts) = (false, None);
    for &column in columns {
        let values = table.columns[column].values.len();
        let mut merged = spare[column].take().unwrap_or_default();
        let lower = lower.histograms(column);
        let Scratch {
            class_of,
            members,
            merging,
            spare: threads,
            division,
            has_cells,
            ..
        } = &mut *scratch;
        match &lower.present {
            Some(present) => {
                merged.clear();
                merged.cells = None;
                let united = merged.present.get_or_insert_default();
                united.unite(present, class_of, classes);
            }
            None if lower.cells.is_some()
                || *has_cells && !is_large && Cells::suit(lower.memory(), values, classes) =>
            {
                merged.add_up_in_cells(lower, class_of, values, classes);
            }
            None => {
                merged.present = None;
                merged.cells = None;
                let entries = Entries::all(lower);
                if is_large && division.has_room_to_add(values, classes) {
                    merged = division.add((lower, class_of), values, classes, threads);
                } else if is_large {
                    let parts = parts
                        .get_or_insert_with(|| Parts::new(class_of, classes, *division, threads));
                    merged = parts.merge(lower, values, threads);
                } else if is_best_added(entries.len(), values, classes) {
                    let lower = (entries, class_of.as_slice());
                    add_histograms(lower, values, classes, merging, &mut merged);
                } else {
                    if !is_listed {
                        let pairs = (0..).zip(class_of.iter().copied());
                        members.list(pairs, classes);
                        is_listed = true;
                    }
                    merge_histograms(lower, members, values, merging, &mut merged);
                }
            }
        }
        upper.histograms[column] = Some(merged);
    }
}
