//! Ctrl-C in every phase: a clean stop, and nothing half-written.
//!
//! The command runs on a thread of its own. On Ctrl-C it is asked to stop, which it does at its next batch of
//! rows or step of the search, cleaning up on the way. A command that cannot stop, because it waits for a pipe
//! that says nothing, is given up after a moment, and its temporary files are removed here. A second Ctrl-C ends
//! the program at once.

use crate::args::Cli;
use crate::progress::Bars;
use crate::{Reply, STOPPED, commands};
use incrowd_job::{Control, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a command may take to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often we look whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs what was typed.
pub(crate) fn run(cli: Cli) -> Result<Reply, Error> {
    let control = Arc::new(Control::new(Bars::new(&cli.global)));
    let presses = AtomicUsize::new(0);
    let asked = Arc::clone(&control);
    // Without a handler Ctrl-C still ends the program, only less tidily.
    let _ = ctrlc::set_handler(move || {
        if presses.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(STOPPED.into());
        }
        asked.cancel();
    });
    let (reply_out, reply) = channel();
    let working = Arc::clone(&control);
    std::thread::spawn(move || {
        // Nobody listens once the program was given up.
        let _ = reply_out.send(commands::run(cli, &working));
    });
    wait(&reply, &control)
}

fn wait(reply: &Receiver<Result<Reply, Error>>, control: &Control) -> Result<Reply, Error> {
    let mut since: Option<Instant> = None;
    loop {
        match reply.recv_timeout(GLANCE) {
            Ok(reply) => return reply,
            // The thread has panicked and said so.
            Err(RecvTimeoutError::Disconnected) => {
                control.abandon();
                return Err(Error::WorkerLost);
            }
            Err(RecvTimeoutError::Timeout) if control.is_cancelled() => {
                if since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                    control.abandon();
                    return Err(Error::Cancelled);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
