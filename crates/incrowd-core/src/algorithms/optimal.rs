//! The best node of the whole lattice, with proof.

use super::boxes::{Goal, Search};
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::Error;
use crate::problem::{Meter, Problem};
use std::time::{Duration, Instant};

crate::documented! {
    /// The safe full-domain recoding with the lowest loss, proven over the whole lattice.
    ///
    /// Branch and bound over boxes of the lattice. A box is the set of nodes between a low and a high corner. No node
    /// in it has a lower loss than the levels and classes of its low corner imply and, for models that survive
    /// merging, none suppresses fewer rows than its high corner. Boxes that cannot contain the optimum are dropped as
    /// a whole; the others are halved along one attribute, the most promising first. Boxes are created on demand, so
    /// the lattice may have any size. Threads share the most promising boxes; how many are examined at once depends on the
    /// search alone, so neither the answer nor the nodes checked depend on the threads.
    ///
    /// # Paper
    /// Our own. What a node implies for those above and below it follows K. LeFevre, D. DeWitt, R. Ramakrishnan,
    /// Incognito, SIGMOD 2005, and F. Kohlmayer et al., Flash, PASSAT 2012.
    /// # Guarantee
    /// A proof, unless a limit on time or work ends it: then the best result so far and a proven lower bound.
    /// # Needs
    /// `problem.pruning_is_sound()` to drop a box because of what its high corner suppresses; without it, only rows that no
    /// division of the corner's classes could keep, and the bounds of the metric, drop boxes.
    /// # Invariant
    /// Every node is in a dropped box, has been assessed, or is in a box of the frontier or in one being looked at; `best` is
    /// the assessed node with the lowest loss, ties broken by lattice order.
    /// # Cost
    /// At most one roll-up per node, usually for a small part of the lattice; the boxes of the frontier and the
    /// cached frequency sets stay within the memory limit.
    /// # Use cases
    /// Tables that are read by people or by tools that expect one kind of value in each column; official releases,
    /// where someone will ask whether less could have been lost.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as
    /// `[19,23] Junior`, `[19,23] Junior`, `[27,30] Junior`, `[27,30] Junior`, `[19,23] Senior`, `[19,23] Senior`. Of
    /// all nine combinations of levels, no safe one loses less.
    /// # Alternatives
    /// `incognito` also lists every other minimal safe combination. `mondrian` and `finest` publish much narrower
    /// values where a column may mix levels. `datafly` has an answer at once if the search takes too long.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.5241, loss 0.4503 and 72 classes after 139 of
    /// 21600 combinations.
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
        properties: Properties {
            effort: GrowsWith::Searched,
            needs_correlated: false,
            needs_number_hierarchies: true,
            uses_budget: true,
            targets: Targets::None,
            is_guided: true,
            reads_metric: true,
            is_heuristic: false,
            direction: Direction::Neither,
            has_several_results: false,
            optimum: Optimum::Metric,
            overlaps: false,
            usage: Usage::Any,
        },
    },
};

impl Optimal {
    /// How long a search on one thread does what no other thread could do meanwhile, for benchmarks.
    #[doc(hidden)]
    pub fn time_in_turn(&self, problem: &Problem<'_>) -> Result<Duration, Error> {
        let (start, meter) = (Instant::now(), Meter::unlimited());
        let mut search = Search::new(problem, Goal::default(), &meter);
        search.run_to_guarantee()?;
        let in_tasks = search.time_in_tasks();
        drop(search);
        Ok(start.elapsed().saturating_sub(in_tasks))
    }
}

impl Algorithm for Optimal {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut search = Search::new(problem, Goal::default(), meter);
        let guarantee = search.run_to_guarantee()?;
        Ok(search.propose(guarantee)?.into())
    }
}
