//! Algorithms that find a recoding, each in its own file.
//!
//! An algorithm receives a [`Problem`] and returns a [`Proposal`], which is not trusted: [`publish`](crate::publish)
//! checks it with independent code.

mod bottom_up;
mod boxes;
mod checks;
mod clustering;
mod cuts;
mod datafly;
mod descent;
mod finest;
mod found_nodes;
mod found_strings;
pub mod incognito;
mod mondrian;
pub mod mu_argus;
mod optimal;
pub mod partition;
mod people;
mod printed;
pub mod properties;
mod research;
mod samarati;
#[cfg(test)]
mod testutil;
mod top_down;
mod whole;

pub use bottom_up::BottomUp;
pub(crate) use boxes::{Goal, Ties, search};
pub use clustering::{EuclideanCluster, NcpCluster, RvCluster, RvClusterSuppress};
pub use cuts::Effort;
pub use datafly::Datafly;
pub use finest::Finest;
pub use found_nodes::{FoundNodes, Scope};
pub use found_strings::{FoundString, FoundStrings};
pub use incognito::Incognito;
pub use mondrian::{Mondrian, MondrianInfoGain, MondrianLsd};
pub use mu_argus::MuArgus;
pub use optimal::Optimal;
pub use partition::Partition;
pub use properties::{PROPERTIES, Properties, Property};
pub use research::{RvDistributed, RvGlobal, RvHybrid, RvLocal};
pub use samarati::Samarati;
pub use top_down::TopDown;

use crate::Error;
use crate::counts::KnownSets;
use crate::privacy::PrivacyModel;
use crate::problem::{Assessor, Guarantee, Interruption, Meter, Problem, Proposal, Watch};
use crate::recode::{ColumnRecoding, PublishedNumbers};
use crate::registry::{Entry, Family, Given};
use checks::Checks;
use std::fmt::Debug;

/// Every algorithm. A new one is one file and one line here.
pub static ALGORITHMS: &[&dyn Algorithm] = &[
    &Optimal,
    &Samarati,
    &Incognito,
    &Datafly,
    &MuArgus,
    &BottomUp,
    &TopDown,
    &Partition,
    &Mondrian,
    &MondrianInfoGain,
    &MondrianLsd,
    &Finest,
    &NcpCluster,
    &EuclideanCluster,
    &RvCluster,
    &RvClusterSuppress,
    &RvGlobal,
    &RvLocal,
    &RvHybrid,
    &RvDistributed,
];

/// What people should know before they take an algorithm.
pub type AlgorithmEntry = Entry<AlgorithmKind>;

/// What only algorithms have.
#[derive(Debug, PartialEq, Eq)]
pub struct AlgorithmKind {
    /// How far it can be trusted.
    pub status: Status,
    /// What shape its releases have.
    pub generalization: Generalization,
    /// What may be suppressed when the user does not say.
    pub default_budget: DefaultBudget,
    /// For algorithms that leave choices to the data holder: the setting that makes them. Without it, whoever runs
    /// the algorithm may open a [session](Algorithm::session).
    pub choices: Option<&'static str>,
    /// What else is known of it.
    pub properties: Properties,
}

impl Family for AlgorithmKind {
    const NOUN: &'static str = "algorithm";
    const EXAMPLES: &'static str = "`optimal` or `partition(search=top-down)`";

    fn entries() -> impl Iterator<Item = &'static AlgorithmEntry> {
        ALGORITHMS.iter().map(|algorithm| algorithm.entry())
    }
}

/// What decides how a raw value is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generalization {
    /// One level for each column.
    FullDomain,
    /// A cut through the hierarchy of each column.
    Cuts,
    /// A partition of the values of each column.
    Partitions,
    /// All quasi-identifiers of the row.
    Regions,
}

/// The default budget of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultBudget {
    /// Nothing.
    NoRows,
    /// As many rows as a class must have to satisfy every model; nothing if one row may be enough.
    SmallestClass,
}

impl DefaultBudget {
    /// The rows that may be suppressed.
    pub fn rows(self, models: &[Box<dyn PrivacyModel>]) -> u32 {
        let smallest = models.iter().map(|model| model.smallest_class()).max();
        match self {
            DefaultBudget::NoRows => 0,
            DefaultBudget::SmallestClass => smallest.filter(|&rows| rows > 1).unwrap_or(0),
        }
    }
}

/// How far an implementation can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not yet compared with its paper by a second person.
    Experimental,
    /// Reproduces its paper's examples and passes the laws.
    Stable,
}

/// What a search proposes, with what else it found, for algorithms that record it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What is proposed.
    pub proposal: Proposal,
    /// What else the search found.
    pub account: Option<Account>,
}

impl From<Proposal> for Found {
    fn from(proposal: Proposal) -> Self {
        Found {
            proposal,
            account: None,
        }
    }
}

/// How a search went and what else it found, for algorithms that keep account of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Account {
    /// A search over partitions.
    Partitions(partition::Account),
    /// A search that finds every safe node, of which one is proposed.
    SafeNodes(FoundNodes),
    /// A search by value that lists the best safe nodes it met.
    Strings(FoundStrings),
}

/// An answer, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// What is proposed.
    pub proposal: Proposal,
    /// The record of the search, for algorithms that keep one.
    pub account: Option<Account>,
    /// Units of work done.
    pub work: u64,
    /// Why the search stopped early, if it did.
    pub stopped: Option<Interruption>,
}

/// An algorithm that solves problems.
pub trait Algorithm: Debug + Sync {
    /// Its line of the registry: what people should know of it, and what may be set.
    fn entry(&self) -> &'static AlgorithmEntry;

    /// A recoding that should satisfy every model within the budget, with the guarantee stated on the card.
    ///
    /// All work is spent on the meter. When the meter says to stop, returns the best result so far with its guarantee,
    /// or [`Interruption::with_nothing_found`].
    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error>;

    /// [`Algorithm::search`] with a watch; only the proposal.
    fn solve(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Proposal, Error> {
        Ok(self.solve_accounted(problem, watch)?.proposal)
    }

    /// [`Algorithm::search`] with a watch. A search that had to stop before it found anything proposes the highest
    /// acceptable levels, if they are safe; or, if there is time, the result of [`Datafly`].
    fn solve_accounted(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Solved, Error> {
        self.check(problem)?;
        let entry = self.entry();
        let meter = Meter::new(watch);
        let judges_all = match entry.kind.generalization {
            Generalization::FullDomain | Generalization::Cuts => true,
            Generalization::Partitions | Generalization::Regions => {
                !problem.models.iter().any(|model| model.is_about_release())
            }
        };
        let search = |problem: &Problem<'_>| self.search(problem, &meter);
        let found = match judges_all {
            true => search(problem),
            false => whole::search_keeping(problem, &search).and_then(|found| match found {
                Some(found) => Ok(found),
                None => Ok(at_highest_levels(entry, problem, &meter)?.into()),
            }),
        };
        let found = match found {
            Err(error) => match something_safe(problem, &meter, &error) {
                Some(proposal) => proposal.into(),
                None => return Err(error),
            },
            Ok(found) => found,
        };
        let is_proven = found.proposal.guarantee == Guarantee::Optimal;
        Ok(Solved {
            stopped: meter.stopped().filter(|_| !is_proven),
            work: meter.spent(),
            proposal: found.proposal,
            account: found.account,
        })
    }

    /// Refuses a problem that it is not made for, before any search: what its family cannot do, and [what only it
    /// cannot](Algorithm::refuse).
    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        let entry = self.entry();
        let is_regions = entry.kind.generalization == Generalization::Regions;
        if problem.table.rows_are_apart && !is_regions {
            let algorithm = entry.name;
            return Err(Error::RowsApart { algorithm });
        }
        if problem.models.iter().any(|model| model.reads_population()) {
            refuse_unmatchable(problem)?;
        }
        self.refuse(problem)
    }

    /// What it refuses of its own accord, such as a missing target. A search refuses nothing else, so that the advisor can
    /// ask beforehand.
    fn refuse(&self, _problem: &Problem<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Whether it may publish equal rows differently, as it is set: it then needs a table whose rows were [kept
    /// apart](crate::counts::RowCounter::keep_rows_apart).
    fn divides_rows(&self, _own: &Given) -> bool {
        false
    }

    /// Whether a quasi-identifier that is unsafe by itself at its highest acceptable level may be published as `*` all the
    /// same; see [`unsafe_columns`].
    fn drops_columns(&self) -> bool {
        false
    }

    /// The default metric to minimize.
    fn default_metric(&self) -> &'static str {
        "loss"
    }

    /// For algorithms that leave the choices to the data holder: a session to make them in.
    fn session<'a>(&self, _problem: &Problem<'a>) -> Option<mu_argus::Session<'a>> {
        None
    }
}

/// Refuses to publish what does not say who in a population it could be about.
fn refuse_unmatchable(problem: &Problem<'_>) -> Result<(), Error> {
    let has_centres = PublishedNumbers::of(&problem.settings.own) != PublishedNumbers::Interval;
    match problem.crowds_overlap() {
        true => Err(Error::PopulationRefused {
            with: "missing cells that match any value",
        }),
        false if has_centres => Err(Error::PopulationRefused {
            with: "published means or medians",
        }),
        false => Ok(()),
    }
}

/// The minimum work granted for checking the highest acceptable levels after a search was stopped.
const WORK_OF_LAST_LOOK: u64 = 1 << 22;

/// The fallback proposal if a search was stopped before it found anything.
fn something_safe(problem: &Problem<'_>, meter: &Meter<'_>, error: &Error) -> Option<Proposal> {
    let nodes_checked = match *error {
        Error::TimeUp { nodes_checked }
        | Error::WorkDone { nodes_checked, .. }
        | Error::MemoryFull { nodes_checked }
        | Error::AskedTooSoon { nodes_checked } => nodes_checked,
        _ => return None,
    };
    // Choices made by the data holder are not replaced by others.
    let why = meter.stopped()?;
    if mu_argus::has_script(problem) {
        return None;
    }
    if why == Interruption::WorkDone || why == Interruption::MemoryFull {
        // No time limit applies, and a walk up the lattice is cheap.
        let walk = Meter::unlimited();
        let walk = walk.part(meter.spent() / 10);
        if let Ok(found) = Datafly.search(problem, &walk) {
            return Some(Proposal {
                // Some may be the same.
                nodes_checked: nodes_checked.max(found.proposal.nodes_checked),
                steps: Vec::new(),
                ..found.proposal
            });
        }
    }
    let node = &problem.max_levels;
    let (classes, _) =
        KnownSets::new(problem.table, problem.columns_read(), 0).count_and_remember(node);
    // Overlapping crowds are the only thing that could take long here.
    let meter = Meter::unlimited();
    let meter = meter.part(WORK_OF_LAST_LOOK + 16 * problem.table.tuples.len() as u64);
    let assessed = Assessor::new(problem).assess_metered(node, &classes, None, &meter);
    let assessed = assessed.ok()?;
    assessed.is_safe(problem).then(|| Proposal {
        recoding: ColumnRecoding::FullDomain(node.clone()).into(),
        guarantee: Guarantee::Heuristic,
        loss: assessed.loss,
        nodes_checked: nodes_checked.max(1),
        steps: Vec::new(),
    })
}

/// The error of an algorithm that follows one path, when the highest acceptable levels are not safe: proof that nothing
/// is, unless merging rows can break a promise.
fn nothing_on_the_path(
    entry: &AlgorithmEntry,
    problem: &Problem<'_>,
    rows_suppressed_at_limit: u32,
) -> Error {
    match problem.pruning_is_sound() {
        true => problem.no_solution(rows_suppressed_at_limit),
        false => Error::NoneFound {
            algorithm: entry.name,
            max_suppressed: problem.max_suppressed,
            rows_suppressed_at_limit,
            rows: problem.table.rows,
            has_higher_levels: problem.has_higher_levels(),
        },
    }
}

/// The highest acceptable levels, for an algorithm that found nothing else; an error if they are not safe either.
fn at_highest_levels(
    entry: &AlgorithmEntry,
    problem: &Problem<'_>,
    meter: &Meter<'_>,
) -> Result<Proposal, Error> {
    let mut checks = Checks::new(problem, meter);
    let verdict = match checks.step_on(&problem.max_levels) {
        Ok(verdict) => verdict,
        Err(interruption) => return Err(checks.unfinished(interruption)),
    };
    if !verdict.is_safe {
        return Err(nothing_on_the_path(entry, problem, verdict.rows_suppressed));
    }
    Ok(Proposal {
        recoding: ColumnRecoding::FullDomain(problem.max_levels.clone()).into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: 1,
        steps: Vec::new(),
    })
}

/// The quasi-identifiers that are ruled out by themselves at their highest acceptable level, although they have a higher
/// one. Unless they are published as `*`, nothing can be published.
pub fn unsafe_columns(problem: &Problem<'_>, watch: &dyn Watch) -> Result<Vec<usize>, Error> {
    let meter = Meter::new(watch);
    let columns = research::unsafe_columns(problem, &meter);
    columns.map_err(|why| why.with_nothing_found(0, meter.spent()))
}

/// The algorithm with a name.
pub fn find(name: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS
        .iter()
        .copied()
        .find(|algorithm| algorithm.entry().name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: [&str; 9] = [
        "Paper",
        "Guarantee",
        "Needs",
        "Invariant",
        "Cost",
        "Use cases",
        "Example",
        "Alternatives",
        "Measured",
    ];

    #[test]
    fn every_card_says_what_people_should_know() {
        for algorithm in ALGORITHMS {
            let entry = algorithm.entry();
            for section in SECTIONS {
                let text = entry.card.section(section);
                assert!(
                    text.is_some_and(|text| !text.is_empty()),
                    "{}: {section}",
                    entry.name
                );
            }
            assert!(find(entry.name).is_some_and(|found| found.entry().name == entry.name));
        }
    }

    #[test]
    fn the_smallest_class_is_the_budget_only_where_promises_have_one() {
        let models = |texts: &[&str]| -> Vec<Box<dyn PrivacyModel>> {
            let build = |text: &&str| {
                let spec: crate::privacy::ModelSpec = text.parse().unwrap();
                spec.build_all(&[], &[]).unwrap()
            };
            texts.iter().flat_map(build).collect()
        };
        let budget = |texts: &[&str]| DefaultBudget::SmallestClass.rows(&models(texts));
        assert_eq!(budget(&["k-anonymity(k=5)", "k-anonymity(k=7)"]), 7);
        assert_eq!(budget(&["k-anonymity(k=1)"]), 0);
        assert_eq!(budget(&[]), 0);
        assert_eq!(
            DefaultBudget::NoRows.rows(&models(&["k-anonymity(k=5)"])),
            0
        );
    }
}
