//! How often an analyst may ask.
//!
//! Answers are rounded so that many of them tell no more than a few do; a limit makes it slow to find out otherwise, and
//! leaves the curator a server that answers. It is meant for programs: a person who drags a slider does not reach it.

use crate::error::Failure;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The questions that are left, and when that was so.
#[derive(Debug)]
pub(crate) struct Questions {
    /// In a minute.
    most: u32,
    left: Mutex<(f64, Instant)>,
}

impl Questions {
    pub(crate) fn new(most: u32) -> Self {
        Questions {
            most,
            left: Mutex::new((most.into(), Instant::now())),
        }
    }

    /// Takes one, if there is one left.
    pub(crate) fn take(&self) -> Result<(), Failure> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Result<(), Failure> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let most = f64::from(self.most);
        let each = Duration::from_secs(60).as_secs_f64() / most.max(1.0);
        let passed = now.saturating_duration_since(left.1).as_secs_f64();
        *left = ((left.0 + passed / each).min(most), now);
        if left.0 >= 1.0 {
            left.0 -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - left.0) * each).ceil().max(1.0) as u64;
        Err(Failure::new(
            "too-many-questions",
            format!("an analyst may ask {} questions a minute", self.most),
            format!("ask again in {wait} s; the curator can raise the limit with `--questions N`"),
        )
        .retry_after(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_at_once_then_one_for_each_part_of_a_minute() {
        let questions = Questions::new(30);
        let start = Instant::now();
        let asked = |after: f64| questions.take_at(start + Duration::from_secs_f64(after));
        for _ in 0..30 {
            asked(0.0).unwrap();
        }
        let refused = asked(0.5).unwrap_err();
        assert_eq!((refused.status, refused.retry_after), (429, Some(2)));
        asked(2.1).unwrap();
        asked(2.2).unwrap_err();
        // No more than a minute's questions are saved up.
        for _ in 0..30 {
            asked(1000.0).unwrap();
        }
        asked(1000.0).unwrap_err();
    }

    #[test]
    fn nobody_asks_where_nothing_may_be_asked() {
        Questions::new(0).take().unwrap_err();
    }
}
