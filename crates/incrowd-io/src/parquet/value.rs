//! One stored value to one text.

use crate::cell_text::{AsText, MAX_DIGITS, Meaning, show, show_decimal, show_timestamp};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as PhysicalType};
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::schema::types::ColumnDescriptor;

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
        Meaning::DateInMilliseconds => false,
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

fn decimal(precision: i32, scale: i32) -> Option<Meaning> {
    let fits = (1..=i32::from(MAX_DIGITS)).contains(&precision) && (0..=precision).contains(&scale);
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

impl AsText for Int96 {
    fn as_text<'a>(&'a self, _: Meaning, room: &'a mut String) -> Option<&'a [u8]> {
        let [low, high, _] = *self.data() else {
            return None;
        };
        let in_day = u64::from(high) << 32 | u64::from(low);
        show_timestamp(self.to_seconds(), in_day % 1_000_000_000, false, room)
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

/// The number with sign that `bytes` are, the highest first; none if it has more than 128 bits.
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
    fn old_timestamps_are_a_day_and_a_time() {
        let meaning = Meaning::Timestamp {
            per_second: 1_000_000_000,
            universal: false,
        };
        let mut old = Int96::new();
        old.set_data(500_000_000, 0, 2_440_589); // Days count from long ago there.
        check(old, meaning, "1970-01-02T00:00:00.500");
    }

    #[test]
    fn decimals_are_stored_as_bytes_too() {
        let decimal = |scale| Meaning::Decimal { scale };
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
