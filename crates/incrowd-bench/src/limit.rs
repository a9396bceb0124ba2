//! A time limit for searches that may not finish.

use incrowd_core::problem::{Interruption, Progress, Watch};
use std::time::Instant;

/// Stops a search after a while.
pub(crate) struct Limit(pub(crate) Instant);

impl Watch for Limit {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        match Instant::now() < self.0 {
            true => Ok(()),
            false => Err(Interruption::TimeUp),
        }
    }
}
