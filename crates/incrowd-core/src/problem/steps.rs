//! The steps to a proposal, for algorithms that work step by step.

use crate::lattice::Level;

/// A step of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub action: Action,
    /// Rows in violating classes before it.
    pub rows_violating_before: u32,
    /// Rows in violating classes after it.
    pub rows_violating: u32,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Raises a quasi-identifier by one level.
    Raise {
        /// The quasi-identifier.
        attribute: usize,
        /// The level reached.
        level: Level,
        /// Its values in the table before.
        distinct_before: u32,
        /// Its values in the table now.
        distinct: u32,
    },
    /// Suppresses the violating rows, which ends the search.
    Suppress,
}
