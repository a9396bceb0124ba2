//! Branch and bound over one partition per attribute, from either end.
//!
//! Nodes are those of section 3.2 of the paper: a partition for each attribute, and the attributes that may still
//! change below, which are the one changed last and those after it. What lies below a node is enclosed by two
//! *corners*, the finest and the coarsest partitions there. No published row costs less than at the fine corner, and
//! a row whose class is too small even at the coarse corner is suppressed everywhere below. So are all rows of a class of
//! the coarse corner but the largest part of it that keeps every promise.
//!
//! One attribute may be left out of the tree; for every node the [program](super::program) finds its best partition.

mod bound;
mod expand;
mod node;
mod parts;
mod start;
#[cfg(test)]
mod tests;

pub(super) use start::seed;

use super::blocks::Partition;
use super::ground::{Ground, Solution, below};
use super::improve;
use super::program::is_exact;
use crate::Error;
use crate::algorithms::partition::settings::PruningRules;
use crate::counts::Work;
use crate::draw::Draw;
use crate::problem::{Interruption, Progress};
use crate::utility::Loss;
use node::Node;
use parts::Room;
use std::collections::BinaryHeap;

/// Classes merged before the search also looks for better results heuristically; most searches finish before.
const WORK_BEFORE_IMPROVING: u64 = 30_000_000;

/// Bytes that nodes not looked at yet may always take. Beyond that, and beyond what the problem allows, the search ends.
const LEAST_MEMORY: usize = 64 << 20;

/// What was found, and what was proven.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) best: Option<Solution>,
    /// The cost of the start, if there was one.
    pub(super) seed: Option<f64>,
    /// A lower bound of the cost.
    pub(super) lower_bound: f64,
    /// Whether nothing was left to search.
    pub(super) is_complete: bool,
    pub(super) counts: Counts,
}

/// How much was searched and how much was pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Nodes whose cost was computed.
    pub nodes_visited: u64,
    /// Nodes pruned because nothing below costs less than the best.
    pub dropped_by_cost: u64,
    /// Nodes pruned because everything below suppresses too much.
    pub dropped_by_budget: u64,
    /// Attributes that were not tried below a node because every first step costs too much.
    pub applicators_dropped: u64,
    /// Nodes pruned when their turn came again.
    pub dropped_late: u64,
}

/// The direction, and which rules are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) is_bottom_up: bool,
    pub(super) rules: PruningRules,
}

/// Searches all partitions.
pub(super) fn search(ground: &Ground<'_>, manner: Manner) -> Result<Answer, Error> {
    let mut search = Search::new(ground, manner);
    let outcome = search.begin().and_then(|()| search.run());
    let open = search.open_bound();
    let best = search.best;
    let cost = best.as_ref().map_or(f64::INFINITY, |best| best.cost);
    match outcome {
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Interrupted(Interruption::Cancelled)) => Err(Error::Cancelled),
        Err(Stop::Interrupted(_)) => Ok(Answer {
            seed: search.seed,
            best,
            lower_bound: open.min(cost).max(0.0),
            is_complete: false,
            counts: search.counts,
        }),
        Ok(()) => Ok(Answer {
            seed: search.seed,
            best,
            lower_bound: cost,
            is_complete: true,
            counts: search.counts,
        }),
    }
}

pub(super) enum Stop {
    Interrupted(Interruption),
    Failed(Error),
}

impl From<Interruption> for Stop {
    fn from(interruption: Interruption) -> Self {
        Stop::Interrupted(interruption)
    }
}

struct Search<'a, 'g> {
    ground: &'a Ground<'g>,
    rules: PruningRules,
    is_bottom_up: bool,
    /// The attributes to branch over, in this order.
    order: Vec<usize>,
    /// Whether promises say how much of a class may be kept, and not only sizes.
    knows_parts: bool,
    room: Room,
    /// The attribute that the program finishes.
    finished: Option<usize>,
    best: Option<Solution>,
    /// The cost of the start to beat.
    seed: Option<f64>,
    queue: BinaryHeap<Node>,
    /// Examined before the queue: for depth-first search if memory is short.
    stack: Vec<Node>,
    memory: usize,
    made: u64,
    /// Classes merged so far by the search, and by the heuristic search for better results.
    work: u64,
    work_beside: u64,
    draw: Draw,
    counts: Counts,
    /// Nothing costs less than this, or than the lowest bound of the remaining nodes.
    open: f64,
}

impl<'a, 'g> Search<'a, 'g> {
    fn new(ground: &'a Ground<'g>, manner: Manner) -> Self {
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
            knows_parts: !ground.judge.reads_sizes_only(),
            room: Room::default(),
            finished,
            best: None,
            seed: None,
            queue: BinaryHeap::new(),
            stack: Vec::new(),
            memory: 0,
            made: 0,
            work: 0,
            work_beside: 0,
            draw: Draw::new(ground.problem.settings.seed),
            counts: Counts::default(),
            open: 0.0,
        }
    }

    /// A lower bound of the cost of all unexamined partitions.
    fn open_bound(&self) -> f64 {
        let bounds = self.queue.iter().chain(&self.stack).map(|node| node.bound);
        bounds.fold(self.open, f64::min)
    }

    fn best_cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.cost)
    }

    fn is_too_much(&self, bound: f64) -> bool {
        self.rules.cost_bound && (bound >= below(self.best_cost()) || bound == f64::INFINITY)
    }

    /// First the bound of everything, then a start, so that there is something to compare the start with.
    fn begin(&mut self) -> Result<(), Stop> {
        let root = self.root()?;
        self.keep(root);
        self.open = f64::INFINITY;
        if self.rules.seeding {
            let seed = seed(self.ground).map_err(Stop::Failed)?;
            self.best = seed.filter(|seed| seed.cost.is_finite());
            self.seed = self.best.as_ref().map(|seed| seed.cost);
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), Stop> {
        while let Some(mut node) = self.stack.pop().or_else(|| self.queue.pop()) {
            self.memory -= node.memory();
            if self.is_too_much(node.bound) {
                self.counts.dropped_late += 1;
                continue;
            }
            // The current node is in no queue.
            self.open = node.bound;
            self.note(self.rules.least_bound_first.then_some(Loss(node.bound)));
            self.ground.meter.spend(Work(1))?;
            if !node.is_visited {
                node.is_visited = true;
                self.visit(&node)?;
                if self.rules.delayed_expansion {
                    self.keep(node);
                    self.open = f64::INFINITY;
                    continue;
                }
            }
            self.expand(&node)?;
            self.open = f64::INFINITY;
            if self.rules.seeding
                && self.work > WORK_BEFORE_IMPROVING
                && self.work_beside < self.work / 2
            {
                self.improve()?;
            }
        }
        Ok(())
    }

    fn note(&self, lower_bound: Option<Loss>) {
        self.ground.meter.note(Progress {
            nodes_checked: self.counts.nodes_visited,
            best: self.best.as_ref().map(|best| Loss(best.cost)),
            lower_bound,
            ..Progress::default()
        });
    }

    /// Looks for a better result near the best, to prune more.
    fn improve(&mut self) -> Result<(), Interruption> {
        let Some(best) = self.best.clone() else {
            self.work_beside = self.work;
            return Ok(());
        };
        let mut found = improve::shaken(self.ground, &best, &mut self.draw)?;
        let done = improve::descend(self.ground, &mut found, |_| {
            self.work_beside += 8 * self.ground.finest.len() as u64;
        });
        if found.cost.is_finite() && found.is_better_than(self.best.as_ref()) {
            self.best = Some(found);
        }
        done
    }

    fn keep(&mut self, node: Node) {
        self.memory += node.memory();
        // Nodes of a stack are looked at next, so it hardly grows: the rest of the memory is for that.
        if self.memory > self.ground.problem.memory_limit / 2 {
            self.stack.push(node);
        } else {
            self.queue.push(node);
        }
    }

    fn root(&mut self) -> Result<Node, Interruption> {
        let ground = self.ground;
        let end = |attribute: usize| match self.is_bottom_up || Some(attribute) == self.finished {
            true => ground.spaces[attribute].finest(),
            false => ground.spaces[attribute].coarsest(),
        };
        let partitions: Vec<Partition> = (0..ground.attributes()).map(end).collect();
        let finest = ground.all_finest();
        let fine: Vec<Partition> = ground.spaces.iter().map(|space| space.finest()).collect();
        let coarse: Vec<Partition> = ground.spaces.iter().map(|space| space.coarsest()).collect();
        let classes = ground.merge(&ground.finest, &finest, &fine)?;
        Ok(Node {
            bound: self.bound(&classes, &fine, &coarse)?.below,
            number: 0,
            fine,
            partitions,
            classes,
            changed: 0,
            fixed: 0,
            is_visited: false,
            is_by_age: !self.rules.least_bound_first,
        })
    }

    /// Computes the cost of a node, with the best partition of the attribute left out.
    fn visit(&mut self, node: &Node) -> Result<(), Interruption> {
        self.counts.nodes_visited += 1;
        let ground = self.ground;
        let merged;
        let classes = match self.is_bottom_up {
            true => &node.classes,
            false => {
                merged = ground.merge(&node.classes, &node.fine, &node.partitions)?;
                &merged
            }
        };
        let limit = match self.rules.cost_bound && self.rules.tighter_bounds {
            true => below(self.best_cost()),
            false => f64::INFINITY,
        };
        let found = match self.finished {
            None => Some(ground.evaluate_counted(classes, node.partitions.clone())?),
            Some(attribute) => ground
                .finish(classes, &node.partitions, attribute, limit)?
                .map(|finished| {
                    let mut partitions = node.partitions.clone();
                    partitions[attribute] = finished.partition;
                    Solution {
                        partitions,
                        cost: finished.cost.max(0.0),
                        suppressed: finished.suppressed,
                    }
                }),
        };
        if let Some(found) = found
            && found.cost.is_finite()
            && found.is_better_than(self.best.as_ref())
        {
            self.best = Some(found);
        }
        Ok(())
    }
}
