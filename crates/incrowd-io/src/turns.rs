//! Threads that do a part of their work one after the other, in an order that is settled before.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Something that threads use in turn.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    /// The numbers given out.
    numbers: AtomicU64,
    state: Mutex<State<T>>,
    has_changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    thing: T,
    /// Whose turn it is.
    turn: u64,
    /// Whether there are no more turns.
    is_over: bool,
    /// How long all turns took.
    taken: Duration,
}

impl<T> Turns<T> {
    pub(crate) fn new(thing: T) -> Self {
        Turns {
            numbers: AtomicU64::new(0),
            state: Mutex::new(State {
                thing,
                turn: 0,
                is_over: false,
                taken: Duration::ZERO,
            }),
            has_changed: Condvar::new(),
        }
    }

    /// A place in the queue behind everybody else.
    pub(crate) fn queue_up(&self) -> Waiting<'_, T> {
        Waiting {
            turns: self,
            number: self.numbers.fetch_add(1, Ordering::Relaxed),
            goes_on: false,
        }
    }

    /// How long all turns took so far.
    pub(crate) fn taken(&self) -> Duration {
        self.lock().taken
    }

    /// After a panic there are no more turns, so it does not matter what it left unfinished.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue. Whoever gives it up without having had a turn, by a panic, ends the turns of all: those behind would
/// wait forever.
#[derive(Debug)]
pub(crate) struct Waiting<'a, T> {
    turns: &'a Turns<T>,
    number: u64,
    goes_on: bool,
}

impl<T> Waiting<'_, T> {
    /// How many are or were before it.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Waits for its turn and does this. There are no more turns after one that makes nothing or fails; then nothing is made.
    pub(crate) fn take<R, E>(
        mut self,
        work: impl FnOnce(&mut T) -> Result<Option<R>, E>,
    ) -> Result<Option<R>, E> {
        let mut state = self.turns.lock();
        while state.turn != self.number && !state.is_over {
            let waited = self.turns.has_changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_over {
            return Ok(None);
        }
        let start = Instant::now();
        let made = work(&mut state.thing)?;
        state.taken += start.elapsed();
        self.goes_on = made.is_some();
        Ok(made)
    }
}

impl<T> Drop for Waiting<'_, T> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        match self.goes_on {
            true => state.turn += 1,
            false => state.is_over = true,
        }
        drop(state);
        self.turns.has_changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Every thread adds its numbers in turn until this happens.
    fn numbers(threads: usize, end: impl Fn(u64) -> Result<Option<()>, ()> + Sync) -> Vec<u64> {
        let turns = Turns::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let turn = || {
                        let waiting = turns.queue_up();
                        let number = waiting.number();
                        waiting.take(|numbers| {
                            let end = end(number)?;
                            numbers.push(number);
                            Ok::<_, ()>(end)
                        })
                    };
                    while let Ok(Ok(Some(()))) = catch_unwind(AssertUnwindSafe(turn)) {}
                });
            }
        });
        turns
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .thing
    }

    #[test]
    fn everybody_has_a_turn_in_order_until_one_ends_it() {
        let expected: Vec<u64> = (0..1000).collect();
        for threads in [1, 2, 5] {
            let nothing = |number| Ok((number < 999).then_some(()));
            assert_eq!(numbers(threads, nothing), expected);
            let failed = |number| if number < 1000 { Ok(Some(())) } else { Err(()) };
            assert_eq!(numbers(threads, failed), expected);
            let panicking = |number| {
                assert!(number < 1000, "a turn panics");
                Ok(Some(()))
            };
            assert_eq!(numbers(threads, panicking), expected);
        }
    }

    #[test]
    fn who_leaves_the_queue_ends_the_turns_of_all() {
        let turns = Turns::new(());
        let (first, second) = (turns.queue_up(), turns.queue_up());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| second.take(|()| Ok::<_, ()>(Some(()))));
            drop(first);
            assert_eq!(waiting.join().expect("no panic"), Ok(None));
        });
    }
}
