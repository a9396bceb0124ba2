//! Branch and bound over one partition per attribute, from either end.
//!
//! Nodes are those of section 3.2 of the paper: a partition for each attribute, and the attributes that may still
//! change below, which are the one changed last and those after it. What lies below a node is enclosed by two
//! *corners*, the finest and the coarsest partitions there. No published row costs less than at the fine corner, and
//! a row whose class is too small even at the coarse corner is suppressed everywhere below. So are all rows of a class of
//! the coarse corner but the largest part of it that keeps every promise.
//!
//! One attribute may be left out of the tree; for every node the [program](super::program) finds its best partition.
//!
//! Several nodes, more and more, are [explored](explore) at once by the threads there are. How many depends only on how many were
//! visited and on the memory of those that wait, and what came of them is taken in order, so the answer is the same whatever the
//! threads.

mod bound;
mod expand;
mod explore;
mod looks;
mod node;
mod parts;
mod start;
#[cfg(test)]
mod tests;

pub(super) use start::seed;

use super::ground::{Ground, Solution, below};
use super::improve;
use super::program::is_exact;
use crate::Error;
use crate::algorithms::partition::settings::PruningRules;
use crate::draw::Draw;
use crate::problem::{Done, Interruption, Progress, done_side_by_side};
use crate::utility::Loss;
use explore::{Explored, Explorer};
use looks::Looks;
use node::Node;
use std::collections::BinaryHeap;

/// Classes merged before the search also looks for better results heuristically; most searches finish before.
const WORK_BEFORE_IMPROVING: u64 = 30_000_000;

/// With so many nodes visited, one more is explored at once: it may turn out to be of no interest for what came of the others.
const VISITED_PER_NODE_AT_ONCE: u64 = 16;

/// No more nodes are explored at once than so many.
const MOST_AT_ONCE: u64 = 64;

/// Several nodes are explored at once only while less than so many eighths of the memory is taken. The rest is for going deeper with
/// one at a time.
const MOST_EIGHTHS: usize = 5;

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

impl Counts {
    fn add(&mut self, more: Counts) {
        self.nodes_visited += more.nodes_visited;
        self.dropped_by_cost += more.dropped_by_cost;
        self.dropped_by_budget += more.dropped_by_budget;
        self.applicators_dropped += more.applicators_dropped;
        self.dropped_late += more.dropped_late;
    }
}

/// The direction, and which rules are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) is_bottom_up: bool,
    pub(super) rules: PruningRules,
}

/// Searches all partitions.
pub(super) fn search(ground: &Ground<'_>, manner: Manner) -> Result<Answer, Error> {
    Search::new(ground, manner).answer()
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

/// How the tree is searched.
#[derive(Debug)]
struct Plan {
    rules: PruningRules,
    is_bottom_up: bool,
    /// The attributes to branch over, in this order.
    order: Vec<usize>,
    /// Whether promises say how much of a class may be kept, and not only sizes.
    knows_parts: bool,
    /// The attribute that the program finishes.
    finished: Option<usize>,
    work_before_improving: u64,
    /// Bytes that nodes may take however little the problem allows.
    least_memory: usize,
    /// Eighths of the memory that may be taken while several nodes are explored at once.
    most_eighths: usize,
}

impl Plan {
    fn new(ground: &Ground<'_>, manner: Manner) -> Self {
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
        Plan {
            rules,
            is_bottom_up: manner.is_bottom_up,
            order,
            knows_parts: !ground.judge.reads_sizes_only(),
            finished,
            work_before_improving: WORK_BEFORE_IMPROVING,
            least_memory: LEAST_MEMORY,
            most_eighths: MOST_EIGHTHS,
        }
    }

    /// Bytes that nodes may take.
    fn most_memory(&self, ground: &Ground<'_>) -> usize {
        ground.problem.memory_limit.max(self.least_memory)
    }

    /// Whether what costs at least so much is of no interest.
    fn is_too_much(&self, bound: f64, best_cost: f64) -> bool {
        self.rules.cost_bound && (bound >= below(best_cost) || bound == f64::INFINITY)
    }
}

struct Search<'a, 'g> {
    ground: &'a Ground<'g>,
    plan: Plan,
    looks: Looks,
    best: Option<Solution>,
    /// The cost of the start to beat.
    seed: Option<f64>,
    queue: BinaryHeap<Node>,
    /// Examined before the queue: for depth-first search if memory is short.
    stack: Vec<Node>,
    memory: usize,
    /// The most that the nodes one step from any node took.
    most_memory_of_children: usize,
    made: u64,
    /// Classes merged so far by the search, and by the heuristic search for better results.
    work: u64,
    work_beside: u64,
    draw: Draw,
    counts: Counts,
    /// The most nodes of a stack that were explored at once.
    #[cfg(test)]
    most_at_once_from_stack: usize,
    /// Nothing costs less than this, or than the lowest bound of the remaining nodes.
    open: f64,
}

/// What a thread does.
enum Task {
    Explore(Box<Node>),
    /// Looks for something better near this.
    Improve(Solution),
}

/// What came of it.
enum Outcome {
    Explored(Result<Box<Explored>, Error>),
    Improved(Improved),
}

/// What came of looking near the best.
struct Improved {
    best: Solution,
    draw: Draw,
    work: u64,
    /// Why it was stopped, if it was.
    stopped: Option<Interruption>,
}

impl<'a, 'g> Search<'a, 'g> {
    fn new(ground: &'a Ground<'g>, manner: Manner) -> Self {
        Search {
            ground,
            plan: Plan::new(ground, manner),
            looks: Looks::default(),
            best: None,
            seed: None,
            queue: BinaryHeap::new(),
            stack: Vec::new(),
            memory: 0,
            most_memory_of_children: 0,
            made: 0,
            work: 0,
            work_beside: 0,
            draw: Draw::new(ground.problem.settings.seed),
            counts: Counts::default(),
            #[cfg(test)]
            most_at_once_from_stack: 0,
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

    fn answer(&mut self) -> Result<Answer, Error> {
        let outcome = self.begin().and_then(|()| self.run());
        let (open, cost) = (self.open_bound(), self.best_cost());
        let (lower_bound, is_complete) = match outcome {
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Interrupted(Interruption::Cancelled)) => return Err(Error::Cancelled),
            Err(Stop::Interrupted(_)) => (open.min(cost).max(0.0), false),
            Ok(()) => (cost, true),
        };
        Ok(Answer {
            seed: self.seed,
            best: self.best.take(),
            lower_bound,
            is_complete,
            counts: self.counts,
        })
    }

    /// Bytes that what comes of nodes explored at once may take.
    fn room(&self) -> usize {
        let most = self.plan.most_memory(self.ground) / 8 * self.plan.most_eighths;
        let room = most.saturating_sub(self.memory);
        match self.stack.is_empty() {
            true => room,
            // So that a stack takes several steps to fill it.
            false => room / 2,
        }
    }

    /// First the bound of everything, then a start, so that there is something to compare the start with.
    fn begin(&mut self) -> Result<(), Stop> {
        let mut explorer = Explorer::new(self.ground, &self.plan, self.best_cost(), self.looks);
        let root = explorer.root()?;
        self.keep(root);
        self.open = f64::INFINITY;
        if self.plan.rules.seeding {
            let seed = seed(self.ground).map_err(Stop::Failed)?;
            self.best = seed.filter(|seed| seed.cost.is_finite());
            self.seed = self.best.as_ref().map(|seed| seed.cost);
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), Stop> {
        loop {
            let nodes = self.next_nodes();
            if nodes.is_empty() {
                return Ok(());
            }
            self.explore(nodes)?;
        }
    }

    /// The nodes that are explored at once.
    fn next_nodes(&mut self) -> Vec<Node> {
        // Those that wait are only as good as what is known now, so they are few compared with those that were visited.
        let most = (1 + self.counts.nodes_visited / VISITED_PER_NODE_AT_ONCE).min(MOST_AT_ONCE);
        // There should be room for what comes of all of them.
        let fit = self.room() / self.most_memory_of_children.max(1);
        let most = most.min(fit as u64).max(1);
        let is_from_stack = !self.stack.is_empty();
        let mut nodes = Vec::new();
        while (nodes.len() as u64) < most {
            let Some(node) = self.stack.pop().or_else(|| self.queue.pop()) else {
                break;
            };
            self.memory -= node.memory();
            if self.plan.is_too_much(node.bound, self.best_cost()) {
                self.counts.dropped_late += 1;
                continue;
            }
            nodes.push(node);
        }
        if is_from_stack {
            #[cfg(test)]
            {
                self.most_at_once_from_stack = self.most_at_once_from_stack.max(nodes.len());
            }
            // What comes of the first is to be on top of the stack again.
            nodes.reverse();
        }
        nodes
    }

    fn explore(&mut self, nodes: Vec<Node>) -> Result<(), Stop> {
        let bounds: Vec<f64> = nodes.iter().map(|node| node.bound).collect();
        let least = |bounds: &[f64]| bounds.iter().copied().fold(f64::INFINITY, f64::min);
        // These nodes are in no queue.
        self.open = least(&bounds);
        let next = self.queue.peek();
        let is_lowest = self.plan.rules.least_bound_first
            && self.stack.is_empty()
            && next.is_none_or(|next| next.bound >= self.open);
        self.note(is_lowest.then_some(Loss(self.open)));
        let is_improving = self.plan.rules.seeding
            && self.work > self.plan.work_before_improving
            && self.work_beside < self.work / 2;
        let near = self.best.as_ref().filter(|_| is_improving).cloned();
        if is_improving && near.is_none() {
            self.work_beside = self.work;
        }
        let tasks = near.map(Task::Improve).into_iter();
        let tasks = tasks
            .chain(nodes.into_iter().map(|node| Task::Explore(Box::new(node))))
            .collect();
        let (best_cost, looks, memory) = (self.best_cost(), self.looks, self.memory);
        let (plan, data, draw) = (&self.plan, self.ground.data(), &self.draw);
        let (meter, threads) = (self.ground.meter, self.ground.problem.settings.threads);
        let done = done_side_by_side(meter, threads, tasks, |task, meter| {
            let ground = Ground::of_thread(data, meter);
            match task {
                Task::Improve(best) => Ok(Outcome::Improved(improved(&ground, best, draw.clone()))),
                Task::Explore(node) => {
                    let explorer = Explorer::new(&ground, plan, best_cost, looks);
                    match explorer.explore(*node, memory) {
                        Ok(explored) => Ok(Outcome::Explored(Ok(Box::new(explored)))),
                        Err(Stop::Failed(error)) => Ok(Outcome::Explored(Err(error))),
                        Err(Stop::Interrupted(why)) => Err(why),
                    }
                }
            }
        });
        let mut taken = 0;
        for Done { result, spent } in done {
            let counted = meter.spend(spent);
            match result {
                Ok(Outcome::Improved(improved)) => {
                    self.draw = improved.draw;
                    self.work_beside += improved.work;
                    self.keep_better(Some(improved.best));
                    counted?;
                    improved
                        .stopped
                        .map_or(Ok(()), |why| Err(meter.stop(why)))?;
                }
                Ok(Outcome::Explored(explored)) => {
                    counted?;
                    self.take(*explored.map_err(Stop::Failed)?, looks)?;
                    taken += 1;
                    self.open = least(&bounds[taken..]);
                }
                Err(why) => {
                    counted?;
                    return Err(meter.stop(why).into());
                }
            }
        }
        Ok(())
    }

    /// Takes what came of a node.
    fn take(&mut self, explored: Explored, looks_before: Looks) -> Result<(), Interruption> {
        self.counts.add(explored.counts);
        self.looks.add(looks_before, explored.looks);
        self.work += explored.work;
        self.keep_better(explored.found);
        if let Some(node) = explored.visited {
            self.keep(node);
        }
        let of_children = explored.children.iter().map(Node::memory).sum();
        self.most_memory_of_children = self.most_memory_of_children.max(of_children);
        for mut child in explored.children {
            self.made += 1;
            child.number = self.made;
            self.keep(child);
        }
        match self.memory > self.plan.most_memory(self.ground) {
            true => Err(self.ground.meter.stop(Interruption::MemoryFull)),
            false => Ok(()),
        }
    }

    fn keep_better(&mut self, found: Option<Solution>) {
        if let Some(found) = found
            && found.cost.is_finite()
            && found.is_better_than(self.best.as_ref())
        {
            self.best = Some(found);
        }
    }

    fn note(&self, lower_bound: Option<Loss>) {
        self.ground.meter.note(Progress {
            nodes_checked: self.counts.nodes_visited,
            best: self.best.as_ref().map(|best| Loss(best.cost)),
            lower_bound,
            ..Progress::default()
        });
    }

    fn keep(&mut self, node: Node) {
        self.memory += node.memory();
        // Nodes of a stack are looked at next, so it grows slowly: the rest of the memory is for that.
        if self.memory > self.ground.problem.memory_limit / 2 {
            self.stack.push(node);
        } else {
            self.queue.push(node);
        }
    }
}

/// Looks for a better result near the best, to prune more.
fn improved(ground: &Ground<'_>, best: Solution, mut draw: Draw) -> Improved {
    let mut work = 0;
    let mut found = best.clone();
    let done = improve::shaken(ground, &best, &mut draw).and_then(|shaken| {
        found = shaken;
        improve::descend(ground, &mut found, |_| {
            work += 8 * ground.finest.len() as u64;
        })
    });
    Improved {
        best: found,
        draw,
        work,
        stopped: done.err(),
    }
}
