//! The type of an unsupported column, in plain words.

use crate::cell_text::MAX_DIGITS;
use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::ColumnDescriptor;

/// The type of a column whose values are not one text each.
pub(super) fn plain_name(column: &ColumnDescriptor) -> String {
    if column.path().parts().len() != 1 {
        return "nested".into();
    }
    if column.max_rep_level() > 0 {
        return "a list".into();
    }
    match column.logical_type_ref() {
        Some(LogicalType::Decimal(kind)) => decimal(kind.precision),
        Some(logical) => of_logical(logical),
        None if column.converted_type() == ConvertedType::DECIMAL => {
            decimal(column.type_precision())
        }
        None => of_converted(column.converted_type()),
    }
}

fn decimal(digits: i32) -> String {
    match digits > i32::from(MAX_DIGITS) {
        true => format!("a decimal number of {digits} digits (at most {MAX_DIGITS} are supported)"),
        false => misplaced("a decimal number"),
    }
}

/// A type that is supported if it is stored as the format specifies.
fn misplaced(name: &str) -> String {
    format!("{name} in an unsupported format")
}

fn of_logical(logical: &LogicalType) -> String {
    match logical {
        LogicalType::Map => "a map".into(),
        LogicalType::List => "a list".into(),
        LogicalType::Bson => "a BSON document".into(),
        LogicalType::Float16 => "a 16-bit number".into(),
        LogicalType::Geometry(_) | LogicalType::Geography(_) => {
            "a geographic location or shape".into()
        }
        LogicalType::String | LogicalType::Enum | LogicalType::Json => misplaced("text"),
        LogicalType::Integer(_) => misplaced("a whole number"),
        LogicalType::Date => misplaced("a date"),
        LogicalType::Time(_) => misplaced("a time of day"),
        LogicalType::Timestamp(_) => misplaced("a date and time"),
        LogicalType::Uuid => misplaced("a UUID"),
        _ => "a type that this version does not know".into(),
    }
}

/// The types of older writers.
fn of_converted(converted: ConvertedType) -> String {
    match converted {
        ConvertedType::NONE => "raw bytes".into(),
        ConvertedType::INTERVAL => "a time interval".into(),
        ConvertedType::BSON => "a BSON document".into(),
        ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => "a map".into(),
        ConvertedType::LIST => "a list".into(),
        _ => misplaced("a value"),
    }
}
