//! The thread on which everything that waits for the network runs.
//!
//! Statements are asked for one after the other by threads that may block. The network goes on between them: a server
//! that asks whether we are still there gets its answer during a search of an hour.

use std::future::Future;
use std::thread::JoinHandle;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle as Task;

/// A runtime of one thread, which ends with it.
pub(crate) struct Wire {
    handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// The name of the thread says whose network it is.
    pub(crate) fn start(name: &str) -> std::io::Result<Wire> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name(name.into());
        let thread = thread.spawn(move || {
            // Whether it was told to end or whoever could tell it is gone is the same.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Wire {
            handle,
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// Waits for something to be done.
    pub(crate) fn wait<F: Future>(&self, work: F) -> F::Output {
        self.handle.block_on(work)
    }

    /// Has something done that nobody has to wait for.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Task<()> {
        self.handle.spawn(work)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
