//! Pieces of one work on several threads, counted as one.

use super::{Interruption, Meter, Told};
use crate::counts::{Work, in_parallel};

/// The result of `work` for every item, in the order of the items, or why the work was stopped. Each item is counted on a
/// meter of its own, and all of them on `meter`.
pub(crate) fn side_by_side<T: Send, R: Send>(
    meter: &Meter<'_>,
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T, &Meter<'_>) -> Result<R, Interruption> + Sync,
) -> Result<Vec<R>, Interruption> {
    let told = Told::of(meter.spent());
    let meter_of_item = meter.for_task(items.len(), &told);
    let done = in_parallel(threads, items, |item| {
        let own = meter_of_item.begin();
        let result = work(item, &own);
        (result, own.spent())
    });
    let (results, spent): (Vec<_>, Vec<u64>) = done.into_iter().unzip();
    let results = results.into_iter().collect::<Result<Vec<R>, _>>();
    let results = results.map_err(|why| meter.stop(why))?;
    let spent: u64 = spent.iter().sum();
    meter.note_told(told.work().min(meter.spent() + spent));
    meter.spend(Work(spent))?;
    Ok(results)
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
    fn the_watch_can_stop_it() {
        for threads in [1, 2, 3, 8] {
            let (found, _, told) = doubled(threads, 30);
            assert_eq!(found, Err(Interruption::Cancelled));
            assert!(told > 30);
        }
    }
}
