//! Progress bars: for people who wait, and only then.

use crate::args::Global;
use incrowd_job::{Phase, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is over sooner needs no bar.
const WORTH_A_BAR: Duration = Duration::from_secs(1);

/// A bar for the phase at hand, on standard error.
pub(crate) struct Bars {
    is_wanted: bool,
    current: Mutex<Option<Current>>,
}

struct Current {
    started: Instant,
    bar: ProgressBar,
}

impl Bars {
    pub(crate) fn new(global: &Global) -> Self {
        let is_wanted = !global.quiet && !global.no_progress && std::io::stderr().is_terminal();
        Bars {
            is_wanted,
            current: Mutex::new(None),
        }
    }

    fn with_current(&self, act: impl FnOnce(&mut Option<Current>)) {
        if self.is_wanted {
            act(&mut self.current.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Progress for Bars {
    fn begin(&self, phase: Phase, total: Option<u64>) {
        self.with_current(|current| {
            *current = Some(Current {
                started: Instant::now(),
                bar: hidden_bar(phase, total),
            });
        });
    }

    fn reach(&self, done: u64) {
        self.with_current(|current| {
            let Some(Current { started, bar }) = current else {
                return;
            };
            if bar.is_hidden() && started.elapsed() >= WORTH_A_BAR {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.set_position(done);
        });
    }

    fn end(&self) {
        self.with_current(|current| {
            if let Some(current) = current.take() {
                current.bar.finish_and_clear();
            }
        });
    }
}

/// A bar that follows from the start, so that its estimate is good when it appears.
fn hidden_bar(phase: Phase, total: Option<u64>) -> ProgressBar {
    let word = match phase {
        Phase::Read => "reading",
        Phase::Solve => "searching",
        Phase::Write => "writing",
        _ => "working",
    };
    let template = match (phase, total) {
        (Phase::Solve, _) => "{msg} {spinner} {human_pos} nodes checked, {elapsed}",
        (_, Some(_)) => "{msg} {bar:30} {percent:>3} % of {total_bytes}, {eta} left",
        (_, None) => "{msg} {spinner} {bytes}, {elapsed}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.with_message(word)
}
