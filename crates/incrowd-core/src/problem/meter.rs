//! Counts work as it is done, so that limits are kept and the watch is checked in time.
//!
//! Everything that loops over classes, tuples or values [spends](Meter::spend) as many units as it touches. At some
//! tens of nanoseconds each, they stand for time but are the same on every machine: a work limit stops a search at the
//! same point everywhere, a time limit does not. Functions that count work for others return it as [`Work`], which the
//! compiler does not allow to be dropped.

use super::{Interruption, Progress, Unwatched, Watch};
use crate::counts::Work;
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Units of work between two checks of the watch, unless the [watch](Watch::look_every) says otherwise: a few
/// milliseconds.
pub const LOOK_EVERY: u64 = 1 << 16;

/// Counts the work of one search, and checks its watch at regular intervals. Once it has said stop, it keeps saying so.
pub struct Meter<'w> {
    watch: &'w dyn Watch,
    /// The meter whose work this one is part of.
    whole: Option<&'w Meter<'w>>,
    /// What all threads have told the watch of a work that they share.
    shared: Option<&'w Told>,
    look_every: u64,
    limit: u64,
    spent: Cell<u64>,
    looked: Cell<u64>,
    stopped: Cell<Option<Interruption>>,
    progress: Cell<Progress>,
}

/// A meter that a thread can begin; see [`Meter::for_thread`].
#[derive(Clone, Copy)]
pub(crate) struct ThreadMeter<'w> {
    watch: &'w dyn Watch,
    shared: &'w Told,
    look_every: u64,
    limit: u64,
}

impl<'w> ThreadMeter<'w> {
    /// Begins to count.
    pub(crate) fn begin(self) -> Meter<'w> {
        Meter {
            shared: Some(self.shared),
            look_every: self.look_every,
            limit: self.limit,
            stopped: Cell::new(self.shared.stopped()),
            ..Meter::new(self.watch)
        }
    }
}

/// What threads that share a work have told the watch, and whether it said stop: then none of them asks again.
#[derive(Debug)]
pub(crate) struct Told(Mutex<Conversation>);

#[derive(Debug)]
struct Conversation {
    told: Progress,
    stopped: Option<Interruption>,
}

impl Told {
    /// So much work and nothing else.
    pub(crate) fn of(work: u64) -> Self {
        let told = Progress {
            work,
            ..Progress::default()
        };
        Told(Mutex::new(Conversation {
            told,
            stopped: None,
        }))
    }

    /// How much work.
    pub(crate) fn work(&self) -> u64 {
        self.lock().told.work
    }

    /// At least so much work.
    pub(crate) fn raise(&self, work: u64) {
        let told = &mut self.lock().told;
        told.work = told.work.max(work);
    }

    /// What the watch said, if it was to stop.
    pub(crate) fn stopped(&self) -> Option<Interruption> {
        self.lock().stopped
    }

    /// None of the threads does any more.
    pub(crate) fn stop(&self, why: Interruption) {
        self.lock().stopped.get_or_insert(why);
    }

    /// Tells the watch of so much more work and of what is known now. Others wait, so that it hears of more work each time.
    fn tell(&self, watch: &dyn Watch, work: u64, known: Progress) -> Result<(), Interruption> {
        let mut conversation = self.lock();
        if let Some(why) = conversation.stopped {
            return Err(why);
        }
        conversation.add(work, known);
        let said = watch.step(conversation.told);
        conversation.stopped = said.err();
        said
    }

    fn lock(&self) -> MutexGuard<'_, Conversation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conversation {
    /// So much more work, and what is known now. Parts of a work may be begun when less is known than while they are done, so
    /// nothing that was told is taken back.
    fn add(&mut self, work: u64, known: Progress) {
        let told = &mut self.told;
        let best = told.best.into_iter().chain(known.best);
        *told = Progress {
            nodes_checked: told.nodes_checked.max(known.nodes_checked),
            best: best.min(),
            lower_bound: told.lower_bound.max(known.lower_bound),
            work: told.work + work,
        };
    }
}

impl std::fmt::Debug for Meter<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Meter")
            .field("spent", &self.spent.get())
            .field("limit", &self.limit)
            .field("stopped", &self.stopped.get())
            .finish_non_exhaustive()
    }
}

impl<'w> Meter<'w> {
    /// A search that begins now, under the limits of the watch.
    pub fn new(watch: &'w dyn Watch) -> Self {
        Meter {
            watch,
            whole: None,
            shared: None,
            look_every: watch.look_every(),
            limit: watch.work_limit().unwrap_or(u64::MAX),
            spent: Cell::new(0),
            looked: Cell::new(0),
            stopped: Cell::new(None),
            progress: Cell::new(Progress::default()),
        }
    }

    /// Counts but never stops: for work that must be completed.
    pub fn unlimited() -> Self {
        Meter::new(&Unwatched)
    }

    /// A part of this work that ends after its own number of units. Its notes are separate.
    pub fn part(&'w self, most: u64) -> Self {
        Meter {
            watch: &Unwatched,
            whole: Some(self),
            look_every: u64::MAX,
            limit: most,
            ..Meter::unlimited()
        }
    }

    /// What another thread needs to count a part of this work, of which there are so many, up to its own number of units.
    /// Whoever started the thread spends on this meter what it spent. `shared` begins with what this one has spent.
    pub(crate) fn for_thread<'t>(
        &self,
        parts: usize,
        most: u64,
        shared: &'t Told,
    ) -> ThreadMeter<'t>
    where
        'w: 't,
    {
        let parts = parts.max(1) as u64;
        let mut conversation = shared.lock();
        conversation.add(0, self.progress.get());
        conversation.stopped = conversation.stopped.or(self.stopped.get());
        drop(conversation);
        ThreadMeter {
            watch: self.watch,
            shared,
            look_every: (self.look_every / parts).max(1),
            limit: (self.limit.saturating_sub(self.spent.get()) / parts).min(most),
        }
    }

    /// What another thread needs to count one of so many tasks. They are done at once but spent on this meter in order, so each
    /// may use all that is left now. `shared` is at least what the watch [was told](Meter::told) of this one.
    pub(crate) fn for_task<'t>(&self, tasks: usize, shared: &'t Told) -> ThreadMeter<'t>
    where
        'w: 't,
    {
        ThreadMeter {
            limit: self.limit.saturating_sub(self.spent.get()),
            ..self.for_thread(tasks, u64::MAX, shared)
        }
    }

    /// Counts work that was done; an error if the limit is reached. Checks the watch when due.
    #[inline]
    pub fn spend(&self, Work(units): Work) -> Result<(), Interruption> {
        if let Some(interruption) = self.stopped.get() {
            return Err(interruption);
        }
        let spent = self.spent.get().saturating_add(units);
        self.spent.set(spent);
        if let Some(whole) = self.whole {
            whole.spend(Work(units)).map_err(|why| self.stop(why))?;
        }
        if spent > self.limit {
            return Err(self.stop(Interruption::WorkDone));
        }
        if spent.saturating_sub(self.looked.get()) < self.look_every {
            return Ok(());
        }
        self.look()
    }

    #[cold]
    fn look(&self) -> Result<(), Interruption> {
        let spent = self.spent.get();
        let since = spent.saturating_sub(self.looked.replace(spent));
        let known = self.progress.get();
        let said = match self.shared {
            Some(shared) => shared.tell(self.watch, since, known),
            None => self.watch.step(Progress {
                work: spent,
                ..known
            }),
        };
        said.map_err(|why| self.stop(why))
    }

    /// How much of this work the watch was told.
    pub(crate) fn told(&self) -> u64 {
        self.looked.get()
    }

    /// Notes that the watch was told so much of this work, by [tasks](Meter::for_task) that are not spent yet.
    pub(crate) fn note_told(&self, work: u64) {
        self.looked.set(self.looked.get().max(work));
    }

    /// From now on, only this is returned.
    pub(crate) fn stop(&self, why: Interruption) -> Interruption {
        self.stopped.set(Some(why));
        why
    }

    /// Records the state of the search, for the next check.
    pub fn note(&self, progress: Progress) {
        self.progress.set(progress);
    }

    /// Units spent so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Why the search was stopped, if it was.
    pub fn stopped(&self) -> Option<Interruption> {
        self.stopped.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utility::Loss;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Records at how much work it was called, and stops at a given amount.
    struct Seen {
        looks: AtomicU64,
        last: AtomicU64,
        stops_at: u64,
    }

    impl Watch for Seen {
        fn step(&self, progress: Progress) -> Result<(), Interruption> {
            self.looks.fetch_add(1, Ordering::Relaxed);
            self.last.store(progress.work, Ordering::Relaxed);
            match progress.work >= self.stops_at {
                true => Err(Interruption::TimeUp),
                false => Ok(()),
            }
        }

        fn look_every(&self) -> u64 {
            10
        }

        fn work_limit(&self) -> Option<u64> {
            Some(100)
        }
    }

    fn seen(stops_at: u64) -> Seen {
        Seen {
            looks: AtomicU64::new(0),
            last: AtomicU64::new(0),
            stops_at,
        }
    }

    #[test]
    fn the_watch_is_looked_at_every_so_many_units_and_the_limit_is_kept_exactly() {
        let watch = seen(u64::MAX);
        let meter = Meter::new(&watch);
        for _ in 0..100 {
            meter.spend(Work(1)).unwrap();
        }
        assert_eq!(watch.looks.load(Ordering::Relaxed), 10);
        assert_eq!(meter.spend(Work(1)), Err(Interruption::WorkDone));
        assert_eq!(meter.spent(), 101);
    }

    #[test]
    fn who_was_stopped_stays_stopped() {
        let watch = seen(30);
        let meter = Meter::new(&watch);
        while meter.spend(Work(3)).is_ok() {}
        assert_eq!(meter.stopped(), Some(Interruption::TimeUp));
        assert_eq!(watch.last.load(Ordering::Relaxed), 36);
        assert_eq!(meter.spend(Work(0)), Err(Interruption::TimeUp));
    }

    #[test]
    fn threads_take_nothing_back_that_was_told() {
        let known = |nodes_checked, best: f64, lower_bound: f64| Progress {
            nodes_checked,
            best: Some(Loss(best)),
            lower_bound: Some(Loss(lower_bound)),
            work: 0,
        };
        let told = Told::of(7);
        let add = |work, known| {
            let mut conversation = told.lock();
            conversation.add(work, known);
            conversation.told
        };
        assert_eq!(add(0, Progress::default()).best, None);
        let first = add(3, known(4, 0.5, 0.1));
        assert_eq!(
            first,
            Progress {
                work: 10,
                ..known(4, 0.5, 0.1)
            }
        );
        let stale = add(5, known(2, 0.9, 0.0));
        assert_eq!(stale, Progress { work: 15, ..first });
        let newer = add(0, known(9, 0.4, 0.3));
        assert_eq!(
            newer,
            Progress {
                work: 15,
                ..known(9, 0.4, 0.3)
            }
        );
        told.raise(12);
        assert_eq!(told.work(), 15);
        told.raise(20);
        assert_eq!(add(0, Progress::default()), Progress { work: 20, ..newer });
    }

    #[test]
    fn a_watch_that_said_stop_is_not_asked_again_by_any_thread() {
        let watch = seen(30);
        let meter = Meter::new(&watch);
        let told = Told::of(0);
        let of_thread = meter.for_thread(1, u64::MAX, &told);
        let (first, second) = (of_thread.begin(), of_thread.begin());
        while first.spend(Work(3)).is_ok() {}
        assert_eq!(told.stopped(), Some(Interruption::TimeUp));
        let looks = watch.looks.load(Ordering::Relaxed);
        assert_eq!(second.spend(Work(9)), Ok(()));
        assert_eq!(second.spend(Work(9)), Err(Interruption::TimeUp));
        assert_eq!(of_thread.begin().spend(Work(1)), Err(Interruption::TimeUp));
        assert_eq!(watch.looks.load(Ordering::Relaxed), looks);
    }

    #[test]
    fn threads_of_a_work_that_was_stopped_do_nothing() {
        let watch = seen(u64::MAX);
        let meter = Meter::new(&watch);
        assert_eq!(meter.spend(Work(101)), Err(Interruption::WorkDone));
        let told = Told::of(meter.spent());
        let of_thread = meter.for_thread(2, u64::MAX, &told);
        assert_eq!(
            of_thread.begin().spend(Work(0)),
            Err(Interruption::WorkDone)
        );
    }

    #[test]
    fn a_part_ends_by_itself_or_with_the_whole() {
        let watch = seen(u64::MAX);
        let meter = Meter::new(&watch);
        let part = meter.part(20);
        while part.spend(Work(7)).is_ok() {}
        assert_eq!(part.stopped(), Some(Interruption::WorkDone));
        assert_eq!((meter.spent(), meter.stopped()), (21, None));
        let longer = meter.part(1000);
        while longer.spend(Work(7)).is_ok() {}
        assert_eq!(meter.stopped(), Some(Interruption::WorkDone));
        assert_eq!(longer.stopped(), Some(Interruption::WorkDone));
        assert_eq!(meter.spent(), 105);
    }
}
