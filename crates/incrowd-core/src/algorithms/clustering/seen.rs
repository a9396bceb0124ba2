//! What a search for the nearest cluster is given, and what it finds.

use super::side::Side;

/// The number of no cluster.
pub(super) const NOBODY: u32 = u32::MAX;

/// A cluster as a search sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'c> {
    pub(super) number: u32,
    pub(super) sides: &'c [Side],
    pub(super) rows: u32,
}

/// What a merge loses, and the number of the cluster to merge with: the lowest is wanted.
pub(super) type Found = (u64, u32);

/// The nearest cluster.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    /// None if there is no other.
    pub(super) number: Option<u32>,
    /// What both together lose without regard to rows.
    pub(super) extent: u32,
    /// What was looked at.
    pub(super) work: u64,
}
