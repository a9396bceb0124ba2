//! Who in a population a class could be about, as searches for boxes see it.
//!
//! A region is published as the box around its tuples, so everyone in the population whose values lie in that box matches it,
//! whether or not the table has their combination of values. Sums over the tuples of a region would miss those whose
//! combination is in no row; so a box is looked up in the population as a whole. Recodings by columns need no look-up: there
//! the people move along with the classes, as classes without rows.
//!
//! The check of a release counts again, with code of its own.

use crate::counts::{CountedTable, LeafSet};
use crate::problem::Problem;
use crate::recode::{BoxSides, Sides};

/// A part of the tree with no more combinations of values is not divided.
const FEW: usize = 16;

/// The population of a table as points, in a tree whose nodes know how many people they hold.
#[derive(Debug)]
pub(super) struct PeopleInBoxes<'a> {
    table: &'a CountedTable,
    columns: Vec<BoxSides<'a>>,
    /// The positions of each combination of the population, column by column, and then how many people have it. In the order
    /// of the tree.
    points: Vec<u32>,
    /// The root first.
    nodes: Vec<Node>,
    /// The least and greatest position of each node, column by column.
    bounds: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Node {
    start: usize,
    end: usize,
    people: u32,
    parts: Option<(usize, usize)>,
}

impl<'a> PeopleInBoxes<'a> {
    /// The population, if there is one and a model reads it; boxes have these sides.
    pub(super) fn of(problem: &Problem<'a>, sides: &[Sides]) -> Option<Self> {
        let table = problem.table;
        let mut models = problem.models.iter();
        let population = table.population.as_deref();
        let population = population.filter(|_| models.any(|model| model.reads_population()))?;
        let columns: Vec<BoxSides<'a>> = (table.attributes.iter().zip(sides))
            .map(|(attribute, &sides)| BoxSides::new(attribute, sides))
            .collect();
        let combinations: Vec<Vec<u32>> = (population.tuples.sizes().iter().enumerate())
            .map(|(tuple, &people)| {
                let positions = (columns.iter().enumerate())
                    .map(|(at, column)| column.order().position(population.leaf(tuple, at)));
                positions.chain([people]).collect()
            })
            .collect();
        let mut found = PeopleInBoxes {
            table,
            columns,
            points: Vec::new(),
            nodes: Vec::new(),
            bounds: Vec::new(),
        };
        found.divide(combinations);
        Some(found)
    }

    /// Adds a node for some combinations, and its parts. Returns its number.
    fn divide(&mut self, mut combinations: Vec<Vec<u32>>) -> usize {
        let columns = self.columns.len();
        let node = self.nodes.len();
        let start = self.points.len() / (columns + 1);
        self.nodes.push(Node {
            start,
            end: start + combinations.len(),
            people: combinations.iter().map(|it| it[columns]).sum(),
            parts: None,
        });
        for at in 0..columns {
            let least = combinations.iter().map(|it| it[at]).min();
            let greatest = combinations.iter().map(|it| it[at]).max();
            self.bounds
                .push((least.unwrap_or(1), greatest.unwrap_or(0)));
        }
        // In shares of the column, so that a column with many values is not always the widest.
        let width = |at: &usize| {
            let (least, greatest) = self.bounds[node * columns + at];
            let all = u64::from(self.columns[*at].order().len()).max(1);
            (u64::from(greatest.saturating_sub(least)) << 20) / all
        };
        let widest = (0..columns).max_by_key(width);
        match widest.filter(|at| combinations.len() > FEW && width(at) > 0) {
            Some(at) => {
                combinations.sort_by(|one, other| one[at].cmp(&other[at]).then(one.cmp(other)));
                let others = combinations.split_off(combinations.len() / 2);
                let parts = (self.divide(combinations), self.divide(others));
                self.nodes[node].parts = Some(parts);
            }
            None => self.points.extend(combinations.into_iter().flatten()),
        }
        node
    }

    /// What [`PeopleInBoxes::matching`] looks at, roughly.
    pub(super) fn visits(&self, members: &[u32]) -> usize {
        (members.len() + self.nodes.len().ilog2() as usize) * self.columns.len()
    }

    /// How many people match a class of these tuples of the table.
    pub(super) fn matching(&self, members: &[u32]) -> u32 {
        let mut positions = Vec::with_capacity(members.len());
        let covers: Vec<LeafSet> = (self.columns.iter().enumerate())
            .map(|(at, column)| {
                positions.clear();
                let leaves = members.iter().map(|&it| self.table.leaf(it as usize, at));
                positions.extend(leaves.map(|leaf| column.order().position(leaf)));
                column.cover(&positions)
            })
            .collect();
        let covers: Vec<&LeafSet> = covers.iter().collect();
        self.inside(&covers)
    }

    /// How many people have values that lie in these sets, one for each column.
    pub(super) fn inside(&self, covers: &[&LeafSet]) -> u32 {
        let mut people = 0;
        self.each_inside(covers, |found| people += found.people(self));
        people
    }

    /// For each of some boxes, the others that somebody matches as well.
    pub(super) fn shared(&self, boxes: &[Vec<&LeafSet>]) -> Vec<Vec<u32>> {
        let points = self.points.len() / (self.columns.len() + 1);
        let mut boxes_of_points: Vec<Vec<u32>> = vec![Vec::new(); points];
        for (number, covers) in (0..).zip(boxes) {
            self.each_inside(covers, |found| {
                let points = &mut boxes_of_points[found.points(self)];
                points.iter_mut().for_each(|boxes| boxes.push(number));
            });
        }
        let mut shared: Vec<Vec<u32>> = vec![Vec::new(); boxes.len()];
        for boxes in boxes_of_points.iter().filter(|boxes| boxes.len() > 1) {
            for &one in boxes {
                let others = boxes.iter().filter(|&&other| other != one);
                shared[one as usize].extend(others);
            }
        }
        for others in &mut shared {
            others.sort_unstable();
            others.dedup();
        }
        shared
    }

    /// Calls for every node all of which lies in a box, and for every single combination that does besides.
    fn each_inside(&self, covers: &[&LeafSet], mut see: impl FnMut(Inside)) {
        let columns = covers.len();
        let mut to_do = vec![0];
        while let Some(at) = to_do.pop() {
            let bounds = &self.bounds[at * columns..][..columns];
            let (mut is_outside, mut is_inside) = (false, true);
            for (cover, &(least, greatest)) in covers.iter().zip(bounds) {
                let held = cover.len_between(least, greatest + 1);
                is_outside |= held == 0;
                is_inside &= held == greatest + 1 - least;
            }
            let node = &self.nodes[at];
            match node.parts {
                _ if is_outside => {}
                _ if is_inside => see(Inside::Node(at)),
                Some((low, high)) => to_do.extend([high, low]),
                None => {
                    for point in node.start..node.end {
                        let positions = &self.points[point * (columns + 1)..][..columns];
                        let mut sides = covers.iter().zip(positions);
                        if sides.all(|(cover, &position)| cover.contains(position)) {
                            see(Inside::Point(point));
                        }
                    }
                }
            }
        }
    }
}

/// What was found inside a box.
#[derive(Debug, Clone, Copy)]
enum Inside {
    Node(usize),
    Point(usize),
}

impl Inside {
    fn people(self, all: &PeopleInBoxes<'_>) -> u32 {
        let columns = all.columns.len();
        match self {
            Inside::Node(node) => all.nodes[node].people,
            Inside::Point(point) => all.points[point * (columns + 1) + columns],
        }
    }

    /// The combinations it stands for.
    fn points(self, all: &PeopleInBoxes<'_>) -> std::ops::Range<usize> {
        match self {
            Inside::Node(node) => all.nodes[node].start..all.nodes[node].end,
            Inside::Point(point) => point..point + 1,
        }
    }
}
