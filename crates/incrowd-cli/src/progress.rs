//! Progress bars, shown only to a person who has to wait.

use crate::args::Global;
use incrowd_job::{Phase, Progress, Standing, few_digits};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Phases shorter than this need no bar.
const WORTH_A_BAR: Duration = Duration::from_secs(1);

/// A bar for the current phase, on standard error.
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

    fn search(&self, standing: Standing) {
        self.with_current(|current| {
            if let Some(Current { bar, .. }) = current {
                bar.set_message(found(&standing));
            }
        });
        self.reach(standing.nodes_checked);
    }

    fn end(&self) {
        self.with_current(|current| {
            if let Some(current) = current.take() {
                current.bar.finish_and_clear();
            }
        });
    }
}

/// The result of a search so far.
fn found(standing: &Standing) -> String {
    let best = standing
        .best
        .map(|best| format!(", best {}", few_digits(best)));
    // A bound says little without a loss to compare it with.
    let bound = standing.lower_bound.filter(|_| best.is_some());
    let bound = bound.map(|bound| format!(", bound {}", few_digits(bound)));
    let gap = standing.gap();
    let gap = gap.map(|gap| format!(", gap {:.1} %", (gap * 1000.0).ceil() / 10.0));
    let limit = standing.work_limit.filter(|limit| *limit > 0);
    let done = limit.map(|limit| {
        let share = 100.0 * standing.work as f64 / limit as f64;
        format!(", {share:.0} % of the work limit")
    });
    let parts = [best, bound, gap, done];
    parts.into_iter().flatten().collect()
}

/// A bar that tracks progress from the start, so that its estimate is good by the time it is shown.
fn hidden_bar(phase: Phase, total: Option<u64>) -> ProgressBar {
    let word = match phase {
        Phase::Read => "reading",
        Phase::Solve => "",
        Phase::Write => "writing",
        _ => "working",
    };
    let template = match (phase, total) {
        (Phase::Simulate, _) => {
            "simulating {bar:30} {percent:>3} % of {human_len} tables, {eta} left"
        }
        (Phase::Solve, _) => "searching {spinner} {human_pos} nodes checked{msg}, {elapsed}",
        (_, Some(_)) => "{msg} {bar:30} {percent:>3} % of {total_bytes}, {eta} left",
        (_, None) => "{msg} {spinner} {bytes}, {elapsed}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.with_message(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_shows_its_best_its_bound_and_the_gap_rounded_up() {
        let mut standing = Standing {
            nodes_checked: 7,
            best: None,
            lower_bound: Some(0.25),
            work: 30,
            work_limit: Some(120),
        };
        assert_eq!(found(&standing), ", 25 % of the work limit");
        standing.best = Some(0.75);
        assert_eq!(
            found(&standing),
            ", best 0.75, bound 0.25, gap 66.7 %, 25 % of the work limit"
        );
        standing.lower_bound = None;
        standing.work_limit = None;
        assert_eq!(found(&standing), ", best 0.75");
    }
}
