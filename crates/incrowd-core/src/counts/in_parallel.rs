//! Many pieces of work on several threads, their results in order.

use std::ops::Range;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Pieces of work for each thread, so that none waits long for another.
const PIECES: usize = 8;

/// The result of `work` for every item, in the order of the items. A panic of `work` is passed on.
pub(crate) fn in_parallel<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.into_iter().map(work).collect();
    }
    let next = Mutex::new(items.into_iter().enumerate());
    let take = || next.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done: Vec<Vec<(usize, R)>> = std::thread::scope(|scope| {
        let run = || {
            let mut done = Vec::new();
            while let Some((at, item)) = take() {
                done.push((at, work(item)));
            }
            done
        };
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut done = vec![run()];
        for other in others {
            match other.join() {
                Ok(results) => done.push(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// So many things as ranges of about equal length, some for each thread; one if there is only one thread.
pub(crate) fn pieces(things: usize, threads: usize) -> Vec<Range<usize>> {
    let pieces = if threads > 1 { PIECES * threads } else { 1 };
    let length = things.div_ceil(pieces).max(1);
    let starts = (0..things).step_by(length);
    starts
        .map(|start| start..things.min(start + length))
        .collect()
}

/// How many threads of a work that is shared have nothing to do, so that whoever has a large piece of it may have help.
///
/// Those who begin something while others are lent do not wait for them: for a while, more threads than there should be are at
/// work.
#[derive(Debug, Default)]
pub(crate) struct SpareThreads(AtomicIsize);

impl SpareThreads {
    /// So many have nothing to do.
    pub(crate) fn new(threads: usize) -> Self {
        SpareThreads(AtomicIsize::new(threads as isize))
    }

    /// One of them is at work until this is dropped.
    pub(crate) fn occupy_one(&self) -> Borrowed<'_> {
        self.0.fetch_sub(1, Ordering::Relaxed);
        Borrowed {
            threads: 1,
            from: self,
        }
    }

    /// All that have nothing to do, until this is dropped.
    pub(crate) fn borrow_all(&self) -> Borrowed<'_> {
        let rest = |spare: isize| (spare > 0).then_some(0);
        let spare = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        Borrowed {
            threads: spare.unwrap_or(0),
            from: self,
        }
    }
}

/// Threads taken from those that had nothing to do.
#[derive(Debug)]
pub(crate) struct Borrowed<'s> {
    threads: isize,
    from: &'s SpareThreads,
}

impl Borrowed<'_> {
    pub(crate) fn count(&self) -> usize {
        self.threads.unsigned_abs()
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        self.from.0.fetch_add(self.threads, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whatever_the_threads() {
        for threads in [0, 1, 2, 8, 200] {
            let squares = in_parallel(threads, (0..100).collect(), |item: u32| item * item);
            assert!(squares.into_iter().eq((0..100).map(|item| item * item)));
        }
    }

    #[test]
    #[should_panic(expected = "item 7")]
    fn a_panic_is_passed_on() {
        in_parallel(3, (0..10).collect(), |item: u32| {
            assert_ne!(item, 7, "item 7")
        });
    }
}
