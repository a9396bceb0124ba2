//! How much a search may do.

use crate::error::Error;
use incrowd_core::problem::DEFAULT_WORK_LIMIT;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The number of steps after which a search ends with its best result so far: a number such as `500M`, or `none`.
///
/// A step is a class, tuple or value touched, some tens of nanoseconds. Unlike a time limit, it ends a search at the
/// same point on every machine.
///
/// ```
/// use incrowd_job::WorkLimit;
/// assert_eq!("500M".parse::<WorkLimit>()?.steps(), Some(500_000_000));
/// assert_eq!("none".parse::<WorkLimit>()?.steps(), None);
/// assert!("soon".parse::<WorkLimit>().is_err());
/// # Ok::<(), incrowd_job::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkLimit(Option<u64>);

/// What a letter after the number stands for.
const UNITS: [(char, u64); 3] = [('k', 1_000), ('M', 1_000_000), ('G', 1_000_000_000)];

impl WorkLimit {
    /// No limit.
    pub(crate) const NONE: WorkLimit = WorkLimit(None);

    /// The default, unless there is a time limit.
    pub const DEFAULT: WorkLimit = WorkLimit(Some(DEFAULT_WORK_LIMIT));

    /// So many steps.
    pub(crate) const fn of_steps(steps: u64) -> Self {
        WorkLimit(Some(steps))
    }

    /// The steps; `None` when there is no limit.
    pub fn steps(self) -> Option<u64> {
        self.0
    }

    /// The smaller of two limits.
    pub(crate) fn at_most(self, most: WorkLimit) -> WorkLimit {
        match (self.0, most.0) {
            (Some(steps), Some(most)) => WorkLimit(Some(steps.min(most))),
            (steps, most) => WorkLimit(steps.or(most)),
        }
    }
}

impl FromStr for WorkLimit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::WorkLimit { text: text.into() };
        let trimmed = text.trim();
        if trimmed == "none" {
            return Ok(WorkLimit(None));
        }
        let unit = UNITS.iter().find(|(unit, _)| trimmed.ends_with(*unit));
        let (number, times) = match unit {
            Some((unit, times)) => (trimmed.strip_suffix(*unit).unwrap_or(trimmed), *times),
            None => (trimmed, 1),
        };
        let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
        let steps = is_number.then(|| number.parse::<u64>().ok()).flatten();
        steps
            .and_then(|steps| steps.checked_mul(times))
            .filter(|steps| *steps > 0)
            .map(|steps| WorkLimit(Some(steps)))
            .ok_or_else(wrong)
    }
}

impl fmt::Display for WorkLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(steps) = self.0 else {
            return formatter.write_str("none");
        };
        let unit = UNITS.iter().rev().find(|(_, times)| steps % times == 0);
        match unit {
            Some((unit, times)) => write!(formatter, "{}{unit}", steps / times),
            None => write!(formatter, "{steps}"),
        }
    }
}

impl TryFrom<String> for WorkLimit {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<WorkLimit> for String {
    fn from(limit: WorkLimit) -> String {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_people_write_them() {
        for (text, steps) in [
            ("1500", Some(1500)),
            ("20k", Some(20_000)),
            ("500M", Some(500_000_000)),
            ("3G", Some(3_000_000_000)),
            ("none", None),
        ] {
            let limit: WorkLimit = text.parse().unwrap();
            assert_eq!(limit.steps(), steps);
            assert_eq!(limit.to_string().parse::<WorkLimit>().unwrap(), limit);
        }
        assert_eq!(WorkLimit(Some(2_500_000)).to_string(), "2500k");
        for text in ["", "M", "0", "-3", "3 M", "1e9", "99999999999G", "1MM"] {
            assert!(text.parse::<WorkLimit>().is_err(), "{text}");
        }
    }
}
