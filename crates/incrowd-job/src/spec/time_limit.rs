//! When to stop searching.

use crate::error::Error;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A duration such as `30s`, `5m` or `1h 30m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeLimit(pub Duration);

impl FromStr for TimeLimit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        text.parse::<SignedDuration>()
            .ok()
            .and_then(|duration| Duration::try_from(duration).ok())
            .filter(|duration| !duration.is_zero())
            .map(TimeLimit)
            .ok_or_else(|| Error::TimeLimit { text: text.into() })
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match SignedDuration::try_from(self.0) {
            Ok(duration) => write!(formatter, "{duration:#}"),
            Err(_) => write!(formatter, "{}s", self.0.as_secs()),
        }
    }
}

impl TryFrom<String> for TimeLimit {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<TimeLimit> for String {
    fn from(limit: TimeLimit) -> String {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, seconds) in [("30s", 30), ("5m", 300), ("1h 30m", 5400)] {
            let limit: TimeLimit = text.parse().unwrap();
            assert_eq!(limit.0, Duration::from_secs(seconds));
            assert_eq!(limit.to_string().parse::<TimeLimit>().unwrap(), limit);
        }
        for text in ["30", "", "-3s", "0s", "soon"] {
            assert!(text.parse::<TimeLimit>().is_err(), "{text}");
        }
    }
}
