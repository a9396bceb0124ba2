//! A counted table that questions are asked about.

use incrowd_job::{Ground, Negotiation};

/// A counted table.
#[derive(Debug)]
pub(crate) struct Counted {
    /// Which table with which roles it is.
    pub(crate) generation: u64,
    pub(crate) negotiation: Negotiation,
    /// The column of the table that each quasi-identifier is.
    pub(crate) columns: Vec<usize>,
}

impl Counted {
    pub(crate) fn ground(&self) -> &Ground {
        self.negotiation.ground()
    }

    pub(crate) fn heights(&self) -> Vec<u8> {
        let levels = self.ground().quasi_identifiers();
        levels.map(|(_, height)| height).collect()
    }
}
