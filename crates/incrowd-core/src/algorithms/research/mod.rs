//! Searches over levels for the greatest research value: what the paper calls optimizing generalization strings.
//!
//! A string is a node of the lattice. All four begin with the same pre-pruning, and keep the safe strings that they meet.
//! They differ in which nodes they look at.

mod distributed;
mod global;
mod hybrid;
mod local;
mod pre_pruning;

pub use distributed::RvDistributed;
pub use global::RvGlobal;
pub use hybrid::RvHybrid;
pub use local::RvLocal;
pub(super) use pre_pruning::unsafe_columns;

use super::boxes::{Goal, Search, Ties};
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{Account, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status};
use crate::Error;
use crate::card::Card;
use crate::lattice::Node;
use crate::problem::{Guarantee, Interruption, Meter, Problem};
use crate::registry::{Kind, Setting};

/// What they search by unless told otherwise.
const METRIC: &str = "research-value";

/// How many of the safe strings met are listed.
const STRINGS: Setting = Setting::optional(
    "strings",
    Kind::Count,
    "how many of the safe combinations of levels that were met are listed, the best first",
)
.or("10");

/// A search for the greatest value to the end.
const PROVEN: Properties = Properties {
    effort: GrowsWith::Searched,
    needs_correlated: false,
    needs_number_hierarchies: true,
    uses_budget: true,
    targets: Targets::None,
    is_guided: true,
    reads_metric: true,
    is_heuristic: false,
    direction: Direction::Neither,
    has_several_results: true,
    optimum: Optimum::Metric,
    overlaps: false,
    usage: Usage::Any,
};

/// What all of them have in common.
const fn entry(name: &'static str, card: Card, properties: Properties) -> AlgorithmEntry {
    AlgorithmEntry {
        name,
        card,
        settings: &[STRINGS],
        kind: AlgorithmKind {
            status: Status::Experimental,
            generalization: Generalization::FullDomain,
            default_budget: DefaultBudget::NoRows,
            choices: None,
            properties,
        },
    }
}

/// A search that keeps the strings it meets.
fn searching<'a>(problem: &'a Problem<'a>, meter: &'a Meter<'a>) -> Search<'a> {
    let goal = Goal {
        ties: Ties::FewestAtTop,
        ..Goal::default()
    };
    let own = &problem.settings.own;
    let most = match own.has(STRINGS.name) {
        true => own.count(STRINGS.name),
        // Programs may give none of an algorithm's settings.
        false => 0,
    };
    Search::new(problem, goal, meter).keep_strings(most as usize)
}

/// A search that starts at the lowest levels that are not ruled out.
fn pre_pruned<'a>(
    problem: &'a Problem<'a>,
    meter: &'a Meter<'a>,
) -> Result<Search<'a>, Interruption> {
    let mut search = searching(problem, meter);
    let lowest = pre_pruning::lowest_levels(problem, &mut search)?;
    // Between the levels that are acceptable and `*`, none is.
    let drop =
        |lowest: Node, &column: &usize| lowest.with(column, problem.max_levels.level(column));
    search.start_at(problem.dropped.iter().fold(lowest, drop));
    Ok(search)
}

/// The best node, with the safe ones beside it.
fn found(mut search: Search<'_>, guarantee: Guarantee) -> Result<Found, Error> {
    let strings = search.take_strings();
    Ok(Found {
        proposal: search.propose(guarantee)?,
        account: Some(Account::Strings(strings)),
    })
}

/// The error of a search that was stopped while it pruned.
fn stopped(meter: &Meter<'_>, why: Interruption) -> Error {
    why.with_nothing_found(0, meter.spent())
}
