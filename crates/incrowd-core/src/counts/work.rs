//! Work done, in units that are the same on every machine.

use std::ops::{Add, AddAssign};

/// Classes, tuples or values touched.
#[must_use = "work that was done is to be spent"]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Work(pub u64);

impl Work {
    /// This many things touched.
    pub fn of(touched: usize) -> Self {
        Work(touched as u64)
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        *self = *self + other;
    }
}
