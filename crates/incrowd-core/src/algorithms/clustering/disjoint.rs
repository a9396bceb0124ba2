//! Publishes every value of a column in one way only, so that published values of a column are disjoint or equal.
//!
//! The values of every column are put into blocks: values that share a cluster share a block. Then blocks are split
//! again while every class stays safe, those splits first that divide the clusters of the fewest rows.

use crate::algorithms::cuts::Judge;
use crate::algorithms::mondrian::Space;
use crate::algorithms::people::PeopleInBoxes;
use crate::counts::Work;
use crate::problem::{Meter, Problem};
use crate::recode::Sides;
use std::collections::BTreeMap;

/// How many splits of a block are tried, those that divide the clusters of the fewest rows.
const SPLITS_TRIED: usize = 64;

/// Values of one set are written down, and this is more than anyone reads: the group with all of them is published instead.
const MOST_IN_SET: usize = 1000;

/// The values of one column.
struct Column {
    sides: Sides,
    /// The place of each tuple.
    places: Vec<u32>,
    /// The block of each place.
    blocks: Vec<u32>,
    /// Whether blocks may be split again.
    may_split: bool,
}

/// Blocks of all columns, and the classes they make.
pub(super) struct Blocks<'a> {
    problem: &'a Problem<'a>,
    space: &'a Space,
    columns: Vec<Column>,
    judge: Judge<'a>,
    classes: Vec<Vec<u32>>,
}

/// One block split in several: the part of each of its places.
struct Split {
    /// The rows of clusters that it divides.
    rows_divided: u64,
    column: usize,
    block: u32,
    parts: BTreeMap<u32, u32>,
}

impl<'a> Blocks<'a> {
    /// The blocks of some clusters, given by their tuples.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        (space, people): (&'a Space, Option<&'a PeopleInBoxes<'a>>),
        clusters: &[Vec<u32>],
    ) -> Self {
        let tuples: Vec<u32> = (0..problem.table.tuples.len() as u32).collect();
        let points = space.points(problem, &tuples);
        let points = || points.chunks_exact(space.stride);
        let columns = space.dimensions.iter().enumerate().map(|(at, dimension)| {
            let places: Vec<u32> = points().map(|point| point[at]).collect();
            let mut column = Column {
                sides: dimension.sides,
                blocks: (0..dimension.places()).collect(),
                may_split: true,
                places,
            };
            column.unite(problem, (at, space), clusters);
            column
        });
        let mut blocks = Blocks {
            problem,
            space,
            columns: columns.collect(),
            judge: Judge::of_boxes(problem, people),
            classes: Vec::new(),
        };
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for tuple in tuples {
            let block = |column: &Column| column.block(tuple);
            let key = blocks.columns.iter().map(block).collect();
            classes.entry(key).or_default().push(tuple);
        }
        blocks.classes = classes.into_values().collect();
        blocks
    }

    fn rows(&self, tuples: &[u32]) -> u32 {
        let sizes = self.problem.table.tuples.sizes();
        tuples.iter().map(|&it| sizes[it as usize]).sum()
    }

    fn is_safe(&mut self, tuples: &[u32]) -> bool {
        let rows = self.rows(tuples);
        (self.judge).is_safe(rows, &self.problem.table.tuples, tuples)
    }

    /// Whether no more rows are in unsafe classes than may be suppressed.
    pub(super) fn are_safe(&mut self) -> bool {
        let mut rows_unsafe = 0;
        for class in std::mem::take(&mut self.classes) {
            rows_unsafe += if self.is_safe(&class) {
                0
            } else {
                self.rows(&class)
            };
            self.classes.push(class);
        }
        rows_unsafe <= self.problem.max_suppressed
    }

    /// For each column, the block of each tuple.
    pub(super) fn of_tuples(&self) -> Vec<Vec<u32>> {
        let of_column = |column: &Column| {
            let tuples = 0..column.places.len() as u32;
            tuples.map(|tuple| column.block(tuple)).collect()
        };
        self.columns.iter().map(of_column).collect()
    }

    /// Splits blocks while every class stays safe, or until the meter says to stop.
    pub(super) fn split(&mut self, clusters: &[Vec<u32>], meter: &Meter<'_>) {
        loop {
            let mut splits: Vec<Split> = (0..self.columns.len())
                .flat_map(|column| self.splits(column, clusters))
                .collect();
            splits.sort_by_key(|it| (it.rows_divided, it.column, it.block));
            let mut is_any_made = false;
            for split in splits {
                let work = Work(self.problem.table.tuples.len() as u64);
                if meter.stopped().is_some() || meter.spend(work).is_err() {
                    return;
                }
                is_any_made |= self.make(&split);
            }
            if !is_any_made {
                return;
            }
        }
    }

    /// The splits of the blocks of a column.
    fn splits(&self, column: usize, clusters: &[Vec<u32>]) -> Vec<Split> {
        let of_column = &self.columns[column];
        if !of_column.may_split {
            return Vec::new();
        }
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut places = of_column.places.clone();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let block = of_column.blocks[place as usize];
            members.entry(block).or_default().push(place);
        }
        let mut splits = Vec::new();
        for (block, places) in members {
            if places.len() < 2 {
                continue;
            }
            let ways = self.ways_to_split(column, &places);
            let mut of_block: Vec<Split> = (ways.into_iter())
                .map(|parts| Split {
                    rows_divided: self.rows_divided(column, &parts, clusters),
                    column,
                    block,
                    parts,
                })
                .collect();
            of_block.sort_by_key(|it| it.rows_divided);
            of_block.truncate(SPLITS_TRIED);
            splits.extend(of_block);
        }
        splits
    }

    /// The part of each place, for every way in which a block of these may be split: groups into those below, other
    /// values in two, or one of them off.
    fn ways_to_split(&self, column: usize, places: &[u32]) -> Vec<BTreeMap<u32, u32>> {
        let dimension = &self.space.dimensions[column];
        let parts = |part: &dyn Fn(u32) -> u32| -> BTreeMap<u32, u32> {
            places.iter().map(|&place| (place, part(place))).collect()
        };
        let step = places.len().div_ceil(4 * SPLITS_TRIED);
        match self.columns[column].sides {
            Sides::Intervals => {
                let starts = places[1..].iter().step_by(step);
                let ways = starts.map(|&start| parts(&|place| u32::from(place >= start)));
                ways.collect()
            }
            Sides::Sets => {
                let values = places.iter().step_by(step);
                let ways = values.map(|&value| parts(&|place| u32::from(place == value)));
                ways.collect()
            }
            Sides::Groups => {
                let level = dimension.lowest_level(places[0], places[places.len() - 1]);
                match level.checked_sub(1) {
                    None => Vec::new(),
                    Some(below) => vec![parts(&|place| dimension.group(below, place))],
                }
            }
        }
    }

    /// The rows of the clusters that a split divides.
    fn rows_divided(
        &self,
        column: usize,
        parts: &BTreeMap<u32, u32>,
        clusters: &[Vec<u32>],
    ) -> u64 {
        let part = |tuple: &u32| parts.get(&self.columns[column].places[*tuple as usize]);
        let is_divided =
            |tuples: &&Vec<u32>| tuples.iter().any(|tuple| part(tuple) != part(&tuples[0]));
        let divided = clusters.iter().filter(is_divided);
        divided.map(|tuples| u64::from(self.rows(tuples))).sum()
    }

    /// Makes a split, unless a class would not be safe. False also if the block is no longer what it was.
    fn make(&mut self, split: &Split) -> bool {
        let column = &self.columns[split.column];
        let is_current = |place: &u32| column.blocks[*place as usize] == split.block;
        if !split.parts.keys().all(is_current) {
            return false;
        }
        let (inside, outside): (Vec<_>, Vec<_>) = std::mem::take(&mut self.classes)
            .into_iter()
            .partition(|class| column.block(class[0]) == split.block);
        let mut divided: Vec<Vec<u32>> = Vec::new();
        let mut is_safe = true;
        for class in &inside {
            let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for &tuple in class {
                let place = self.columns[split.column].places[tuple as usize];
                parts.entry(split.parts[&place]).or_default().push(tuple);
            }
            // What is suppressed may be divided as well.
            let must_be_safe = parts.len() > 1 && self.is_safe(class);
            is_safe &= !must_be_safe || parts.values().all(|part| self.is_safe(part));
            if !is_safe {
                break;
            }
            divided.extend(parts.into_values());
        }
        self.classes = outside;
        if !is_safe {
            self.classes.extend(inside);
            return false;
        }
        self.classes.extend(divided);
        let column = &mut self.columns[split.column];
        // The first place of each part names its block.
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        for (&place, &part) in &split.parts {
            column.blocks[place as usize] = *first.entry(part).or_insert(place);
        }
        true
    }
}

impl Column {
    fn block(&self, tuple: u32) -> u32 {
        self.blocks[self.places[tuple as usize] as usize]
    }

    /// Puts values that share a cluster into one block, and those that would be published with them.
    fn unite(
        &mut self,
        problem: &Problem<'_>,
        (at, space): (usize, &Space),
        clusters: &[Vec<u32>],
    ) {
        let dimension = &space.dimensions[at];
        // For each place, the last one of a run that it must share a block with.
        let mut reach: Vec<u32> = (0..dimension.places()).collect();
        for tuples in clusters {
            let places = || tuples.iter().map(|&it| self.places[it as usize]);
            let (Some(first), Some(last)) = (places().min(), places().max()) else {
                continue;
            };
            match self.sides {
                Sides::Intervals => {
                    reach[first as usize] = reach[first as usize].max(last);
                }
                Sides::Groups if first == last => {}
                Sides::Groups => {
                    let level = dimension.lowest_level(first, last);
                    let group = dimension.group(level, first);
                    let is_inside = |place: &u32| dimension.group(level, *place) == group;
                    let inside = || (0..dimension.places()).filter(is_inside);
                    let (first, last) = (inside().min(), inside().max());
                    if let (Some(first), Some(last)) = (first, last) {
                        reach[first as usize] = reach[first as usize].max(last);
                    }
                }
                Sides::Sets => places().for_each(|place| unite(&mut self.blocks, first, place)),
            }
        }
        if self.sides != Sides::Sets {
            let (mut block, mut end) = (0, 0);
            for place in 0..dimension.places() {
                if place > end {
                    block = place;
                }
                end = end.max(reach[place as usize]);
                self.blocks[place as usize] = block;
            }
        }
        for place in 0..self.blocks.len() as u32 {
            self.blocks[place as usize] = root(&self.blocks, place);
        }
        if !self.is_published_by_its_values(dimension.places(), &|it| dimension.is_number(it)) {
            self.unite_highest_groups(problem, at);
        }
    }

    /// Whether no block mixes numbers with cells that are none, or is too long a set.
    fn is_published_by_its_values(&self, places: u32, is_number: &dyn Fn(u32) -> bool) -> bool {
        let mut values = vec![0; places as usize];
        (self.blocks.iter()).for_each(|&block| values[block as usize] += 1);
        let is_fine = |place: u32| {
            let values = values[self.blocks[place as usize] as usize];
            match self.sides {
                Sides::Groups => true,
                Sides::Sets => values <= MOST_IN_SET,
                Sides::Intervals => values == 1 || is_number(place),
            }
        };
        (0..places).all(is_fine)
    }

    /// A block for each of the highest acceptable groups.
    fn unite_highest_groups(&mut self, problem: &Problem<'_>, at: usize) {
        let Some(level) = problem.max_levels.levels().nth(at) else {
            return;
        };
        let table = problem.table;
        let mut firsts: BTreeMap<u32, u32> = BTreeMap::new();
        for (tuple, &place) in self.places.iter().enumerate() {
            let leaf = table.leaf(tuple, at);
            let group = table.attributes[at].hierarchy.group_of(level, leaf);
            self.blocks[place as usize] = *firsts.entry(group.0).or_insert(place);
        }
        self.may_split = false;
    }
}

/// The place that names the block of another.
fn root(blocks: &[u32], mut place: u32) -> u32 {
    while blocks[place as usize] != place {
        place = blocks[place as usize];
    }
    place
}

/// Unites the blocks of two places.
fn unite(blocks: &mut [u32], one: u32, other: u32) {
    let (one, other) = (root(blocks, one), root(blocks, other));
    blocks[one.max(other) as usize] = one.min(other);
}
