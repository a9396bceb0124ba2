//! Counting and judging nodes one after the other: what every search over single nodes shares.

use crate::Error;
use crate::counts::{FrequencySet, KnownSets, Work};
use crate::lattice::{Node, SeenNodes};
use crate::privacy::Monotonicity;
use crate::problem::{Assessor, Guarantee, Interruption, Meter, Problem, Progress, Proposal};
use crate::recode::ColumnRecoding;
use crate::utility::{Detail, Known, Loss};
use hashbrown::HashMap;

/// The most verdicts kept; beyond that, some nodes are counted again, in bounded memory.
const MOST_VERDICTS: usize = 1 << 20;

/// The verdict on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Rows in violating classes.
    pub(super) rows_suppressed: u32,
    /// Whether it satisfies every model within the budget.
    pub(super) is_safe: bool,
    /// Whether neither it nor any node below it can be safe.
    pub(super) rules_out_below: bool,
}

/// Counts nodes of one problem, judges them, and keeps the best.
#[derive(Debug)]
pub(super) struct Checks<'a> {
    problem: &'a Problem<'a>,
    meter: &'a Meter<'a>,
    pruning_is_sound: bool,
    known: KnownSets<'a>,
    /// Classes of the current node, kept for their memory.
    counted: FrequencySet,
    assessor: Assessor<'a>,
    verdicts: HashMap<Node, Verdict>,
    /// Safe nodes whose classes give a better bound for the nodes above than their levels, and that bound.
    floors: Vec<(Node, Loss)>,
    seen: SeenNodes,
    /// The safe node with the lowest loss so far; ties broken by lattice order.
    best: Option<(Loss, Node)>,
}

impl<'a> Checks<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, meter: &'a Meter<'a>) -> Self {
        Checks {
            problem,
            meter,
            pruning_is_sound: problem.pruning_is_sound(),
            known: KnownSets::new(problem.table, problem.columns_read(), problem.memory_limit),
            counted: FrequencySet::default(),
            assessor: Assessor::new(problem),
            verdicts: HashMap::new(),
            floors: Vec::new(),
            seen: SeenNodes::default(),
            best: None,
        }
    }

    /// Whether a node over the budget proves the same for all nodes below it, and a safe node that all above it are
    /// safe.
    pub(super) fn pruning_is_sound(&self) -> bool {
        self.pruning_is_sound
    }

    /// Whether any node could rule out those below it.
    pub(super) fn can_rule_out(&self) -> bool {
        let mut models = self.problem.models.iter();
        let survives_merging =
            models.any(|model| model.monotonicity() == Monotonicity::UnionWithAny);
        let can_lose = survives_merging || !self.problem.crowds_overlap();
        self.pruning_is_sound || can_lose && self.problem.crowds_only_grow()
    }

    pub(super) fn nodes_checked(&self) -> u64 {
        self.seen.len()
    }

    pub(super) fn is_checked(&self, node: &Node) -> bool {
        self.verdicts.contains_key(node)
    }

    pub(super) fn best_loss(&self) -> Option<Loss> {
        self.best.as_ref().map(|(loss, _)| *loss)
    }

    /// Work that is not counting.
    pub(super) fn spend(&self, work: Work) -> Result<(), Interruption> {
        self.meter.spend(work)
    }

    /// Ends a search that keeps so many nodes if they take more than the problem allows, and more than `least` bytes.
    pub(super) fn check_memory(&self, nodes: usize, least: usize) -> Result<(), Interruption> {
        let bytes = nodes.saturating_mul(self.problem.max_levels.memory());
        match bytes > self.problem.memory_limit.max(least) {
            true => Err(self.meter.stop(Interruption::MemoryFull)),
            false => Ok(()),
        }
    }

    /// Judges a node, counting it unless that was done before.
    pub(super) fn check(&mut self, node: &Node) -> Result<Verdict, Interruption> {
        self.meter.spend(Work(1))?;
        if let Some(verdict) = self.verdicts.get(node) {
            return Ok(*verdict);
        }
        let mut classes = std::mem::take(&mut self.counted);
        let work = self.known.count(node, &mut classes);
        let verdict = self.judge(node, &classes, work);
        self.known.remember_if_small(node, &classes);
        self.counted = classes;
        verdict
    }

    /// Judges a node and caches its classes, as a start for the nodes above.
    pub(super) fn step_on(&mut self, node: &Node) -> Result<Verdict, Interruption> {
        let (classes, work) = self.known.count_and_remember(node);
        match self.verdicts.get(node) {
            Some(verdict) => {
                self.meter.spend(work)?;
                Ok(*verdict)
            }
            None => self.judge(node, &classes, work),
        }
    }

    /// From here on, the best node is the best of these, all of which were checked before. If stopped early, it is the
    /// best of those reached, or of all before if none was reached.
    pub(super) fn choose_among(&mut self, nodes: &[Node]) -> Result<(), Interruption> {
        let before = self.best.take();
        let chosen = nodes.iter().try_for_each(|node| {
            self.verdicts.remove(node);
            self.check(node).map(|_| ())
        });
        self.best = self.best.take().or(before);
        chosen
    }

    /// Judges classes; `work` is the work of counting them.
    fn judge(
        &mut self,
        node: &Node,
        classes: &FrequencySet,
        work: Work,
    ) -> Result<Verdict, Interruption> {
        self.meter.spend(work)?;
        self.seen.see(node);
        let max_suppressed = self.problem.max_suppressed;
        let limit = self.best_loss();
        let assessment = (self.assessor).assess_metered(node, classes, limit, self.meter)?;
        let is_safe = assessment.is_safe(self.problem);
        let verdict = Verdict {
            rows_suppressed: assessment.rows_suppressed,
            is_safe,
            rules_out_below: self.pruning_is_sound && !is_safe
                || assessment.rows_lost_below > max_suppressed,
        };
        let metric = self.problem.metric;
        if is_safe && metric.detail() == Detail::Classes {
            let target = metric.column().map(|column| classes.histograms(column));
            let floor = metric.floor_above(classes.sizes(), target, self.known_everywhere());
            self.floors.push((node.clone(), floor));
        }
        if let Some(loss) = assessment.loss
            && (self.best.as_ref()).is_none_or(|(least, best)| (loss, node) < (*least, best))
        {
            self.best = Some((loss, node.clone()));
        }
        if self.verdicts.len() >= MOST_VERDICTS {
            self.verdicts.clear();
        }
        self.verdicts.insert(node.clone(), verdict);
        self.meter.note(Progress {
            nodes_checked: self.nodes_checked(),
            best: self.best_loss(),
            ..Progress::default()
        });
        Ok(verdict)
    }

    fn known_everywhere(&self) -> Known<'static> {
        Known {
            smallest_safe: self.problem.smallest_safe(),
            ..Known::NOTHING
        }
    }

    /// The work of computing a floor.
    pub(super) fn work_of_floor(&self) -> Work {
        Work::of(self.problem.max_levels.len() + self.floors.len())
    }

    /// A lower bound of the node's loss.
    pub(super) fn floor(&self, node: &Node) -> Loss {
        let of_levels = self.problem.metric.floor(node, self.known_everywhere());
        let below = self.floors.iter();
        let of_classes = below.filter(|(low, _)| low.is_at_or_below(node));
        of_classes
            .map(|(_, floor)| *floor)
            .fold(of_levels, Loss::max)
    }

    /// The best node found, with its guarantee; an error if the whole search found none.
    pub(super) fn propose(mut self, guarantee: Guarantee) -> Result<Proposal, Error> {
        match self.best.take() {
            Some(best) => Ok(self.proposal(best, guarantee)),
            None => Err(self.no_solution()?),
        }
    }

    /// The result of a search that must stop: the best node so far, without a guarantee.
    pub(super) fn interrupted(mut self, interruption: Interruption) -> Result<Proposal, Error> {
        match (interruption, self.best.take()) {
            (Interruption::Cancelled, _) | (_, None) => Err(self.unfinished(interruption)),
            (_, Some(best)) => Ok(self.proposal(best, Guarantee::Heuristic)),
        }
    }

    /// The error of a search that had to stop without a result.
    pub(super) fn unfinished(&self, interruption: Interruption) -> Error {
        interruption.with_nothing_found(self.nodes_checked(), self.meter.spent())
    }

    /// The error of a search that examined everything it could; also if it cannot be determined.
    pub(super) fn no_solution(&mut self) -> Result<Error, Error> {
        let problem = self.problem;
        let at_limit = self.check(&problem.max_levels);
        let at_limit = at_limit.map_err(|interruption| self.unfinished(interruption))?;
        Ok(problem.no_solution(at_limit.rows_suppressed))
    }

    fn proposal(&self, (loss, node): (Loss, Node), guarantee: Guarantee) -> Proposal {
        Proposal {
            recoding: ColumnRecoding::FullDomain(node).into(),
            guarantee,
            loss: Some(loss),
            nodes_checked: self.nodes_checked(),
            steps: Vec::new(),
        }
    }
}
