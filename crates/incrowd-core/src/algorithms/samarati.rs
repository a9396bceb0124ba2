//! The safe nodes of the lowest height.

use super::checks::Checks;
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{
    Account, Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, FoundNodes,
    Generalization, Scope, Status,
};
use crate::Error;
use crate::counts::Work;
use crate::lattice::{Lattice, Level, Node};
use crate::problem::{Guarantee, Interruption, Meter, Problem};

crate::documented! {
    /// Every safe full-domain recoding of the lowest height, found by binary search over heights; the best one is published.
    ///
    /// The height of a node is the sum of its levels. If a node of some height is safe, so is some node of every
    /// greater height. So the lowest height with a safe node is found by binary search: a safe node at the middle
    /// height means "here or lower", none means "higher". Then every node of that height is judged.
    ///
    /// # Paper
    /// P. Samarati, Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001; as summarized by
    /// F. Ben Fredj, N. Lammari, I. Comyn-Wattiau, Characterizing Generalization Algorithms, section 3.3.
    /// # Differs from the paper
    /// Works for every model, not only k. It first judges the levels of every pair of attributes with all others at
    /// their highest acceptable level: a pair that fails there fails everywhere below. Then it fixes the levels of a
    /// height's nodes one attribute at a time, and backtracks where the remaining attributes do not help even at
    /// their highest levels. At a middle height it stops at the first safe node, since only the last height must be
    /// known completely. Nodes are judged by rolled-up counts instead of distance vectors between tuples. Of the
    /// nodes found, the one with the lowest loss is published, ties broken by lattice order.
    /// # Guarantee
    /// The lowest height and all its safe nodes; a solution is found if there is one. No guarantee about the loss: a
    /// higher node may have a lower loss. If a limit ends it: the best safe node so far.
    /// # Needs
    /// `problem.pruning_is_sound()` for the binary search by safety. Without it, the binary search only uses rows
    /// that no division of a class could keep; from there on, every height is judged completely, from the lowest
    /// upward, until one has a safe node.
    /// # Invariant
    /// No node lower than `low` is safe; some node of height `high` is not ruled out.
    /// # Cost
    /// log2(H) heights of the lattice, one of which can contain much of it; a roll-up per node that none of these
    /// rules out; the cached sets stay within the memory limit.
    /// # Use cases
    /// Small tables, if everyone agrees that a level is a level: the release is as low in the lattice as any can be,
    /// whatever the metric, and all equally low ones are listed.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as
    /// `[19,23] Junior`, `[19,23] Junior`, `[27,30] Junior`, `[27,30] Junior`, `[19,23] Senior`, `[19,23] Senior`. It
    /// is the only safe combination of height two.
    /// # Alternatives
    /// `incognito` lists the minimal combinations of every height. `optimal` finds the least loss, which may be higher
    /// up, and copes with large lattices.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.5241, loss 0.4503 and 72 classes after 160 of
    /// 21600 combinations.
    #[derive(Debug)]
    pub struct Samarati;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "samarati",
    card: Samarati::CARD,
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
            optimum: Optimum::Height,
            overlaps: false,
            usage: Usage::Any,
        },
    },
};

/// The most nodes kept to rule out others; fewer mean more counts, never another result.
const MOST_RULED_OUT: usize = 1 << 12;

impl Algorithm for Samarati {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut search = Search::new(problem, meter);
        let found = match search.run() {
            Ok(Some(found)) => found,
            Ok(None) => return Err(search.checks.no_solution()?),
            Err(interruption) => return Ok(search.checks.interrupted(interruption)?.into()),
        };
        // Safe nodes met at greater heights may lose less and are still not what was asked for.
        let proposal = match search.checks.choose_among(&found) {
            Ok(()) => search.checks.propose(Guarantee::Heuristic)?,
            Err(interruption) => search.checks.interrupted(interruption)?,
        };
        let account = Account::SafeNodes(FoundNodes {
            scope: Scope::LeastHeight,
            safe: found.len() as u64,
            minimal: found,
        });
        Ok(Found {
            proposal,
            account: Some(account),
        })
    }
}

/// What a descent to the nodes of one height is for.
struct Descent {
    is_one_enough: bool,
    found: Vec<Node>,
}

struct Search<'a> {
    checks: Checks<'a>,
    lattice: Lattice,
    /// Nodes at or below which none is safe.
    ruled_out: Vec<Node>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, meter: &'a Meter<'a>) -> Self {
        Search {
            checks: Checks::new(problem, meter),
            lattice: problem.lattice(),
            ruled_out: Vec::new(),
        }
    }

    /// Every safe node of the least height that has one, in lattice order; none when no node is safe.
    fn run(&mut self) -> Result<Option<Vec<Node>>, Interruption> {
        let lattice = self.lattice.clone();
        let top = lattice.top();
        if self.checks.check(top)?.rules_out_below {
            return Ok(None);
        }
        for node in lattice.diagonal() {
            self.checks.step_on(&node)?;
        }
        self.judge_pairs()?;
        let (mut low, mut high) = (0, top.height());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.possible_nodes(middle, true)?.is_empty() {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        // If pruning is sound, a possible node is safe, and then the first height has it.
        for height in low..=top.height() {
            let mut nodes = Vec::new();
            for node in self.possible_nodes(height, false)? {
                if self.checks.check(&node)?.is_safe {
                    nodes.push(node);
                }
            }
            if !nodes.is_empty() {
                return Ok(Some(nodes));
            }
        }
        Ok(None)
    }

    /// Rules out what two attributes alone rule out, if there are fewer pairs than nodes.
    fn judge_pairs(&mut self) -> Result<(), Interruption> {
        let top = self.lattice.top().clone();
        let attributes = 0..top.len();
        let pairs = attributes.clone().flat_map(|one| {
            let others = one + 1..top.len();
            others.map(move |other| (one, other))
        });
        let levels = |attribute| u128::from(top.level(attribute).0) + 1;
        let nodes: u128 = (pairs.clone())
            .map(|(one, other)| levels(one) * levels(other))
            .sum();
        if !self.checks.can_rule_out() || nodes > self.lattice.nodes() {
            return Ok(());
        }
        // From the top down, so that a node ruled out rules out those below without a count.
        for (one, other) in pairs {
            for level in Level::up_to(top.level(one)).rev() {
                for other_level in Level::up_to(top.level(other)).rev() {
                    let node = top.with(one, level).with(other, other_level);
                    if !self.is_possible(&node)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The nodes of a height that are not ruled out, in lattice order, or the first of them.
    fn possible_nodes(
        &mut self,
        height: u32,
        is_one_enough: bool,
    ) -> Result<Vec<Node>, Interruption> {
        let mut descent = Descent {
            is_one_enough,
            found: Vec::new(),
        };
        self.descend(&mut descent, self.lattice.top().clone(), 0, height)?;
        Ok(descent.found)
    }

    /// Distributes `left` levels among the attributes from `first` on. Those before are fixed; the others are as high
    /// as possible, so if that is ruled out, so are all nodes reached this way.
    fn descend(
        &mut self,
        descent: &mut Descent,
        node: Node,
        first: usize,
        left: u32,
    ) -> Result<(), Interruption> {
        if first == node.len() {
            descent.found.push(node);
            return Ok(());
        }
        let highest: Vec<u32> = (self.lattice.top().levels().skip(first))
            .map(|level| u32::from(level.0))
            .collect();
        let others: u32 = highest[1..].iter().sum();
        for level in left.saturating_sub(others)..=left.min(highest[0]) {
            self.checks.spend(Work::of(highest.len()))?;
            let left = left - level;
            let mut corner = node.with(first, Level(level as u8));
            for (after, &highest) in highest.iter().enumerate().skip(1) {
                corner = corner.with(first + after, Level(left.min(highest) as u8));
            }
            let is_one_node = left == 0 || left == others;
            if (is_one_node || self.checks.can_rule_out()) && !self.is_possible(&corner)? {
                continue;
            }
            self.descend(descent, corner, first + 1, left)?;
            if descent.is_one_enough && !descent.found.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_possible(&mut self, node: &Node) -> Result<bool, Interruption> {
        // Comparing two nodes takes a fraction of touching a class.
        self.checks.spend(Work::of(1 + self.ruled_out.len() / 8))?;
        if self.ruled_out.iter().any(|high| node.is_at_or_below(high)) {
            return Ok(false);
        }
        let is_possible = !self.checks.check(node)?.rules_out_below;
        if !is_possible && self.ruled_out.len() < MOST_RULED_OUT {
            self.ruled_out.push(node.clone());
        }
        Ok(is_possible)
    }
}
