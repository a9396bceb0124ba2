//! The best node of the whole lattice, with proof.

use super::boxes::{Goal, Search};
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::Error;
use crate::problem::{Meter, Problem};

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
    /// `problem.pruning_is_sound()` to drop a box because of what its high corner suppresses; without it, only rows that no
    /// division of the corner's classes could keep, and the bounds of the metric, drop boxes.
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
