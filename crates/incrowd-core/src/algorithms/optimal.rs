//! The best node of the whole lattice, with proof.

use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status, descent,
};
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

crate::documented! {
    /// The safe full-domain recoding with the lowest loss, proven over the whole lattice.
    ///
    /// Branch and bound over boxes of the lattice. A box is the set of nodes between a low and a high corner. No node
    /// in it has a lower loss than the levels and classes of its low corner imply and, for models that survive
    /// merging, none suppresses fewer rows than its high corner. Boxes that cannot contain the optimum are dropped as
    /// a whole; the others are halved along one attribute, the most promising first. Boxes are created on demand, so
    /// the lattice may have any size.
    ///
    /// # Paper
    /// Our own. What a node implies for those above and below it follows K. LeFevre, D. DeWitt, R. Ramakrishnan,
    /// Incognito, SIGMOD 2005, and F. Kohlmayer et al., Flash, PASSAT 2012.
    /// # Guarantee
    /// Optimal. If a limit on time or work ends it: the best result so far and a proven lower bound.
    /// # Needs
    /// `problem.pruning_is_sound()` to drop a box because of what its high corner suppresses; without it, only the
    /// bounds of the metric drop boxes.
    /// # Invariant
    /// Every node is in a dropped box, has been assessed, or is in a box of the frontier; `best` is the assessed node
    /// with the lowest loss, ties broken by lattice order.
    /// # Cost
    /// At most one roll-up per node, usually for a small part of the lattice; the boxes of the frontier and the
    /// cached frequency sets stay within the memory limit.
    #[derive(Debug)]
    pub struct Optimal;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "optimal",
    card: Optimal::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Stable,
        generalization: Generalization::FullDomain,
        default_budget: DefaultBudget::NoRows,
        choices: None,
    },
};

/// The most boxes kept; beyond that, the search goes depth-first, which needs almost no memory.
const MOST_BOXES: usize = 1 << 20;

/// A search that takes longer than this also looks for good results heuristically. Most finish before.
const WORK_BEFORE_DESCENT: u64 = 50_000_000;

/// A box with at least this many nodes has its low corner counted, as a start for the counts inside it.
const STEPPING_STONE_NODES: u128 = 256;

impl Algorithm for Optimal {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut search = Search::new(problem, Goal::default(), meter);
        let guarantee = search.run_to_guarantee()?;
        let nodes_checked = search.seen.len();
        let nothing = |interruption: Interruption| {
            interruption.with_nothing_found(nodes_checked, meter.spent())
        };
        match (search.best.take(), meter.stopped()) {
            (Some(best), _) => Ok(Found::from(Proposal {
                recoding: ColumnRecoding::FullDomain(best.node).into(),
                guarantee,
                loss: Some(best.loss),
                nodes_checked,
                steps: Vec::new(),
            })),
            (None, Some(interruption)) => Err(nothing(interruption)),
            (None, None) => {
                let at_limit = search.assess(&problem.max_levels).map_err(nothing)?;
                Err(problem.no_solution(at_limit.rows_suppressed))
            }
        }
    }
}

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
}

impl Ties {
    /// Orders nodes of equal loss by the rows they (at least) suppress.
    fn compare(self, one: (u32, &Node), other: (u32, &Node)) -> Ordering {
        match self {
            Ties::LatticeOrder => one.1.cmp(other.1),
            Ties::FewestSuppressed => {
                let by_rows = one.0.cmp(&other.0);
                by_rows.then_with(|| one.1.cmp_levels(other.1))
            }
        }
    }
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

/// A node that may be published.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    loss: Loss,
    pub(crate) rows_suppressed: u32,
    pub(crate) node: Node,
}

/// The search of [`Optimal`] for other goals. Finding nothing is not an error.
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

struct Search<'a> {
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
    /// A lower bound of the loss of every node.
    lower_bound: Loss,
    /// The node where the last descent began.
    descended_from: Option<Node>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, goal: Goal, meter: &'a Meter<'a>) -> Self {
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
        }
    }

    /// Searches the lattice until the end or until it must stop.
    fn run_to_guarantee(&mut self) -> Result<Guarantee, Error> {
        match self.run() {
            Ok(()) => Ok(Guarantee::Optimal),
            Err(Interruption::Cancelled) => Err(Error::Cancelled),
            Err(_) => Ok(Guarantee::Bounded {
                lower_bound: self.lower_bound,
            }),
        }
    }

    /// Searches the lattice. When interrupted, the bound proven so far is kept.
    fn run(&mut self) -> Result<(), Interruption> {
        let lattice = self.problem.lattice();
        let whole = LatticeBox {
            floor: Loss(0.0),
            low: lattice.bottom(),
            high: lattice.top().clone(),
            rows_lost: 0,
            added: Arc::new([]),
            low_is_counted: false,
        };
        for node in lattice.diagonal() {
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

    /// Looks for a better result below the best: a long search may never get there by itself.
    fn descend(&mut self) -> Result<(), Interruption> {
        let Some(best) = self.best.as_ref().map(|best| best.node.clone()) else {
            return Ok(());
        };
        if self.descended_from.as_ref() == Some(&best) || self.goal.least_height > 0 {
            return Ok(());
        }
        self.descended_from = Some(best.clone());
        let (metric, max_suppressed) = (self.problem.metric, self.problem.max_suppressed);
        let floor = |node: &Node| metric.floor(node, Known::NOTHING);
        let lowest = descent::descend(best, floor, |node| {
            Ok(self.assess(node)?.rows_suppressed <= max_suppressed)
        })?;
        // From there on, only a result of the search itself is worth another descent.
        self.descended_from = (self.best.as_ref().map(|best| best.node.clone())).or(Some(lowest));
        Ok(())
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
        let ties = self.goal.ties;
        let by_loss = loss.cmp(&best.loss);
        by_loss
            .then_with(|| ties.compare((rows, node), (best.rows_suppressed, &best.node)))
            .is_lt()
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
        if !self.may_hold_the_best(&whole) {
            return Ok(None);
        }
        let assessment = self.assess(&whole.high)?;
        let max_suppressed = self.problem.max_suppressed;
        if self.pruning_is_sound && assessment.rows_suppressed > max_suppressed
            || assessment.rows_lost_below > max_suppressed
        {
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

    fn assess(&mut self, node: &Node) -> Result<Assessment, Interruption> {
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
        let limit = self.best.as_ref().map(|best| best.loss);
        let assessment = (self.assessor).assess_metered(node, classes, limit, self.meter)?;
        if self.assessed.len() >= MOST_BOXES {
            self.assessed.clear(); // some nodes may be counted again, in bounded memory
        }
        self.assessed.insert(node.clone(), assessment.clone());
        let rows_suppressed = assessment.rows_suppressed;
        if let Some(loss) = assessment.loss
            && node.height() >= self.goal.least_height
            && self
                .best
                .as_ref()
                .is_none_or(|best| self.is_better(loss, (rows_suppressed, node), best))
        {
            self.best = Some(Best {
                loss,
                rows_suppressed,
                node: node.clone(),
            });
        }
        self.note();
        Ok(assessment)
    }
}
