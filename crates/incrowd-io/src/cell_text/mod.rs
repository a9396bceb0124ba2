//! The text of a value that is stored as something else, and the value of such a text.
//!
//! Formats with types share it, so that a table has the same cells whichever of them it is stored in.

mod parse;
mod show;

pub(crate) use parse::{decimal, whole_number};
pub(crate) use show::AsText;
#[cfg(feature = "parquet")]
pub(crate) use {
    parse::timestamp,
    show::{show, show_decimal, show_timestamp},
};

/// As many digits as a number of 128 bits can hold.
pub(crate) const MAX_DIGITS: u8 = 38;

/// The milliseconds of a day.
const MILLISECONDS_OF_DAY: i64 = 86_400_000;

/// What the stored values of a column mean, as far as their text depends on it.
#[cfg_attr(
    not(all(feature = "parquet", feature = "arrow")),
    allow(dead_code, reason = "some are stored by one format only")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// What it is: a number, a truth value, a text.
    Itself,
    /// A whole number without sign, stored in the bits of one with sign.
    Unsigned,
    /// A whole number to be divided by ten so many times.
    Decimal { scale: usize },
    /// Days since 1970.
    Date,
    /// Milliseconds since 1970 that are whole days; where they are not, the time of day belongs to the value too.
    DateInMilliseconds,
    /// The time of day, in so many parts of a second.
    Time { per_second: i64 },
    /// The time since 1970, in so many parts of a second; in universal time, or in one not known.
    Timestamp { per_second: i64, universal: bool },
    /// Sixteen bytes, known by their own notation.
    Uuid,
}

impl Meaning {
    /// A date and a time, in a zone not known.
    const MILLISECONDS_SINCE_1970: Meaning = Meaning::Timestamp {
        per_second: 1000,
        universal: false,
    };
}
