//! Which way to negotiate when the user does not say.

use super::annotated::MOST_NODES;
use super::answer::How;
use crate::counts::CountedTable;
use crate::privacy::{Monotonicity, PrivacyModel};
use std::fmt;

/// Annotating this much ([`annotation_work`]) takes about half a second on one core.
const QUICK_WORK: u128 = 100_000_000;

/// Annotating this much still pays when the lazy way would have to count most of the lattice for every question:
/// seconds, and some hundred megabytes for measures that are not whole.
const BEARABLE_WORK: u128 = 5_000_000_000;

/// How many times as long it takes to annotate for a model that reads how often values occur, as measured: their
/// histograms are merged, not only sizes added up.
const WORK_OF_COUNTS: u128 = 5;

/// A way, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The way chosen: full or lazy, the two that are exact.
    pub how: How,
    /// Why.
    pub reason: Reason,
}

/// Why a way was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// All nodes are quickly annotated, and then every answer is immediate.
    QuicklyAnnotated {
        /// Nodes of the lattice.
        nodes: u128,
    },
    /// The model lets no node be skipped, so annotating all of them once beats counting them for every question.
    NothingToSkip {
        /// Nodes of the lattice.
        nodes: u128,
    },
    /// Annotating all nodes would take long, and the model lets most of them be skipped.
    MostCanBeSkipped {
        /// Nodes of the lattice.
        nodes: u128,
    },
    /// There are too many nodes to annotate, and the model lets none be skipped: answers may not be complete.
    NeitherWayIsSure {
        /// Nodes of the lattice.
        nodes: u128,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::QuicklyAnnotated { nodes } => {
                write!(
                    f,
                    "the {nodes} nodes are quickly annotated, then every answer is immediate"
                )
            }
            Reason::NothingToSkip { nodes } => write!(
                f,
                "the model lets no node be skipped, so all {nodes} are counted once for all questions"
            ),
            Reason::MostCanBeSkipped { nodes } => write!(
                f,
                "annotating {nodes} nodes would take long, and the model lets most of them be skipped"
            ),
            Reason::NeitherWayIsSure { nodes } => write!(
                f,
                "{nodes} nodes are too many to annotate, and the model lets none be skipped: with a time limit \
                 answers may not be complete"
            ),
        }
    }
}

/// What annotating every node takes, at most: nodes times distinct tuples, more for models that read counts. Some 200
/// million a second on one core.
pub fn annotation_work(table: &CountedTable, models: &[&dyn PrivacyModel]) -> u128 {
    let nodes = table.lattice().nodes();
    let times = match models.iter().any(|model| reads_histograms(*model)) {
        true => WORK_OF_COUNTS,
        false => 1,
    };
    let tuples = table.tuples.len().max(1) as u128;
    nodes.saturating_mul(tuples).saturating_mul(times)
}

fn reads_histograms(model: &dyn PrivacyModel) -> bool {
    model.column().is_some() && model.reads_counts()
}

/// The exact way that costs less, by an estimate of the work.
pub fn choose(table: &CountedTable, models: &[&dyn PrivacyModel]) -> Choice {
    let nodes = table.lattice().nodes();
    let work = annotation_work(table, models);
    let mut models = models.iter();
    let can_skip = models.all(|model| model.monotonicity() == Monotonicity::UnionWithAny);
    let fits = |most: u128| nodes <= MOST_NODES && work <= most;
    let (how, reason) = match can_skip {
        _ if fits(QUICK_WORK) => (How::Full, Reason::QuicklyAnnotated { nodes }),
        false if fits(BEARABLE_WORK) => (How::Full, Reason::NothingToSkip { nodes }),
        true => (How::Lazy, Reason::MostCanBeSkipped { nodes }),
        false => (How::Lazy, Reason::NeitherWayIsSure { nodes }),
    };
    Choice { how, reason }
}
