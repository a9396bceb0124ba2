//! The way to a proposal, for algorithms that go step by step.

/// A step of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What was done.
    pub action: Action,
    /// Rows in classes that broke a promise before it.
    pub rows_violating_before: u32,
    /// Rows in classes that break a promise after it.
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
        level: u8,
        /// Its values in the table before.
        distinct_before: u32,
        /// Its values in the table now.
        distinct: u32,
    },
    /// Suppresses the rows that violate, which ends it.
    Suppress,
}
