//! A counted table that questions are asked about.

use incrowd_job::{Control, Ground, Negotiation};
use std::sync::Arc;

/// A counted table.
#[derive(Debug)]
pub(crate) struct Counted {
    /// Which table with which roles it is.
    pub(crate) generation: u64,
    pub(crate) negotiation: Negotiation,
    /// Of the job that counted it, which stops answers too.
    pub(crate) control: Arc<Control>,
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
