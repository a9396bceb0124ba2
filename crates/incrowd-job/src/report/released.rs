//! One release, for readers who know neither the table nor the terms: what was asked, what was done to each column, what
//! is protected and what is not, what was lost, what else could have been had, and how to check all of it.
//!
//! [`Released`] is plain data; `run::released` measures it. The page may be passed on with the release, so nothing in it
//! is a cell of the table that the release does not hold:
//!
//! - **Values.** The only values named are texts of published rows. Levels of a hierarchy are told by their names and by
//!   how many values they tell apart. Labels below the published level are raw values or close to them. Labels above it
//!   are not shown either: levels that were built from the data end where the data end, so that `17-90` names the
//!   youngest and the oldest person although both may be suppressed; and whether a hierarchy in a file was built that way
//!   cannot be seen.
//! - **Rules and settings** that quote values are told without them, as in the certificate.
//! - **Figures about the raw table** are shares of all rows, rounded so that they are about at least as many rows as the
//!   smallest class has, and left out of small tables. What is left is said on the page itself.

mod alternatives;
mod asked;
mod check;
mod columns;
mod lost;
mod page;
mod promises;
mod protected;
mod risks;

use crate::report::certificate::Certificate;
use crate::report::outcome::Outcome;
use crate::report::pictured::Pictured;
use incrowd_core::privacy::Direction;

/// Everything that is on the page about a release.
pub(crate) struct Released<'a> {
    pub(crate) outcome: &'a Outcome,
    /// Also if no certificate is written: what was asked, with every default, and the hashes.
    pub(crate) certificate: &'a Certificate,
    pub(crate) files: Files,
    pub(crate) facts: &'a Facts,
}

impl Released<'_> {
    /// Whether missing cells could be any value, so that people are hidden in crowds and not in classes.
    fn has_crowds(&self) -> bool {
        self.certificate.request.missing == "match-any"
    }
}

/// The files that the page names: without folders, which are nobody's business but the data holder's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    pub(crate) table: String,
    /// Whether that is a file, and not standard input or a table in memory.
    pub(crate) table_is_file: bool,
    pub(crate) release: String,
    /// Whether that is a file.
    pub(crate) release_is_file: bool,
    /// The certificate and its SHA-256, if one is written.
    pub(crate) certificate: Option<(String, String)>,
    pub(crate) population: Option<String>,
    /// The folder of hierarchies.
    pub(crate) hierarchies: Option<String>,
    /// Single columns with a hierarchy of their own, as `column=file` or `column=builder`.
    pub(crate) own_hierarchies: Vec<String>,
    /// Whether there are levels that are in no file.
    pub(crate) has_levels_at_hand: bool,
}

/// What is measured for the page alone.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) pictured: Pictured,
    /// Every quasi-identifier, in their order.
    pub(crate) columns: Vec<Generalized>,
    pub(crate) promises: Vec<Promise>,
    pub(crate) risk: RiskChange,
    pub(crate) alternatives: Alternatives,
}

/// How the values of a quasi-identifier are published.
#[derive(Debug, Clone)]
pub(crate) struct Generalized {
    /// From the raw values up.
    pub(crate) levels: Vec<LevelTold>,
    /// The published values and what is above them, if they are values of its hierarchy and few enough to be drawn.
    pub(crate) tree: Vec<Branch>,
    /// Whether every published value is a value of its hierarchy.
    pub(crate) is_in_hierarchy: bool,
    /// How much of the column the published values cover: shares of the published rows, from exact values to `*`.
    pub(crate) widths: Vec<(&'static str, f64)>,
    /// The most frequent published texts.
    pub(crate) examples: Vec<String>,
    pub(crate) values_published: u32,
}

/// A level of a hierarchy.
#[derive(Debug, Clone)]
pub(crate) struct LevelTold {
    pub(crate) name: String,
    /// How many values it tells apart.
    pub(crate) values: u32,
    /// How many of them are published.
    pub(crate) published: u32,
}

/// A value of a hierarchy that is published, or above one that is. A branch stands before those below it.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) level: u8,
    pub(crate) parent: Option<usize>,
    pub(crate) is_published: bool,
}

/// A promise, and what it has come to.
#[derive(Debug, Clone)]
pub(crate) struct Promise {
    /// The name of its model.
    pub(crate) model: &'static str,
    /// As it is written, without values of the table.
    pub(crate) text: String,
    /// Its settings, without values of the table.
    pub(crate) settings: Vec<(&'static str, String)>,
    /// The column it is about.
    pub(crate) column: Option<String>,
    /// The worst figure of any class.
    pub(crate) reached: Option<f64>,
    pub(crate) direction: Direction,
}

/// How easily people are found before and after.
#[derive(Debug, Clone)]
pub(crate) struct RiskChange {
    /// In the table; none if that could tell too much.
    pub(crate) before: Option<RiskTold>,
    /// What shares of the table are rounded to.
    pub(crate) rounded_to: f64,
    /// In the release.
    pub(crate) after: RiskTold,
    /// Above this, a row counts as found too easily.
    pub(crate) threshold: f64,
}

/// How easily people are found; shares of all rows.
#[derive(Debug, Clone)]
pub(crate) struct RiskTold {
    /// The chance to pick the right row, for the row found most easily.
    pub(crate) highest: f64,
    pub(crate) average: f64,
    pub(crate) above_threshold: f64,
    pub(crate) unique: f64,
    /// For each sensitive column, rows whose value is certain.
    pub(crate) certain: Vec<(String, f64)>,
}

/// What else could have been had.
#[derive(Debug, Clone)]
pub(crate) struct Alternatives {
    /// What is published, measured in the same way.
    pub(crate) published: Choice,
    /// The same algorithm with other promises or another budget.
    pub(crate) tried: Tried,
    /// One level more or less in one column, for each of them; none with the reason if that was not computed.
    pub(crate) steps: Result<Vec<Step>, &'static str>,
}

/// What the same algorithm finds with another request; the reason if none was tried.
pub(crate) type Tried = Result<Vec<Alternative>, &'static str>;

/// A possible release.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) loss: f64,
    pub(crate) rows_suppressed: u64,
    pub(crate) smallest_class: u64,
    /// The level of each quasi-identifier; none if a column mixes levels.
    pub(crate) levels: Option<Vec<u8>>,
    /// Whether the search came to its end; if not, the loss could be lower.
    pub(crate) is_final: bool,
}

/// Another request, and what it leads to.
#[derive(Debug, Clone)]
pub(crate) struct Alternative {
    pub(crate) change: Change,
    pub(crate) found: Result<Choice, Nothing>,
}

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// Not even the whole table keeps the promise.
    OutOfReach,
    /// The search found nothing within its limits.
    NotFound,
}

/// How another request differs.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A stronger promise.
    Safer {
        /// As it is written.
        promise: String,
    },
    /// A weaker promise.
    Weaker {
        /// As it is written.
        promise: String,
    },
    /// More rows may be left out.
    Budget {
        /// How many.
        rows: u64,
    },
}

/// A quasi-identifier one level finer or coarser, all others as published.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) column: String,
    /// The level published.
    pub(crate) level: u8,
    pub(crate) finer: Option<Neighbor>,
    pub(crate) coarser: Option<Neighbor>,
}

/// A neighbor in the lattice under the same promises.
#[derive(Debug, Clone)]
pub(crate) struct Neighbor {
    /// Rows that would have to be left out.
    pub(crate) rows_suppressed: u64,
    pub(crate) loss: f64,
}
