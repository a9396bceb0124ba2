//! How a front end monitors and stops a run.

use crate::error::Error;
use crate::spec::TimeLimit;
use incrowd_core::problem::{self, Interruption, Watch};
use incrowd_io::{Approach, Cancel, LastStep};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Reading and counting rows; measured in bytes.
    Read,
    /// Searching for the best recoding; measured in nodes.
    Solve,
    /// Reading again, recoding and writing; measured in bytes.
    Write,
    /// Drawing random tables; measured in tables.
    Simulate,
}

/// Receives the progress of a run.
pub trait Progress: Send + Sync {
    /// A phase begins. `total` is its size, if known.
    fn begin(&self, phase: Phase, total: Option<u64>);

    /// This much of the phase is done.
    fn reach(&self, done: u64);

    /// The state of a search.
    fn search(&self, standing: Standing) {
        self.reach(standing.nodes_checked);
    }

    /// The phase is over.
    fn end(&self);
}

/// The state of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Nodes whose classes were counted.
    pub nodes_checked: u64,
    /// The lowest loss found so far.
    pub best: Option<f64>,
    /// No recoding has a lower loss.
    pub lower_bound: Option<f64>,
    /// Steps of work done.
    pub work: u64,
    /// The work limit.
    pub work_limit: Option<u64>,
}

impl Standing {
    /// How far below the best loss the optimum could be, as a share, if known.
    pub fn gap(&self) -> Option<f64> {
        let (best, bound) = (self.best?, self.lower_bound?);
        match best > bound && best != 0.0 {
            true => Some((best - bound) / best.abs()),
            false => Some(0.0),
        }
    }
}

/// How often to check whether an engine is to be stopped.
const GLANCE: Duration = Duration::from_millis(50);

/// Ignores all progress.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _phase: Phase, _total: Option<u64>) {}
    fn reach(&self, _done: u64) {}
    fn end(&self) {}
}

/// A deadline.
#[derive(Debug, Clone, Copy)]
struct Due {
    phase: Phase,
    until: Instant,
    /// The limit as the user wrote it.
    limit: TimeLimit,
}

/// Connects a run with its caller: progress goes out; requests to stop, or to return the best result so far, come in.
pub struct Control {
    cancelled: AtomicBool,
    asked_for_best: AtomicBool,
    is_searching: AtomicBool,
    is_publishing: AtomicBool,
    begun_at: Mutex<Option<String>>,
    /// The deadline of the current phase.
    due: Mutex<Option<Due>>,
    progress: Box<dyn Progress>,
    /// Stop the engines that the run has asked for anything.
    engines: Mutex<Vec<Cancel>>,
    /// Whether somebody looks whether they have to be stopped.
    is_watched: AtomicBool,
    /// Files that exist only until the run ends.
    temporary: Mutex<Vec<PathBuf>>,
}

impl Default for Control {
    fn default() -> Self {
        Control::new(NoProgress)
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Control")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

impl Control {
    /// A run that reports to `progress`.
    pub fn new(progress: impl Progress + 'static) -> Self {
        Control {
            cancelled: AtomicBool::new(false),
            asked_for_best: AtomicBool::new(false),
            is_searching: AtomicBool::new(false),
            is_publishing: AtomicBool::new(false),
            begun_at: Mutex::default(),
            due: Mutex::default(),
            progress: Box::new(progress),
            engines: Mutex::default(),
            is_watched: AtomicBool::new(false),
            temporary: Mutex::default(),
        }
    }

    /// Asks the run to stop; it does so at its next batch of rows or step of the search.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Asks a search that is under way for the best it has found; false when there is none to ask, or it was asked
    /// before.
    pub fn ask_for_best(&self) -> bool {
        self.is_searching.load(Ordering::Relaxed)
            && !self.asked_for_best.swap(true, Ordering::Relaxed)
    }

    /// A request to one search does not apply to the next.
    pub(crate) fn forget_asked(&self) {
        self.asked_for_best.store(false, Ordering::Relaxed);
    }

    /// Whether the best result so far is requested.
    pub fn is_asked_for_best(&self) -> bool {
        self.asked_for_best.load(Ordering::Relaxed)
    }

    /// An error if the run was asked to stop, or the current phase takes too long.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let due = *self.lock_due();
        match due.filter(|due| Instant::now() >= due.until) {
            None => Ok(()),
            Some(Due { phase, limit, .. }) => Err(match phase {
                Phase::Read => Error::TimeUpReading {
                    limit: limit.to_string(),
                },
                Phase::Simulate => Error::TimeUpSimulating {
                    limit: limit.to_string(),
                },
                Phase::Solve | Phase::Write => Error::TimeUpWriting {
                    limit: limit.to_string(),
                },
            }),
        }
    }

    /// Runs a phase with a time limit. A search watches its own limit, since it has a result to show when time is up.
    pub(crate) fn within<T>(
        &self,
        limit: Option<TimeLimit>,
        phase: Phase,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let due = limit.and_then(|limit| {
            Some(Due {
                phase,
                until: Instant::now().checked_add(limit.0)?,
                limit,
            })
        });
        // A phase may be part of another one, whose time goes on.
        let outer = *self.lock_due();
        let both = outer.into_iter().chain(due);
        *self.lock_due() = both.min_by_key(|due| due.until);
        let done = work();
        let stopped = self.check();
        *self.lock_due() = outer;
        match done {
            // The core does not know why it was stopped.
            Err(Error::Core(
                incrowd_core::Error::CheckStopped | incrowd_core::Error::Cancelled,
            )) => stopped.and(done),
            done => done,
        }
    }

    /// Notes an engine that works for this run, by what stops it.
    pub(crate) fn add_engine(&self, cancel: Option<Cancel>) {
        self.lock_engines().extend(cancel);
    }

    /// Whether an engine elsewhere works for this run, which has something to undo if the run is stopped.
    pub fn has_engine(&self) -> bool {
        !self.lock_engines().is_empty()
    }

    fn lock_engines(&self) -> std::sync::MutexGuard<'_, Vec<Cancel>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what an engine elsewhere may take long for, if there is one. It is stopped when the run was asked to stop or
    /// takes too long.
    pub(crate) fn while_engine_works<T>(
        &self,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self.has_engine() {
            true => self.while_engine_is_reached(work),
            false => work(),
        }
    }

    /// The same for work that finds an engine.
    pub(crate) fn while_engine_is_reached<T>(
        &self,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        // Parts of what is watched are watched.
        if self.is_watched.swap(true, Ordering::SeqCst) {
            return work();
        }
        let done = self.watch_engines(work);
        self.is_watched.store(false, Ordering::SeqCst);
        done
    }

    fn watch_engines<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let (is_working, waiting) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let waiting = waiting;
                let mut pause = GLANCE;
                while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(pause) {
                    if self.check().is_err() {
                        let engines = self.lock_engines().clone();
                        engines.iter().for_each(|cancel| cancel());
                        // The statement may not have begun, so that it has to be stopped once more.
                        pause = 10 * GLANCE;
                    }
                }
            });
            let done = work();
            drop(is_working);
            match done {
                // The engine does not know why it was stopped.
                Err(Error::Io(incrowd_io::Error::Engine(error))) if error.is_stop() => {
                    self.check()?;
                    Err(incrowd_io::Error::Engine(error).into())
                }
                done => done,
            }
        })
    }

    /// Makes a release visible elsewhere, unless the run was asked to stop before. What takes long can be stopped, and says
    /// what it has left; from then on nobody can say that nothing was written.
    pub(crate) fn publish(&self, last: LastStep) -> Result<(), Error> {
        self.check()?;
        if let Some(Approach { place, step }) = last.approach {
            *self.lock_begun_at() = Some(place);
            self.while_engine_works(|| Ok(step()?))?;
            *self.lock_begun_at() = None;
        }
        self.is_publishing.store(true, Ordering::SeqCst);
        Ok((last.step)()?)
    }

    /// The place in which the run has begun to write what others see, unless it is finished: whoever stops the run has to look
    /// there.
    pub fn begun_at(&self) -> Option<String> {
        self.lock_begun_at().clone()
    }

    fn lock_begun_at(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.begun_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn end_publishing(&self) {
        self.is_publishing.store(false, Ordering::SeqCst);
    }

    /// Whether a release is becoming visible at this moment. The run ends soon, and knows whether it did.
    pub fn is_publishing(&self) -> bool {
        self.is_publishing.load(Ordering::SeqCst)
    }

    fn lock_due(&self) -> std::sync::MutexGuard<'_, Option<Due>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a search, which can be asked for its best result until the returned value is dropped.
    pub(crate) fn begin_search(&self, total: Option<u64>) -> Searching<'_> {
        self.progress.begin(Phase::Solve, total);
        self.is_searching.store(true, Ordering::Relaxed);
        Searching(self)
    }

    /// The receiver of progress.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Removes what an unfinished run wrote.
    ///
    /// A run that stops cleans up after itself. This is for a run that cannot stop because it waits for a silent pipe,
    /// while its process is about to end.
    pub fn abandon(&self) {
        self.cancel();
        for path in self.lock_temporary().drain(..) {
            // A file that is already gone is fine.
            let _ = std::fs::remove_file(path);
        }
    }

    pub(crate) fn add_temporary(&self, path: &Path) {
        self.lock_temporary().push(path.to_path_buf());
    }

    pub(crate) fn forget_temporary(&self) {
        self.lock_temporary().clear();
    }

    fn lock_temporary(&self) -> std::sync::MutexGuard<'_, Vec<PathBuf>> {
        self.temporary
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A search in progress.
pub(crate) struct Searching<'a>(&'a Control);

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.0.is_searching.store(false, Ordering::Relaxed);
        self.0.progress.end();
    }
}

/// Stops work of the core that has no partial result.
pub(crate) struct PhaseWatch<'a>(pub(crate) &'a Control);

impl Watch for PhaseWatch<'_> {
    fn step(&self, _: problem::Progress) -> Result<(), Interruption> {
        match self.0.check() {
            Ok(()) => Ok(()),
            Err(Error::Cancelled) => Err(Interruption::Cancelled),
            Err(_) => Err(Interruption::TimeUp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_core::Error as CoreError;
    use std::time::Duration;

    /// What a phase sees that checks the time once, as the core does.
    fn phase(control: &Control, limit: Option<TimeLimit>, phase: Phase) -> Result<(), Error> {
        control.within(limit, phase, || {
            let looked = PhaseWatch(control).step(problem::Progress::default());
            Ok(looked.map_err(|why| match why {
                Interruption::Cancelled => CoreError::Cancelled,
                _ => CoreError::CheckStopped,
            })?)
        })
    }

    #[test]
    fn a_phase_within_a_phase_ends_with_it_and_leaves_it_its_time() {
        let limit = |seconds| Some(TimeLimit(Duration::from_secs(seconds)));
        let control = Control::default();
        let inner = control.within(limit(0), Phase::Write, || {
            phase(&control, limit(3600), Phase::Read)
        });
        assert!(matches!(inner, Err(Error::TimeUpWriting { .. })));
        let outer = control.within(limit(3600), Phase::Write, || {
            assert!(phase(&control, limit(0), Phase::Read).is_err());
            control.check()
        });
        assert!(outer.is_ok(), "the time of the inner phase ends with it");
    }

    #[test]
    fn whoever_stops_a_phase_is_named_by_the_error() {
        let no_time = Some(TimeLimit(Duration::ZERO));
        let control = Control::default();
        assert!(phase(&control, None, Phase::Write).is_ok());
        assert!(matches!(
            phase(&control, no_time, Phase::Read),
            Err(Error::TimeUpReading { .. })
        ));
        assert!(matches!(
            phase(&control, no_time, Phase::Write),
            Err(Error::TimeUpWriting { .. })
        ));
        assert!(control.check().is_ok(), "the time of a phase ends with it");
        control.cancel();
        for limit in [None, no_time] {
            let stopped = phase(&control, limit, Phase::Write);
            assert!(matches!(stopped, Err(Error::Cancelled)));
        }
    }
}
