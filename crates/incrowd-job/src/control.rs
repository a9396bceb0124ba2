//! How a front end watches a run and stops it.

use crate::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a run is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Reading and counting rows; measured in bytes.
    Read,
    /// Looking for the best recoding; measured in nodes.
    Solve,
    /// Reading again, recoding and writing; measured in bytes.
    Write,
}

/// Is told how far a run is.
pub trait Progress: Send + Sync {
    /// A phase begins. `total` is how far it will go, when that is known.
    fn begin(&self, phase: Phase, total: Option<u64>);

    /// So much of the phase is done.
    fn reach(&self, done: u64);

    /// The phase is over.
    fn end(&self);
}

/// Looks at nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _phase: Phase, _total: Option<u64>) {}
    fn reach(&self, _done: u64) {}
    fn end(&self) {}
}

/// The two wires between a run and whoever started it: progress out, cancellation in.
pub struct Control {
    cancelled: AtomicBool,
    progress: Box<dyn Progress>,
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
            progress: Box::new(progress),
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

    /// An error once the run was asked to stop.
    pub fn check(&self) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Who is told how far the run is.
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Removes what an unfinished run has written.
    ///
    /// A run that stops cleans up after itself. This is for one that cannot stop, because it waits for a pipe
    /// that says nothing, while its process is about to end.
    pub fn abandon(&self) {
        self.cancel();
        for path in self.lock_temporary().drain(..) {
            // Already gone is what we want.
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
