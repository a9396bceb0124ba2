//! Things made on several threads and taken in their order.
//!
//! A fixed number of them circulates, so their memory does not grow however unequal the speeds of makers and taker are. Errors are
//! taken in order too: what comes out does not depend on the number of threads.
//!
//! A panic on another thread is treated like any other error of what it was making, so it ends the run: otherwise the taker would
//! wait for that forever.

use crate::error::Error;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

/// Something made, by its number in the order.
pub(crate) type Numbered<T> = (u64, Result<T, Error>);

/// Turns a panic into an error. It ends the run, so it does not matter what the panic left unfinished.
pub(crate) fn unless_panicking<T>(step: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or(Err(Error::WorkerLost))
}

/// Has each of the `workers` make some of `count` things on a thread of its own, in the memory of things that were taken, and takes
/// them in order on the calling thread. A single worker works there too. Returns the workers with their state: together they made
/// each thing once.
pub(crate) fn make_in_order<W: Send, T: Default + Send>(
    mut workers: Vec<W>,
    count: u64,
    make: impl Fn(&mut W, u64, &mut T) -> Result<(), Error> + Sync,
    mut take: impl FnMut(u64, &mut T) -> Result<(), Error>,
) -> Result<Vec<W>, Error> {
    if let [worker] = &mut workers[..] {
        let mut made = T::default();
        for number in 0..count {
            make(worker, number, &mut made)?;
            take(number, &mut made)?;
        }
        return Ok(workers);
    }
    let (idle_out, idle) = circulating(workers.len())?;
    let (done_out, done) = unbounded();
    let next = AtomicU64::new(0);
    // Who has room takes the next number, never the other way round: else the least number could wait for room that those after it
    // have, which are not taken before it.
    let make_some = |worker: &mut W, idle: Receiver<T>, done_out: Sender<Numbered<T>>| {
        for mut room in idle {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let made = unless_panicking(|| make(worker, number, &mut room)).map(|()| room);
            // Nobody listens once an earlier one has failed.
            if done_out.send((number, made)).is_err() {
                return;
            }
        }
    };
    let make_some = &make_some;
    let taken = std::thread::scope(|scope| {
        for worker in &mut workers {
            let (idle, done_out) = (idle.clone(), done_out.clone());
            scope.spawn(move || make_some(worker, idle, done_out));
        }
        // Our sender must go, or the end would never be seen.
        drop(done_out);
        take_in_order(done, idle_out, &mut take)
    })?;
    if taken < count {
        return Err(Error::WorkerLost);
    }
    Ok(workers)
}

/// Room for things that so many threads make: each has one under way and another waiting to be taken, and keeps one when it ends.
pub(crate) fn circulating<T: Default>(threads: usize) -> Result<(Sender<T>, Receiver<T>), Error> {
    let (idle_out, idle) = unbounded();
    for _ in 0..2 * threads + 2 {
        let room = T::default();
        idle_out.send(room).map_err(|_| Error::WorkerLost)?;
    }
    Ok((idle_out, idle))
}

/// Takes everything that is done in its order, up to the first error, and gives it back to be used again. Returns how many.
pub(crate) fn take_in_order<T>(
    done: Receiver<Numbered<T>>,
    idle_out: Sender<T>,
    take: &mut impl FnMut(u64, &mut T) -> Result<(), Error>,
) -> Result<u64, Error> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, made) in done {
        early.insert(number, made);
        while let Some(made) = early.remove(&next) {
            let mut made = made?;
            take(next, &mut made)?;
            // All may have been made.
            let _ = idle_out.send(made);
            next += 1;
        }
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    /// Makes numbers and takes them. Returns what was taken, and what each worker made.
    fn taken(
        workers: usize,
        count: u64,
        fails_at: Option<u64>,
    ) -> (Vec<u64>, Result<Vec<Vec<u64>>, Error>) {
        let mut taken = Vec::new();
        let made = make_in_order(
            vec![Vec::new(); workers],
            count,
            |own: &mut Vec<u64>, number, made| {
                // The first of many is the last to be ready.
                if number.is_multiple_of(7) {
                    std::thread::sleep(Duration::from_micros(200));
                }
                if fails_at.is_some_and(|at| number >= at) {
                    return Err(Error::NoData);
                }
                *made = number;
                own.push(number);
                Ok(())
            },
            |number, made| {
                assert_eq!(number, *made);
                taken.push(*made);
                Ok(())
            },
        );
        (taken, made)
    }

    #[test]
    fn all_are_made_once_and_taken_in_order_whatever_the_number_of_workers() {
        for workers in [1, 2, 3, 4, 8] {
            for count in [0, 1, 2, 17, 1000] {
                let (taken, made) = taken(workers, count, None);
                let made = made.unwrap();
                assert!(taken.into_iter().eq(0..count), "{workers}, {count}");
                assert_eq!(made.len(), workers);
                let mut made = made.concat();
                made.sort_unstable();
                assert!(made.into_iter().eq(0..count), "{workers}, {count}");
            }
        }
        let (_, made) = taken(0, 1, None);
        assert!(matches!(made, Err(Error::WorkerLost)));
    }

    #[test]
    fn nothing_is_taken_after_the_first_error() {
        for workers in [1, 2, 3, 4, 8] {
            for at in [0, 1, 50] {
                let (taken, made) = taken(workers, 100, Some(at));
                assert!(matches!(made, Err(Error::NoData)));
                assert!(taken.into_iter().eq(0..at), "{workers}, {at}");
            }
        }
    }

    #[test]
    fn an_error_of_the_taker_ends_all_threads() {
        for workers in [1, 2, 8] {
            let made = AtomicUsize::new(0);
            let failed = make_in_order(
                vec![(); workers],
                1_000_000,
                |(), _, (): &mut ()| {
                    made.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                },
                |_, ()| Err(Error::NoData),
            );
            assert!(matches!(failed, Err(Error::NoData)));
            assert!(made.into_inner() <= 2 * workers + 2);
        }
    }

    #[test]
    fn some_are_made_at_once() {
        let (say, hear) = unbounded();
        make_in_order(
            vec![(); 2],
            10,
            |(), number, (): &mut ()| {
                match number {
                    0 => hear.recv_timeout(Duration::from_secs(60)).unwrap(),
                    1 => say.send(()).unwrap(),
                    _ => {}
                }
                Ok(())
            },
            |_, ()| Ok(()),
        )
        .unwrap();
    }

    #[test]
    fn no_more_are_under_way_than_circulate() {
        let (workers, count, under_way) = (3, 200, AtomicUsize::new(0));
        make_in_order(
            vec![(); workers],
            count,
            |(), _, (): &mut ()| {
                let others = under_way.fetch_add(1, Ordering::Relaxed);
                assert!(others < 2 * workers + 2);
                Ok(())
            },
            |_, ()| {
                std::thread::sleep(Duration::from_micros(100));
                under_way.fetch_sub(1, Ordering::Relaxed);
                Ok(())
            },
        )
        .unwrap();
    }

    #[test]
    fn a_panic_ends_the_run_with_an_error() {
        for workers in [2, 8] {
            let mut taken = 0;
            let failed = make_in_order(
                vec![(); workers],
                100,
                |(), number, (): &mut ()| {
                    assert!(number != 30, "the maker panics");
                    Ok(())
                },
                |_, ()| {
                    taken += 1;
                    Ok(())
                },
            );
            assert!(matches!(failed, Err(Error::WorkerLost)));
            assert_eq!(taken, 30);
        }
    }
}
