//! Branch and bound over boxes of the lattice, for every search that wants the best node with proof.

mod corner;
mod crew;
mod extremes;
mod lattice_box;
mod low_classes;
#[cfg(test)]
mod tests;

use self::corner::{Corner, Found, Task, learn_from_high};
use self::crew::Crew;
use self::extremes::{FloorsAbove, RuledOut, SafeAbove};
use self::lattice_box::LatticeBox;
use self::low_classes::LowCorners;
use super::descent;
use super::found_strings::FoundStrings;
use crate::Error;
use crate::counts::{FrequencySet, KnownSets, Start, Work};
use crate::lattice::{Level, Node, SeenNodes};
use crate::problem::{
    Assessment, Assessor, Guarantee, Interruption, Meter, Problem, Progress, Proposal, Told,
};
use crate::recode::ColumnRecoding;
use crate::utility::{Detail, Known, Loss};
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

/// The default of [`Search::most_boxes`].
const MOST_BOXES: usize = 1 << 20;

/// A search that takes longer than this also looks for good results heuristically. Most finish before.
const WORK_BEFORE_DESCENT: u64 = 50_000_000;

/// A box with at least this many nodes has its low corner counted, as a start for the counts inside it.
const STEPPING_STONE_NODES: u128 = 256;

/// The same where the classes of both corners say how good the nodes between them can be: splitting a
/// smaller box costs less than counting its other corner.
const TELLING_NODES: u128 = 8;

/// The same where nodes of equal loss must be told apart, of which there are thousands at one height.
const NEAR_STEPPING_STONE_NODES: u128 = 128;

/// The most boxes examined at once. What one of them finds helps the others only after that, so that it does not matter how
/// many threads share them.
const MOST_AT_ONCE: usize = 64;

/// So many batches are on the way: while one of them is learned from and the next prepared, threads do the tasks of the other.
const BATCHES_AT_ONCE: usize = 2;

/// For every so many boxes examined, one more is examined at once: a short search learns from every node.
const BOXES_PER_WIDTH: u64 = 16;

/// So many from the start where nodes of equal loss must be told apart: most of them are counted in any case.
const MANY_AT_ONCE: usize = 32;

/// What the search optimizes besides the loss.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Goal {
    /// Which of equally good nodes is the best.
    pub(crate) ties: Ties,
    /// Lower nodes are excluded, though they may be counted.
    pub(crate) least_height: u32,
    /// Whether the loss is the height alone: then no node is better than a safe one below it, whatever either suppresses.
    pub(crate) is_height: bool,
}

/// Which of equally good nodes is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ties {
    /// The first in lattice order.
    #[default]
    LatticeOrder,
    /// The one that suppresses the fewest rows, then the first by levels from left to right.
    FewestSuppressed,
    /// The one with the fewest attributes at their last level, then the first in lattice order.
    FewestAtTop,
}

/// The best node of a problem and its guarantee.
#[derive(Debug)]
pub(crate) struct Optimum {
    /// The best node, if any may be published.
    pub(crate) best: Option<Best>,
    /// [`Guarantee::Optimal`], or bounded if a limit was reached.
    pub(crate) guarantee: Guarantee,
    /// The nodes whose classes were counted.
    pub(crate) seen: SeenNodes,
}

/// What one search may tell another.
#[derive(Debug)]
pub(super) struct Findings {
    best: Option<Best>,
    seen: SeenNodes,
    strings: FoundStrings,
}

/// A node that may be published.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    loss: Loss,
    pub(crate) rows_suppressed: u32,
    pub(crate) node: Node,
}

/// The best node for a goal, with proof. Finding nothing is not an error.
pub(crate) fn search(
    problem: &Problem<'_>,
    goal: Goal,
    meter: &Meter<'_>,
) -> Result<Optimum, Error> {
    let mut search = Search::new(problem, goal, meter);
    let guarantee = search.run_to_guarantee()?;
    Ok(Optimum {
        best: search.best,
        guarantee,
        seen: search.seen,
    })
}

/// A search over boxes.
pub(super) struct Search<'a> {
    problem: &'a Problem<'a>,
    meter: &'a Meter<'a>,
    goal: Goal,
    /// Whether a node over the budget proves the same for all nodes below it.
    pruning_is_sound: bool,
    /// Whether the classes of a node give a better bound for the nodes above than its levels.
    classes_matter: bool,
    /// Whether nearly all nodes of one height must be told apart, by the rows that they suppress.
    is_about_rows: bool,
    smallest_safe: u32,
    known: KnownSets<'a>,
    /// Sets that are not needed any more, for whoever does a task to free.
    forgotten: Vec<Arc<FrequencySet>>,
    /// The classes of low corners, if they matter.
    low_corners: LowCorners,
    /// Classes of the current node, kept for their memory.
    counted: FrequencySet,
    assessor: Assessor<'a>,
    assessed: HashMap<Node, Assessment>,
    ruled_out: RuledOut,
    /// Only where nodes above a safe one are safe and of no interest, so that nothing else is to be known of them.
    safe_above: SafeAbove,
    keeps_safe_above: bool,
    floors_above: FloorsAbove,
    seen: SeenNodes,
    best: Option<Best>,
    /// No node that is not at or above this one can be published.
    lowest: Node,
    /// Says of some nodes, without counting them, that neither they nor any node below can be published.
    rules_out: Box<dyn Fn(&Node) -> bool + 'a>,
    /// The best of the nodes seen that may be published, if they are wanted.
    strings: Option<FoundStrings>,
    /// A lower bound of the loss of every node.
    lower_bound: Loss,
    /// The node where the last descent began.
    descended_from: Option<Node>,
    /// So many boxes are kept; beyond that, the search goes depth-first, which needs almost no memory.
    most_boxes: usize,
    time_in_tasks: Duration,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, goal: Goal, meter: &'a Meter<'a>) -> Self {
        Search {
            problem,
            meter,
            lower_bound: Loss(0.0),
            descended_from: None,
            most_boxes: MOST_BOXES,
            time_in_tasks: Duration::ZERO,
            goal,
            pruning_is_sound: problem.pruning_is_sound(),
            classes_matter: problem.metric.detail() == Detail::Classes,
            is_about_rows: goal.ties == Ties::FewestSuppressed,
            smallest_safe: problem.smallest_safe(),
            known: KnownSets::new(problem.table, problem.columns_read(), problem.memory_limit),
            forgotten: Vec::new(),
            low_corners: LowCorners::new(problem.memory_limit / 4),
            counted: FrequencySet::default(),
            assessor: Assessor::new(problem),
            assessed: HashMap::new(),
            ruled_out: RuledOut::default(),
            safe_above: SafeAbove::default(),
            keeps_safe_above: goal.is_height
                && goal.least_height == 0
                && problem.pruning_is_sound(),
            floors_above: FloorsAbove::default(),
            seen: SeenNodes::default(),
            best: None,
            lowest: problem.lattice().bottom(),
            rules_out: Box::new(|_| false),
            strings: None,
        }
    }

    /// Also keeps so many of the best nodes that it sees.
    pub(super) fn keep_strings(mut self, most: usize) -> Self {
        self.strings = Some(FoundStrings::new(most));
        self
    }

    /// Passes over nodes that are not at or above this one: it is known that none of them can be published.
    pub(super) fn start_at(&mut self, lowest: Node) {
        self.lowest = lowest;
    }

    /// Passes over nodes that are at or below one of which this is true: it is known that none of them can be published.
    pub(super) fn pass_over(&mut self, rules_out: impl Fn(&Node) -> bool + 'a) {
        self.rules_out = Box::new(rules_out);
    }

    /// The node that this one [starts at](Search::start_at).
    pub(super) fn lowest(&self) -> &Node {
        &self.lowest
    }

    /// Whether neither the node nor any below it can be published.
    pub(super) fn rules_out_below(&mut self, node: &Node) -> Result<bool, Interruption> {
        let assessment = self.assess(node)?;
        Ok(self.is_ruled_out(&assessment))
    }

    fn is_ruled_out(&self, assessment: &Assessment) -> bool {
        let max_suppressed = self.problem.max_suppressed;
        self.pruning_is_sound && !assessment.is_safe(self.problem)
            || assessment.rows_lost_below > max_suppressed
    }

    /// What it has found so far.
    pub(super) fn into_findings(self) -> Findings {
        Findings {
            best: self.best,
            seen: self.seen,
            strings: self.strings.unwrap_or_default(),
        }
    }

    /// Adds what another search for the same goal has found.
    pub(super) fn absorb(&mut self, other: Findings) {
        self.seen.absorb(other.seen);
        if let Some(strings) = &mut self.strings {
            strings.absorb(other.strings);
        }
        if let Some(best) = other.best {
            self.offer(best);
        }
    }

    /// Remembers a node that may be published if it is the best so far.
    fn offer(&mut self, found: Best) {
        let place = (found.rows_suppressed, &found.node);
        let best = self.best.as_ref();
        if best.is_none_or(|best| self.is_better(found.loss, place, best)) {
            if best.is_none_or(|best| found.loss < best.loss) {
                self.floors_above.improve(found.loss);
            }
            self.best = Some(found);
        }
    }

    /// Takes the nodes kept.
    pub(super) fn take_strings(&mut self) -> FoundStrings {
        self.strings.take().unwrap_or_default()
    }

    /// Searches the lattice until the end or until it must stop.
    pub(super) fn run_to_guarantee(&mut self) -> Result<Guarantee, Error> {
        match self.run() {
            Ok(()) => Ok(Guarantee::Optimal),
            Err(Interruption::Cancelled) => Err(Error::Cancelled),
            Err(_) => Ok(Guarantee::Bounded {
                lower_bound: self.lower_bound,
            }),
        }
    }

    /// How long the calling thread has looked at corners, which any other could have done as well.
    pub(super) fn time_in_tasks(&self) -> Duration {
        self.time_in_tasks
    }

    /// The best node, or the error of a search that found none.
    pub(super) fn propose(mut self, guarantee: Guarantee) -> Result<Proposal, Error> {
        let (nodes_checked, spent) = (self.seen.len(), self.meter.spent());
        let nothing = |why: Interruption| why.with_nothing_found(nodes_checked, spent);
        match (self.best.take(), self.meter.stopped()) {
            (Some(best), _) => Ok(Proposal {
                recoding: ColumnRecoding::FullDomain(best.node).into(),
                guarantee,
                loss: Some(best.loss),
                nodes_checked,
                steps: Vec::new(),
            }),
            (None, Some(interruption)) => Err(nothing(interruption)),
            (None, None) => {
                let at_limit = self.assess(&self.problem.max_levels).map_err(nothing)?;
                Err(self.problem.no_solution(at_limit.rows_suppressed))
            }
        }
    }

    /// Searches the lattice. When interrupted, the bound proven so far is kept.
    fn run(&mut self) -> Result<(), Interruption> {
        let (problem, told) = (self.problem, Told::of(0));
        let threads = problem.settings.threads.min(MOST_AT_ONCE);
        std::thread::scope(|scope| {
            let mut crew = Crew::start(scope, problem, threads, self.is_about_rows);
            let end = self.run_with(&mut crew, &told);
            self.time_in_tasks += crew.end();
            end
        })
    }

    fn run_with<'t>(&mut self, crew: &mut Crew<'t>, told: &'t Told) -> Result<(), Interruption>
    where
        'a: 't,
    {
        if self.is_all_or_nothing() {
            self.raise_lowest()?;
        }
        let whole = LatticeBox::new(self.lowest.clone(), self.problem.max_levels.clone());
        let mut frontier = BinaryHeap::new();
        frontier.extend(self.with_high_assessed(whole)?);
        // Those that lose the fewest rows first, if the rows decide.
        let is_about_rows = self.is_about_rows;
        let ranked = |whole: LatticeBox| LatticeBox {
            rank: if is_about_rows { whole.rows_lost } else { 0 },
            ..whole
        };
        let start = self.meter.spent();
        let mut examined = 0;
        loop {
            let width = self.width(examined);
            let batch = self.next_batch(&mut frontier, (width / BATCHES_AT_ONCE).max(1));
            let is_none_left = batch.is_empty();
            if is_none_left && crew.batches() == 0 {
                return Ok(());
            }
            if let Some(first) = batch.first() {
                // The lowest floor of all remaining boxes.
                let floors = crew.boxes().map(|whole| whole.floor);
                self.lower_bound = floors.fold(first.floor, Loss::min);
                self.note();
                if self.meter.spent() - start > WORK_BEFORE_DESCENT {
                    self.descend()?;
                }
            }
            examined += batch.len() as u64;
            let mut boxes = self.begin(batch, (crew, told))?;
            if is_none_left || crew.batches() >= width.min(BATCHES_AT_ONCE) {
                boxes.extend(self.finish((crew, told))?);
            }
            if frontier.len() < self.most_boxes {
                frontier.extend(boxes.into_iter().map(ranked));
                let needed = frontier.iter().chain(crew.boxes());
                self.low_corners.keep_only(needed.map(|whole| &whole.low));
                continue;
            }
            let mut stack = boxes;
            while let Some(next) = stack.pop() {
                if self.may_hold_the_best(&next) {
                    stack.extend(self.begin(vec![next], (crew, told))?);
                    stack.extend(self.finish((crew, told))?);
                }
            }
        }
    }

    /// Takes so many boxes, if there are, that may hold the best: those with the lowest floors.
    fn next_batch(&self, frontier: &mut BinaryHeap<LatticeBox>, most: usize) -> Vec<LatticeBox> {
        let mut batch = Vec::new();
        while batch.len() < most
            && let Some(first) = frontier.pop()
        {
            let best = self.best.as_ref();
            if best.is_some_and(|best| first.floor > best.loss) {
                frontier.clear(); // the others are no better
            } else if self.may_hold_the_best(&first) {
                batch.push(first);
            }
        }
        batch
    }

    /// Passes over the levels that are ruled out whatever the other attributes do.
    fn raise_lowest(&mut self) -> Result<(), Interruption> {
        let highest = self.problem.max_levels.clone();
        if self.rules_out_below(&highest)? {
            return Ok(()); // nor can any other node be published
        }
        for attribute in 0..highest.len() {
            // What rules out a level rules out those below it, so the boundary is found by halving.
            let (mut low, mut high) = (self.lowest.level(attribute), highest.level(attribute));
            while low < high {
                let middle = Level(low.0 + high.steps_above(low) / 2);
                match self.rules_out_below(&highest.with(attribute, middle))? {
                    true => low = middle.above(),
                    false => high = middle,
                }
            }
            self.lowest = self.lowest.with(attribute, low);
        }
        Ok(())
    }

    /// How many boxes are examined at once: ever more, as far as the classes of all of them fit in the memory.
    fn width(&self, examined: u64) -> usize {
        let of_one = self.problem.table.tuples.most_memory_above().max(1);
        let fit = (self.problem.memory_limit / 4 / of_one).clamp(1, MOST_AT_ONCE);
        let least = if self.is_about_rows { MANY_AT_ONCE } else { 1 };
        let width = usize::try_from(examined / BOXES_PER_WIDTH).unwrap_or(fit);
        width.max(least).min(fit)
    }

    /// Begins to look at one corner of each box; what is left of them whatever that finds.
    fn begin<'t>(
        &mut self,
        batch: Vec<LatticeBox>,
        (crew, told): (&mut Crew<'t>, &'t Told),
    ) -> Result<Vec<LatticeBox>, Interruption>
    where
        'a: 't,
    {
        let limit = self.limit();
        let (mut left, mut tasks) = (Vec::new(), Vec::new());
        for mut whole in batch {
            if self.is_about_rows {
                let high = whole.high.clone();
                if !self.narrow(&mut whole)? {
                    continue;
                }
                if whole.high != high {
                    self.look_at_high(whole, &mut left, &mut tasks)?;
                    continue;
                }
            }
            if self.is_low_worth_a_count(&whole) {
                tasks.push(Task {
                    start: self.known.start_for(&whole.low),
                    below: None,
                    whole,
                    corner: Corner::Low,
                    limit,
                });
                continue;
            }
            let Some((mut lower, upper)) = self.halves(&whole)? else {
                // A single node. It may be the high corner of a larger box that was split without counting it.
                if !self.assessed.contains_key(&whole.high) {
                    self.look_at_high(whole, &mut left, &mut tasks)?;
                }
                continue;
            };
            left.extend(upper);
            if !self.is_about_rows || self.narrow(&mut lower)? {
                self.look_at_high(lower, &mut left, &mut tasks)?;
            }
        }
        if !tasks.is_empty() {
            told.raise(self.meter.told());
            let meter = self.meter.for_task(tasks.len(), told);
            crew.begin(tasks, std::mem::take(&mut self.forgotten), meter);
        }
        Ok(left)
    }

    /// Learns what the batch begun first finds; what is left of its boxes.
    fn finish(
        &mut self,
        (crew, told): (&mut Crew<'_>, &Told),
    ) -> Result<Vec<LatticeBox>, Interruption> {
        told.raise(self.meter.told());
        let outcomes = crew.finish();
        let of_tasks: u64 = outcomes.iter().map(|outcome| outcome.work.0).sum();
        let spent = self.meter.spent() + of_tasks;
        let is_stopped = outcomes.iter().any(|outcome| outcome.found.is_err());
        self.meter.note_told(match is_stopped {
            // This meter asks nobody again.
            true => spent,
            // Of what was told, some was done for the batches after this one.
            false => told.work().min(spent),
        });
        let mut left = Vec::new();
        for outcome in outcomes {
            match outcome.found {
                Ok(found) => {
                    self.meter.spend(outcome.work)?;
                    left.extend(self.learn(found));
                }
                Err(why) => {
                    if why == Interruption::WorkDone {
                        // What it took is more than is left.
                        self.meter.spend(outcome.work)?;
                    }
                    return Err(self.meter.stop(why));
                }
            }
        }
        Ok(left)
    }

    /// Has the high corner of a box looked at, unless what is known of it says enough. One above a node that is known to be safe
    /// is safe too and rules out nothing: the box is split without counting it.
    fn look_at_high(
        &mut self,
        whole: LatticeBox,
        left: &mut Vec<LatticeBox>,
        tasks: &mut Vec<Task<'a>>,
    ) -> Result<(), Interruption> {
        if (self.rules_out)(&whole.high) || self.ruled_out.covers(&whole.high) {
            return Ok(());
        }
        if self.assessed.contains_key(&whole.high) {
            left.extend(self.with_high_assessed(whole)?);
            return Ok(());
        }
        if whole.low != whole.high && self.safe_above.covers(&whole.high) {
            left.push(whole);
            return Ok(());
        }
        let low = self.low_corners.get(&whole.low);
        let start = match low {
            Some(_) => self.start_for_both(&whole),
            None => self.known.start_for(&whole.high),
        };
        let below = self.low_corners.get(start.node());
        tasks.push(Task {
            start,
            below,
            whole,
            corner: Corner::High(low),
            limit: self.limit(),
        });
        Ok(())
    }

    /// The set to count the high corner of a box from, if the classes of the low one are to be found in its classes: the low one
    /// itself, unless a much smaller set saves more than that takes.
    fn start_for_both(&mut self, whole: &LatticeBox) -> Start<'a> {
        let smallest = self.known.start_for(&whole.high);
        let low = self.known.start_at(&whole.low);
        // Without histograms, finding that out takes as long as counting.
        let has_columns = !self.problem.columns_read().is_empty();
        let is_near = |low: &Start<'_>| {
            !has_columns || 2 * low.classes().len() <= 3 * smallest.classes().len()
        };
        low.filter(is_near).unwrap_or(smallest)
    }

    /// Leaves out nodes of a box that are ruled out, and nodes that are no better than the best; false if none is left.
    ///
    /// Attribute by attribute: a level that is ruled out even where all others are at their highest is passed over, and so is
    /// a level that costs too much even where all others are at their lowest.
    fn narrow(&self, whole: &mut LatticeBox) -> Result<bool, Interruption> {
        self.meter
            .spend(Work::of(whole.low.len() * whole.low.len()))?;
        let lowest = self.ruled_out.lowest_left(&whole.low, &whole.high);
        if lowest != whole.low {
            whole.low = lowest;
            whole.low_is_counted = false;
            whole.split = None;
            whole.floor = whole.floor.max(self.floor(&whole.low, whole));
        }
        let Some(best) = &self.best else {
            return Ok(true);
        };
        for attribute in 0..whole.low.len() {
            let (low, mut high) = (whole.low.level(attribute), whole.high.level(attribute));
            while low < high {
                let raised = whole.low.with(attribute, high);
                let floor = whole.floor.max(self.floor(&raised, whole));
                if self.is_better(floor, (whole.rows_lost, &raised), best) {
                    break;
                }
                high = high.below().unwrap_or(low);
            }
            if high != whole.high.level(attribute) {
                whole.high = whole.high.with(attribute, high);
                whole.split = None;
            }
        }
        Ok(self.may_hold_the_best(whole))
    }

    /// Adds what was found out about a corner of a box; what is left of the box.
    fn learn(&mut self, found: Found) -> Option<LatticeBox> {
        let Found {
            whole,
            assessment,
            is_low,
            ..
        } = found;
        debug_assert!(
            self.lower_bound <= whole.floor,
            "no box left is below the bound"
        );
        let node = match is_low {
            true => &whole.low,
            false => &whole.high,
        };
        if let Some(classes) = found.classes {
            let forgotten = self.known.remember(node.clone(), classes);
            self.forgotten.extend(forgotten);
        }
        if let Some(low) = found.low_classes {
            self.low_corners.add(&whole.low, low);
        }
        if self.classes_matter {
            let best = self.best.as_ref().map(|best| best.loss);
            self.floors_above.add(node, found.floor_above, best);
        }
        let is_ruled_out = self.is_ruled_out(&assessment);
        self.register(node, assessment);
        let is_left = is_low || whole.low != whole.high && !is_ruled_out;
        (is_left && self.may_hold_the_best(&whole)).then_some(whole)
    }

    /// Whether every class is published, here and above every node that may be published.
    fn is_all_or_nothing(&self) -> bool {
        self.pruning_is_sound && self.problem.max_suppressed == 0
    }

    fn is_low_worth_a_count(&self, whole: &LatticeBox) -> bool {
        // Where nothing is suppressed, the high corners say nearly everything.
        let says_much = self.classes_matter && !self.is_all_or_nothing();
        let least = match (says_much, self.is_about_rows) {
            (true, _) => TELLING_NODES,
            (false, true) if !self.is_all_or_nothing() => NEAR_STEPPING_STONE_NODES,
            (false, _) => STEPPING_STONE_NODES,
        };
        !whole.low_is_counted && whole.nodes() >= least
    }

    /// Looks for a better result, first below the highest levels and then below the best: a long search may never get there
    /// by itself.
    fn descend(&mut self) -> Result<(), Interruption> {
        let Some(best) = self.best.as_ref().map(|best| best.node.clone()) else {
            return Ok(());
        };
        if self.descended_from.as_ref() == Some(&best) || self.goal.least_height > 0 {
            return Ok(());
        }
        if self.descended_from.is_none() && self.is_safe(&self.problem.max_levels)? {
            self.descend_from(self.problem.max_levels.clone())?;
        }
        self.descend_from(best)?;
        // From there on, only a result of the search itself is worth another descent.
        self.descended_from = self.best.as_ref().map(|best| best.node.clone());
        Ok(())
    }

    fn descend_from(&mut self, start: Node) -> Result<(), Interruption> {
        let metric = self.problem.metric;
        let floor = |node: &Node| metric.floor(node, Known::NOTHING);
        descent::descend(start, floor, |node| self.is_safe(node)).map(|_| ())
    }

    /// Whether a node may be published.
    fn is_safe(&mut self, node: &Node) -> Result<bool, Interruption> {
        Ok(self.assess(node)?.is_safe(self.problem))
    }

    fn note(&self) {
        self.meter.note(Progress {
            nodes_checked: self.seen.len(),
            best: self.best.as_ref().map(|best| best.loss),
            lower_bound: Some(self.lower_bound),
            ..Progress::default()
        });
    }

    fn may_hold_the_best(&self, candidate: &LatticeBox) -> bool {
        if candidate.high.height() < self.goal.least_height
            || candidate.rows_lost > self.problem.max_suppressed
        {
            return false;
        }
        let Some(best) = &self.best else {
            return !self.ruled_out.covers(&candidate.high);
        };
        let first = (candidate.rows_lost, &candidate.low);
        let may = |floor: Loss| self.is_better(floor, first, best);
        let above = || self.floors_above.floor(&candidate.low);
        may(candidate.floor) && above().is_none_or(may) && !self.ruled_out.covers(&candidate.high)
    }

    fn is_better(&self, loss: Loss, (rows, node): (u32, &Node), best: &Best) -> bool {
        let by_loss = loss.cmp(&best.loss);
        let other = (best.rows_suppressed, &best.node);
        by_loss
            .then_with(|| self.compare_tied((rows, node), other))
            .is_lt()
    }

    /// Orders nodes of equal loss. Neither the rows that a node suppresses at least nor the attributes at their last level
    /// become fewer above it, so the low corner of a box comes before all of its nodes.
    fn compare_tied(&self, one: (u32, &Node), other: (u32, &Node)) -> Ordering {
        match self.goal.ties {
            Ties::LatticeOrder => one.1.cmp(other.1),
            Ties::FewestSuppressed => {
                let by_rows = one.0.cmp(&other.0);
                by_rows.then_with(|| one.1.cmp_levels(other.1))
            }
            Ties::FewestAtTop => {
                let at_top = |node: &Node| self.problem.table.attributes_at_top(node);
                let by_tops = at_top(one.1).cmp(&at_top(other.1));
                by_tops.then_with(|| one.1.cmp(other.1))
            }
        }
    }

    /// A lower bound of the loss of every node at or above `low` in the box.
    fn floor(&self, low: &Node, whole: &LatticeBox) -> Loss {
        let known = whole.known(self.smallest_safe);
        self.problem.metric.floor(low, known)
    }

    /// Uses the high corner: what it suppresses, every node of the box may have to suppress.
    fn with_high_assessed(
        &mut self,
        mut whole: LatticeBox,
    ) -> Result<Option<LatticeBox>, Interruption> {
        if !self.may_hold_the_best(&whole) || (self.rules_out)(&whole.high) {
            return Ok(None);
        }
        let assessment = self.assess(&whole.high)?;
        if self.is_ruled_out(&assessment) {
            return Ok(None);
        }
        learn_from_high(self.problem, self.smallest_safe, &mut whole, &assessment);
        Ok(self.may_hold_the_best(&whole).then_some(whole))
    }

    /// Splits a box in two, the upper half only if it may hold the best; none if it is a single node.
    fn halves(
        &self,
        whole: &LatticeBox,
    ) -> Result<Option<(LatticeBox, Option<LatticeBox>)>, Interruption> {
        // A floor of every attribute, for every attribute.
        self.meter
            .spend(Work::of(whole.low.len() * whole.low.len()))?;
        let (problem, smallest_safe) = (self.problem, self.smallest_safe);
        let work_out = || whole.attribute_to_split(problem, self.classes_matter, smallest_safe);
        debug_assert!(whole.split.is_none() || whole.split == work_out());
        let Some(attribute) = whole.split.or_else(work_out) else {
            return Ok(None);
        };
        let (lower, mut upper) = whole.halves(attribute);
        upper.floor = upper.floor.max(self.floor(&upper.low, whole));
        let upper = self.may_hold_the_best(&upper).then_some(upper);
        Ok(Some((lower, upper)))
    }

    /// Judges a node, counting it unless that was done before.
    pub(super) fn assess(&mut self, node: &Node) -> Result<Assessment, Interruption> {
        if let Some(assessment) = self.assessed.get(node) {
            return Ok(assessment.clone());
        }
        let mut classes = std::mem::take(&mut self.counted);
        let work = self.known.count(node, &mut classes);
        self.meter.spend(work)?;
        let (limit, meter) = (self.limit(), self.meter);
        let assessment = (self.assessor).assess_metered(node, &classes, limit, meter)?;
        self.register(node, assessment.clone());
        self.known.remember_if_small(node, &classes);
        self.counted = classes;
        Ok(assessment)
    }

    /// A loss above it need not be computed.
    fn limit(&self) -> Option<Loss> {
        let best = self.best.as_ref().map(|best| best.loss);
        match &self.strings {
            Some(strings) if strings.has_room() => None,
            Some(strings) => strings.worst().max(best),
            None => best,
        }
    }

    /// Remembers what is known of a node, and the node if it is the best so far.
    fn register(&mut self, node: &Node, assessment: Assessment) {
        self.seen.see(node);
        if self.is_ruled_out(&assessment) {
            self.ruled_out.add(node);
        } else if self.keeps_safe_above {
            self.safe_above.add(node);
        }
        let (loss, rows_suppressed) = (assessment.loss, assessment.rows_suppressed);
        if self.assessed.len() >= MOST_BOXES {
            self.assessed.clear(); // some nodes may be counted again, in bounded memory
        }
        self.assessed.insert(node.clone(), assessment);
        let Some(loss) = loss.filter(|_| self.problem.drops(node)) else {
            return;
        };
        if let Some(strings) = &mut self.strings {
            let at_top = self.problem.table.attributes_at_top(node);
            strings.add(loss, at_top, node);
        }
        if node.height() >= self.goal.least_height {
            self.offer(Best {
                loss,
                rows_suppressed,
                node: node.clone(),
            });
        }
        self.note();
    }
}
