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
use super::improve::{self, Draw};
use super::program::is_exact;
use crate::Error;
use crate::algorithms::{Goal, search as full_domain_search};
use crate::counts::Work;
use crate::problem::{Direction, Interruption, Progress, PruningRules};
use crate::utility::Loss;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// So many classes are merged before the search looks for better answers beside; most searches end before.
const WORK_BEFORE_IMPROVING: u64 = 30_000_000;

/// Work spent on a full-domain recoding to start from, at most.
const WORK_FOR_A_START: u64 = 30_000_000;

/// Bytes that nodes not looked at yet may take, unless the problem allows for more. Beyond that the search ends.
const MOST_MEMORY: usize = 1 << 30;

/// With no more choices of partitions than that a start from full-domain recodings does not pay.
const FEW_CHOICES: f64 = 1e10;

/// What was found, and what was proven.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) best: Option<Solution>,
    /// What the start cost, if there was one.
    pub(super) seed: Option<f64>,
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

enum Stop {
    Interrupted(Interruption),
    Failed(Error),
}

impl From<Interruption> for Stop {
    fn from(interruption: Interruption) -> Self {
        Stop::Interrupted(interruption)
    }
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
    /// What the start cost that is to be beaten.
    seed: Option<f64>,
    queue: BinaryHeap<Node>,
    /// Looked at before the queue: the way down when memory is short.
    stack: Vec<Node>,
    memory: usize,
    made: u64,
    /// Classes merged so far by the search, and by looking for better answers beside it.
    work: u64,
    work_beside: u64,
    draw: Draw,
    counts: Counts,
    /// Nothing costs less than this, nor than the least bound of the nodes kept.
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

    /// No partition not yet looked at costs less.
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

    /// The bound of the whole, then a start, so that there is something to compare the start with.
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
            self.memory -= memory(&node);
            if self.is_too_much(node.bound) {
                self.counts.dropped_late += 1;
                continue;
            }
            // What is at hand is in no queue.
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

    /// Looks for a better answer somewhere near the best, to drop more by.
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
        self.memory += memory(&node);
        if self.memory > self.ground.problem.memory_limit {
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

    /// Computes what a node costs, with the best partition of the attribute left out.
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

    /// Makes the nodes one step away that may hold something better.
    fn expand(&mut self, node: &Node) -> Result<(), Stop> {
        let mut children: Vec<Node> = Vec::new();
        let mut memory_of_children = 0;
        let most_memory = self.ground.problem.memory_limit.max(MOST_MEMORY);
        let mut fixed = node.fixed;
        for place in (node.changed..self.order.len()).rev() {
            let attribute = self.order[place];
            if node.fixed >> place & 1 == 1 {
                continue;
            }
            let ground = self.ground;
            let (space, partition) = (&ground.spaces[attribute], &node.partitions[attribute]);
            let is_bottom_up = self.is_bottom_up;
            let (mut steps, mut useless) = (0u64, 0u64);
            let mut see = |step: Partition| -> Result<(), Stop> {
                ground.meter.spend(Work::of(1 + space.values() / 4))?;
                steps += 1;
                match self.child(node, place, step, fixed)? {
                    Child::Kept(child) => {
                        memory_of_children += memory(&child);
                        children.push(*child);
                    }
                    Child::TooMuchForAll => useless += 1,
                    Child::Dropped => {}
                }
                match self.memory + memory_of_children > most_memory {
                    true => Err(ground.meter.stop(Interruption::MemoryFull).into()),
                    false => Ok(()),
                }
            };
            let is_possible = match is_bottom_up {
                true => space.each_join(partition, &mut see).map(|()| true)?,
                false => space.each_split(partition, &mut see)?,
            };
            if !is_possible {
                let column = ground.problem.table.attributes[attribute].name.clone();
                return Err(Stop::Failed(Error::PartitionTooManySplits { column }));
            }
            let is_useless = is_bottom_up && steps > 0 && useless == steps;
            // Whatever this attribute could do below costs at least as much as one of its first steps here.
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

    fn child(
        &mut self,
        node: &Node,
        place: usize,
        step: Partition,
        fixed: u64,
    ) -> Result<Child, Interruption> {
        let ground = self.ground;
        let mut partitions = node.partitions.clone();
        partitions[self.order[place]] = step;
        let (fine, coarse) = self.corners(&partitions, place, fixed);
        let classes = ground.merge(&node.classes, &node.fine, &fine)?;
        self.made += 1;
        self.work += node.classes.len() as u64;
        let bounds = self.bound(&classes, &fine, &coarse)?;
        if self.is_too_much(bounds.wherever) {
            self.counts.dropped_by_cost += 1;
            return Ok(Child::TooMuchForAll);
        }
        if bounds.is_over_budget {
            self.counts.dropped_by_budget += 1;
            return Ok(Child::Dropped);
        }
        if self.is_too_much(bounds.below) {
            self.counts.dropped_by_cost += 1;
            return Ok(Child::Dropped);
        }
        Ok(Child::Kept(Box::new(Node {
            bound: bounds.below.max(node.bound),
            number: self.made,
            partitions,
            fine,
            classes,
            changed: place,
            fixed,
            is_visited: false,
            is_by_age: !self.rules.least_bound_first,
        })))
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

    /// What everything between two corners costs at least.
    fn bound(
        &self,
        classes: &Classes,
        fine: &[Partition],
        coarse: &[Partition],
    ) -> Result<Bounds, Interruption> {
        let ground = self.ground;
        ground.meter.spend(classes.work() + classes.work())?;
        let (cost, judge) = (&ground.cost, &ground.judge);
        let rows = ground.rows_of_all_blocks(fine);
        let looks_up =
            self.rules.tighter_bounds || self.rules.useful_applicators || !self.is_bottom_up;
        let within = looks_up.then(|| {
            let maps: Vec<Vec<u32>> = (fine.iter().zip(coarse))
                .map(|(fine, coarse)| fine.blocks_in(coarse))
                .collect();
            let blocks: Vec<u32> = coarse.iter().map(|coarse| coarse.blocks() as u32).collect();
            classes.within(&maps, &blocks, judge.smallest)
        });
        let (mut wherever, mut added, mut lost) = (0.0, 0.0, 0u32);
        let uses_lost = self.rules.tighter_bounds || !self.is_bottom_up;
        for class in 0..classes.len() {
            let size = classes.sizes[class];
            let is_charged = !self.is_bottom_up
                || self.rules.tighter_bounds
                || judge.is_safe(size, classes.contents(class));
            let least = match cost.reads_values() {
                _ if !is_charged => 0.0,
                true => classes.published(cost, &rows, class),
                false => f64::from(size) * f64::from(size.max(judge.smallest.min(cost.rows))),
            };
            wherever += least;
            let Some(within) = within.as_ref().map(|within| within[class]) else {
                continue;
            };
            if within.size < judge.smallest {
                lost += size;
                if uses_lost {
                    added += f64::from(size) * cost.charge - least;
                }
            } else if self.rules.tighter_bounds
                && !cost.reads_values()
                && size < judge.smallest
                && within.small < judge.smallest
            {
                // All that is too small makes no safe class, so each row is suppressed or joins a large class; one of
                // b rows that takes in t more costs at least 2bt more.
                let joined = (2.0 * f64::from(within.least_large)).min(cost.charge);
                added += (f64::from(size) * joined - least).max(0.0);
            }
        }
        Ok(Bounds {
            wherever,
            below: wherever + added,
            is_over_budget: self.rules.useful_applicators && lost > ground.max_suppressed(),
        })
    }
}

/// What a step towards a node came to.
enum Child {
    Kept(Box<Node>),
    /// Nothing below the new node is of interest.
    Dropped,
    /// Nothing at all that is as coarse as the new node is of interest, whatever other attributes do.
    TooMuchForAll,
}

/// What partitions cost at least.
struct Bounds {
    /// Those as coarse as the fine corner.
    wherever: f64,
    /// Those between the corners.
    below: f64,
    /// All those between the corners suppress too much.
    is_over_budget: bool,
}

fn memory(node: &Node) -> usize {
    let blocks: usize = node
        .partitions
        .iter()
        .map(|partition| 8 * partition.of_values().len())
        .sum();
    node.classes.memory() + blocks + 256
}

/// A good solution to start from: the best of several starts, each improved as far as one attribute at a time goes.
/// Stopped on the way, it is the best so far.
fn seed(ground: &Ground<'_>) -> Result<Option<Solution>, Error> {
    let mut best: Option<Solution> = None;
    match improve_starts(ground, &mut best) {
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Interrupted(Interruption::Cancelled)) => Err(Error::Cancelled),
        Ok(()) | Err(Stop::Interrupted(_)) => Ok(best),
    }
}

fn improve_starts(ground: &Ground<'_>, best: &mut Option<Solution>) -> Result<(), Stop> {
    let mut keep = |found: Solution| {
        if found.cost.is_finite() && found.is_better_than(best.as_ref()) {
            *best = Some(found);
        }
    };
    let mut starts = Vec::new();
    for start in improve::first_starts(ground) {
        let start = ground.evaluate(start)?;
        keep(start.clone());
        starts.push(start);
    }
    let choices: f64 = ground.spaces.iter().map(|space| space.size()).product();
    if choices > FEW_CHOICES {
        let part = ground.meter.part(WORK_FOR_A_START);
        let found = full_domain_search(ground.problem, Goal::default(), &part);
        if let Some(best) = found.map_err(Stop::Failed)?.best {
            let levels: Vec<u8> = best.node.levels().collect();
            let start = ground.evaluate(improve::start_of_levels(ground, &levels))?;
            keep(start.clone());
            starts.push(start);
        }
    }
    for mut start in starts {
        let done = improve::descend(ground, &mut start, |so_far| {
            ground.meter.note(Progress {
                best: so_far.cost.is_finite().then_some(Loss(so_far.cost)),
                ..Progress::default()
            });
        });
        keep(start);
        done?;
    }
    Ok(())
}
