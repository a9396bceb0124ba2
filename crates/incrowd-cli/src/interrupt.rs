//! Ctrl-C in every phase: the best found so far, or a clean stop with nothing half-written.
//!
//! The command runs on its own thread. On Ctrl-C, a search is asked for its best result so far, which is then checked
//! and written as if the search had ended by itself. If no search is running, on a second Ctrl-C, or when the system
//! asks the program to terminate, the command is asked to stop; it does so at its next batch of rows or step of the
//! search, and cleans up. A command that cannot stop because it waits for a silent pipe is abandoned after a moment,
//! and its temporary files are removed here. A database has more time, since it has a draft to remove. One that is making a
//! release visible is waited for, since only it knows whether the release is there. A further Ctrl-C ends the program at once.
//! Where a part of a release may be left, it is named however the program ends.

use crate::args::Cli;
use crate::progress::Bars;
use crate::{Reply, STOPPED, commands};
use incrowd_job::{Control, Error};
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a command may take to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a command may take to stop in which a database has something to undo.
const PATIENCE_WITH_ENGINE: Duration = Duration::from_secs(60);

/// How often to check whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Printed when the user asks for the best result so far.
const TAKING_THE_BEST: &str =
    "\nusing the best result so far; press Ctrl-C again to stop without writing anything\n";

/// Printed when a database takes a while to undo what it has begun.
const UNDOING: &str =
    "\nwaiting for the database to undo what it has begun; press Ctrl-C again to leave it alone\n";

/// Printed when the user does not wait until the database has made the release visible.
const PERHAPS_PUBLISHED: &str = "\nstopped while the database was making the release visible: look whether it is there; if so, it is complete\n";

/// Says where something may be left that nobody can remove safely.
fn tell_place(control: &Control) {
    if let Some(place) = control.begun_at() {
        let message = format!(
            "\nstopped while the release was being written to {place}: if anything is there, be it an empty directory, it was not \
             counted; remove it before the next run\n"
        );
        // Whether the message can be printed changes nothing.
        drop(std::io::stderr().write_all(message.as_bytes()));
    }
}

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Result<Reply, Error> {
    let control = Arc::new(Control::new(Bars::new(&cli.global)));
    #[cfg(unix)]
    stop_on_termination(Arc::clone(&control));
    let pressed = Arc::clone(&control);
    // Without a handler Ctrl-C still ends the program, only less tidily.
    let _ = ctrlc::set_handler(move || press(&pressed));
    let (reply_out, reply) = channel();
    let working = Arc::clone(&control);
    std::thread::spawn(move || {
        // Nobody listens once the command was abandoned.
        let _ = reply_out.send(commands::run(cli, &working));
    });
    wait(&reply, &control)
}

/// Ctrl-C was pressed.
fn press(control: &Control) {
    match control.ask_for_best() {
        // Whether the message can be printed changes nothing.
        true => drop(std::io::stderr().write_all(TAKING_THE_BEST.as_bytes())),
        false => stop(control),
    }
}

/// Asks the command to stop; ends the program if it was already asked.
fn stop(control: &Control) {
    if control.is_cancelled() {
        if control.is_publishing() {
            drop(std::io::stderr().write_all(PERHAPS_PUBLISHED.as_bytes()));
        }
        tell_place(control);
        std::process::exit(STOPPED.into());
    }
    control.cancel();
}

/// Starts a thread that waits for the signals with which the system terminates programs; then nobody waits for a result.
#[cfg(unix)]
fn stop_on_termination(control: Arc<Control>) {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    // Threads inherit this mask, and none exists yet. Without it the signals end the program, only less tidily.
    if signals.thread_block().is_ok() {
        std::thread::spawn(move || {
            while signals.wait().is_ok() {
                stop(&control);
            }
        });
    }
}

fn wait(reply: &Receiver<Result<Reply, Error>>, control: &Control) -> Result<Reply, Error> {
    let mut since: Option<Instant> = None;
    let mut is_told = false;
    loop {
        match reply.recv_timeout(GLANCE) {
            Ok(reply) => {
                let is_stopped =
                    |error: &Error| matches!(error, Error::Cancelled | Error::TimeUpWriting { .. });
                if reply.as_ref().is_err_and(is_stopped) {
                    tell_place(control);
                }
                return reply;
            }
            // The thread panicked and printed why.
            Err(RecvTimeoutError::Disconnected) => {
                control.abandon();
                return Err(Error::WorkerLost);
            }
            Err(RecvTimeoutError::Timeout)
                if control.is_cancelled() && !control.is_publishing() =>
            {
                let waited = since.get_or_insert_with(Instant::now).elapsed();
                if waited > PATIENCE && !control.has_engine() || waited > PATIENCE_WITH_ENGINE {
                    control.abandon();
                    tell_place(control);
                    return Err(Error::Cancelled);
                }
                if waited > PATIENCE && !is_told {
                    is_told = true;
                    // Whether the message can be printed changes nothing.
                    drop(std::io::stderr().write_all(UNDOING.as_bytes()));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
