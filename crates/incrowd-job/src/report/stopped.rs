//! Why a search stopped early.

use incrowd_core::problem::Interruption;
use serde::{Deserialize, Serialize};

/// Why a search stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// What stopped it.
    pub by: StoppedBy,
    /// Steps done until then: classes, tuples or values touched.
    pub work: u64,
}

/// What stopped a search early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// The time limit.
    TimeLimit,
    /// The work limit.
    WorkLimit,
    /// The memory limit: the rest of the search did not fit.
    Memory,
    /// The user, who asked for the best result so far.
    User,
}

impl Stopped {
    /// From the core's reason; none if the run was cancelled.
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

    /// What happened and what to do about it, in words.
    pub fn in_words(self) -> String {
        let work = self.work;
        match self.by {
            StoppedBy::TimeLimit => {
                "the search reached its time limit; this is the best result so far (raise --time-limit to continue)"
                    .into()
            }
            StoppedBy::WorkLimit => format!(
                "the search reached its work limit after {work} steps; this is the best result so far \
                 (raise --work-limit to continue)"
            ),
            StoppedBy::Memory => {
                "the search reached its memory limit; this is the best result so far".into()
            }
            StoppedBy::User => "you stopped the search; this is the best result so far".into(),
        }
    }
}
