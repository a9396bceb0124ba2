//! Branch and bound over boxes of the lattice, for every search that wants the best node with proof.

use super::descent;
use super::found_strings::FoundStrings;
use crate::Error;
use crate::counts::{FrequencySet, KnownSets, Work};
use crate::lattice::{Level, Node, SeenNodes};
use crate::problem::{
    Assessment, Assessor, Guarantee, Interruption, Meter, Problem, Progress, Proposal,
};
use crate::recode::ColumnRecoding;
use crate::utility::{Detail, Known, Loss};
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The most boxes kept; beyond that, the search goes depth-first, which needs almost no memory.
const MOST_BOXES: usize = 1 << 20;

/// A search that takes longer than this also looks for good results heuristically. Most finish before.
const WORK_BEFORE_DESCENT: u64 = 50_000_000;

/// A box with at least this many nodes has its low corner counted, as a start for the counts inside it.
const STEPPING_STONE_NODES: u128 = 256;

/// What the search optimizes besides the loss.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Goal {
    /// Which of equally good nodes is the best.
    pub(crate) ties: Ties,
    /// Lower nodes are excluded, though they may be counted.
    pub(crate) least_height: u32,
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

/// All nodes between two corners.
#[derive(Debug, Clone, PartialEq)]
struct LatticeBox {
    /// A lower bound of the loss of every node in the box.
    floor: Loss,
    low: Node,
    high: Node,
    /// Rows that every node of the box suppresses.
    rows_lost: u32,
    /// What these rows add to the loss of each attribute.
    added: Arc<[f64]>,
    /// Whether the floor already uses the classes of the low corner.
    low_is_counted: bool,
}

impl LatticeBox {
    fn nodes(&self) -> u128 {
        let levels = self.low.levels().zip(self.high.levels());
        levels.fold(1u128, |nodes, (low, high)| {
            nodes.saturating_mul(u128::from(high.steps_above(low)) + 1)
        })
    }

    /// Where an attribute's levels are cut in two: the last level of the lower half.
    fn middle(&self, attribute: usize) -> Level {
        let (low, high) = (self.low.level(attribute), self.high.level(attribute));
        Level(low.0 + high.steps_above(low) / 2)
    }
}

impl Eq for LatticeBox {}

/// The heap's greatest box is the next one to examine: lowest floor, then first in lattice order.
impl Ord for LatticeBox {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.floor, &other.low, &other.high).cmp(&(self.floor, &self.low, &self.high))
    }
}

impl PartialOrd for LatticeBox {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
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
    smallest_safe: u32,
    known: KnownSets<'a>,
    /// Classes of the current node, kept for their memory.
    counted: FrequencySet,
    assessor: Assessor<'a>,
    assessed: HashMap<Node, Assessment>,
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
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, goal: Goal, meter: &'a Meter<'a>) -> Self {
        Search {
            problem,
            meter,
            lower_bound: Loss(0.0),
            descended_from: None,
            goal,
            pruning_is_sound: problem.pruning_is_sound(),
            classes_matter: problem.metric.detail() == Detail::Classes,
            smallest_safe: problem.smallest_safe(),
            known: KnownSets::new(problem.table, problem.columns_read(), problem.memory_limit),
            counted: FrequencySet::default(),
            assessor: Assessor::new(problem),
            assessed: HashMap::new(),
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
        let lattice = self.problem.lattice();
        let whole = LatticeBox {
            floor: Loss(0.0),
            low: self.lowest.clone(),
            high: lattice.top().clone(),
            rows_lost: 0,
            added: Arc::new([]),
            low_is_counted: false,
        };
        for node in lattice.diagonal() {
            let node = node.raised_to(&self.lowest);
            self.step_on(&node)?;
        }
        let mut frontier = BinaryHeap::new();
        frontier.extend(self.with_high_assessed(whole)?);
        let start = self.meter.spent();
        while let Some(first) = frontier.pop() {
            if self
                .best
                .as_ref()
                .is_some_and(|best| first.floor > best.loss)
            {
                return Ok(()); // the others are no better
            }
            if !self.may_hold_the_best(&first) {
                continue;
            }
            // The lowest floor of all remaining boxes.
            self.lower_bound = first.floor;
            self.note();
            if self.meter.spent() - start > WORK_BEFORE_DESCENT {
                self.descend()?;
            }
            let Some(first) = self.with_low_counted(first)? else {
                continue;
            };
            if frontier.peek().is_some_and(|next| next > &first) {
                frontier.push(first);
            } else if frontier.len() < MOST_BOXES {
                frontier.extend(self.halves(&first)?);
            } else {
                let mut stack = vec![first];
                while let Some(next) = stack.pop() {
                    if let Some(next) = self.with_low_counted(next)? {
                        stack.extend(self.halves(&next)?);
                    }
                }
            }
        }
        Ok(())
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
        if candidate.high.height() < self.goal.least_height {
            return false;
        }
        let first = (candidate.rows_lost, &candidate.low);
        self.best
            .as_ref()
            .is_none_or(|best| self.is_better(candidate.floor, first, best))
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

    fn known<'b>(&self, whole: &'b LatticeBox) -> Known<'b> {
        Known {
            rows_suppressed: whole.rows_lost,
            smallest_safe: self.smallest_safe,
            added: &whole.added,
        }
    }

    /// A lower bound of the loss of every node at or above `low` in the box.
    fn floor(&self, low: &Node, whole: &LatticeBox) -> Loss {
        self.problem.metric.floor(low, self.known(whole))
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
        whole.rows_lost = whole.rows_lost.max(assessment.rows_lost_below);
        if !assessment.added_below.is_empty() {
            whole.added = assessment.added_below.into();
        }
        whole.floor = whole.floor.max(self.floor(&whole.low, &whole));
        Ok(self.may_hold_the_best(&whole).then_some(whole))
    }

    /// Uses the classes of the low corner, if that is worth a count.
    fn with_low_counted(
        &mut self,
        mut whole: LatticeBox,
    ) -> Result<Option<LatticeBox>, Interruption> {
        if !whole.low_is_counted {
            whole.low_is_counted = true;
            if whole.nodes()
                >= if self.classes_matter {
                    2
                } else {
                    STEPPING_STONE_NODES
                }
            {
                let target = self.problem.metric.column();

                let classes = self.step_on(&whole.low)?;
                let target = target.map(|column| classes.histograms(column));
                let floor =
                    self.problem
                        .metric
                        .floor_above(classes.sizes(), target, self.known(&whole));
                whole.floor = whole.floor.max(floor);
            }
        }
        Ok(self.may_hold_the_best(&whole).then_some(whole))
    }

    /// Splits a box in two.
    fn halves(
        &mut self,
        whole: &LatticeBox,
    ) -> Result<impl Iterator<Item = LatticeBox> + use<>, Interruption> {
        if whole.low == whole.high {
            return Ok([None, None].into_iter().flatten());
        }
        // A floor of every attribute, for every attribute.
        self.meter
            .spend(Work::of(whole.low.len() * whole.low.len()))?;
        let attribute = self.attribute_to_split(whole);
        let middle = whole.middle(attribute);
        let lower = LatticeBox {
            high: whole.high.with(attribute, middle),
            ..whole.clone()
        };
        let low = whole.low.with(attribute, middle.above());
        let floor = whole.floor.max(self.floor(&low, whole));
        let upper = LatticeBox {
            low,
            floor,
            low_is_counted: false,
            ..whole.clone()
        };
        let lower = self.with_high_assessed(lower)?;
        let upper = self.may_hold_the_best(&upper).then_some(upper);
        Ok([lower, upper].into_iter().flatten())
    }

    /// The attribute whose upper half costs the most.
    fn attribute_to_split(&self, whole: &LatticeBox) -> usize {
        (0..whole.low.len())
            .filter(|&attribute| whole.low.level(attribute) < whole.high.level(attribute))
            .max_by_key(|&attribute| {
                let raised = whole.low.with(attribute, whole.middle(attribute).above());
                let low = whole.low.level(attribute);
                let range = whole.high.level(attribute).steps_above(low);
                (
                    self.floor(&raised, whole),
                    range,
                    std::cmp::Reverse(attribute),
                )
            })
            .expect("the corners differ")
    }

    /// Counts a node and caches its classes as a start for the nodes above.
    fn step_on(&mut self, node: &Node) -> Result<Arc<FrequencySet>, Interruption> {
        let (classes, work) = self.known.count_and_remember(node);
        self.meter.spend(work)?;
        if !self.assessed.contains_key(node) {
            self.check(node, &classes)?;
        }
        Ok(classes)
    }

    /// Judges a node, counting it unless that was done before.
    pub(super) fn assess(&mut self, node: &Node) -> Result<Assessment, Interruption> {
        if let Some(assessment) = self.assessed.get(node) {
            return Ok(assessment.clone());
        }
        let mut classes = std::mem::take(&mut self.counted);
        let work = self.known.count(node, &mut classes);
        self.meter.spend(work)?;
        let assessment = self.check(node, &classes)?;
        self.known.remember_if_small(node, &classes);
        self.counted = classes;
        Ok(assessment)
    }

    fn check(&mut self, node: &Node, classes: &FrequencySet) -> Result<Assessment, Interruption> {
        self.seen.see(node);
        let best = self.best.as_ref().map(|best| best.loss);
        let limit = match &self.strings {
            Some(strings) if strings.has_room() => None,
            Some(strings) => strings.worst().max(best),
            None => best,
        };
        let assessment = (self.assessor).assess_metered(node, classes, limit, self.meter)?;
        if self.assessed.len() >= MOST_BOXES {
            self.assessed.clear(); // some nodes may be counted again, in bounded memory
        }
        self.assessed.insert(node.clone(), assessment.clone());
        if !self.problem.drops(node) {
            return Ok(assessment);
        }
        let rows_suppressed = assessment.rows_suppressed;
        if let (Some(strings), Some(loss)) = (&mut self.strings, assessment.loss) {
            let at_top = self.problem.table.attributes_at_top(node);
            strings.add(loss, at_top, node);
        }
        if let Some(loss) = assessment.loss
            && node.height() >= self.goal.least_height
        {
            self.offer(Best {
                loss,
                rows_suppressed,
                node: node.clone(),
            });
        }
        self.note();
        Ok(assessment)
    }
}
