//! Optimal partitions of every column's values, under one of six schemes per column.
//!
//! `values` says which values there are and in which order, `scheme` which partitions of them are allowed, `walk` how
//! to visit each of these once. `classes` are merged, never counted again; `cost` says what they cost. `program` finds
//! the best partition of one column when all others are fixed, `search` branches over the others with bounds, and
//! `improve` finds good results if no proof is within reach. `boundaries` decides about one boundary between neighbors at
//! a time, for more columns; `way` says which search suits.

mod blocks;
mod boundaries;
mod classes;
mod contents;
mod cost;
mod ground;
mod improve;
mod program;
mod scheme;
mod search;
mod settings;
mod size;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod walk;
mod way;

pub use search::Counts;
pub use settings::{CoarseSteps, Direction, PartitionSettings, PruningRules, Scheme};
pub use size::Choices;

use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::Error;
use crate::algorithms::properties::{self, GrowsWith, Optimum, Properties, Targets, Usage};
use crate::problem::{Assessor, Guarantee, Interruption, Meter, Problem, Proposal, Watch};
use crate::utility::Loss;
use ground::Ground;
use search::Manner;
use way::{Way, choose};

crate::documented! {
    /// The partition of every column's values with the lowest cost under a scheme for each column, proven.
    ///
    /// A scheme says which partitions of a column's values are allowed: one level of the hierarchy (`bhs`), a cut
    /// through it (`ghs`), neighbors (`ops`) or any sets (`sps`), and neighbors or sets guided by the hierarchy
    /// (`gops`, `gsps`). Numbers and dates are ordered by size; text as listed in its hierarchy file or ordered by
    /// its rule, otherwise by its bytes. Branch and bound over the partitions of all columns but one, from the raw
    /// values upward or from one block downward; dynamic programming finds the best partition of the last column for
    /// each.
    ///
    /// # Paper
    /// T. Li and N. Li, Towards Optimal k-Anonymization, Data & Knowledge Engineering 65(1), 2008.
    /// # Differs from the paper
    /// Figure 6 as printed visits some partitions twice; this implementation visits each once. Rows not published yet
    /// are bounded by the smallest safe class (DM) or their present penalty (HDM) instead of 0, and by all rows once
    /// no class below can be safe. Of a class that holds more, all rows are lost but those of the largest part that keeps every
    /// promise. The dynamic program for one column and the start from one column at a time are our
    /// own. Every model is supported, not only k; suppression may have a budget. Where there are too many partitions, the
    /// metric is `discernibility`, the model k-anonymity and the schemes join neighbors only, the search decides about
    /// single boundaries between neighbors instead, and proves growing shares of the best cost.
    /// # Guarantee
    /// A proof, unless a limit on time or work ends it: then the best result so far and a proven lower bound.
    /// # Needs
    /// The metric `discernibility` or `hdm`; missing cells that do not match any value.
    /// # Invariant
    /// Every choice of partitions is in a dropped node, has been visited, or is below a node of the queue.
    /// # Cost
    /// A node merges the classes of its parent. The partitions of all columns but one may have to be visited, and
    /// their numbers multiply; if a limit ends it, the gap says how far the proof got.
    /// # Use cases
    /// Few columns of few values, if each column is to be grouped in the best possible way and that must be proven;
    /// comparing kinds of generalization.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// *`, `19 *`, `[27,30] *`, `[27,30] *`, `23 *`, `23 *`. Three classes of two rows have the least discernibility.
    /// # Alternatives
    /// `optimal` for more columns, with one level for each of them. `mondrian` if a value need not be published in one
    /// way only.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q age,marital-status,race,sex -k 5 --max-suppressed 0 --metric
    /// discernibility --algorithms partition,optimal --others drop --hierarchies hierarchies` gives discernibility
    /// 7428116 with 211 classes, proven, where `optimal` has 56246624 with 30.
    #[derive(Debug)]
    pub struct Partition;
}

/// The name in the registry.
const NAME: &str = "partition";

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: NAME,
    card: Partition::CARD,
    settings: settings::DECLARED,
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Partitions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Partitions,
            needs_correlated: false,
            needs_number_hierarchies: false,
            uses_budget: true,
            targets: Targets::None,
            is_guided: true,
            reads_metric: true,
            is_heuristic: false,
            direction: properties::Direction::Neither,
            has_several_results: false,
            optimum: Optimum::Metric,
            overlaps: false,
            usage: Usage::Any,
        },
    },
};

impl Algorithm for Partition {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        let settings = PartitionSettings::of(&problem.settings.own);
        Ground::refuse(problem, &settings)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let (proposal, account) = solve_metered(problem, meter)?;
        Ok(Found {
            proposal,
            account: Some(super::Account::Partitions(account)),
        })
    }

    fn default_metric(&self) -> &'static str {
        "discernibility"
    }
}

/// The record of a search over partitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The cost of the result: the metric of the release.
    pub cost: f64,
    /// No allowed partitions cost less.
    pub lower_bound: f64,
    /// Rows suppressed.
    pub rows_suppressed: u32,
    /// The cost of the start that the search had to beat, if there was one.
    pub seed: Option<f64>,
    /// How much was searched.
    pub counts: Counts,
    /// How the search went; never [`Direction::Auto`].
    pub direction: Direction,
    /// Why.
    pub reason: &'static str,
    /// How many choices of partitions there are.
    pub choices: Choices,
}

/// Solves a problem and returns the record of the search.
pub fn solve(problem: &Problem<'_>, watch: &dyn Watch) -> Result<(Proposal, Account), Error> {
    solve_metered(problem, &Meter::new(watch))
}

fn solve_metered(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<(Proposal, Account), Error> {
    let settings = PartitionSettings::of(&problem.settings.own);
    let ground = Ground::new(problem, &settings, meter)?;
    let chosen = choose(&ground, &settings);
    let answer = match &chosen.way {
        Way::Boundaries(board) => boundaries::search(&ground, board)?,
        &Way::Partitions { is_bottom_up } => {
            let manner = Manner {
                is_bottom_up,
                rules: settings.rules,
            };
            search::search(&ground, manner)?
        }
    };
    let Some(best) = answer.best else {
        let nothing = |interruption: Interruption| {
            interruption.with_nothing_found(answer.counts.nodes_visited, meter.spent())
        };
        return Err(match meter.stopped() {
            Some(interruption) => nothing(interruption),
            None => {
                let coarsest = ground.spaces.iter().map(|space| space.coarsest());
                let coarsest = ground.evaluate(coarsest.collect()).map_err(nothing)?;
                problem.no_solution(coarsest.suppressed)
            }
        });
    };
    let recoding = ground.recoding(&best.partitions);
    // One number for the cost: the metric's own. This checks that the search agrees.
    let mut assessor = Assessor::new(problem).measuring_broken();
    let loss = assessor.assess_recoding(&recoding).loss;
    let Some(loss) = loss.filter(|loss| loss.is_about(Loss(best.cost))) else {
        return Err(Error::CheckFailed {
            what: "the partitions do not have the cost that the search reported",
        });
    };
    let lower_bound = match answer.is_complete {
        true => loss,
        false => Loss(answer.lower_bound).min(loss),
    };
    let guarantee = match answer.is_complete {
        true => Guarantee::Optimal,
        false => Guarantee::Bounded { lower_bound },
    };
    let proposal = Proposal {
        recoding: recoding.into(),
        guarantee,
        loss: Some(loss),
        nodes_checked: answer.counts.nodes_visited,
        steps: Vec::new(),
    };
    let account = Account {
        cost: loss.0,
        lower_bound: lower_bound.0,
        rows_suppressed: best.suppressed,
        seed: answer.seed,
        counts: answer.counts,
        direction: chosen.way.direction(),
        reason: chosen.reason,
        choices: Choices::new(ground.spaces.iter().map(|space| space.size()).product()),
    };
    Ok((proposal, account))
}
