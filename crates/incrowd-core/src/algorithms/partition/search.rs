//! Branch and bound over one partition per attribute, from either end.
//!
//! Nodes are those of section 3.2 of the paper: a partition for each attribute, and the attributes that may still
//! change below, which are the one changed last and those after it. What lies below a node is enclosed by two
//! *corners*, the finest and the coarsest partitions there. No published row costs less than at the fine corner, and
//! a row whose class is too small even at the coarse corner is suppressed everywhere below.
//!
//! One attribute may be left out of the tree; for every node the [program](super::program) finds its best partition.

use super::blocks::Partition;
use super::classes::Classes;
use super::ground::{Ground, Solution, below};
use super::improve;
use super::program::is_exact;
use crate::Error;
use crate::problem::{Direction, Interruption, Progress, PruningRules, Watch};
use crate::utility::Loss;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What was found, and what was proven.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) best: Option<Solution>,
    /// Nothing costs less.
    pub(super) lower_bound: f64,
    /// Whether nothing was left to search.
    pub(super) is_complete: bool,
    pub(super) counts: Counts,
}

/// How much was searched and how much was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Nodes whose cost was computed.
    pub nodes_visited: u64,
    /// Nodes dropped because nothing below costs less than the best.
    pub dropped_by_cost: u64,
    /// Nodes dropped because everything below suppresses too much.
    pub dropped_by_budget: u64,
    /// Attributes that were not tried below a node because every first step costs too much.
    pub applicators_dropped: u64,
    /// Nodes dropped when their turn came again.
    pub dropped_late: u64,
}

/// From which end, and which rules are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) is_bottom_up: bool,
    pub(super) rules: PruningRules,
}

/// Picks the direction, and says why.
pub(super) fn choose(ground: &Ground<'_>, direction: Direction) -> (bool, &'static str) {
    let splits_at_most = |space: &super::scheme::Space| space.values() <= 20;
    match direction {
        Direction::BottomUp => (true, "asked for"),
        Direction::TopDown => (false, "asked for"),
        Direction::Auto if !ground.spaces.iter().all(splits_at_most) => (
            true,
            "bottom-up, as some column has too many values to split them in every way",
        ),
        Direction::Auto => {
            let smallest = ground.judge.smallest;
            let rows: u32 = (ground.finest.sizes.iter())
                .filter(|&&size| size < smallest)
                .sum();
            if rows <= ground.cost.rows / 2 {
                (
                    true,
                    "bottom-up, as most rows need no generalization to be in a large enough class",
                )
            } else {
                (
                    false,
                    "top-down, as most rows must be generalized to be in a large enough class",
                )
            }
        }
    }
}

/// Searches all partitions.
pub(super) fn search(
    ground: &Ground<'_>,
    manner: Manner,
    seed: Option<Solution>,
    watch: &dyn Watch,
) -> Result<Answer, Error> {
    let mut search = Search::new(ground, manner, seed);
    let outcome = search.run(watch);
    let open = search.open_bound();
    let best = search.best;
    let cost = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
    match outcome {
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Interrupted(Interruption::Cancelled)) => Err(Error::Cancelled),
        Err(Stop::Interrupted(Interruption::TimeUp)) => Ok(Answer {
            best,
            lower_bound: open.min(cost),
            is_complete: false,
            counts: search.counts,
        }),
        Ok(()) => Ok(Answer {
            best,
            lower_bound: cost,
            is_complete: true,
            counts: search.counts,
        }),
    }
}

enum Stop {
    Interrupted(Interruption),
    Failed(Error),
}

struct Node {
    /// Nothing below costs less.
    bound: f64,
    /// Counts up as nodes are made.
    number: u64,
    /// The partitions; that of the attribute left out is the finest.
    partitions: Vec<Partition>,
    /// The fine corner.
    fine: Vec<Partition>,
    /// Its classes.
    classes: Classes,
    /// The place, in the order of attributes, of the one changed last.
    changed: usize,
    /// Attributes, by bits, that stay as they are below.
    fixed: u64,
    is_visited: bool,
    /// Nodes by their number, not by their bound.
    is_by_age: bool,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

/// The greatest is the next to look at.
impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_age = other.number.cmp(&self.number);
        match self.is_by_age {
            true => by_age,
            false => other.bound.total_cmp(&self.bound).then(by_age),
        }
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Search<'a, 'g> {
    ground: &'a Ground<'g>,
    rules: PruningRules,
    is_bottom_up: bool,
    /// The attributes to branch over, in this order.
    order: Vec<usize>,
    /// The attribute that the program finishes.
    finished: Option<usize>,
    best: Option<Solution>,
    queue: BinaryHeap<Node>,
    /// Looked at before the queue: the way down when memory is short.
    stack: Vec<Node>,
    memory: usize,
    made: u64,
    counts: Counts,
}

impl<'a, 'g> Search<'a, 'g> {
    fn new(ground: &'a Ground<'g>, manner: Manner, seed: Option<Solution>) -> Self {
        let rules = manner.rules;
        let finished = (0..ground.attributes())
            .filter(|&attribute| {
                rules.program && is_exact(&ground.spaces[attribute], ground.is_budgeted())
            })
            .max_by(|&one, &other| {
                let size = |attribute: usize| ground.spaces[attribute].size();
                size(one).total_cmp(&size(other)).then(other.cmp(&one))
            });
        let mut order: Vec<usize> = (0..ground.attributes())
            .filter(|&attribute| Some(attribute) != finished)
            .collect();
        if rules.arranged_applicators {
            order.sort_by_key(|&attribute| ground.finest.blocks(attribute));
        }
        Search {
            ground,
            rules,
            is_bottom_up: manner.is_bottom_up,
            order,
            finished,
            best: seed.filter(|seed| seed.cost.is_finite()),
            queue: BinaryHeap::new(),
            stack: Vec::new(),
            memory: 0,
            made: 0,
            counts: Counts::default(),
        }
    }

    /// No partition not yet looked at costs less.
    fn open_bound(&self) -> f64 {
        let bounds = self.queue.iter().chain(&self.stack).map(|node| node.bound);
        bounds.fold(f64::INFINITY, f64::min)
    }

    fn best_cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.cost)
    }

    fn is_too_much(&self, bound: f64) -> bool {
        self.rules.cost_bound && (bound >= below(self.best_cost()) || bound == f64::INFINITY)
    }

    fn run(&mut self, watch: &dyn Watch) -> Result<(), Stop> {
        let root = self.root();
        self.keep(root);
        while let Some(mut node) = self.stack.pop().or_else(|| self.queue.pop()) {
            self.memory -= memory(&node);
            if self.is_too_much(node.bound) {
                self.counts.dropped_late += 1;
                continue;
            }
            let bound = node.bound;
            let progress = Progress {
                nodes_checked: self.counts.nodes_visited,
                best: self.best.as_ref().map(|best| Loss(best.cost)),
                lower_bound: self.rules.least_bound_first.then_some(Loss(bound)),
            };
            if let Err(interruption) = watch.step(progress) {
                self.keep(node);
                return Err(Stop::Interrupted(interruption));
            }
            if !node.is_visited {
                node.is_visited = true;
                self.visit(&node);
                if self.rules.delayed_expansion {
                    self.keep(node);
                    continue;
                }
            }
            self.expand(&node).map_err(Stop::Failed)?;
        }
        Ok(())
    }

    fn keep(&mut self, node: Node) {
        self.memory += memory(&node);
        if self.memory > self.ground.problem.memory_limit {
            self.stack.push(node);
        } else {
            self.queue.push(node);
        }
    }

    fn root(&mut self) -> Node {
        let ground = self.ground;
        let end = |attribute: usize| match self.is_bottom_up || Some(attribute) == self.finished {
            true => ground.spaces[attribute].finest(),
            false => ground.spaces[attribute].coarsest(),
        };
        let partitions: Vec<Partition> = (0..ground.attributes()).map(end).collect();
        Node {
            bound: 0.0,
            number: 0,
            fine: ground.spaces.iter().map(|space| space.finest()).collect(),
            partitions,
            classes: ground.finest.clone(),
            changed: 0,
            fixed: 0,
            is_visited: false,
            is_by_age: !self.rules.least_bound_first,
        }
    }

    /// Computes what a node costs, with the best partition of the attribute left out.
    fn visit(&mut self, node: &Node) {
        self.counts.nodes_visited += 1;
        let ground = self.ground;
        let merged;
        let classes = match self.is_bottom_up {
            true => &node.classes,
            false => {
                merged = ground.merge(&node.classes, &node.fine, &node.partitions);
                &merged
            }
        };
        let found = match self.finished {
            None => Some(ground.evaluate_counted(classes, node.partitions.clone())),
            Some(attribute) => {
                ground
                    .finish(classes, &node.partitions, attribute)
                    .map(|finished| {
                        let mut partitions = node.partitions.clone();
                        partitions[attribute] = finished.partition;
                        Solution {
                            partitions,
                            cost: finished.cost,
                            suppressed: finished.suppressed,
                        }
                    })
            }
        };
        if let Some(found) = found
            && found.cost.is_finite()
            && found.is_better_than(self.best.as_ref())
        {
            self.best = Some(found);
        }
    }

    /// Makes the nodes one step away that may hold something better.
    fn expand(&mut self, node: &Node) -> Result<(), Error> {
        let mut children: Vec<Node> = Vec::new();
        let mut fixed = node.fixed;
        for place in (node.changed..self.order.len()).rev() {
            let attribute = self.order[place];
            if node.fixed >> place & 1 == 1 {
                continue;
            }
            let space = &self.ground.spaces[attribute];
            let steps = match self.is_bottom_up {
                true => space.joins(&node.partitions[attribute]),
                false => space.splits(&node.partitions[attribute]).ok_or_else(|| {
                    Error::PartitionTooManySplits {
                        column: self.ground.problem.table.attributes[attribute].name.clone(),
                    }
                })?,
            };
            let before = children.len();
            let made = steps.len();
            for step in steps {
                children.extend(self.child(node, place, step, fixed));
            }
            // Whatever this attribute could do below costs at least as much as one of its first steps here.
            let is_useless = self.is_bottom_up && children.len() == before && made > 0;
            if self.rules.useless_applicators && is_useless && place > node.changed {
                fixed |= 1 << place;
                self.counts.applicators_dropped += 1;
            }
        }
        for mut child in children {
            // Attributes before the changed one never change again.
            child.fixed = fixed;
            self.keep(child);
        }
        Ok(())
    }

    fn child(&mut self, node: &Node, place: usize, step: Partition, fixed: u64) -> Option<Node> {
        let ground = self.ground;
        let mut partitions = node.partitions.clone();
        partitions[self.order[place]] = step;
        let (fine, coarse) = self.corners(&partitions, place, fixed);
        let classes = ground.merge(&node.classes, &node.fine, &fine);
        self.made += 1;
        let bound = self.bound(&classes, &fine, &coarse)?;
        if self.is_too_much(bound) {
            self.counts.dropped_by_cost += 1;
            return None;
        }
        Some(Node {
            bound: bound.max(node.bound),
            number: self.made,
            partitions,
            fine,
            classes,
            changed: place,
            fixed,
            is_visited: false,
            is_by_age: !self.rules.least_bound_first,
        })
    }

    /// The finest and the coarsest partitions below a node.
    fn corners(
        &self,
        partitions: &[Partition],
        changed: usize,
        fixed: u64,
    ) -> (Vec<Partition>, Vec<Partition>) {
        let spaces = &self.ground.spaces;
        let mut fine = partitions.to_vec();
        let mut coarse = partitions.to_vec();
        if let Some(finished) = self.finished {
            coarse[finished] = spaces[finished].coarsest();
        }
        for (place, &attribute) in self.order.iter().enumerate().skip(changed) {
            let (space, partition) = (&spaces[attribute], &partitions[attribute]);
            match (self.is_bottom_up, place == changed) {
                _ if fixed >> place & 1 == 1 => {}
                (true, true) => coarse[attribute] = space.highest_below(partition),
                (true, false) => coarse[attribute] = space.coarsest(),
                (false, true) => fine[attribute] = space.lowest_below(partition),
                (false, false) => fine[attribute] = space.finest(),
            }
        }
        (fine, coarse)
    }

    /// What everything between two corners costs at least; none when all of it suppresses too much.
    fn bound(
        &mut self,
        classes: &Classes,
        fine: &[Partition],
        coarse: &[Partition],
    ) -> Option<f64> {
        let ground = self.ground;
        let (cost, judge) = (&ground.cost, &ground.judge);
        let rows = ground.rows_of_all_blocks(fine);
        let looks_up =
            self.rules.tighter_bounds || self.rules.useful_applicators || !self.is_bottom_up;
        let within = looks_up.then(|| {
            let maps: Vec<Vec<u32>> = (fine.iter().zip(coarse))
                .map(|(fine, coarse)| fine.blocks_in(coarse))
                .collect();
            let blocks: Vec<u32> = coarse.iter().map(|coarse| coarse.blocks() as u32).collect();
            classes.sizes_within(&maps, &blocks)
        });
        let (mut bound, mut lost) = (0.0, 0u32);
        let uses_lost = self.rules.tighter_bounds || !self.is_bottom_up;
        for class in 0..classes.len() {
            let size = classes.sizes[class];
            if let Some(within) = &within
                && within[class] < judge.smallest
            {
                lost += size;
                if uses_lost {
                    bound += f64::from(size) * cost.charge;
                    continue;
                }
            }
            let is_safe = !self.is_bottom_up
                || self.rules.tighter_bounds
                || judge.is_safe(size, classes.contents(class));
            if is_safe {
                bound += match cost.reads_values() {
                    true => classes.published(cost, &rows, class),
                    false => f64::from(size) * f64::from(size.max(judge.smallest.min(cost.rows))),
                };
            }
        }
        if self.rules.useful_applicators && lost > ground.max_suppressed() {
            self.counts.dropped_by_budget += 1;
            return None;
        }
        Some(bound)
    }
}

fn memory(node: &Node) -> usize {
    let blocks: usize = node
        .partitions
        .iter()
        .map(|partition| 8 * partition.of_values().len())
        .sum();
    node.classes.memory() + blocks + 256
}

/// A good solution to start from.
pub(super) fn seed(ground: &Ground<'_>) -> Option<Solution> {
    let starts = improve::first_starts(ground).into_iter();
    let found = starts.map(|start| improve::descend(ground, start, |_| true));
    let best = found.reduce(|one, other| {
        if other.is_better_than(Some(&one)) {
            other
        } else {
            one
        }
    });
    best.filter(|best| best.cost.is_finite())
}
