//! The best node of the whole lattice, with proof.

use super::{Algorithm, Card, Status};
use crate::Error;
use crate::counts::{FrequencySet, KnownSets};
use crate::lattice::Node;
use crate::problem::{
    Assessment, Assessor, Guarantee, Interruption, Problem, Progress, Proposal, Watch,
};
use crate::recode::Recoding;
use crate::utility::{Known, Loss};
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

crate::documented! {
    /// The safe full-domain recoding of least loss, proven over the whole lattice.
    ///
    /// Branch and bound over boxes of the lattice. A box is all nodes between a low and a high corner. Nothing in
    /// it costs less than its low corner's levels and classes demand, and for promises that survive merging nothing
    /// in it suppresses fewer rows than its high corner. Boxes that cannot hold the optimum are dropped whole; the
    /// others are halved along one attribute, the most promising first. Boxes are made when needed, so the lattice
    /// may have any size.
    ///
    /// # Paper
    /// Own. What may be inferred from a node for those above and below it follows K. LeFevre, D. DeWitt,
    /// R. Ramakrishnan, Incognito, SIGMOD 2005, and F. Kohlmayer et al., Flash, PASSAT 2012.
    /// # Guarantee
    /// Optimal. When the time limit ends it: the best found and a proven lower bound.
    /// # Needs
    /// `problem.pruning_is_sound()` to drop a box for what its high corner suppresses; without it only the metric's
    /// bounds drop boxes.
    /// # Invariant
    /// Every node is in a dropped box, has been assessed, or lies in a box of the frontier; `best` is the least loss
    /// of all assessed nodes, ties broken by lattice order.
    /// # Cost
    /// At most one roll-up per node, usually for a small part of the lattice; the boxes of the frontier and the
    /// frequency sets remembered stay within the memory limit.
    #[derive(Debug)]
    pub struct Optimal;
}

static CARD: Card = Card {
    name: "optimal",
    text: Optimal::CARD,
    status: Status::Stable,
};

/// Boxes kept at most; beyond that the search goes depth first, which needs almost no memory.
const MOST_BOXES: usize = 1 << 20;

/// A box with at least this many nodes has its low corner counted, as a start for the counts inside it.
const STEPPING_STONE_NODES: u128 = 6;

impl Algorithm for Optimal {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn solve(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Proposal, Error> {
        let mut search = Search::new(problem);
        let whole = LatticeBox {
            floor: Loss(f64::NEG_INFINITY),
            ..search.whole()
        };
        let guarantee = match search.run(whole, watch) {
            Ok(()) => Guarantee::Optimal,
            Err((Interruption::Cancelled, _)) => return Err(Error::Cancelled),
            Err((Interruption::TimeUp, lower_bound)) => Guarantee::Bounded { lower_bound },
        };
        let nodes_checked = search.nodes_checked;
        match search.best {
            Some((_, node)) => Ok(Proposal {
                recoding: Recoding::FullDomain(node),
                guarantee,
                nodes_checked,
            }),
            None if guarantee == Guarantee::Optimal => Err(Error::NoSolution {
                max_suppressed: problem.max_suppressed,
                rows_suppressed_at_limit: search
                    .assess(&problem.max_levels.clone())
                    .rows_suppressed,
            }),
            None => Err(Error::TimeUp { nodes_checked }),
        }
    }
}

/// All nodes between two corners.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LatticeBox {
    /// No node of the box costs less.
    floor: Loss,
    low: Node,
    high: Node,
    /// Rows that every node of the box suppresses.
    rows_lost: u32,
}

impl LatticeBox {
    fn nodes(&self) -> u128 {
        self.low
            .levels()
            .zip(self.high.levels())
            .fold(1u128, |nodes, (low, high)| {
                nodes.saturating_mul(u128::from(high - low) + 1)
            })
    }
}

/// The heap's greatest box is the one to look at next: least floor, then first in lattice order.
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
    /// Whether a node over the budget proves the same of all nodes below it.
    pruning_is_sound: bool,
    known: KnownSets<'a>,
    assessor: Assessor<'a>,
    assessed: HashMap<Node, Assessment>,
    nodes_checked: u64,
    best: Option<(Loss, Node)>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        Search {
            problem,
            pruning_is_sound: problem.pruning_is_sound(),
            known: KnownSets::new(problem.table, problem.columns_read(), problem.memory_limit),
            assessor: Assessor::new(problem),
            assessed: HashMap::new(),
            nodes_checked: 0,
            best: None,
        }
    }

    fn whole(&self) -> LatticeBox {
        let lattice = self.problem.lattice();
        LatticeBox {
            floor: Loss(0.0),
            low: lattice.bottom(),
            high: lattice.top().clone(),
            rows_lost: 0,
        }
    }

    /// Searches a box; an interruption comes with the bound proven so far.
    fn run(&mut self, whole: LatticeBox, watch: &dyn Watch) -> Result<(), (Interruption, Loss)> {
        let mut frontier = BinaryHeap::new();
        frontier.extend(self.bounded(whole.low, whole.high, 0, true));
        while let Some(first) = frontier.pop() {
            if !self.may_hold_the_best(&first) {
                return Ok(()); // all others are no better
            }
            let progress = Progress {
                nodes_checked: self.nodes_checked,
                best: self.best.as_ref().map(|(loss, _)| *loss),
                lower_bound: Some(first.floor),
            };
            watch
                .step(progress)
                .map_err(|interruption| (interruption, first.floor))?;
            if frontier.len() < MOST_BOXES {
                frontier.extend(self.halves(first));
                continue;
            }
            let lower_bound = first.floor;
            let mut stack = vec![first];
            while let Some(next) = stack.pop() {
                watch
                    .step(progress)
                    .map_err(|interruption| (interruption, lower_bound))?;
                if self.may_hold_the_best(&next) {
                    stack.extend(self.halves(next));
                }
            }
        }
        Ok(())
    }

    /// No node at or above `low` that suppresses at least `rows_lost` rows costs less.
    fn floor(&self, low: &Node, rows_lost: u32) -> Loss {
        let known = Known {
            rows_suppressed: rows_lost,
            smallest_safe: 1,
        };
        self.problem.metric.floor(low, known)
    }

    fn may_hold_the_best(&self, candidate: &LatticeBox) -> bool {
        match &self.best {
            Some((loss, node)) => (candidate.floor, &candidate.low) < (*loss, node),
            None => true,
        }
    }

    /// The box between two corners with its bounds, unless it cannot hold the optimum.
    fn bounded(
        &mut self,
        low: Node,
        high: Node,
        rows_lost: u32,
        high_is_new: bool,
    ) -> Option<LatticeBox> {
        let floor = self.floor(&low, rows_lost);
        let mut bounded = LatticeBox {
            floor,
            low,
            high,
            rows_lost,
        };
        if !self.may_hold_the_best(&bounded) {
            return None;
        }
        if high_is_new {
            let assessment = self.assess(&bounded.high.clone());
            if self.pruning_is_sound && assessment.rows_suppressed > self.problem.max_suppressed
                || assessment.rows_lost_below > self.problem.max_suppressed
            {
                return None;
            }
            if assessment.rows_lost_below > rows_lost {
                bounded.rows_lost = assessment.rows_lost_below;
                bounded.floor = self.floor(&bounded.low, bounded.rows_lost);
            }
        }
        self.may_hold_the_best(&bounded).then_some(bounded)
    }

    /// Splits a box in two, along the attribute that raises the bound most.
    fn halves(&mut self, whole: LatticeBox) -> impl Iterator<Item = LatticeBox> + use<> {
        if whole.low == whole.high {
            return [None, None].into_iter().flatten();
        }
        if whole.nodes() >= STEPPING_STONE_NODES {
            self.step_on(&whole.low);
        }
        let attribute = self.attribute_to_split(&whole);
        let (low, high) = (whole.low.level(attribute), whole.high.level(attribute));
        let middle = low + (high - low) / 2;
        let lower = self.bounded(
            whole.low.clone(),
            whole.high.with(attribute, middle),
            whole.rows_lost,
            true,
        );
        let upper = self.bounded(
            whole.low.with(attribute, middle + 1),
            whole.high,
            whole.rows_lost,
            false,
        );
        [lower, upper].into_iter().flatten()
    }

    fn attribute_to_split(&self, whole: &LatticeBox) -> usize {
        (0..whole.low.len())
            .filter(|&attribute| whole.low.level(attribute) < whole.high.level(attribute))
            .max_by_key(|&attribute| {
                let (low, high) = (whole.low.level(attribute), whole.high.level(attribute));
                let raised = whole.low.with(attribute, low + (high - low) / 2 + 1);
                (
                    self.floor(&raised, whole.rows_lost),
                    high - low,
                    std::cmp::Reverse(attribute),
                )
            })
            .expect("the corners differ")
    }

    /// Counts a node and remembers its classes as a start for the nodes above.
    fn step_on(&mut self, node: &Node) {
        if node.height() > 0 && !self.assessed.contains_key(node) {
            let classes = Arc::new(self.known.count(node));
            self.check(node, &classes);
            self.known.remember(node.clone(), classes);
        }
    }

    fn assess(&mut self, node: &Node) -> Assessment {
        if let Some(assessment) = self.assessed.get(node) {
            return *assessment;
        }
        let classes = self.known.count(node);
        self.check(node, &classes)
    }

    fn check(&mut self, node: &Node, classes: &FrequencySet) -> Assessment {
        self.nodes_checked += 1;
        let limit = self.best.as_ref().map(|(loss, _)| *loss);
        let assessment = self.assessor.assess(node, classes, limit);
        self.assessed.insert(node.clone(), assessment);
        if let Some(loss) = assessment.loss
            && self
                .best
                .as_ref()
                .is_none_or(|(best, at)| (loss, node) < (*best, at))
        {
            self.best = Some((loss, node.clone()));
        }
        assessment
    }
}
