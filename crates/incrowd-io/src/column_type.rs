//! How the values of a column are stored.

#[cfg(feature = "parquet")]
use crate::cell_text::Meaning;
#[cfg(feature = "parquet")]
use crate::stored_type::StoredType;
#[cfg(feature = "arrow")]
use arrow_schema::DataType;
#[cfg(feature = "parquet")]
use parquet::basic::Type as PhysicalType;

/// How the values of a column are stored, if the format distinguishes numbers from text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnType(Kind);

#[derive(Debug, Clone, PartialEq, Default)]
enum Kind {
    #[default]
    Text,
    Label,
    Integer,
    #[cfg(feature = "parquet")]
    Stored(StoredType),
    #[cfg(feature = "arrow")]
    Arrow(DataType),
}

impl ColumnType {
    /// Text, whatever it looks like.
    pub const TEXT: ColumnType = ColumnType(Kind::Text);

    /// Text that many rows share, such as the labels of a hierarchy; stored once where the format can.
    pub const LABEL: ColumnType = ColumnType(Kind::Label);

    /// Whole numbers of 64 bits.
    pub const INTEGER: ColumnType = ColumnType(Kind::Integer);

    /// As it was; text where it holds bytes that are nothing but text.
    #[cfg(feature = "parquet")]
    pub(crate) fn of_stored(stored: StoredType) -> ColumnType {
        match (stored.physical, stored.meaning) {
            (PhysicalType::BYTE_ARRAY, Meaning::Itself) => ColumnType::TEXT,
            _ => ColumnType(Kind::Stored(stored)),
        }
    }

    /// As an Arrow column is; text where it holds nothing but text, in whatever way.
    #[cfg(feature = "arrow")]
    pub fn of_arrow(kind: &DataType) -> ColumnType {
        match kind {
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView => ColumnType::TEXT,
            DataType::Dictionary(_, values) => match ColumnType::of_arrow(values) {
                ColumnType::TEXT => ColumnType::LABEL,
                other => other,
            },
            DataType::Int64 => ColumnType::INTEGER,
            other => ColumnType(Kind::Arrow(other.clone())),
        }
    }

    /// The Arrow type in which every value has the same text.
    #[cfg(feature = "arrow")]
    pub fn to_arrow(&self) -> DataType {
        match &self.0 {
            Kind::Text => DataType::Utf8,
            Kind::Label => {
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
            }
            Kind::Integer => DataType::Int64,
            Kind::Arrow(kind) => kind.clone(),
            #[cfg(feature = "parquet")]
            Kind::Stored(stored) => stored.to_arrow(),
        }
    }

    /// The Parquet type in which every value has the same text.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_stored(self) -> StoredType {
        match self.0 {
            // Parquet stores texts that repeat once anyway.
            Kind::Text | Kind::Label => StoredType::text(),
            Kind::Integer => StoredType::integer(),
            Kind::Stored(stored) => stored,
            #[cfg(feature = "arrow")]
            Kind::Arrow(kind) => StoredType::of_arrow(&kind),
        }
    }

    /// Whether a text is a whole number of 64 bits in its own form, so that reading the number back gives the same
    /// text: `-5` and `17`, not `007`, `+5`, `-0` or `5.0`.
    pub fn is_integer(text: &[u8]) -> bool {
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let is_own_form = match digits {
            [b'0'] => digits.len() == text.len(),
            [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        // 18 digits always fit; more need a closer look.
        let fits = || std::str::from_utf8(text).is_ok_and(|text| text.parse::<i64>().is_ok());
        is_own_form && (digits.len() <= 18 || fits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_is_a_number_whose_text_comes_back() {
        for text in [
            "0",
            "7",
            "-7",
            "45011",
            "9223372036854775807",
            "-9223372036854775808",
        ] {
            assert!(ColumnType::is_integer(text.as_bytes()), "{text}");
            assert_eq!(text.parse::<i64>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "-",
            "-0",
            "+7",
            "007",
            "7.0",
            " 7",
            "7e3",
            "9223372036854775808",
            "*",
        ] {
            assert!(!ColumnType::is_integer(text.as_bytes()), "{text}");
        }
    }
}
