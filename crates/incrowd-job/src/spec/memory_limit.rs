//! How much memory a counted table may take.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The memory that the combinations of values may take: bytes, such as `500M`, `2G` or `4GiB`.
///
/// What does not fit is held in temporary files; a table in a database is refused if they do not fit. Results do not depend on it.
///
/// ```
/// use incrowd_job::MemoryLimit;
/// assert_eq!("500M".parse::<MemoryLimit>()?.bytes(), 500_000_000);
/// assert_eq!("4 GiB".parse::<MemoryLimit>()?.bytes(), 4 << 30);
/// assert!("little".parse::<MemoryLimit>().is_err());
/// # Ok::<(), incrowd_job::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MemoryLimit(u64);

/// Letters after the number: each stands for a thousand times the one before, or 1024 times if an `i` follows.
const UNITS: [char; 3] = ['k', 'M', 'G'];

impl MemoryLimit {
    /// So many bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for MemoryLimit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        bytes_of(text.trim())
            .filter(|bytes| *bytes > 0)
            .map(MemoryLimit)
            .ok_or_else(|| Error::MemoryLimit { text: text.into() })
    }
}

fn bytes_of(text: &str) -> Option<u64> {
    let text = text.strip_suffix(['B', 'b']).unwrap_or(text);
    let (text, base) = match text.strip_suffix(['i', 'I']) {
        Some(text) => (text, 1024_u64),
        None => (text, 1000),
    };
    let is_unit = |letter: char| letter.is_ascii_alphabetic();
    let (number, power) = match text.strip_suffix(is_unit) {
        Some(number) => {
            let letter = text[number.len()..].chars().next()?;
            let is_it = |unit: &char| unit.eq_ignore_ascii_case(&letter);
            (number, 1 + UNITS.iter().position(is_it)? as u32)
        }
        None if base == 1024 => return None,
        None => (text, 0),
    };
    let number = number.trim_end();
    let is_number = number.chars().all(|digit| digit.is_ascii_digit());
    let number = is_number.then(|| number.parse::<u64>().ok()).flatten()?;
    number.checked_mul(base.pow(power))
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let powers = (0..UNITS.len() as u32).rev();
        let mut units = powers.map(|power| (1000_u64.pow(power + 1), UNITS[power as usize]));
        match units.find(|(times, _)| self.0.is_multiple_of(*times)) {
            Some((times, unit)) => write!(formatter, "{}{unit}", self.0 / times),
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
            ("2g", 2_000_000_000),
            ("8GiB", 8 << 30),
            (" 200 MiB ", 200 << 20),
            ("64kib", 64 << 10),
            ("4GIB", 4 << 30),
        ] {
            let limit: MemoryLimit = text.parse().unwrap();
            assert_eq!(limit.bytes(), bytes);
            assert_eq!(limit.to_string().parse::<MemoryLimit>().unwrap(), limit);
        }
        for text in [
            "",
            "M",
            "0",
            "-3",
            "1e9",
            "99999999999G",
            "1MM",
            "none",
            "5i",
            "5iB",
            "5Ti",
            "+5M",
            "5 B B",
        ] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }
}
