//! Regions: every class of rows has a box of its own, and boxes may overlap.
//!
//! What a row is published as depends on all its quasi-identifiers, so equal raw values may be published differently.

use super::centre::{Centres, PublishedNumbers};
use super::{Labels, PublishedCells, PublishedColumn, Recoding};
use crate::counts::{Attribute, CountedTable, LeafOrder, LeafSet};
use crate::hierarchy::{Group, Leaf};
use crate::lattice::Level;
use crate::table;
use hashbrown::HashMap;
use std::any::Any;
use std::sync::Arc;

/// A recoding that publishes the tuples of each region as one box.
#[derive(Debug, Clone, PartialEq)]
pub struct Regions(Vec<RegionColumn>);

/// The sides of all boxes in one column. Boxes whose sides print alike share one.
#[derive(Debug, Clone, PartialEq)]
struct RegionColumn {
    texts: Vec<String>,
    covers: Vec<LeafSet>,
    /// The side of each tuple.
    of_tuples: Vec<u32>,
    /// What is published of numbers.
    numbers: PublishedNumbers,
}

/// How the values of a region are published in one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Numbers and dates: as an interval from the least to the greatest. A region that also has cells without a number
    /// is published as the lowest group of the hierarchy with all of them.
    Intervals,
    /// As the lowest group of the hierarchy with all of them.
    Groups,
    /// As the set of them; if they are very many, as the lowest group of the hierarchy with all of them.
    Sets,
}

/// The most values that are published as a set. The set is written for every row of its class, and nobody reads more.
const MOST_IN_SET: u32 = 1000;

impl Sides {
    /// What suits an attribute: intervals for numbers and dates, groups for text with levels that people gave, sets
    /// otherwise. Levels that only lead from raw values to `*` say nothing. Numbers are published as sets if an interval
    /// could hold numbers of several groups of the highest acceptable level.
    pub fn of(
        attribute: &Attribute,
        order: &LeafOrder,
        max_level: Level,
        has_hierarchy: bool,
    ) -> Self {
        match order.numbers() {
            Some(_) if groups_are_runs(attribute, order, max_level) => Sides::Intervals,
            None if has_hierarchy && attribute.hierarchy.height() > Level(1) => Sides::Groups,
            _ => Sides::Sets,
        }
    }
}

impl Regions {
    /// Publishes tuples in regions, given the number of the region of each tuple; numbers are below `regions`.
    pub fn new(
        table: &CountedTable,
        sides: &[Sides],
        numbers: PublishedNumbers,
        regions_of_tuples: &[u32],
        regions: usize,
    ) -> Self {
        Self::by_column(table, sides, numbers, |_| (regions_of_tuples, regions))
    }

    /// Publishes tuples in regions that may be others in every column: the number of the region of each tuple, and a
    /// number above all of these.
    pub fn by_column<'r>(
        table: &CountedTable,
        sides: &[Sides],
        numbers: PublishedNumbers,
        of_column: impl Fn(usize) -> (&'r [u32], usize),
    ) -> Self {
        let columns =
            (table.attributes.iter().zip(sides).enumerate()).map(|(at, (attribute, &sides))| {
                let (regions_of_tuples, regions) = of_column(at);
                let sizes = table.tuples.sizes().iter().enumerate();
                let leaves = sizes.map(|(tuple, &rows)| (table.leaf(tuple, at), rows));
                let is_centre = sides == Sides::Intervals && attribute.kind == table::Kind::Number;
                let numbers = if is_centre {
                    numbers
                } else {
                    PublishedNumbers::Interval
                };
                let publish = (sides, numbers);
                RegionColumn::new(attribute, publish, leaves, regions_of_tuples, regions)
            });
        Regions(columns.collect())
    }
}

impl RegionColumn {
    fn new(
        attribute: &Attribute,
        (sides, numbers): (Sides, PublishedNumbers),
        leaves: impl Iterator<Item = (Leaf, u32)>,
        regions_of_tuples: &[u32],
        regions: usize,
    ) -> Self {
        let writer = Writer {
            attribute,
            labels: Labels::new(attribute),
        };
        let order = writer.labels.order();
        let centres = (numbers != PublishedNumbers::Interval)
            .then(|| Centres::new(&attribute.hierarchy, order));
        // Of each region the first and last position, or all of them with their rows where that is not enough.
        let mut ends = vec![(u32::MAX, 0); regions];
        let needs_members = sides == Sides::Sets || numbers != PublishedNumbers::Interval;
        let mut members = vec![Vec::new(); if needs_members { regions } else { 0 }];
        for ((leaf, rows), &region) in leaves.zip(regions_of_tuples) {
            let position = order.position(leaf);
            let (first, last) = &mut ends[region as usize];
            (*first, *last) = ((*first).min(position), (*last).max(position));
            if let Some(members) = members.get_mut(region as usize) {
                members.push((position, rows));
            }
        }
        let mut column = RegionColumn {
            texts: Vec::new(),
            covers: Vec::new(),
            of_tuples: Vec::new(),
            numbers,
        };
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut of_ends: HashMap<(u32, u32), u32> = HashMap::new();
        let mut side_of_region = Vec::with_capacity(regions);
        for (region, &ends) in ends.iter().enumerate() {
            // A region without tuples publishes nothing.
            if ends.0 > ends.1 {
                side_of_region.push(0);
                continue;
            }
            let mut add = |(text, cover): (String, LeafSet)| {
                let side = *known.entry_ref(text.as_str()).or_insert_with(|| {
                    column.texts.push(text.clone());
                    column.covers.push(cover.clone());
                    column.texts.len() as u32 - 1
                });
                let known = &mut column.covers[side as usize];
                if *known != cover {
                    *known = match numbers {
                        // Only `*` can be a value and everything. Readers cannot tell, so it is everything.
                        PublishedNumbers::Interval => order.all(),
                        // The numbers of several regions may have one mean.
                        PublishedNumbers::Mean | PublishedNumbers::Median => {
                            order.hull(known, &cover)
                        }
                    };
                }
                side
            };
            let side = match sides {
                Sides::Sets => add(writer.set(&members[region], ends)),
                Sides::Intervals => match &centres {
                    Some(centres) => {
                        add(writer.centre((centres, numbers), &mut members[region], ends))
                    }
                    None => *(of_ends.entry(ends)).or_insert_with(|| add(writer.interval(ends))),
                },
                Sides::Groups => *(of_ends.entry(ends)).or_insert_with(|| add(writer.group(ends))),
            };
            side_of_region.push(side);
        }
        let of_tuples = regions_of_tuples.iter();
        column.of_tuples = of_tuples
            .map(|&region| side_of_region[region as usize])
            .collect();
        column
    }
}

/// The sides of boxes in one column before they are written: which values readers take them for.
#[derive(Debug)]
pub(crate) struct BoxSides<'a> {
    writer: Writer<'a>,
    sides: Sides,
}

impl<'a> BoxSides<'a> {
    pub(crate) fn new(attribute: &'a Attribute, sides: Sides) -> Self {
        let labels = Labels::new(attribute);
        BoxSides {
            writer: Writer { attribute, labels },
            sides,
        }
    }

    /// The order of the leaves, which positions refer to.
    pub(crate) fn order(&self) -> &LeafOrder {
        self.writer.labels.order()
    }

    /// What the side of a region with values at these positions stands for, at least one.
    pub(crate) fn cover(&self, positions: &[u32]) -> LeafSet {
        let first = positions.iter().copied().min().unwrap_or(0);
        let last = positions.iter().copied().max().unwrap_or(0);
        match self.sides {
            Sides::Sets => {
                let order = self.order();
                let leaves = order.set(positions.iter().map(|&position| order.leaf(position).0));
                match leaves.len() <= MOST_IN_SET {
                    true => leaves,
                    false => self.writer.leaves_of_group((first, last)),
                }
            }
            Sides::Intervals if first < last && self.writer.is_number(first) => {
                let order = self.order();
                let labels = &self.writer.labels;
                labels.write_interval(order.leaf(first), order.leaf(last)).1
            }
            Sides::Intervals | Sides::Groups => self.writer.leaves_of_group((first, last)),
        }
    }
}

/// Writes the sides of one column, each with the leaves that readers take it for.
#[derive(Debug)]
struct Writer<'a> {
    attribute: &'a Attribute,
    labels: Labels<'a>,
}

impl Writer<'_> {
    fn set(&self, members: &[(u32, u32)], ends: (u32, u32)) -> (String, LeafSet) {
        let order = self.labels.order();
        let leaves = order.set(members.iter().map(|&(position, _)| order.leaf(position).0));
        match leaves.len() {
            1 => (self.labels.write(&leaves), leaves),
            2..=MOST_IN_SET => (self.labels.write_set(&leaves), leaves),
            _ => self.group(ends),
        }
    }

    fn is_number(&self, position: u32) -> bool {
        let numbers = self.labels.order().numbers();
        numbers.is_some_and(|numbers| !numbers[position as usize].is_nan())
    }

    fn interval(&self, (first, last): (u32, u32)) -> (String, LeafSet) {
        let order = self.labels.order();
        if first == last || !self.is_number(first) {
            return self.group((first, last));
        }
        (self.labels).write_interval(order.leaf(first), order.leaf(last))
    }

    /// The mean or median of the members, which are positions with their rows.
    fn centre(
        &self,
        (centres, numbers): (&Centres<'_>, PublishedNumbers),
        members: &mut [(u32, u32)],
        (first, last): (u32, u32),
    ) -> (String, LeafSet) {
        let order = self.labels.order();
        let number = |position: u32| order.numbers().map_or(f64::NAN, |it| it[position as usize]);
        if first == last || number(first).is_nan() {
            return self.group((first, last));
        }
        members.sort_unstable();
        let text = centres.write(numbers, members);
        (text, order.between(first, last))
    }

    /// The lowest group with the leaves at both positions, and so with all between them.
    fn group(&self, ends: (u32, u32)) -> (String, LeafSet) {
        let leaves = self.leaves_of_group(ends);
        (self.labels.write(&leaves), leaves)
    }

    fn leaves_of_group(&self, (first, last): (u32, u32)) -> LeafSet {
        let order = self.labels.order();
        if first == last {
            return order.between(first, last);
        }
        let (level, group) = lowest_group(self.attribute, order, first, last);
        self.labels.leaves_of(level, group).clone()
    }
}

/// Whether the leaves of every group of a level lie next to each other.
fn groups_are_runs(attribute: &Attribute, order: &LeafOrder, level: Level) -> bool {
    let group = |position: u32| attribute.hierarchy.group_of(level, order.leaf(position));
    let changes = (1..order.len())
        .filter(|&at| group(at) != group(at - 1))
        .count();
    changes < attribute.hierarchy.groups(level)
}

/// The lowest group with all leaves from one position to another.
fn lowest_group(attribute: &Attribute, order: &LeafOrder, first: u32, last: u32) -> (Level, Group) {
    let hierarchy = &attribute.hierarchy;
    // Numbers and those that are none lie side by side without being close in the hierarchy, so look at all between.
    let is_one = |level: &Level| {
        let group = |position| hierarchy.group_of(*level, order.leaf(position));
        match order.numbers() {
            None => group(first) == group(last),
            Some(_) => (first..=last).all(|position| group(position) == group(first)),
        }
    };
    let level = Level::under(hierarchy.height()).find(is_one);
    let level = level.unwrap_or(hierarchy.height());
    (level, hierarchy.group_of(level, order.leaf(first)))
}

impl Recoding for Regions {
    fn name(&self) -> &'static str {
        "regions"
    }

    fn columns<'a>(&'a self, _: &'a CountedTable) -> Vec<PublishedColumn<'a>> {
        let column = |column: &'a RegionColumn| PublishedColumn {
            level: None,
            texts: column.texts.iter().map(String::as_str).collect(),
            cells: PublishedCells::ByTuple {
                values: &column.of_tuples,
                covers: &column.covers,
                numbers: column.numbers,
            },
        };
        self.0.iter().map(column).collect()
    }

    fn is_same(&self, other: &dyn Recoding) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

impl From<Regions> for Arc<dyn Recoding> {
    fn from(regions: Regions) -> Self {
        Arc::new(regions)
    }
}
