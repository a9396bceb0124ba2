//! Trials on several threads.

use crate::error::Error;
use crate::run::control::Control;
use incrowd_core::chance::Sampler;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Trials made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Trials {
    pub(super) repeats: u64,
    /// Those in which every combination that occurs occurs at least k times.
    pub(super) reached: u64,
    pub(super) steps: u64,
}

impl Trials {
    pub(super) fn and(self, other: Trials) -> Trials {
        Trials {
            repeats: self.repeats + other.repeats,
            reached: self.reached + other.reached,
            steps: self.steps + other.steps,
        }
    }
}

/// Makes the trials of these numbers. A trial depends on its number alone, so it does not matter which thread makes it.
pub(super) fn run_trials(
    sampler: &Sampler,
    seed: u64,
    numbers: Range<u64>,
    threads: usize,
    control: &Control,
) -> Result<Trials, Error> {
    let next = AtomicU64::new(numbers.start);
    let work = || {
        let mut made = Trials::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return Ok(made);
            }
            control.check()?;
            control.progress().reach(number);
            let tried = sampler.try_once(seed, number, &|| control.check())?;
            made.repeats += 1;
            made.reached += u64::from(tried.is_reached);
            made.steps += tried.steps;
        }
    };
    if threads <= 1 {
        return work();
    }
    std::thread::scope(|scope| {
        // More threads than trials would have nothing to do.
        let threads = (threads as u64).min(numbers.end.saturating_sub(numbers.start));
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut all = Trials::default();
        for worker in workers {
            // A panic was printed by its thread.
            all = all.and(worker.join().map_err(|_| Error::WorkerLost)??);
        }
        Ok(all)
    })
}
