//! How much memory counting may take.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The memory that the combinations of values may take while rows are counted and sorted: bytes, such as `500M` or `2G`.
///
/// What does not fit is held in temporary files meanwhile. Results do not depend on it.
///
/// ```
/// use incrowd_job::MemoryLimit;
/// assert_eq!("500M".parse::<MemoryLimit>()?.bytes(), 500_000_000);
/// assert!("little".parse::<MemoryLimit>().is_err());
/// # Ok::<(), incrowd_job::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MemoryLimit(u64);

/// What a letter after the number stands for.
const UNITS: [(char, u64); 3] = [('k', 1_000), ('M', 1_000_000), ('G', 1_000_000_000)];

impl MemoryLimit {
    /// So many bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for MemoryLimit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        let trimmed = trimmed.strip_suffix('B').unwrap_or(trimmed).trim_end();
        let unit = UNITS.iter().find(|(unit, _)| trimmed.ends_with(*unit));
        let (number, times) = match unit {
            Some((unit, times)) => (trimmed.strip_suffix(*unit).unwrap_or(trimmed), *times),
            None => (trimmed, 1),
        };
        let number = number.trim_end();
        let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
        let bytes = is_number.then(|| number.parse::<u64>().ok()).flatten();
        bytes
            .and_then(|bytes| bytes.checked_mul(times))
            .filter(|bytes| *bytes > 0)
            .map(MemoryLimit)
            .ok_or_else(|| Error::MemoryLimit { text: text.into() })
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS
            .iter()
            .rev()
            .find(|(_, times)| self.0.is_multiple_of(*times));
        match unit {
            Some((unit, times)) => write!(formatter, "{}{unit}", self.0 / times),
            None => write!(formatter, "{}", self.0),
        }
    }
}

impl TryFrom<String> for MemoryLimit {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<MemoryLimit> for String {
    fn from(limit: MemoryLimit) -> String {
        limit.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("1500", 1500),
            ("20k", 20_000),
            ("500MB", 500_000_000),
            ("3 GB", 3_000_000_000),
        ] {
            let limit: MemoryLimit = text.parse().unwrap();
            assert_eq!(limit.bytes(), bytes);
            assert_eq!(limit.to_string().parse::<MemoryLimit>().unwrap(), limit);
        }
        for text in ["", "M", "0", "-3", "1e9", "99999999999G", "1MM", "none"] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }
}
