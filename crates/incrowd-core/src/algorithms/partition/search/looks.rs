//! Looks at [parts](super::parts) of classes: whether one is likely to pay, and the room that it takes.

use super::super::contents::Merged;

/// At so many nodes the search looks at parts whatever comes of it.
const FIRST_LOOKS: u64 = 64;
/// After that, a node that is dropped pays for looks at so many others. Looks everywhere made searches on Adult in which they dropped
/// nothing up to about a tenth slower.
const LOOKS_PER_DROP: u64 = 16;
/// Where looks are not worth it, one of so many nodes is looked at all the same: it may be different further down.
const LOOKS_REGARDLESS: u64 = 8;

/// What came of looking at parts so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looks {
    /// Nodes that could have been looked at, those that were, and those that were dropped for it.
    asked: u64,
    pub(super) looked: u64,
    pub(super) dropped: u64,
}

impl Looks {
    /// Whether a look at the next node is likely to pay. A search that runs again says the same.
    pub(super) fn is_worth_one(&mut self) -> bool {
        self.asked += 1;
        self.looked < FIRST_LOOKS + LOOKS_PER_DROP * self.dropped
            || self.asked.is_multiple_of(LOOKS_REGARDLESS)
    }

    /// Adds those that made `start` what `end` is.
    pub(super) fn add(&mut self, start: Looks, end: Looks) {
        self.asked += end.asked - start.asked;
        self.looked += end.looked - start.looked;
        self.dropped += end.dropped - start.dropped;
    }
}

/// Room for a look, used again for the next node one step away.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) merged: Merged,
    /// What a row of each class adds when it is suppressed, and how many such rows there are.
    pub(super) added: Vec<(f64, u32)>,
}
