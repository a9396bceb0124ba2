//! How Parquet stores a column: what it takes to write its values again as they were read.

#[cfg(feature = "arrow")]
mod exchange;

use crate::cell_text::Meaning;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescriptor, Type};

/// The type of a stored column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredType {
    pub(crate) physical: PhysicalType,
    logical: Option<LogicalType>,
    converted: ConvertedType,
    pub(crate) length: i32,
    precision: i32,
    scale: i32,
    pub(crate) meaning: Meaning,
}

impl StoredType {
    /// The type of a column that was read.
    pub(crate) fn of(column: &ColumnDescriptor, meaning: Meaning) -> StoredType {
        StoredType {
            physical: column.physical_type(),
            logical: column.logical_type_ref().cloned(),
            converted: column.converted_type(),
            length: column.type_length(),
            precision: column.type_precision(),
            scale: column.type_scale(),
            meaning,
        }
    }

    /// Whole numbers.
    pub(crate) fn integer() -> StoredType {
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
    pub(crate) fn text() -> StoredType {
        StoredType {
            physical: PhysicalType::BYTE_ARRAY,
            logical: Some(LogicalType::String),
            ..StoredType::integer()
        }
    }

    /// The column of a schema; every row may lack a value.
    pub(crate) fn field(&self, name: &str) -> Result<Type, ParquetError> {
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
