//! What a column that cannot be read holds, in words for people.

use crate::cell_text::MAX_DIGITS;
use arrow_schema::DataType;

/// The type of a column whose values are not one text each.
pub(super) fn plain_name(kind: &DataType) -> String {
    match kind {
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => "a list".into(),
        DataType::Struct(_) => "nested".into(),
        DataType::Map(..) => "a map".into(),
        DataType::Union(..) => "one of several types in each row".into(),
        DataType::RunEndEncoded(..) => "values stored in runs".into(),
        DataType::FixedSizeBinary(_) => "bytes without a meaning".into(),
        DataType::Float16 => "a 16-bit number".into(),
        DataType::Interval(_) => "an interval of time".into(),
        DataType::Duration(_) => "a length of time".into(),
        DataType::Dictionary(_, values) => plain_name(values),
        DataType::Decimal256(digits, _) if *digits > MAX_DIGITS => {
            format!("a decimal number of {digits} digits (at most {MAX_DIGITS} are supported)")
        }
        DataType::Decimal256(..) => {
            "a decimal number of 256 bits (at most 128 are supported)".into()
        }
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => {
            "a decimal number with a point outside of its digits".into()
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            "a time of day in a form that cannot be read".into()
        }
        _ => "one that this version does not know".into(),
    }
}
