//! Finds every safe node, from few attributes to all.

use super::checks::Checks;
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{
    Account, Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, FoundNodes,
    Generalization, Scope, Status,
};
use crate::Error;
use crate::counts::Work;
use crate::lattice::{Level, Node};
use crate::problem::{Guarantee, Interruption, Meter, Problem, Watch};
use crate::utility::Loss;
use hashbrown::HashSet;
use std::collections::BTreeMap;

crate::documented! {
    /// Every safe full-domain recoding, found by joining those of fewer attributes; the best one is published.
    ///
    /// Examines the sub-lattices of one attribute, of two, and so on. Leaving an attribute out merges classes, so a
    /// combination of levels can be safe only if it is safe without each of its attributes: candidates are joined
    /// from the survivors with one attribute less, as Apriori joins item sets. In each sub-lattice, nodes are visited
    /// from the lowest upward; nodes above a safe node are safe and need not be counted.
    ///
    /// # Paper
    /// K. LeFevre, D. DeWitt, R. Ramakrishnan, Incognito: Efficient Full-Domain k-Anonymity, SIGMOD 2005; as
    /// summarized by F. Ben Fredj et al., Characterizing Generalization Algorithms, section 3.4, and A. Pilalidou,
    /// Online Negotiation for Privacy Preserving Data Publishing, section 6.2.1.
    /// # Differs from the paper
    /// Works for every model, and with a suppression budget. An attribute left out is an attribute at its highest
    /// acceptable level, which is `*` unless the user says otherwise. So the nodes of a sub-lattice are nodes of the
    /// lattice, each is counted once, and a safe one can be published directly. The start of a sub-lattice (the
    /// "super-root") is the greatest node below its candidates. Of all safe nodes, the one with the lowest loss is
    /// published, ties broken by lattice order; nodes known to be safe without a count are counted for that only if
    /// the bounds of the metric leave them a chance.
    /// # Guarantee
    /// Every safe node and which of them are minimal; a solution is found if there is one, and it is optimal. If a
    /// limit ends it: the best safe node so far.
    /// # Needs
    /// `problem.pruning_is_sound()` for both kinds of pruning. Without it, only the subset property of rows that no
    /// division of a class could keep remains: if those exceed the budget, a node and all its extensions are dropped.
    /// Every other node is counted.
    /// # Invariant
    /// After `i` rounds, every safe node with at most `i` attributes below their highest level is known, and no
    /// unsafe node is taken for safe.
    /// # Cost
    /// A roll-up per minimal node and per node that fails although its parts survive; a start per sub-lattice, of
    /// which there are 2^attributes. All safe nodes are kept in memory; the cached sets stay within the memory limit.
    /// # Use cases
    /// Small tables whose holder wants to see all there is: every minimal safe combination of levels is listed, to
    /// choose from with knowledge that no metric has.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as
    /// `[19,23] Junior`, `[19,23] Junior`, `[27,30] Junior`, `[27,30] Junior`, `[19,23] Senior`, `[19,23] Senior`. It
    /// also reports that no other minimal combination is safe.
    /// # Alternatives
    /// `optimal` finds the same least loss with fewer counts, without the list. `samarati` lists only the lowest ones.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.5241, loss 0.4503 and 72 classes after 215 of
    /// 21600 combinations.
    #[derive(Debug)]
    pub struct Incognito;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "incognito",
    card: Incognito::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::FullDomain,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Listed,
            needs_correlated: false,
            needs_number_hierarchies: true,
            uses_budget: true,
            targets: Targets::None,
            is_guided: false,
            reads_metric: true,
            is_heuristic: false,
            direction: Direction::BottomUp,
            has_several_results: true,
            optimum: Optimum::Metric,
            overlaps: false,
            usage: Usage::Any,
        },
    },
};

/// From this many candidates on, a sub-lattice gets its own start to count from.
const CANDIDATES_WORTH_A_START: usize = 3;

/// Bytes that nodes found and candidates may always take. Beyond that, and beyond what the problem allows, the search ends.
const LEAST_MEMORY: usize = 64 << 20;

/// What it takes to make a candidate, beside looking for each of its parts.
const WORK_PER_JOIN: usize = 8;

impl Algorithm for Incognito {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut search = Search::new(problem, meter);
        let minimal = match search.run().and_then(|()| search.minimal()) {
            Ok(minimal) => minimal,
            Err(interruption) => return Ok(search.checks.interrupted(interruption)?.into()),
        };
        // The safe nodes are known by now, even if there is no time left to find the best of them.
        let account = Account::SafeNodes(FoundNodes {
            scope: Scope::Lattice,
            safe: search.found.len() as u64,
            minimal,
        });
        let proposal = match search.choose() {
            Ok(()) => search.checks.propose(Guarantee::Optimal)?,
            Err(interruption) => search.checks.interrupted(interruption)?,
        };
        Ok(Found {
            proposal,
            account: Some(account),
        })
    }
}

/// What is safe in a lattice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeNodes {
    /// Every safe node, in lattice order.
    pub nodes: Vec<Node>,
    /// Those of them with no safe node below, in lattice order.
    pub minimal: Vec<Node>,
    /// Nodes whose classes were counted.
    pub nodes_checked: u64,
}

/// Every safe node of a problem. Finding none is not an error.
pub fn safe_nodes(problem: &Problem<'_>, watch: &dyn Watch) -> Result<SafeNodes, Error> {
    let meter = Meter::new(watch);
    let mut search = Search::new(problem, &meter);
    let done = search.run().and_then(|()| search.minimal());
    match done {
        Ok(minimal) => Ok(SafeNodes {
            minimal,
            nodes_checked: search.checks.nodes_checked(),
            nodes: search.found,
        }),
        Err(interruption) => Err(search.checks.unfinished(interruption)),
    }
}

struct Search<'a> {
    checks: Checks<'a>,
    /// Every attribute left out: each at its highest acceptable level.
    left_out: Node,
    /// Safe nodes, if everything above them is safe as well.
    safe: HashSet<Node>,
    /// Safe nodes as they were found.
    found: Vec<Node>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, meter: &'a Meter<'a>) -> Self {
        Search {
            checks: Checks::new(problem, meter),
            left_out: problem.max_levels.clone(),
            safe: HashSet::new(),
            found: Vec::new(),
        }
    }

    fn run(&mut self) -> Result<(), Interruption> {
        let root = self.left_out.clone();
        let mut survivors: Vec<Node> = Vec::new();
        survivors.extend(self.survives(&root)?.then_some(root));
        for _ in 0..self.left_out.len() {
            let candidates = self.join(&survivors)?;
            survivors.clear();
            let mut waiting: usize = candidates.values().map(Vec::len).sum();
            for nodes in candidates.into_values() {
                self.lay_a_start(&nodes)?;
                waiting -= nodes.len();
                for node in nodes {
                    if self.survives(&node)? {
                        survivors.push(node);
                        self.check_memory(waiting + survivors.len())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the search when the nodes found, and so many others, take more than they may.
    fn check_memory(&self, others: usize) -> Result<(), Interruption> {
        // A set keeps up to twice the room it needs.
        let nodes = self.found.len() + 2 * self.safe.len() + others;
        self.checks.check_memory(nodes, LEAST_MEMORY)
    }

    /// The attributes of the sub-lattice a node is in.
    fn attributes(&self, node: &Node) -> impl Iterator<Item = usize> + use<> {
        let levels: Vec<(Level, Level)> = node.levels().zip(self.left_out.levels()).collect();
        (0..levels.len()).filter(move |&attribute| levels[attribute].0 < levels[attribute].1)
    }

    /// Nodes with one attribute more, all of whose parts survived, by their attributes; in lattice order each.
    fn join(&self, survivors: &[Node]) -> Result<BTreeMap<Vec<usize>, Vec<Node>>, Interruption> {
        let are_left: HashSet<&Node> = survivors.iter().collect();
        let mut joined: BTreeMap<Vec<usize>, Vec<Node>> = BTreeMap::new();
        let mut candidates = 0;
        for part in survivors {
            let attributes: Vec<usize> = self.attributes(part).collect();
            let first = attributes.last().map_or(0, |last| last + 1);
            for attribute in first..part.len() {
                for level in Level::under(self.left_out.level(attribute)) {
                    let node = part.with(attribute, level);
                    let without = |&other: &usize| node.with(other, self.left_out.level(other));
                    let mut parts = attributes.iter().map(without);
                    self.checks
                        .spend(Work::of(WORK_PER_JOIN + attributes.len()))?;
                    if parts.all(|part| are_left.contains(&part)) {
                        let key = attributes.iter().copied().chain([attribute]).collect();
                        joined.entry(key).or_default().push(node);
                        candidates += 1;
                        self.check_memory(2 * survivors.len() + candidates)?;
                    }
                }
            }
        }
        for nodes in joined.values_mut() {
            nodes.sort();
        }
        Ok(joined)
    }

    /// Counts the greatest node below all candidates, as a start for each of them.
    fn lay_a_start(&mut self, nodes: &[Node]) -> Result<(), Interruption> {
        if nodes.len() < CANDIDATES_WORTH_A_START {
            return Ok(());
        }
        let lowest = (0..self.left_out.len()).map(|attribute| {
            let levels = nodes.iter().map(|node| node.level(attribute));
            levels.min().unwrap_or(Level::RAW)
        });
        self.checks.step_on(&Node::from_levels(lowest))?;
        Ok(())
    }

    /// Whether a node, or one below it with more attributes, may be safe. Keeps it if it is.
    fn survives(&mut self, node: &Node) -> Result<bool, Interruption> {
        self.checks.spend(Work::of(node.len()))?;
        if self.is_above_a_safe_node(node) {
            self.keep(node);
            return Ok(true);
        }
        let verdict = self.checks.check(node)?;
        if verdict.is_safe {
            self.keep(node);
        }
        Ok(!verdict.rules_out_below)
    }

    fn is_above_a_safe_node(&self, node: &Node) -> bool {
        let mut attributes = self.attributes(node);
        attributes.any(|attribute| {
            let below = node.level(attribute).below();
            below.is_some_and(|level| self.safe.contains(&node.with(attribute, level)))
        })
    }

    fn keep(&mut self, node: &Node) {
        if self.checks.pruning_is_sound() {
            self.safe.insert(node.clone());
        }
        self.found.push(node.clone());
    }

    /// Counts the safe nodes that may still be better than the best.
    fn choose(&mut self) -> Result<(), Interruption> {
        let mut promising: Vec<(Loss, &Node)> = Vec::new();
        for node in &self.found {
            if !self.checks.is_checked(node) {
                self.checks.spend(self.checks.work_of_floor())?;
                promising.push((self.checks.floor(node), node));
            }
        }
        promising.sort();
        for (floor, node) in promising {
            if self.checks.best_loss().is_some_and(|best| floor > best) {
                return Ok(()); // the others are no better
            }
            self.checks.check(node)?;
        }
        Ok(())
    }

    /// Puts what was found in lattice order; those with no safe node below.
    fn minimal(&mut self) -> Result<Vec<Node>, Interruption> {
        self.found.sort();
        let mut minimal: Vec<Node> = Vec::new();
        for node in &self.found {
            let is_minimal = match self.checks.pruning_is_sound() {
                // Everything above a safe node is safe, so one level lower is as good as anywhere below.
                true => {
                    self.checks.spend(Work::of(node.len()))?;
                    !(0..node.len()).any(|attribute| {
                        let below = node.level(attribute).below();
                        below.is_some_and(|level| self.safe.contains(&node.with(attribute, level)))
                    })
                }
                // Lower nodes come first, and below every safe node is a minimal one.
                false => {
                    self.checks.spend(Work::of(minimal.len()))?;
                    !minimal.iter().any(|low| low.is_at_or_below(node))
                }
            };
            if is_minimal {
                minimal.push(node.clone());
            }
        }
        Ok(minimal)
    }
}
