//! The values a cut may contain.

use super::Target;
use crate::counts::{Attribute, CountedTable};
use crate::hierarchy::Leaf;
use crate::lattice::Level;
use crate::problem::Problem;
use crate::recode::Grouping;
use std::ops::Range;

const NO_PLACE: u32 = u32::MAX;

/// The values of one attribute that a cut may contain, each with two or more parts below it, or none.
///
/// Only leaves with rows count: a value with rows under only one of its children is that child. Leaves are in an order
/// in which every value is a run of them.
#[derive(Debug)]
pub(in crate::algorithms) struct ValueTree {
    /// The leaves with rows, in tree order.
    leaves: Vec<u32>,
    /// The position of each leaf in `leaves`.
    places: Vec<u32>,
    values: Vec<Value>,
    roots: Vec<u32>,
    /// The number at each position, if values are intervals to be cut where it pays off.
    numbers: Option<Vec<f64>>,
}

#[derive(Debug)]
struct Value {
    /// Its leaves, as positions.
    run: Range<usize>,
    parent: Option<u32>,
    children: Vec<u32>,
    /// The level and group it is called after; none for intervals.
    group: Option<(Level, u32)>,
}

impl ValueTree {
    /// The tree of an attribute: its hierarchy up to the acceptable level, or intervals if none is given and its values
    /// are numbers.
    pub(in crate::algorithms) fn new(
        problem: &Problem<'_>,
        attribute: usize,
        cuts_numbers: bool,
    ) -> Self {
        let shown = &problem.table.attributes[attribute];
        let max_level = problem.max_levels.level(attribute);
        let may_cut = cuts_numbers
            && problem.settings.without_hierarchy.contains(&attribute)
            && shown.hierarchy.groups(max_level) == 1;
        let numbers = shown.numbers_of_leaves().filter(|_| may_cut);
        match numbers {
            Some(numbers) => ValueTree::of_numbers(shown, &numbers),
            None => ValueTree::of_hierarchy(shown, max_level),
        }
    }

    fn of_hierarchy(attribute: &Attribute, max_level: Level) -> Self {
        let hierarchy = &attribute.hierarchy;
        // Children with rows of every group above the raw values.
        let children: Vec<Vec<Vec<u32>>> = Level::under(max_level)
            .map(|below| {
                let mut children = vec![Vec::new(); hierarchy.groups(below.above())];
                for (child, &parent) in (0..).zip(hierarchy.parents(below)) {
                    if attribute.rows_of_groups[below.index()][child as usize] > 0 {
                        children[parent as usize].push(child);
                    }
                }
                children
            })
            .collect();
        let mut tree = ValueTree {
            leaves: Vec::new(),
            places: vec![NO_PLACE; hierarchy.leaves()],
            values: Vec::new(),
            roots: Vec::new(),
            numbers: None,
        };
        for root in 0..hierarchy.groups(max_level) as u32 {
            if attribute.rows_of_groups[max_level.index()][root as usize] > 0 {
                let root = tree.add_group(&children, max_level, root, None);
                tree.roots.push(root);
            }
        }
        tree
    }

    /// Adds a group of the hierarchy and all below it.
    fn add_group(
        &mut self,
        children: &[Vec<Vec<u32>>],
        mut level: Level,
        mut group: u32,
        parent: Option<u32>,
    ) -> u32 {
        while let Some(below) = level.below() {
            let [only] = children[below.index()][group as usize][..] else {
                break;
            };
            (level, group) = (below, only);
        }
        let start = self.leaves.len();
        let value = self.add(Value {
            run: start..start,
            parent,
            children: Vec::new(),
            group: Some((level, group)),
        });
        if let Some(below) = level.below() {
            // At most as deep as a hierarchy has levels.
            for &child in &children[below.index()][group as usize] {
                let child = self.add_group(children, below, child, Some(value));
                self.values[value as usize].children.push(child);
            }
        } else {
            self.places[group as usize] = start as u32;
            self.leaves.push(group);
        }
        self.values[value as usize].run.end = self.leaves.len();
        value
    }

    /// One value for all leaves. The first cut separates numbers from everything else; others follow where they pay
    /// off.
    fn of_numbers(attribute: &Attribute, numbers: &[f64]) -> Self {
        let rows = &attribute.rows_of_groups[0];
        let with_rows = (0..numbers.len() as u32).filter(|&leaf| rows[leaf as usize] > 0);
        let mut leaves: Vec<u32> = with_rows.collect();
        let number = |leaf: u32| numbers[leaf as usize];
        // NaN, of either sign, is greater than every number here.
        let key = |leaf: u32| (number(leaf).is_nan(), number(leaf));
        leaves.sort_by(|&one, &other| {
            let (one, other) = (key(one), key(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        let mut places = vec![NO_PLACE; numbers.len()];
        for (place, &leaf) in (0..).zip(&leaves) {
            places[leaf as usize] = place;
        }
        let are_numbers = leaves
            .iter()
            .filter(|&&leaf| !number(leaf).is_nan())
            .count();
        let mut tree = ValueTree {
            numbers: Some(leaves.iter().map(|&leaf| number(leaf)).collect()),
            places,
            values: Vec::new(),
            roots: Vec::new(),
            leaves,
        };
        let all = tree.leaves.len();
        if all > 0 {
            tree.roots = vec![tree.add_run(0..all, None)];
            if 0 < are_numbers && are_numbers < all {
                let others = (are_numbers..all).map(|place| place..place + 1);
                let parts = std::iter::once(0..are_numbers).chain(others);
                let children = parts.map(|part| tree.add_run(part, Some(0))).collect();
                tree.values[0].children = children;
            }
        }
        tree
    }

    fn add(&mut self, value: Value) -> u32 {
        self.values.push(value);
        self.values.len() as u32 - 1
    }

    fn add_run(&mut self, run: Range<usize>, parent: Option<u32>) -> u32 {
        self.add(Value {
            run,
            parent,
            children: Vec::new(),
            group: None,
        })
    }

    /// Finds the children of a value that has none yet: an interval is cut where that gains the most information about
    /// the target.
    pub(in crate::algorithms) fn grow(&mut self, value: u32, target: &mut Target) {
        let Some(numbers) = &self.numbers else {
            return;
        };
        let Value { run, children, .. } = &self.values[value as usize];
        if !children.is_empty() || numbers[run.start].is_nan() {
            return;
        }
        let run = run.clone();
        let is_cut = |at: usize| numbers[run.start + at - 1] < numbers[run.start + at];
        if let Some(length) = target.best_cut(&self.leaves[run.clone()], is_cut) {
            let middle = run.start + length;
            let parts = [run.start..middle, middle..run.end];
            let children = parts.map(|part| self.add_run(part, Some(value)));
            self.values[value as usize].children = children.to_vec();
        }
    }

    /// The values of the coarsest cut.
    pub(in crate::algorithms) fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// How many values there are so far.
    pub(in crate::algorithms) fn len(&self) -> usize {
        self.values.len()
    }

    pub(in crate::algorithms) fn parent(&self, value: u32) -> Option<u32> {
        self.values[value as usize].parent
    }

    pub(in crate::algorithms) fn children(&self, value: u32) -> &[u32] {
        &self.values[value as usize].children
    }

    /// The leaves with rows under a value.
    pub(in crate::algorithms) fn leaves(&self, value: u32) -> &[u32] {
        &self.leaves[self.values[value as usize].run.clone()]
    }

    /// The value of the coarsest cut that contains a leaf with rows.
    pub(in crate::algorithms) fn root_of_leaf(&self, leaf: u32) -> u32 {
        let place = self.places[leaf as usize] as usize;
        let starts_before = |&root: &u32| self.values[root as usize].run.start <= place;
        self.roots[self.roots.partition_point(starts_before) - 1]
    }

    /// The value of a single leaf.
    pub(in crate::algorithms) fn value_of_leaf(&self, leaf: u32) -> u32 {
        let place = self.places[leaf as usize] as usize;
        let is_leaf = |value: &Value| value.run == (place..place + 1);
        let mut value = self.root_of_leaf(leaf);
        while !is_leaf(&self.values[value as usize]) {
            value = self.children(value)[self.child(value, leaf)];
        }
        value
    }

    /// Which child of a value contains a leaf.
    pub(in crate::algorithms) fn child(&self, value: u32, leaf: u32) -> usize {
        let place = self.places[leaf as usize] as usize;
        let starts_before = |&child: &u32| self.values[child as usize].run.start <= place;
        self.children(value).partition_point(starts_before) - 1
    }

    /// Whether any leaf, with rows or without, is published as a value once that is in the cut. An interval holds all
    /// numbers between its ends, another value the leaves of its group.
    fn holds(&self, attribute: &Attribute, value: u32, leaf: Leaf) -> bool {
        let Value { run, group, .. } = &self.values[value as usize];
        if let Some((level, group)) = group {
            return attribute.hierarchy.group_of(*level, leaf).0 == *group;
        }
        let place = self.places[leaf.index()];
        if place != NO_PLACE {
            return run.contains(&(place as usize));
        }
        let number = attribute.number_of(attribute.hierarchy.text(leaf));
        let ends = self.numbers.as_ref();
        let ends = ends.map(|numbers| (numbers[run.start], numbers[run.end - 1]));
        let is_between =
            |(low, high): (f64, f64)| number.is_some_and(|number| low <= number && number <= high);
        ends.is_some_and(is_between)
    }

    /// Which of some values holds a leaf, with rows or without.
    pub(in crate::algorithms) fn holder(
        &self,
        attribute: &Attribute,
        values: &[u32],
        leaf: Leaf,
    ) -> Option<usize> {
        let holds = |value: &u32| self.holds(attribute, *value, leaf);
        values.iter().position(holds)
    }

    /// The lowest value that holds a leaf, with rows or without; none if not even the coarsest cut does.
    pub(in crate::algorithms) fn lowest_holder(
        &self,
        attribute: &Attribute,
        leaf: Leaf,
    ) -> Option<u32> {
        let mut lowest = None;
        let mut values = self.roots();
        while let Some(at) = self.holder(attribute, values, leaf) {
            lowest = Some(values[at]);
            values = self.children(values[at]);
        }
        lowest
    }

    /// Publishes a cut. Leaves without rows follow the value above them, or stay alone.
    pub(in crate::algorithms) fn grouping(
        &self,
        attribute: &Attribute,
        cut: impl Iterator<Item = u32>,
    ) -> Grouping {
        let hierarchy = &attribute.hierarchy;
        let leaves = hierarchy.leaves() as u32;
        let mut groups: Vec<u32> = (0..leaves).collect();
        let numbers = self
            .numbers
            .as_ref()
            .and_then(|_| attribute.numbers_of_leaves());
        // What each group of each level is published as, and the intervals with their ends.
        let mut marks: Vec<Vec<Option<u32>>> = Level::up_to(hierarchy.height())
            .map(|level| vec![None; hierarchy.groups(level)])
            .collect();
        let mut intervals: Vec<(f64, f64, u32)> = Vec::new();
        for value in cut {
            let mark = leaves + value;
            match self.values[value as usize].group {
                Some((level, group)) => marks[level.index()][group as usize] = Some(mark),
                None => {
                    let run = self.leaves(value);
                    for &leaf in run {
                        groups[leaf as usize] = mark;
                    }
                    let number = |leaf: &u32| Some(numbers.as_ref()?[*leaf as usize]);
                    if let (Some(low), Some(high)) = (number(&run[0]), run.last().and_then(number))
                        && low <= high
                    {
                        intervals.push((low, high, mark));
                    }
                }
            }
        }
        for (level, marks) in Level::up_to(hierarchy.height()).zip(&marks) {
            for (group, &of_leaf) in groups.iter_mut().zip(hierarchy.groups_of_leaves(level)) {
                *group = marks[of_leaf as usize].unwrap_or(*group);
            }
        }
        intervals.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (group, number) in groups.iter_mut().zip(numbers.iter().flatten()) {
            let after = intervals.partition_point(|(low, ..)| low <= number);
            let before = after.checked_sub(1).map(|at| intervals[at]);
            if let Some((_, _, mark)) = before.filter(|(_, high, _)| number <= high) {
                *group = mark;
            }
        }
        Grouping::new(attribute, &groups)
    }
}

/// Publishes the cuts of all attributes.
pub(in crate::algorithms) fn groupings(
    table: &CountedTable,
    trees: &[ValueTree],
    is_in_cut: impl Fn(usize, u32) -> bool,
) -> Vec<Grouping> {
    (table.attributes.iter().zip(trees).enumerate())
        .map(|(at, (attribute, tree))| {
            let cut = (0..tree.len() as u32).filter(|&value| is_in_cut(at, value));
            tree.grouping(attribute, cut)
        })
        .collect()
}
