//! How a column is stored: what it takes to write its values again as they were read.

use super::value::Meaning;
use crate::column_type::{ColumnType, Kind};
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescriptor, Type};

/// The type of a stored column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredType {
    pub(super) physical: PhysicalType,
    logical: Option<LogicalType>,
    converted: ConvertedType,
    pub(super) length: i32,
    precision: i32,
    scale: i32,
    pub(super) meaning: Meaning,
}

impl StoredType {
    /// The type of a column that was read; text where it holds bytes that are nothing but text.
    pub(super) fn of(column: &ColumnDescriptor, meaning: Meaning) -> ColumnType {
        let physical = column.physical_type();
        if physical == PhysicalType::BYTE_ARRAY && meaning == Meaning::Itself {
            return ColumnType::TEXT;
        }
        ColumnType(Kind::Stored(StoredType {
            physical,
            logical: column.logical_type_ref().cloned(),
            converted: column.converted_type(),
            length: column.type_length(),
            precision: column.type_precision(),
            scale: column.type_scale(),
            meaning,
        }))
    }

    /// Whole numbers.
    pub(super) fn integer() -> StoredType {
        StoredType {
            physical: PhysicalType::INT64,
            logical: None,
            converted: ConvertedType::NONE,
            length: -1,
            precision: -1,
            scale: -1,
            meaning: Meaning::Itself,
        }
    }

    /// Text.
    pub(super) fn text() -> StoredType {
        StoredType {
            physical: PhysicalType::BYTE_ARRAY,
            logical: Some(LogicalType::String),
            ..StoredType::integer()
        }
    }

    /// The column of a schema; every row may lack a value.
    pub(super) fn field(&self, name: &str) -> Result<Type, ParquetError> {
        Type::primitive_type_builder(name, self.physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(self.logical.clone())
            .with_converted_type(self.converted)
            .with_length(self.length)
            .with_precision(self.precision)
            .with_scale(self.scale)
            .build()
    }
}
