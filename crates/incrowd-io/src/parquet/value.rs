//! One stored value to one text.

use crate::stored_type::Meaning;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as PhysicalType};
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::schema::types::ColumnDescriptor;
use std::fmt::Write;

/// What the values of a column mean; none if a value is not one text.
pub(super) fn meaning_of(column: &ColumnDescriptor) -> Option<Meaning> {
    // In a list, or below another column, a row has none or many values.
    if column.max_rep_level() > 0 || column.path().parts().len() != 1 {
        return None;
    }
    let physical = column.physical_type();
    let meaning = match column.logical_type_ref() {
        Some(logical) => of_logical(logical)?,
        None => of_converted(column)?,
    };
    let fits = match meaning {
        Meaning::Itself => physical != PhysicalType::FIXED_LEN_BYTE_ARRAY,
        Meaning::Unsigned | Meaning::Time { .. } => {
            matches!(physical, PhysicalType::INT32 | PhysicalType::INT64)
        }
        Meaning::Date => physical == PhysicalType::INT32,
        Meaning::Timestamp { .. } => {
            matches!(physical, PhysicalType::INT64 | PhysicalType::INT96)
        }
        Meaning::Decimal { .. } => !matches!(
            physical,
            PhysicalType::BOOLEAN
                | PhysicalType::INT96
                | PhysicalType::FLOAT
                | PhysicalType::DOUBLE
        ),
        Meaning::Uuid => {
            physical == PhysicalType::FIXED_LEN_BYTE_ARRAY && column.type_length() == 16
        }
    };
    fits.then_some(meaning)
}

fn of_logical(logical: &LogicalType) -> Option<Meaning> {
    Some(match logical {
        LogicalType::String | LogicalType::Enum | LogicalType::Json | LogicalType::Unknown => {
            Meaning::Itself
        }
        LogicalType::Integer(kind) if kind.is_signed => Meaning::Itself,
        LogicalType::Integer(_) => Meaning::Unsigned,
        LogicalType::Decimal(kind) => decimal(kind.precision, kind.scale)?,
        LogicalType::Date => Meaning::Date,
        LogicalType::Time(kind) => Meaning::Time {
            per_second: per_second(kind.unit),
        },
        LogicalType::Timestamp(kind) => Meaning::Timestamp {
            per_second: per_second(kind.unit),
            universal: kind.is_adjusted_to_u_t_c,
        },
        LogicalType::Uuid => Meaning::Uuid,
        _ => return None,
    })
}

/// The types of older writers.
fn of_converted(column: &ColumnDescriptor) -> Option<Meaning> {
    let timestamp = |per_second, universal| Meaning::Timestamp {
        per_second,
        universal,
    };
    Some(match column.converted_type() {
        // No writer of this type ever said which time it is in.
        ConvertedType::NONE if column.physical_type() == PhysicalType::INT96 => {
            timestamp(1_000_000_000, false)
        }
        ConvertedType::UINT_8
        | ConvertedType::UINT_16
        | ConvertedType::UINT_32
        | ConvertedType::UINT_64 => Meaning::Unsigned,
        ConvertedType::DECIMAL => decimal(column.type_precision(), column.type_scale())?,
        ConvertedType::DATE => Meaning::Date,
        ConvertedType::TIME_MILLIS => Meaning::Time { per_second: 1000 },
        ConvertedType::TIME_MICROS => Meaning::Time {
            per_second: 1_000_000,
        },
        ConvertedType::TIMESTAMP_MILLIS => timestamp(1000, true),
        ConvertedType::TIMESTAMP_MICROS => timestamp(1_000_000, true),
        ConvertedType::NONE
        | ConvertedType::UTF8
        | ConvertedType::ENUM
        | ConvertedType::JSON
        | ConvertedType::INT_8
        | ConvertedType::INT_16
        | ConvertedType::INT_32
        | ConvertedType::INT_64 => Meaning::Itself,
        _ => return None,
    })
}

/// As many digits as a number of 128 bits can hold.
pub(super) const MAX_PRECISION: i32 = 38;

fn decimal(precision: i32, scale: i32) -> Option<Meaning> {
    let fits = (1..=MAX_PRECISION).contains(&precision) && (0..=precision).contains(&scale);
    fits.then_some(Meaning::Decimal {
        scale: scale as usize,
    })
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    }
}

/// A stored value that can be converted to text.
pub(super) trait AsText {
    /// The text, built in `room` unless it already exists; none if the value cannot have this meaning.
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]>;
}

impl AsText for bool {
    fn as_text<'a>(&'a self, _: Meaning, _: &'a mut String) -> Option<&'a [u8]> {
        Some(if *self { b"true" } else { b"false" })
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
        Meaning::Itself => show(room, format_args!("{value}")),
        Meaning::Uuid => None,
    }
}

impl AsText for Int96 {
    fn as_text<'a>(&'a self, _: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        let [low, high, _] = *self.data() else {
            return None;
        };
        let in_day = u64::from(high) << 32 | u64::from(low);
        show_timestamp(self.to_seconds(), in_day % 1_000_000_000, false, room)
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

impl AsText for ByteArray {
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        match meaning {
            Meaning::Decimal { scale } => show_decimal(big_endian(self.data())?, scale, room),
            _ => Some(self.data()),
        }
    }
}

impl AsText for FixedLenByteArray {
    fn as_text<'a>(&'a self, meaning: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        match meaning {
            Meaning::Decimal { scale } => show_decimal(big_endian(self.data())?, scale, room),
            Meaning::Uuid => {
                let number = u128::from_be_bytes(self.data().try_into().ok()?);
                let (high, low) = ((number >> 64) as u64, number as u64);
                let [a, b, c] = [high >> 32, high >> 16 & 0xffff, high & 0xffff];
                let [d, e] = [low >> 48, low & 0xffff_ffff_ffff];
                show(
                    room,
                    format_args!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}"),
                )
            }
            _ => None,
        }
    }
}

fn show<'a>(room: &'a mut String, text: std::fmt::Arguments<'_>) -> Option<&'a [u8]> {
    room.clear();
    room.write_fmt(text).ok()?;
    Some(room.as_bytes())
}

/// The signed big-endian number in `bytes`; none if it has more than 128 bits.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|&byte| byte >= 0x80);
    let fill = if negative { 0xff } else { 0 };
    let (beyond, kept) = bytes.split_at(bytes.len().saturating_sub(16));
    let mut number = [fill; 16];
    number[16 - kept.len()..].copy_from_slice(kept);
    let number = i128::from_be_bytes(number);
    let is_whole = beyond.iter().all(|&byte| byte == fill) && (number < 0) == negative;
    is_whole.then_some(number)
}

fn show_decimal(unscaled: i128, scale: usize, room: &mut String) -> Option<&[u8]> {
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

fn show_timestamp(
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

/// Periods of four hundred years have the same number of days, and years that begin in March have their leap day at the
/// end: with both, a date is computed without a calendar.
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
        }
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
        let mut old = Int96::new();
        old.set_data(500_000_000, 0, 2_440_589); // Days count from long ago there.
        check(old, stamp(1_000_000_000, false), "1970-01-02T00:00:00.500");
    }

    #[test]
    fn decimals_keep_their_digits_after_the_point() {
        let decimal = |scale| Meaning::Decimal { scale };
        check(12_345_i32, decimal(2), "123.45");
        check(-5_i64, decimal(2), "-0.05");
        check(0_i64, decimal(2), "0.00");
        check(7_i64, decimal(0), "7");
        check(ByteArray::from(vec![0xff, 0x85]), decimal(1), "-12.3");
        check(ByteArray::from(vec![0x00, 0x80]), decimal(0), "128");
        check(ByteArray::from(vec![]), decimal(1), "0.0");
        let long = |first| [vec![first; 4], vec![0xff; 16]].concat();
        check(ByteArray::from(long(0xff)), decimal(0), "-1");
        assert_eq!(text(ByteArray::from(long(0x00)), decimal(0)), None);
        assert_eq!(text(ByteArray::from(long(0x01)), decimal(0)), None);
    }

    #[test]
    fn a_uuid_reads_in_its_own_notation() {
        let bytes: Vec<u8> = (0..16).map(|at| at * 0x11).collect();
        check(
            FixedLenByteArray::from(bytes),
            Meaning::Uuid,
            "00112233-4455-6677-8899-aabbccddeeff",
        );
    }
}
