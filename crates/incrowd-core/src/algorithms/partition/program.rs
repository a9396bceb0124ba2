//! The best partition of one attribute when those of all others are fixed.
//!
//! Both costs are then sums over the blocks of the attribute: whether and for how much a class is published depends
//! on its own block only. So the best partition follows from the costs of blocks: of neighbours by a dynamic program
//! over where the last block begins, of any sets by one over subsets, and along the tree from the values up.
//!
//! A budget for suppressed rows couples the blocks. Then the programs keep, instead of the one least cost, every
//! pair of cost and suppressed rows that no other beats in both; the answer stays exact.

use super::blocks::Partition;
use super::classes::{Classes, Entry, Lines};
use super::cost::{Contents, Cost, Judge, add_contents};
use super::scheme::{Joins, Shape, Space};
use super::tree::Tree;

/// Any subset of so many parts is looked at.
const MOST_PARTS: usize = 16;
/// The same when a budget has to be kept.
const MOST_PARTS_IN_BUDGET: usize = 10;

/// One attribute, all others fixed.
#[derive(Debug)]
pub(super) struct Program<'a> {
    cost: &'a Cost,
    judge: &'a Judge<'a>,
    classes: &'a Classes,
    lines: Lines,
    space: &'a Space,
    /// Rows of each value, by its place.
    rows: &'a [u32],
    max_suppressed: u32,
}

/// A partition of the attribute and what it costs.
#[derive(Debug, Clone)]
pub(super) struct Finished {
    pub(super) partition: Partition,
    pub(super) cost: f64,
    pub(super) suppressed: u32,
}

/// A way to partition some values.
#[derive(Debug, Clone)]
struct Way {
    cost: f64,
    suppressed: u32,
    /// The block of each value, counted from 0.
    blocks: Vec<u32>,
}

/// The children of a node: their ways, and how many values each has.
#[derive(Debug)]
struct Parts {
    ways: Vec<Vec<Way>>,
    lengths: Vec<usize>,
}

/// What a block costs.
#[derive(Debug, Clone, Copy)]
struct BlockCost {
    cost: f64,
    suppressed: u32,
}

/// A step of a program: what it comes to and where it came from.
#[derive(Debug, Clone, Copy)]
struct Step {
    cost: f64,
    suppressed: u32,
    /// The state before, and the step there.
    from: (u32, u32),
    /// The way of a single part, or none when a block was made.
    way: Option<u32>,
}

/// Whether the program for a space gives the optimum, and in bearable time.
pub(super) fn is_exact(space: &Space, is_budgeted: bool) -> bool {
    let most = if is_budgeted {
        MOST_PARTS_IN_BUDGET
    } else {
        MOST_PARTS
    };
    match &space.shape {
        Shape::Tree {
            tree,
            joins: Joins::Any,
        } => tree.nodes().iter().all(|node| node.children.len() <= most),
        _ => true,
    }
}

impl<'a> Program<'a> {
    /// `rows` of each block of each attribute; the one asked for must have every value in a block of its own.
    pub(super) fn new(
        (cost, judge): (&'a Cost, &'a Judge<'a>),
        classes: &'a Classes,
        rows: &'a [Vec<u32>],
        (attribute, space): (usize, &'a Space),
        max_suppressed: u32,
    ) -> Self {
        Program {
            cost,
            judge,
            lines: classes.lines(cost, rows, attribute),
            classes,
            space,
            rows: &rows[attribute],
            max_suppressed,
        }
    }

    /// The best partition; none when every one suppresses too much.
    pub(super) fn solve(&self) -> Option<Finished> {
        let unlimited = self.cost.rows;
        let free = match self.max_suppressed {
            0 => self.ways(Limits::Forbidden),
            _ => self.ways(Limits::None),
        };
        let mut best = free.into_iter().next();
        let is_within = |way: &Way| way.cost.is_finite() && way.suppressed <= self.max_suppressed;
        if !best.as_ref().is_some_and(is_within) {
            if self.max_suppressed == 0 || self.max_suppressed >= unlimited {
                return None;
            }
            let within = self.ways(Limits::Budget(self.max_suppressed));
            best = within
                .into_iter()
                .min_by(|one, other| one.cost.total_cmp(&other.cost));
        }
        best.map(|way| Finished {
            partition: Partition::from_numbers(way.blocks),
            cost: way.cost,
            suppressed: way.suppressed,
        })
    }

    /// The ways to partition all values that may be part of the best.
    fn ways(&self, limits: Limits) -> Vec<Way> {
        match &self.space.shape {
            Shape::Chain(chain) => {
                let intervals = self.intervals();
                let ways = chain.iter().map(|partition| {
                    let mut way = Way {
                        cost: 0.0,
                        suppressed: 0,
                        blocks: partition.of_values().to_vec(),
                    };
                    for block in partition.members() {
                        let block = intervals.get(block[0], block[block.len() - 1]);
                        way.cost += limits.cost(block);
                        way.suppressed += block.suppressed;
                    }
                    way
                });
                limits.best(ways)
            }
            Shape::Tree { tree, joins } => {
                let intervals = match joins {
                    Joins::Any => None,
                    _ => Some(self.intervals()),
                };
                let roots = tree.roots().iter();
                let ways = roots
                    .map(|&root| self.ways_of_node(tree, *joins, root, limits, intervals.as_ref()));
                side_by_side(ways, limits)
            }
        }
    }

    fn ways_of_node(
        &self,
        tree: &Tree,
        joins: Joins,
        at: usize,
        limits: Limits,
        intervals: Option<&Intervals>,
    ) -> Vec<Way> {
        let node = &tree.nodes()[at];
        if node.is_value() {
            let block = match intervals {
                Some(intervals) => intervals.get(node.first, node.first),
                None => self.single(node.first),
            };
            return limits.best(std::iter::once(Way {
                cost: limits.cost(block),
                suppressed: block.suppressed,
                blocks: vec![0],
            }));
        }
        let nodes = tree.nodes();
        let children = Parts {
            ways: (node.children.iter())
                .map(|&child| self.ways_of_node(tree, joins, child, limits, intervals))
                .collect(),
            lengths: (node.children.iter())
                .map(|&child| (nodes[child].end - nodes[child].first) as usize)
                .collect(),
        };
        let count = children.ways.len();
        match (joins, intervals) {
            (Joins::All, Some(intervals)) => {
                let whole = intervals.get(node.first, node.end - 1);
                let whole = Way {
                    cost: limits.cost(whole),
                    suppressed: whole.suppressed,
                    blocks: vec![0; (node.end - node.first) as usize],
                };
                let apart = side_by_side(children.ways.into_iter(), limits);
                limits.best(apart.into_iter().chain([whole]))
            }
            (Joins::Runs, Some(intervals)) => {
                let block = |from: usize, to: usize| {
                    intervals.get(
                        nodes[node.children[from]].first,
                        nodes[node.children[to]].end - 1,
                    )
                };
                let order: Vec<usize> = (0..count).collect();
                runs(&order, &children, block, limits)
            }
            _ => {
                let mut unit_of_value = vec![u32::MAX; self.rows.len()];
                for (unit, &child) in (0..).zip(&node.children) {
                    for value in nodes[child].values() {
                        unit_of_value[value as usize] = unit;
                    }
                }
                let most = match limits {
                    Limits::Budget(_) => MOST_PARTS_IN_BUDGET,
                    _ => MOST_PARTS,
                };
                if count <= most {
                    let blocks = self.subsets(&unit_of_value, count);
                    subsets(&children, &blocks, limits)
                } else {
                    self.some_runs(&unit_of_value, &children, limits)
                }
            }
        }
    }

    /// Too many parts for all subsets: the best runs of two orders, as listed and by rows.
    fn some_runs(&self, unit_of_value: &[u32], children: &Parts, limits: Limits) -> Vec<Way> {
        let count = children.ways.len();
        let mut rows_of_units = vec![0u32; count];
        for (&unit, &rows) in unit_of_value.iter().zip(self.rows) {
            if unit != u32::MAX {
                rows_of_units[unit as usize] += rows;
            }
        }
        let listed: Vec<usize> = (0..count).collect();
        let mut by_rows = listed.clone();
        by_rows.sort_by_key(|&unit| rows_of_units[unit]);
        let ways = [listed, by_rows].into_iter().flat_map(|order| {
            let mut rank = vec![0; order.len()];
            for (place, &unit) in (0..).zip(&order) {
                rank[unit] = place;
            }
            let ranks: Vec<u32> = (unit_of_value.iter())
                .map(|&unit| {
                    if unit == u32::MAX {
                        unit
                    } else {
                        rank[unit as usize]
                    }
                })
                .collect();
            let intervals = self.intervals_of(&ranks, order.len());
            runs(
                &order,
                children,
                |from, to| intervals.get(from as u32, to as u32),
                limits,
            )
        });
        limits.best(ways.collect::<Vec<_>>().into_iter())
    }

    fn single(&self, value: u32) -> BlockCost {
        let mut sum = Sum::default();
        for line in self.lines.iter() {
            for entry in line.iter().filter(|entry| entry.block == value) {
                let tally = Tally::of(entry, self.classes);
                sum.add(&tally.judged(self.cost, self.judge));
            }
        }
        sum.block(self.cost, self.rows[value as usize])
    }

    fn intervals(&self) -> Intervals {
        let units: Vec<u32> = (0..self.rows.len() as u32).collect();
        self.intervals_of(&units, units.len())
    }

    /// The cost of every run of units; values that are in no unit are passed over.
    fn intervals_of(&self, unit_of_value: &[u32], units: usize) -> Intervals {
        // What a line adds to a run depends on the first and the last unit of the run that it has a class in. So
        // only the differences to the runs without the one, the other and both are noted there, and summed up.
        let mut sums = vec![Sum::default(); units * units];
        let mut present: Vec<(u32, Tally)> = Vec::new();
        let mut line_sums: Vec<Sum> = Vec::new();
        for line in self.lines.iter() {
            gather(line, unit_of_value, self.classes, &mut present);
            present.sort_by_key(|(unit, _)| *unit);
            let count = present.len();
            line_sums.clear();
            line_sums.resize((count + 1) * (count + 1), Sum::default());
            // At (first + 1) and last, so that an empty run is 0.
            let at = |first: usize, last: usize| first * (count + 1) + last;
            for first in (0..count).rev() {
                let mut tally = Tally::default();
                for last in first..count {
                    tally.add(&present[last].1);
                    let sum = tally.judged(self.cost, self.judge);
                    line_sums[at(first, last + 1)] = sum;
                    let mut change = sum;
                    change.subtract(&line_sums[at(first + 1, last + 1)]);
                    change.subtract(&line_sums[at(first, last)]);
                    change.add(&line_sums[at(first + 1, last)]);
                    let (from, to) = (present[first].0 as usize, present[last].0 as usize);
                    sums[from * units + to].add(&change);
                }
            }
        }
        let mut rows_of_units = vec![0u32; units];
        for (&unit, &rows) in unit_of_value.iter().zip(self.rows) {
            if unit != u32::MAX {
                rows_of_units[unit as usize] += rows;
            }
        }
        let mut costs = vec![
            BlockCost {
                cost: 0.0,
                suppressed: 0
            };
            units * units
        ];
        for from in (0..units).rev() {
            let mut rows = 0;
            for to in from..units {
                let mut sum = sums[from * units + to];
                if from < to {
                    sum.add(&sums[(from + 1) * units + to]);
                    sum.add(&sums[from * units + to - 1]);
                    if from + 1 < to {
                        sum.subtract(&sums[(from + 1) * units + to - 1]);
                    }
                }
                sums[from * units + to] = sum;
                rows += rows_of_units[to];
                costs[from * units + to] = sum.block(self.cost, rows);
            }
        }
        Intervals { units, costs }
    }

    /// The cost of every subset of units.
    fn subsets(&self, unit_of_value: &[u32], units: usize) -> Vec<BlockCost> {
        let mut sums = vec![Sum::default(); 1 << units];
        let mut present: Vec<(u32, Tally)> = Vec::new();
        let mut within: Vec<Sum> = Vec::new();
        let mut tallies: Vec<Tally> = Vec::new();
        let mut places: Vec<u32> = vec![0; 1 << units];
        for line in self.lines.iter() {
            gather(line, unit_of_value, self.classes, &mut present);
            let count = present.len();
            within.clear();
            tallies.clear();
            tallies.push(Tally::default());
            within.push(Sum::default());
            for chosen in 1usize..1 << count {
                let lowest = chosen.trailing_zeros() as usize;
                let mut tally = tallies[chosen & (chosen - 1)].clone();
                tally.add(&present[lowest].1);
                within.push(tally.judged(self.cost, self.judge));
                tallies.push(tally);
            }
            let mut bits = vec![0u32; units];
            for (bit, (unit, _)) in present.iter().enumerate() {
                bits[*unit as usize] = 1 << bit;
            }
            for chosen in 1usize..1 << units {
                let lowest = chosen.trailing_zeros() as usize;
                let place = places[chosen & (chosen - 1)] | bits[lowest];
                places[chosen] = place;
                sums[chosen].add(&within[place as usize]);
            }
        }
        let mut rows_of_units = vec![0u32; units];
        for (&unit, &rows) in unit_of_value.iter().zip(self.rows) {
            if unit != u32::MAX {
                rows_of_units[unit as usize] += rows;
            }
        }
        let mut rows = vec![0u32; 1 << units];
        for chosen in 1usize..1 << units {
            let lowest = chosen.trailing_zeros() as usize;
            rows[chosen] = rows[chosen & (chosen - 1)] + rows_of_units[lowest];
        }
        let blocks = sums.iter().zip(rows);
        blocks
            .map(|(sum, rows)| sum.block(self.cost, rows))
            .collect()
    }
}

/// The classes of a line by unit.
fn gather(line: &[Entry], unit_of_value: &[u32], classes: &Classes, into: &mut Vec<(u32, Tally)>) {
    into.clear();
    for entry in line {
        let unit = unit_of_value[entry.block as usize];
        if unit == u32::MAX {
            continue;
        }
        let tally = Tally::of(entry, classes);
        match into.iter_mut().find(|(other, _)| *other == unit) {
            Some((_, known)) => known.add(&tally),
            None => into.push((unit, tally)),
        }
    }
}

/// A class being put together.
#[derive(Debug, Clone, Default)]
struct Tally {
    size: u32,
    fixed: f64,
    share: f64,
    contents: Option<Contents>,
}

impl Tally {
    fn of(entry: &Entry, classes: &Classes) -> Self {
        Tally {
            size: entry.size,
            fixed: entry.fixed,
            share: entry.share,
            contents: classes.contents(entry.class as usize).cloned(),
        }
    }

    #[inline]
    fn add(&mut self, other: &Tally) {
        self.size += other.size;
        self.fixed += other.fixed;
        self.share += other.share;
        match (&mut self.contents, &other.contents) {
            (Some(contents), Some(more)) => add_contents(contents, more),
            (none, more) => none.clone_from(more),
        }
    }

    #[inline]
    fn judged(&self, cost: &Cost, judge: &Judge<'_>) -> Sum {
        if !judge.is_safe(self.size, self.contents.as_ref()) {
            return Sum {
                suppressed: i64::from(self.size),
                ..Sum::default()
            };
        }
        let size = f64::from(self.size);
        Sum {
            fixed: if cost.reads_values() {
                self.fixed
            } else {
                size * size
            },
            share: self.share,
            suppressed: 0,
        }
    }
}

/// What judged classes come to, as long as the rows of their block are not known.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    fixed: f64,
    share: f64,
    suppressed: i64,
}

impl Sum {
    #[inline]
    fn add(&mut self, other: &Sum) {
        self.fixed += other.fixed;
        self.share += other.share;
        self.suppressed += other.suppressed;
    }

    #[inline]
    fn subtract(&mut self, other: &Sum) {
        self.fixed -= other.fixed;
        self.share -= other.share;
        self.suppressed -= other.suppressed;
    }

    #[inline]
    fn block(&self, cost: &Cost, rows: u32) -> BlockCost {
        let suppressed = self.suppressed as u32;
        BlockCost {
            cost: self.fixed + self.share * f64::from(rows) + f64::from(suppressed) * cost.charge,
            suppressed,
        }
    }
}

/// The cost of every run.
#[derive(Debug)]
struct Intervals {
    units: usize,
    costs: Vec<BlockCost>,
}

impl Intervals {
    #[inline]
    fn get(&self, first: u32, last: u32) -> BlockCost {
        self.costs[first as usize * self.units + last as usize]
    }
}

/// What may be suppressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limits {
    /// Any number of rows: only the cost counts.
    None,
    /// No row: only the cost counts, which is infinite otherwise.
    Forbidden,
    /// So many rows: what costs more may still suppress less.
    Budget(u32),
}

impl Limits {
    #[inline]
    fn cost(self, block: BlockCost) -> f64 {
        match self {
            Limits::Forbidden if block.suppressed > 0 => f64::INFINITY,
            _ => block.cost,
        }
    }

    /// The ways that no other beats, cheapest first.
    fn best(self, ways: impl Iterator<Item = Way>) -> Vec<Way> {
        match self {
            Limits::None | Limits::Forbidden => {
                let cheapest =
                    ways.reduce(|one, other| if other.cost < one.cost { other } else { one });
                cheapest.into_iter().collect()
            }
            Limits::Budget(most) => {
                let mut ways: Vec<Way> = ways.filter(|way| way.suppressed <= most).collect();
                ways.sort_by(|one, other| {
                    one.cost
                        .total_cmp(&other.cost)
                        .then(one.suppressed.cmp(&other.suppressed))
                });
                let mut least = u32::MAX;
                ways.retain(|way| {
                    let is_less = way.suppressed < least;
                    least = least.min(way.suppressed);
                    is_less
                });
                ways
            }
        }
    }

    /// The same for the steps of a program.
    fn best_steps(self, steps: &mut Vec<Step>) {
        match self {
            Limits::None | Limits::Forbidden => {
                if let Some(best) = steps
                    .iter()
                    .copied()
                    .reduce(|one, other| if other.cost < one.cost { other } else { one })
                {
                    steps.clear();
                    steps.push(best);
                }
            }
            Limits::Budget(most) => {
                steps.retain(|step| step.suppressed <= most);
                steps.sort_by(|one, other| {
                    one.cost
                        .total_cmp(&other.cost)
                        .then(one.suppressed.cmp(&other.suppressed))
                });
                let mut least = u32::MAX;
                steps.retain(|step| {
                    let is_less = step.suppressed < least;
                    least = least.min(step.suppressed);
                    is_less
                });
            }
        }
    }
}

/// Every choice of one way each, next to each other.
fn side_by_side(parts: impl Iterator<Item = Vec<Way>>, limits: Limits) -> Vec<Way> {
    let start = Way {
        cost: 0.0,
        suppressed: 0,
        blocks: Vec::new(),
    };
    parts.fold(vec![start], |ways, part| {
        let both = ways
            .iter()
            .flat_map(|one| part.iter().map(move |other| joined(one, other)));
        limits.best(both)
    })
}

fn joined(one: &Way, other: &Way) -> Way {
    let mut blocks = one.blocks.clone();
    let next = blocks.iter().max().map_or(0, |most| most + 1);
    blocks.extend(other.blocks.iter().map(|block| block + next));
    Way {
        cost: one.cost + other.cost,
        suppressed: one.suppressed + other.suppressed,
        blocks,
    }
}

/// The best ways to cut parts, taken in an order, into runs; `block` is what a run of two or more costs, by places in
/// that order.
fn runs(
    order: &[usize],
    parts: &Parts,
    block: impl Fn(usize, usize) -> BlockCost,
    limits: Limits,
) -> Vec<Way> {
    let mut states: Vec<Vec<Step>> = vec![vec![Step {
        cost: 0.0,
        suppressed: 0,
        from: (0, 0),
        way: None,
    }]];
    for end in 1..=order.len() {
        let mut steps = Vec::new();
        for (before, step) in (0..).zip(&states[end - 1]) {
            for (way, single) in (0..).zip(&parts.ways[order[end - 1]]) {
                steps.push(Step {
                    cost: step.cost + single.cost,
                    suppressed: step.suppressed + single.suppressed,
                    from: (end as u32 - 1, before),
                    way: Some(way),
                });
            }
        }
        for start in 0..end - 1 {
            let run = block(start, end - 1);
            for (before, step) in (0..).zip(&states[start]) {
                steps.push(Step {
                    cost: step.cost + limits.cost(run),
                    suppressed: step.suppressed + run.suppressed,
                    from: (start as u32, before),
                    way: None,
                });
            }
        }
        limits.best_steps(&mut steps);
        states.push(steps);
    }
    let last = order.len();
    let ways = (0..states[last].len()).map(|at| {
        let (mut state, mut step) = (last, at);
        let found = states[state][step];
        let mut chosen: Vec<(Vec<usize>, Option<u32>)> = Vec::new();
        while state > 0 {
            let taken = states[state][step];
            chosen.push((order[taken.from.0 as usize..state].to_vec(), taken.way));
            (state, step) = (taken.from.0 as usize, taken.from.1 as usize);
        }
        Way {
            cost: found.cost,
            suppressed: found.suppressed,
            blocks: assemble(parts, &chosen),
        }
    });
    limits.best(ways)
}

/// The best ways to sort parts into sets; `blocks` is what a set of two or more costs, by its bits.
fn subsets(parts: &Parts, blocks: &[BlockCost], limits: Limits) -> Vec<Way> {
    let all = (1usize << parts.ways.len()) - 1;
    let chosen = match limits {
        Limits::None | Limits::Forbidden => cheapest_subsets(parts, blocks, limits, all),
        Limits::Budget(_) => budgeted_subsets(parts, blocks, limits, all),
    };
    let ways = chosen.into_iter().map(|(step, chosen)| Way {
        cost: step.cost,
        suppressed: step.suppressed,
        blocks: assemble(parts, &chosen),
    });
    limits.best(ways)
}

type Chosen = Vec<(Vec<usize>, Option<u32>)>;

fn parts_of(set: usize) -> Vec<usize> {
    (0..usize::BITS as usize)
        .filter(|bit| set >> bit & 1 == 1)
        .collect()
}

fn cheapest_subsets(
    parts: &Parts,
    blocks: &[BlockCost],
    limits: Limits,
    all: usize,
) -> Vec<(Step, Chosen)> {
    let costs: Vec<f64> = blocks.iter().map(|block| limits.cost(*block)).collect();
    let mut best = vec![0.0; all + 1];
    let mut taken = vec![0u32; all + 1];
    for set in 1..=all {
        let lowest = set & set.wrapping_neg();
        let others = set ^ lowest;
        let single = &parts.ways[lowest.trailing_zeros() as usize][0];
        let (mut least, mut with) = (single.cost + best[others], 0);
        // Every non-empty choice among the others joins the lowest.
        let mut choice = others;
        while choice > 0 {
            let cost = costs[lowest | choice] + best[others ^ choice];
            if cost < least {
                (least, with) = (cost, choice);
            }
            choice = (choice - 1) & others;
        }
        best[set] = least;
        taken[set] = with as u32;
    }
    let (mut set, mut chosen, mut suppressed) = (all, Vec::new(), 0);
    while set > 0 {
        let lowest = set & set.wrapping_neg();
        let joined = lowest | taken[set] as usize;
        if joined == lowest {
            let part = lowest.trailing_zeros() as usize;
            suppressed += parts.ways[part][0].suppressed;
            chosen.push((vec![part], Some(0)));
        } else {
            suppressed += blocks[joined].suppressed;
            chosen.push((parts_of(joined), None));
        }
        set ^= joined;
    }
    let step = Step {
        cost: best[all],
        suppressed,
        from: (0, 0),
        way: None,
    };
    vec![(step, chosen)]
}

fn budgeted_subsets(
    parts: &Parts,
    blocks: &[BlockCost],
    limits: Limits,
    all: usize,
) -> Vec<(Step, Chosen)> {
    let mut states: Vec<Vec<Step>> = vec![vec![Step {
        cost: 0.0,
        suppressed: 0,
        from: (0, 0),
        way: None,
    }]];
    for set in 1..=all {
        let lowest = set & set.wrapping_neg();
        let others = set ^ lowest;
        let mut steps = Vec::new();
        for (before, step) in (0..).zip(&states[others]) {
            for (way, single) in (0..).zip(&parts.ways[lowest.trailing_zeros() as usize]) {
                steps.push(Step {
                    cost: step.cost + single.cost,
                    suppressed: step.suppressed + single.suppressed,
                    from: (others as u32, before),
                    way: Some(way),
                });
            }
        }
        let mut choice = others;
        while choice > 0 {
            let block = blocks[lowest | choice];
            for (before, step) in (0..).zip(&states[others ^ choice]) {
                steps.push(Step {
                    cost: step.cost + block.cost,
                    suppressed: step.suppressed + block.suppressed,
                    from: ((others ^ choice) as u32, before),
                    way: None,
                });
            }
            choice = (choice - 1) & others;
        }
        limits.best_steps(&mut steps);
        states.push(steps);
    }
    let found = (0..states[all].len()).map(|at| {
        let (mut state, mut step) = (all, at);
        let mut chosen = Vec::new();
        while state > 0 {
            let taken = states[state][step];
            chosen.push((parts_of(state ^ taken.from.0 as usize), taken.way));
            (state, step) = (taken.from.0 as usize, taken.from.1 as usize);
        }
        (states[all][at], chosen)
    });
    found.collect()
}

/// Blocks of all values from what was chosen for the parts: parts joined to a block, or one by itself in a way.
fn assemble(parts: &Parts, chosen: &Chosen) -> Vec<u32> {
    let mut blocks_of_parts: Vec<Vec<u32>> = parts
        .lengths
        .iter()
        .map(|&length| vec![0; length])
        .collect();
    let mut next = 0;
    for (members, way) in chosen {
        match way {
            None => {
                for &part in members {
                    blocks_of_parts[part].fill(next);
                }
                next += 1;
            }
            Some(way) => {
                let way = &parts.ways[members[0]][*way as usize];
                for (to, from) in blocks_of_parts[members[0]].iter_mut().zip(&way.blocks) {
                    *to = next + from;
                }
                next += way.blocks.iter().max().map_or(0, |most| most + 1);
            }
        }
    }
    blocks_of_parts.concat()
}
