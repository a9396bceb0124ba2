//! The safe nodes of least height.

use super::checks::Checks;
use super::{Algorithm, Card, DefaultBudget, Status};
use crate::Error;
use crate::lattice::{Lattice, Node};
use crate::problem::{Guarantee, Interruption, Problem, Proposal, Watch};

crate::documented! {
    /// Every safe full-domain recoding of least height, found by halving the heights; the best of them is published.
    ///
    /// The height of a node is the sum of its levels. If a node of some height is safe, so is some node of every
    /// greater height, so the least height with a safe node is found by halving: a safe node at the middle height
    /// means "here or lower", none means "higher". Then every node of that height is judged.
    ///
    /// # Paper
    /// P. Samarati, Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001; as summed up by
    /// F. Ben Fredj, N. Lammari, I. Comyn-Wattiau, Characterizing Generalization Algorithms, section 3.3.
    /// # Differs from the paper
    /// Works for every model, not only k. First it judges the levels of every two attributes with the others as high as
    /// they may be: two that fail there fail everywhere below, which spares most nodes of a height a count. At a middle
    /// height it stops at the first safe node, as only the last height must be known whole. Nodes are judged by rolled-up counts instead
    /// of distance vectors between tuples. Of the nodes found, the one of least loss is published, ties by lattice order.
    /// # Guarantee
    /// The least height and all its safe nodes; a solution is found if there is one. About the loss nothing is
    /// proven: a higher node may lose less. When the time limit ends it: the best safe node met so far.
    /// # Needs
    /// `problem.pruning_is_sound()` to halve by safety. Without it, heights are halved only by what the promises
    /// that survive merging rule out, and from there on every height is judged whole, from the lowest up, until one
    /// has a safe node. Uses the suppression budget.
    /// # Invariant
    /// No node lower than `low` is safe; some node of height `high` is not ruled out.
    /// # Cost
    /// log2(H) heights of the lattice, of which one can hold much of it; a roll-up per node that no two of its levels
    /// rule out; the sets remembered stay within the memory limit.
    #[derive(Debug)]
    pub struct Samarati;
}

static CARD: Card = Card {
    name: "samarati",
    text: Samarati::CARD,
    status: Status::Experimental,
    reads: &[],
    default_budget: DefaultBudget::NoRows,
};

/// Pairs of levels are judged first where the lattice has at least so many nodes for each of them.
const NODES_PER_PAIR: u128 = 4;

/// Nodes kept at most to rule out others by; fewer mean more counts, never another answer.
const MOST_RULED_OUT: usize = 1 << 12;

impl Algorithm for Samarati {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn solve(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Proposal, Error> {
        let mut search = Search::new(problem);
        match search.run(watch) {
            // Safe nodes met at greater heights may lose less and are still not what was asked for.
            Ok(Some(found)) => search.checks.choose_among(&found.nodes),
            Ok(None) => return Err(search.checks.no_solution()),
            Err(interruption) => return search.checks.interrupted(interruption),
        }
        search.checks.propose(Guarantee::Heuristic)
    }
}

/// Every safe node of the least height that has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeastHeight {
    /// The height; no lower node is safe.
    pub height: u32,
    /// Its safe nodes, in lattice order.
    pub nodes: Vec<Node>,
    /// Nodes whose classes were counted.
    pub nodes_checked: u64,
}

/// All safe nodes of least height.
pub fn least_height_nodes(problem: &Problem<'_>, watch: &dyn Watch) -> Result<LeastHeight, Error> {
    let mut search = Search::new(problem);
    match search.run(watch) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(search.checks.no_solution()),
        Err(interruption) => Err(search.checks.unfinished(interruption)),
    }
}

struct Search<'a> {
    checks: Checks<'a>,
    lattice: Lattice,
    /// Nodes at or below which none is safe.
    ruled_out: Vec<Node>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        Search {
            checks: Checks::new(problem),
            lattice: problem.lattice(),
            ruled_out: Vec::new(),
        }
    }

    fn run(&mut self, watch: &dyn Watch) -> Result<Option<LeastHeight>, Interruption> {
        let lattice = self.lattice.clone();
        let top = lattice.top();
        if self.checks.check(top).rules_out_below {
            return Ok(None);
        }
        for node in lattice.diagonal() {
            self.checks.step_on(&node);
        }
        self.judge_pairs(watch)?;
        let (mut low, mut high) = (0, top.height());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.has_a_possible_node(middle, watch)? {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        // What is possible is safe where pruning is sound, and then the first height has it.
        for height in low..=top.height() {
            let nodes = self.safe_nodes(height, watch)?;
            if !nodes.is_empty() {
                return Ok(Some(LeastHeight {
                    height,
                    nodes,
                    nodes_checked: self.checks.nodes_checked(),
                }));
            }
        }
        Ok(None)
    }

    /// Rules out what two attributes alone rule out, where that is little work.
    fn judge_pairs(&mut self, watch: &dyn Watch) -> Result<(), Interruption> {
        let top = self.lattice.top().clone();
        let attributes = 0..top.len();
        let pairs = attributes.clone().flat_map(|one| {
            let others = one + 1..top.len();
            others.map(move |other| (one, other))
        });
        let levels = |attribute| u128::from(top.level(attribute)) + 1;
        let nodes: u128 = (pairs.clone())
            .map(|(one, other)| levels(one) * levels(other))
            .sum();
        if !self.checks.can_rule_out() || nodes * NODES_PER_PAIR > self.lattice.nodes() {
            return Ok(());
        }
        // From the top down, so that what is ruled out rules out the rest uncounted.
        for (one, other) in pairs {
            for level in (0..=top.level(one)).rev() {
                for other_level in (0..=top.level(other)).rev() {
                    self.checks.report(watch)?;
                    let node = top.with(one, level).with(other, other_level);
                    if !self.is_possible(&node) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether some node of a height is not ruled out.
    fn has_a_possible_node(
        &mut self,
        height: u32,
        watch: &dyn Watch,
    ) -> Result<bool, Interruption> {
        for node in self.lattice.clone().at_height(height) {
            self.checks.report(watch)?;
            if self.is_possible(&node) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn safe_nodes(&mut self, height: u32, watch: &dyn Watch) -> Result<Vec<Node>, Interruption> {
        let mut safe = Vec::new();
        for node in self.lattice.clone().at_height(height) {
            self.checks.report(watch)?;
            if self.is_possible(&node) && self.checks.check(&node).is_safe {
                safe.push(node);
            }
        }
        Ok(safe)
    }

    fn is_possible(&mut self, node: &Node) -> bool {
        if self.ruled_out.iter().any(|high| node.is_at_or_below(high)) {
            return false;
        }
        let is_possible = !self.checks.check(node).rules_out_below;
        if !is_possible && self.ruled_out.len() < MOST_RULED_OUT {
            self.ruled_out.push(node.clone());
        }
        is_possible
    }
}
