//! Columns that go from Parquet to Arrow, or the other way round.

use super::StoredType;
use crate::cell_text::Meaning;
use arrow_schema::{DataType, TimeUnit};
use parquet::basic::{LogicalType, TimeUnit as ParquetUnit, Type as PhysicalType};

impl StoredType {
    /// The Arrow type that gives each value the text it has here; text where there is none.
    pub(crate) fn to_arrow(&self) -> DataType {
        match (self.physical, self.meaning) {
            // Holds times that no type of Arrow has room for.
            (PhysicalType::INT96, _) => DataType::Utf8,
            (_, Meaning::Decimal { scale }) => {
                match (u8::try_from(self.precision), i8::try_from(scale)) {
                    (Ok(digits), Ok(scale)) => DataType::Decimal128(digits, scale),
                    _ => DataType::Utf8,
                }
            }
            (PhysicalType::BOOLEAN, _) => DataType::Boolean,
            (PhysicalType::FLOAT, _) => DataType::Float32,
            (PhysicalType::DOUBLE, _) => DataType::Float64,
            (PhysicalType::INT32, Meaning::Itself) => DataType::Int32,
            (PhysicalType::INT32, Meaning::Unsigned) => DataType::UInt32,
            (PhysicalType::INT64, Meaning::Itself) => DataType::Int64,
            (PhysicalType::INT64, Meaning::Unsigned) => DataType::UInt64,
            (_, Meaning::Date) => DataType::Date32,
            (_, Meaning::Time { per_second }) => match arrow_unit(per_second) {
                unit @ TimeUnit::Millisecond => DataType::Time32(unit),
                unit => DataType::Time64(unit),
            },
            (
                _,
                Meaning::Timestamp {
                    per_second,
                    universal,
                },
            ) => DataType::Timestamp(arrow_unit(per_second), universal.then(|| "UTC".into())),
            _ => DataType::Utf8,
        }
    }

    /// The type that gives each value the text it has in Arrow; text where there is none.
    pub(crate) fn of_arrow(kind: &DataType) -> StoredType {
        match *kind {
            DataType::Boolean => StoredType::plain(PhysicalType::BOOLEAN),
            DataType::Float32 => StoredType::plain(PhysicalType::FLOAT),
            DataType::Float64 => StoredType::plain(PhysicalType::DOUBLE),
            DataType::Int8 => StoredType::whole_number(8, true),
            DataType::Int16 => StoredType::whole_number(16, true),
            DataType::Int32 => StoredType::plain(PhysicalType::INT32),
            DataType::Int64 => StoredType::integer(),
            DataType::UInt8 => StoredType::whole_number(8, false),
            DataType::UInt16 => StoredType::whole_number(16, false),
            DataType::UInt32 => StoredType::whole_number(32, false),
            DataType::UInt64 => StoredType::whole_number(64, false),
            DataType::Date32 => StoredType {
                logical: Some(LogicalType::Date),
                meaning: Meaning::Date,
                ..StoredType::plain(PhysicalType::INT32)
            },
            DataType::Time32(unit) | DataType::Time64(unit) => {
                let (unit, per_second) = parquet_unit(unit);
                StoredType {
                    logical: Some(LogicalType::time(false, unit)),
                    meaning: Meaning::Time { per_second },
                    ..StoredType::plain(match unit {
                        ParquetUnit::MILLIS => PhysicalType::INT32,
                        _ => PhysicalType::INT64,
                    })
                }
            }
            DataType::Timestamp(unit, ref zone) => {
                let (unit, per_second) = parquet_unit(unit);
                let universal = zone.is_some();
                StoredType {
                    logical: Some(LogicalType::timestamp(universal, unit)),
                    meaning: Meaning::Timestamp {
                        per_second,
                        universal,
                    },
                    ..StoredType::plain(PhysicalType::INT64)
                }
            }
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale) => StoredType::decimal(digits, scale),
            // A day in milliseconds may be no whole day.
            _ => StoredType::text(),
        }
    }

    fn plain(physical: PhysicalType) -> StoredType {
        StoredType {
            physical,
            ..StoredType::integer()
        }
    }

    fn whole_number(bits: i8, is_signed: bool) -> StoredType {
        StoredType {
            logical: Some(LogicalType::integer(bits, is_signed)),
            meaning: match is_signed {
                true => Meaning::Itself,
                false => Meaning::Unsigned,
            },
            ..StoredType::plain(match bits {
                64 => PhysicalType::INT64,
                _ => PhysicalType::INT32,
            })
        }
    }

    fn decimal(digits: u8, scale: i8) -> StoredType {
        let (precision, places) = (i32::from(digits), i32::from(scale));
        let Ok(scale) = usize::try_from(scale) else {
            return StoredType::text();
        };
        let (physical, length) = match digits {
            0..=9 => (PhysicalType::INT32, -1),
            10..=18 => (PhysicalType::INT64, -1),
            _ => (PhysicalType::FIXED_LEN_BYTE_ARRAY, 16),
        };
        StoredType {
            logical: Some(LogicalType::decimal(places, precision)),
            length,
            precision,
            scale: places,
            meaning: Meaning::Decimal { scale },
            ..StoredType::plain(physical)
        }
    }
}

fn arrow_unit(per_second: i64) -> TimeUnit {
    match per_second {
        1000 => TimeUnit::Millisecond,
        1_000_000 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

/// The unit, or the next finer one where Parquet does not know it.
fn parquet_unit(unit: TimeUnit) -> (ParquetUnit, i64) {
    match unit {
        TimeUnit::Second | TimeUnit::Millisecond => (ParquetUnit::MILLIS, 1000),
        TimeUnit::Microsecond => (ParquetUnit::MICROS, 1_000_000),
        TimeUnit::Nanosecond => (ParquetUnit::NANOS, 1_000_000_000),
    }
}
