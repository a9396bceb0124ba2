//! Runs work with the interpreter released, and watches over it: Ctrl-C and other threads stop it, progress is told.

use crate::errors::Failure;
use incrowd_job::{Control, Error, Phase, Progress};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// How often to look whether Ctrl-C was pressed, and to tell of progress.
pub(crate) const GLANCE: Duration = Duration::from_millis(50);

/// Stops jobs from another thread.
#[pyclass(frozen, module = "incrowd._native")]
#[derive(Default)]
pub(crate) struct Stop {
    is_requested: AtomicBool,
    running: Mutex<Vec<Weak<Control>>>,
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Stop::default()
    }

    /// Stops every job that was given this object, now and from now on.
    fn now(&self) {
        self.is_requested.store(true, Ordering::SeqCst);
        self.for_each_running(Control::cancel);
    }

    /// Asks searches that are under way for the best they have found so far; whether there was any.
    fn take_best(&self) -> bool {
        let mut asked = false;
        self.for_each_running(|control| asked |= control.ask_for_best());
        asked
    }

    /// Whether jobs are stopped.
    #[getter]
    pub(crate) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::SeqCst)
    }
}

impl Stop {
    fn for_each_running(&self, mut each: impl FnMut(&Control)) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|control| match control.upgrade() {
            Some(control) => {
                each(&control);
                true
            }
            None => false,
        });
    }

    fn watch(&self, control: &Arc<Control>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|control| control.strong_count() > 0);
        running.push(Arc::downgrade(control));
        drop(running);
        // Asked for after the list was extended, so that no request is missed.
        if self.is_requested() {
            control.cancel();
        }
    }

    fn forget(&self, control: &Arc<Control>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|other| !std::ptr::eq(other.as_ptr(), Arc::as_ptr(control)));
    }
}

/// How far a run is.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// One more than the phase; 0 before the first.
    phase: AtomicU64,
    /// 0 if not known.
    total: AtomicU64,
    done: AtomicU64,
}

const PHASES: [(Phase, &str); 4] = [
    (Phase::Read, "read"),
    (Phase::Solve, "search"),
    (Phase::Write, "write"),
    (Phase::Simulate, "simulate"),
];

/// Notes how far a run is, for whoever looks.
struct Noted(Arc<Reached>);

impl Progress for Noted {
    fn begin(&self, phase: Phase, total: Option<u64>) {
        let at = PHASES.iter().position(|(known, _)| *known == phase);
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(total.unwrap_or(0), Ordering::Relaxed);
        let number = at.map_or(0, |at| at as u64 + 1);
        self.0.phase.store(number, Ordering::Relaxed);
    }

    fn reach(&self, done: u64) {
        self.0.done.store(done, Ordering::Relaxed);
    }

    fn end(&self) {}
}

/// What a run and those who watch it share.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    pub(crate) control: Arc<Control>,
    reached: Arc<Reached>,
}

impl Watched {
    pub(crate) fn new() -> Self {
        let reached = Arc::new(Reached::default());
        Watched {
            control: Arc::new(Control::new(Noted(Arc::clone(&reached)))),
            reached,
        }
    }

    /// The phase, what is done of it, and all there is to do.
    fn standing(&self) -> Option<(&'static str, u64, Option<u64>)> {
        let number = self.reached.phase.load(Ordering::Relaxed) as usize;
        let (_, phase) = PHASES.get(number.checked_sub(1)?)?;
        let total = self.reached.total.load(Ordering::Relaxed);
        let done = self.reached.done.load(Ordering::Relaxed);
        Some((phase, done, (total > 0).then_some(total)))
    }
}

/// Who wants to know of a run, and who may stop it.
#[derive(Default)]
pub(crate) struct Watchers {
    /// Called with the phase, what is done, and all there is to do.
    pub(crate) progress: Option<Py<PyAny>>,
    pub(crate) stop: Option<Py<Stop>>,
}

/// Does work on a thread of its own until it is done or stopped.
pub(crate) fn supervise<T: Send>(
    py: Python<'_>,
    watched: &Watched,
    watchers: &Watchers,
    work: impl FnOnce(&Arc<Control>) -> Result<T, Error> + Send,
) -> Result<T, Failure> {
    let control = &watched.control;
    if let Some(stop) = &watchers.stop {
        stop.get().watch(control);
    }
    // Nothing is waited for with the interpreter held: what produced a table may need it to take its memory back.
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (answer_out, answer) = channel();
            scope.spawn(move || {
                let done = catch_unwind(AssertUnwindSafe(|| work(control)));
                // Nobody waits any more only if the process ends.
                let _ = answer_out.send(done);
            });
            loop {
                match answer.recv_timeout(GLANCE) {
                    Ok(done) => return Ok(done),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Failure::from(Error::Cancelled));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                let looked = Python::attach(|py| -> PyResult<()> {
                    py.check_signals()?;
                    match (&watchers.progress, watched.standing()) {
                        (Some(progress), Some(standing)) => progress.call1(py, standing).map(drop),
                        _ => Ok(()),
                    }
                });
                if let Err(raised) = looked {
                    control.cancel();
                    // It stops at its next batch of rows or step of the search.
                    let _ = answer.recv();
                    return Err(Failure::from(raised));
                }
            }
        })
    });
    if let Some(stop) = &watchers.stop {
        stop.get().forget(control);
    }
    match done? {
        Ok(answered) => Ok(answered?),
        Err(_) => Err(Failure::Python {
            code: "internal",
            message: "an internal check of incrowd failed; nothing was released".into(),
            hint: "please report this with the call that led to it, without your data".into(),
        }),
    }
}
