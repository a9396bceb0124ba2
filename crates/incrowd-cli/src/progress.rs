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
    phase: Phase,
    total: Option<u64>,
    started: Instant,
    bar: Option<ProgressBar>,
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
                phase,
                total,
                started: Instant::now(),
                bar: None,
            });
        });
    }

    fn reach(&self, done: u64) {
        self.with_current(|current| {
            let Some(current) = current else { return };
            if current.bar.is_none() && current.started.elapsed() >= WORTH_A_BAR {
                current.bar = Some(current.draw());
            }
            if let Some(bar) = &current.bar {
                bar.set_position(done);
            }
        });
    }

    fn end(&self) {
        self.with_current(|current| {
            if let Some(bar) = current.take().and_then(|current| current.bar) {
                bar.finish_and_clear();
            }
        });
    }
}

impl Current {
    fn draw(&self) -> ProgressBar {
        let word = match self.phase {
            Phase::Read => "reading",
            Phase::Solve => "searching",
            Phase::Write => "writing",
            _ => "working",
        };
        let template = match (self.phase, self.total) {
            (Phase::Solve, _) => "{msg} {spinner} {human_pos} nodes checked, {elapsed}",
            (_, Some(_)) => "{msg} {bar:30} {percent:>3} % of {total_bytes}, {eta} left",
            (_, None) => "{msg} {spinner} {bytes}, {elapsed}",
        };
        let bar = match self.total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.with_message(word).with_elapsed(self.started.elapsed())
    }
}
