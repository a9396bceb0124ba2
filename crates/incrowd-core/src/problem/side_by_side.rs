//! Pieces of one work on several threads, counted as one.

use super::{Interruption, Meter, Told};
use crate::counts::{Work, in_parallel};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What became of one of several items.
pub(crate) struct Done<R> {
    pub(crate) result: Result<R, Interruption>,
    /// Not counted by the caller yet.
    pub(crate) spent: Work,
}

/// Which of several items was stopped, the first one of those.
#[derive(Debug)]
struct FirstStopped(AtomicUsize);

impl FirstStopped {
    fn none() -> Self {
        FirstStopped(AtomicUsize::new(usize::MAX))
    }

    fn note(&self, at: usize) {
        self.0.fetch_min(at, Ordering::Relaxed);
    }

    /// Whether an item comes before it, so that somebody needs its result.
    fn comes_after(&self, at: usize) -> bool {
        at < self.0.load(Ordering::Relaxed)
    }
}

/// Does `work` for every item, whose results follow in the order of the items, at least up to the first that was stopped. Each
/// item is counted on a meter of its own; the caller counts all of them on `meter`.
pub(crate) fn done_side_by_side<T: Send, R: Send>(
    meter: &Meter<'_>,
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T, &Meter<'_>) -> Result<R, Interruption> + Sync,
) -> Vec<Done<R>> {
    let told = Told::of(meter.spent());
    let meter_of_item = meter.for_task(items.len(), &told);
    let first_stopped = FirstStopped::none();
    let items = items.into_iter().enumerate().collect();
    let done = in_parallel(threads, items, |(at, item)| {
        // It may have been taken before a later one was stopped.
        if !first_stopped.comes_after(at) {
            return None;
        }
        let own = meter_of_item.begin();
        let result = work(item, &own);
        if result.is_err() {
            first_stopped.note(at);
        }
        let spent = Work(own.spent());
        Some(Done { result, spent })
    });
    // Only those after the first that was stopped may be missing.
    let done: Vec<Done<R>> = done.into_iter().map_while(|done| done).collect();
    let spent = meter.spent() + done.iter().map(|done| done.spent.0).sum::<u64>();
    meter.note_told(match told.stopped() {
        // This meter asks nobody again.
        Some(_) => spent,
        None => told.work().min(spent),
    });
    done
}

/// The result of `work` for every item, in the order of the items, or why the work was stopped. Each item is counted on a
/// meter of its own, and all of them on `meter`.
pub(crate) fn side_by_side<T: Send, R: Send>(
    meter: &Meter<'_>,
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T, &Meter<'_>) -> Result<R, Interruption> + Sync,
) -> Result<Vec<R>, Interruption> {
    let done = done_side_by_side(meter, threads, items, work).into_iter();
    let counted = done.map(|Done { result, spent }| {
        meter.spend(spent)?;
        result.map_err(|why| meter.stop(why))
    });
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Progress, Watch};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Remembers the greatest work that it was told of, and stops there.
    struct Limit {
        most: u64,
        told: AtomicU64,
    }

    impl Watch for Limit {
        fn step(&self, progress: Progress) -> Result<(), Interruption> {
            let told = self.told.fetch_max(progress.work, Ordering::Relaxed);
            match told.max(progress.work) > self.most {
                true => Err(Interruption::Cancelled),
                false => Ok(()),
            }
        }

        fn look_every(&self) -> u64 {
            10
        }
    }

    fn doubled(threads: usize, most: u64) -> (Result<Vec<u64>, Interruption>, u64, u64) {
        let watch = Limit {
            most,
            told: AtomicU64::new(0),
        };
        let meter = Meter::new(&watch);
        let found = side_by_side(&meter, threads, (0..100).collect(), |item: u64, meter| {
            meter.spend(Work(3))?;
            Ok(2 * item)
        });
        (found, meter.spent(), watch.told.load(Ordering::Relaxed))
    }

    #[test]
    fn all_is_spent_on_one_meter_and_the_watch_is_told_of_it_once() {
        for threads in [1, 2, 3, 8] {
            let (found, spent, told) = doubled(threads, u64::MAX);
            assert_eq!(found.unwrap(), (0..200).step_by(2).collect::<Vec<u64>>());
            assert_eq!(spent, 300);
            assert!((1..=300).contains(&told), "{told}");
        }
    }

    #[test]
    fn only_items_after_the_first_that_was_stopped_are_left_out() {
        let first = FirstStopped::none();
        assert!(first.comes_after(0) && first.comes_after(100));
        for stopped in [7, 9, 4] {
            first.note(stopped);
        }
        let needed = (0..10).filter(|&at| first.comes_after(at));
        assert!(needed.eq(0..4));
    }

    #[test]
    fn all_before_the_first_that_was_stopped_are_done_whatever_the_threads() {
        let meter = Meter::unlimited();
        for (round, threads) in (0..1000).zip([3, 4, 8].into_iter().cycle()) {
            let stopped_at = round % 10;
            let done = done_side_by_side(&meter, threads, (0..20).collect(), |item, _| {
                match item >= stopped_at {
                    true => Err(Interruption::MemoryFull),
                    false => Ok(item),
                }
            });
            let results = done.into_iter().map(|done| done.result);
            let found: Vec<_> = results.take(stopped_at + 1).collect();
            let before = (0..stopped_at).map(Ok);
            let expected = before.chain([Err(Interruption::MemoryFull)]);
            assert!(found.into_iter().eq(expected), "round {round}");
        }
    }

    #[test]
    fn the_watch_can_stop_it() {
        for threads in [1, 2, 3, 8] {
            let (found, _, told) = doubled(threads, 30);
            assert_eq!(found, Err(Interruption::Cancelled));
            assert!(told > 30);
        }
    }
}
