//! One stored value to one text.

use super::{MILLISECONDS_OF_DAY, Meaning};
use std::fmt::Write;

/// A stored value that can become text.
pub(crate) trait AsText {
    /// The text, made in `room` unless it is there already; none if the value cannot have this meaning.
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]>;
}

impl AsText for bool {
    fn as_text<'a>(&'a self, _: Meaning, _: &'a mut String) -> Option<&'a [u8]> {
        Some(if *self { b"true" } else { b"false" })
    }
}

/// Numbers that fit into one of 64 bits and mean what that one means.
macro_rules! small_number {
    ($($number:ty),*) => {$(
        impl AsText for $number {
            fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
                whole_number(i64::from(*self), meaning, room)
            }
        }
    )*};
}

small_number!(i8, i16, u8, u16, u32);

impl AsText for u64 {
    fn as_text<'a>(&'a self, _: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        show(room, format_args!("{self}"))
    }
}

impl AsText for i128 {
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        match meaning {
            Meaning::Decimal { scale } => show_decimal(*self, scale, room),
            _ => show(room, format_args!("{self}")),
        }
    }
}

impl AsText for i32 {
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        match meaning {
            Meaning::Unsigned => show(room, format_args!("{}", *self as u32)),
            _ => whole_number(i64::from(*self), meaning, room),
        }
    }
}

impl AsText for i64 {
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        whole_number(*self, meaning, room)
    }
}

fn whole_number(value: i64, meaning: Meaning, room: &mut String) -> Option<&[u8]> {
    match meaning {
        Meaning::Unsigned => show(room, format_args!("{}", value as u64)),
        Meaning::Decimal { scale } => show_decimal(i128::from(value), scale, room),
        Meaning::Date => {
            room.clear();
            write_date(value, room);
            Some(room.as_bytes())
        }
        Meaning::Time { per_second } => {
            room.clear();
            let (seconds, rest) = (value.div_euclid(per_second), value.rem_euclid(per_second));
            write_time(seconds, nanoseconds(rest, per_second), room);
            Some(room.as_bytes())
        }
        Meaning::Timestamp {
            per_second,
            universal,
        } => {
            let (seconds, rest) = (value.div_euclid(per_second), value.rem_euclid(per_second));
            show_timestamp(seconds, nanoseconds(rest, per_second), universal, room)
        }
        Meaning::DateInMilliseconds if value % MILLISECONDS_OF_DAY == 0 => {
            whole_number(value / MILLISECONDS_OF_DAY, Meaning::Date, room)
        }
        Meaning::DateInMilliseconds => whole_number(value, Meaning::MILLISECONDS_SINCE_1970, room),
        Meaning::Itself => show(room, format_args!("{value}")),
        Meaning::Uuid => None,
    }
}

// `{:?}` shows a whole number as `39.0` and a huge one with an exponent; `{}` would write all its digits.
impl AsText for f32 {
    fn as_text<'a>(&'a self, _: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        show(room, format_args!("{self:?}"))
    }
}

impl AsText for f64 {
    fn as_text<'a>(&'a self, _: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        show(room, format_args!("{self:?}"))
    }
}

pub(crate) fn show<'a>(room: &'a mut String, text: std::fmt::Arguments<'_>) -> Option<&'a [u8]> {
    room.clear();
    room.write_fmt(text).ok()?;
    Some(room.as_bytes())
}

pub(crate) fn show_decimal(unscaled: i128, scale: usize, room: &mut String) -> Option<&[u8]> {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs();
    // One digit at least stands before the point.
    show(
        room,
        format_args!("{sign}{digits:0>width$}", width = scale + 1),
    )?;
    if scale > 0 {
        room.insert(room.len() - scale, '.');
    }
    Some(room.as_bytes())
}

fn nanoseconds(parts: i64, per_second: i64) -> u64 {
    (parts * (1_000_000_000 / per_second)) as u64
}

pub(crate) fn show_timestamp(
    seconds: i64,
    nanoseconds: u64,
    universal: bool,
    room: &mut String,
) -> Option<&[u8]> {
    room.clear();
    write_date(seconds.div_euclid(86_400), room);
    room.push('T');
    write_time(seconds.rem_euclid(86_400), nanoseconds, room);
    if universal {
        room.push('Z');
    }
    Some(room.as_bytes())
}

/// Years of four hundred come round after the same number of days, and years taken to begin in March have
/// their odd day at the end: with both, a date is counted without a calendar.
///
/// H. Hinnant, chrono-Compatible Low-Level Date Algorithms, `civil_from_days`.
fn write_date(days: i64, room: &mut String) {
    const DAYS_IN_ERA: i64 = 146_097;
    let days = days + 719_468; // since the first of March of the year 0
    let era = days.div_euclid(DAYS_IN_ERA);
    let day_of_era = days.rem_euclid(DAYS_IN_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let _ = write!(room, "{year:04}-{month:02}-{day:02}"); // Writing to a String cannot fail.
}

fn write_time(seconds: i64, nanoseconds: u64, room: &mut String) {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    // Writing to a String cannot fail.
    let _ = write!(room, "{hours:02}:{minutes:02}:{seconds:02}");
    let _ = match nanoseconds {
        0 => Ok(()),
        _ if nanoseconds.is_multiple_of(1_000_000) => {
            write!(room, ".{:03}", nanoseconds / 1_000_000)
        }
        _ if nanoseconds.is_multiple_of(1000) => write!(room, ".{:06}", nanoseconds / 1000),
        _ => write!(room, ".{nanoseconds:09}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: impl AsText, meaning: Meaning) -> Option<String> {
        let mut room = "old".to_owned();
        let text = value.as_text(meaning, &mut room)?;
        Some(std::str::from_utf8(text).unwrap().into())
    }

    #[track_caller]
    fn check(value: impl AsText, meaning: Meaning, expected: &str) {
        assert_eq!(text(value, meaning).as_deref(), Some(expected));
    }

    #[test]
    fn numbers_read_as_they_are_written() {
        check(-1_i32, Meaning::Itself, "-1");
        check(-1_i32, Meaning::Unsigned, "4294967295");
        check(-1_i64, Meaning::Unsigned, "18446744073709551615");
        check(39.0_f64, Meaning::Itself, "39.0");
        check(0.1_f32, Meaning::Itself, "0.1");
        check(1e300_f64, Meaning::Itself, "1e300");
        check(true, Meaning::Itself, "true");
    }

    #[test]
    fn dates_are_counted_from_1970() {
        for (days, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (-719_528, "0000-01-01"),
            (-25_567, "1900-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            check(days, Meaning::Date, date);
            let milliseconds = i64::from(days) * 86_400_000;
            check(milliseconds, Meaning::DateInMilliseconds, date);
        }
        check(
            -1_i64,
            Meaning::DateInMilliseconds,
            "1969-12-31T23:59:59.999",
        );
    }

    #[test]
    fn times_show_as_many_digits_as_they_need() {
        let millis = Meaning::Time { per_second: 1000 };
        check(0_i32, millis, "00:00:00");
        check(86_399_999_i32, millis, "23:59:59.999");
        let stamp = |per_second, universal| Meaning::Timestamp {
            per_second,
            universal,
        };
        check(0_i64, stamp(1000, false), "1970-01-01T00:00:00");
        check(-1_i64, stamp(1000, true), "1969-12-31T23:59:59.999Z");
        check(
            1_709_210_096_123_456_i64,
            stamp(1_000_000, false),
            "2024-02-29T12:34:56.123456",
        );
        check(
            1_i64,
            stamp(1_000_000_000, true),
            "1970-01-01T00:00:00.000000001Z",
        );
    }

    #[test]
    fn decimals_keep_their_digits_after_the_point() {
        let decimal = |scale| Meaning::Decimal { scale };
        check(12_345_i32, decimal(2), "123.45");
        check(-5_i64, decimal(2), "-0.05");
        check(0_i64, decimal(2), "0.00");
        check(7_i64, decimal(0), "7");
    }
}
