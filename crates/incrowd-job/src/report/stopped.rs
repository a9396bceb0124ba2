//! Why a search ended before its end.

use incrowd_core::problem::Interruption;
use serde::{Deserialize, Serialize};

/// Why a search ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// What ended it.
    pub by: StoppedBy,
    /// Steps of work done by then: classes, tuples or values touched.
    pub work: u64,
}

/// What ended a search before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// The time given.
    TimeLimit,
    /// The steps of work given.
    WorkLimit,
    /// What was left to search did not fit into memory.
    Memory,
    /// The user, who asked for the best so far.
    User,
}

impl Stopped {
    /// What the core says; none when nobody wants an answer.
    pub(crate) fn of(why: Option<Interruption>, work: u64) -> Option<Self> {
        let by = match why? {
            Interruption::Cancelled => return None,
            Interruption::TimeUp => StoppedBy::TimeLimit,
            Interruption::WorkDone => StoppedBy::WorkLimit,
            Interruption::MemoryFull => StoppedBy::Memory,
            Interruption::Asked => StoppedBy::User,
        };
        Some(Stopped { by, work })
    }

    /// What happened, and what to do about it.
    pub fn in_words(self) -> String {
        let work = self.work;
        match self.by {
            StoppedBy::TimeLimit => {
                "the search was stopped when its time was up: this is the best found; \
                 raise it with --time-limit"
                    .into()
            }
            StoppedBy::WorkLimit => format!(
                "the search was stopped after {work} steps of work: this is the best found; \
                 raise it with --work-limit"
            ),
            StoppedBy::Memory => {
                "the search was stopped when its memory was full: this is the best found".into()
            }
            StoppedBy::User => "the search was stopped as you asked: this is the best found".into(),
        }
    }
}
