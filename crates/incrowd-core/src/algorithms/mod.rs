//! Ways to find a recoding, each in a file of its own.
//!
//! An algorithm receives a [`Problem`] and returns a [`Proposal`], which nobody trusts:
//! [`publish`](crate::publish) checks it with code of its own.

mod optimal;
pub mod partition;

pub use optimal::Optimal;
pub(crate) use optimal::{Goal, Ties, search};

use crate::Error;
use crate::card;
use crate::problem::{Problem, Proposal, Setting, Watch};
use std::fmt::Debug;

/// Every algorithm. A new one is a file and a line here.
pub static ALGORITHMS: &[&dyn Algorithm] = &[&Optimal];

/// What people should know before they take an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// The name in the registry.
    pub name: &'static str,
    /// What it does, where it comes from, what it guarantees and costs: its doc comment.
    pub text: card::Card,
    /// How far it can be trusted.
    pub status: Status,
    /// Which settings it reads.
    pub reads: &'static [Setting],
}

/// How far an implementation can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not yet compared with its paper by a second person.
    Experimental,
    /// Reproduces its paper's examples and passes the laws.
    Stable,
}

/// A way to solve a problem.
pub trait Algorithm: Debug + Sync {
    /// What people should know of it.
    fn card(&self) -> &'static Card;

    /// A recoding that should keep every promise within the budget, as good as the card says.
    fn solve(&self, problem: &Problem<'_>, watch: &dyn Watch) -> Result<Proposal, Error>;
}

/// The algorithm of a name.
pub fn find(name: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS
        .iter()
        .copied()
        .find(|algorithm| algorithm.card().name == name)
}
