//! The quasi-identifiers as dimensions, and the tuples as points.

use crate::counts::{Attribute, LeafOrder};
use crate::lattice::Level;
use crate::numbers::Leaf;
use crate::problem::Problem;
use crate::recode::Sides;

/// One quasi-identifier. Its values are *places* on an axis, numbered from 0.
#[derive(Debug)]
pub(in crate::algorithms) struct Dimension {
    pub(in crate::algorithms) sides: Sides,
    /// The place of each leaf. Equal numbers share one, however they are written.
    places_of_leaves: Vec<u32>,
    /// How many places there are.
    places: u32,
    /// Of numbers: the first place that is one. Cells that are none come before it.
    pub(super) first_number: u32,
    /// Of numbers: the number at each place.
    numbers: Vec<f64>,
    /// The distance between the least and the greatest number that has rows, halved so that it is finite.
    half_range: f64,
    /// Of groups: the group of each place at each level, and how many leaves each has.
    levels: Vec<Groups>,
}

#[derive(Debug)]
struct Groups {
    of_places: Vec<u32>,
    leaves: Vec<u32>,
}

impl Dimension {
    fn new(attribute: &Attribute, max_level: Level, has_hierarchy: bool) -> Self {
        let hierarchy = &attribute.hierarchy;
        let order = LeafOrder::new(attribute);
        let sides = Sides::of(attribute, &order, max_level, has_hierarchy);
        let mut dimension = Dimension {
            sides,
            places_of_leaves: vec![0; hierarchy.leaves()],
            places: hierarchy.leaves() as u32,
            first_number: 0,
            numbers: Vec::new(),
            half_range: 0.0,
            levels: Vec::new(),
        };
        match sides {
            Sides::Intervals => dimension.set_numbers(attribute, &order),
            Sides::Groups => {
                for position in 0..order.len() {
                    dimension.places_of_leaves[order.leaf(position).index()] = position;
                }
                let groups = |level: Level| Groups {
                    of_places: (0..order.len())
                        .map(|position| hierarchy.group_of(level, order.leaf(position)).0)
                        .collect(),
                    leaves: hierarchy.leaves_of_groups(level).to_vec(),
                };
                dimension.levels = Level::up_to(hierarchy.height()).map(groups).collect();
            }
            // In the column's own order.
            Sides::Sets => dimension.places_of_leaves = (0..dimension.places).collect(),
        }
        dimension
    }

    fn set_numbers(&mut self, attribute: &Attribute, order: &LeafOrder) {
        let numbers = order.numbers().unwrap_or(&[]);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (position, &number) in (0..).zip(numbers) {
            // NaN equals nothing, so every cell that is no number has a place of its own.
            if self.numbers.last() != Some(&number) {
                self.numbers.push(number);
            }
            let leaf = order.leaf(position);
            self.places_of_leaves[leaf.index()] = self.numbers.len() as u32 - 1;
            if attribute.rows_of_groups[0][leaf.index()] > 0 {
                (least, greatest) = (least.min(number), greatest.max(number));
            }
        }
        self.places = self.numbers.len() as u32;
        self.first_number = self.numbers.partition_point(|number| number.is_nan()) as u32;
        self.half_range = (greatest / 2.0 - least / 2.0).max(0.0);
    }

    /// The place of a leaf.
    pub(in crate::algorithms) fn place(&self, leaf: Leaf) -> u32 {
        self.places_of_leaves[leaf.index()]
    }

    /// How many places there are.
    pub(in crate::algorithms) fn places(&self) -> u32 {
        self.places
    }

    /// Of numbers: whether the cell at a place is one.
    pub(in crate::algorithms) fn is_number(&self, place: u32) -> bool {
        place >= self.first_number
    }

    /// Of numbers: the one at a place; NaN if the cell there is none.
    pub(in crate::algorithms) fn number(&self, place: u32) -> f64 {
        self.numbers[place as usize]
    }

    /// Of groups: how many levels there are.
    pub(in crate::algorithms) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Of groups: the leaves of each group of a level.
    pub(in crate::algorithms) fn leaves_of_groups(&self, level: usize) -> &[u32] {
        &self.levels[level].leaves
    }

    /// Of numbers: half the distance between the least and the greatest that has rows.
    pub(in crate::algorithms) fn half_range(&self) -> f64 {
        self.half_range
    }

    /// Of groups: how many values are in the lowest group with two places, and so with all between them.
    pub(in crate::algorithms) fn values(&self, first: u32, last: u32) -> u32 {
        if first == last {
            return 1;
        }
        let groups = &self.levels[self.lowest_level(first, last)];
        groups.leaves[groups.of_places[first as usize] as usize]
    }

    /// Of numbers: how far a place is from the least number, in widths of the axis. Cells that are no numbers are
    /// farther from all of them than any two numbers are.
    pub(in crate::algorithms) fn distance(&self, place: u32) -> f64 {
        let least = self.numbers.get(self.first_number as usize);
        match (least, self.numbers[place as usize]) {
            (Some(&least), number) if number >= least && self.half_range > 0.0 => {
                (number / 2.0 - least / 2.0) / self.half_range
            }
            (_, number) if number.is_nan() => -1.0 - f64::from(place),
            _ => 0.0,
        }
    }

    /// How much of the axis lies between two places, from 0 to 1; 0 for a single place.
    pub(in crate::algorithms) fn width(&self, first: u32, last: u32) -> f64 {
        if first == last {
            return 0.0;
        }
        match self.sides {
            // Published as a group of the hierarchy, mostly as `*`.
            Sides::Intervals if first < self.first_number => 1.0,
            Sides::Intervals => {
                let (least, greatest) = (self.numbers[first as usize], self.numbers[last as usize]);
                (greatest / 2.0 - least / 2.0) / self.half_range
            }
            Sides::Groups => f64::from(self.values(first, last)) / f64::from(self.places),
            Sides::Sets => f64::from(last - first + 1) / f64::from(self.places),
        }
    }

    /// Of groups: the lowest level at which two places, and so all between them, are in one group.
    pub(in crate::algorithms) fn lowest_level(&self, first: u32, last: u32) -> usize {
        let is_one =
            |groups: &Groups| groups.of_places[first as usize] == groups.of_places[last as usize];
        let level = self.levels.iter().position(is_one);
        level.unwrap_or(self.levels.len() - 1)
    }

    /// Of groups: how many a level has.
    pub(super) fn groups(&self, level: usize) -> usize {
        self.levels[level].leaves.len()
    }

    /// Of groups: the group of a place at a level.
    pub(in crate::algorithms) fn group(&self, level: usize, place: u32) -> u32 {
        self.levels[level].of_places[place as usize]
    }
}

/// All dimensions. Tuples are points: for each the places, then the tuple's number and its rows.
#[derive(Debug)]
pub(in crate::algorithms) struct Space {
    pub(in crate::algorithms) dimensions: Vec<Dimension>,
    /// How many numbers a point has.
    pub(in crate::algorithms) stride: usize,
}

impl Space {
    pub(in crate::algorithms) fn new(problem: &Problem<'_>) -> Self {
        let without_hierarchy = &problem.settings.without_hierarchy;
        let attributes = problem.table.attributes.iter().enumerate();
        let dimensions: Vec<Dimension> = attributes
            .zip(problem.max_levels.levels())
            .map(|((at, attribute), max_level)| {
                Dimension::new(attribute, max_level, !without_hierarchy.contains(&at))
            })
            .collect();
        Space {
            stride: dimensions.len() + 2,
            dimensions,
        }
    }

    pub(in crate::algorithms) fn points(&self, problem: &Problem<'_>, tuples: &[u32]) -> Vec<u32> {
        let table = problem.table;
        let mut points = Vec::with_capacity(tuples.len() * self.stride);
        for &tuple in tuples {
            for (at, dimension) in self.dimensions.iter().enumerate() {
                let leaf = table.leaf(tuple as usize, at);
                points.push(dimension.place(leaf));
            }
            points.extend([tuple, table.tuples.sizes()[tuple as usize]]);
        }
        points
    }

    /// How each column is published.
    pub(in crate::algorithms) fn sides(&self) -> Vec<Sides> {
        self.dimensions.iter().map(|it| it.sides).collect()
    }

    /// The number of the tuple of a point.
    pub(in crate::algorithms) fn tuple(&self, point: &[u32]) -> u32 {
        point[self.stride - 2]
    }

    /// The rows of a point.
    pub(in crate::algorithms) fn rows(&self, point: &[u32]) -> u32 {
        point[self.stride - 1]
    }
}
