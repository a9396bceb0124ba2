//! The safe nodes that a search found beside the one it proposes.

use crate::lattice::Node;

/// Safe nodes that a search has found. It is complete: a search that had to stop early gives none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNodes {
    /// Which nodes were searched.
    pub scope: Scope,
    /// How many of them are safe.
    pub safe: u64,
    /// The minimal ones (no safe node below), in lattice order.
    pub minimal: Vec<Node>,
}

/// Which safe nodes a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every one at acceptable levels.
    Lattice,
    /// Those of the lowest height that has one. All of these are minimal, and there may be other minimal nodes higher
    /// up.
    LeastHeight,
}
