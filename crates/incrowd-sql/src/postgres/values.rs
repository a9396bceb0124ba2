//! Rows as the server sends them, to Arrow arrays.

use crate::error::Error;
use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use std::error::Error as StdError;
use std::sync::Arc;
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Column, Row};

/// Days from 1970 to 2000, where PostgreSQL begins to count.
const DAYS: i32 = 10_957;
const MICROSECONDS: i64 = DAYS as i64 * 86_400_000_000;

/// A value as it was sent.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Raw(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Why a value cannot be read.
enum Unread {
    /// It is infinite or too far away.
    OutOfRange,
    /// It is not what its type says.
    Broken,
}

/// One column being filled.
enum Builder {
    Bool(BooleanBuilder),
    Int2(PrimitiveBuilder<Int16Type>),
    Int4(PrimitiveBuilder<Int32Type>),
    Int8(PrimitiveBuilder<Int64Type>),
    Float4(PrimitiveBuilder<Float32Type>),
    Float8(PrimitiveBuilder<Float64Type>),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time64MicrosecondType>),
    Timestamp(PrimitiveBuilder<TimestampMicrosecondType>, bool),
    Text(StringBuilder),
}

impl Builder {
    fn of(kind: &Type) -> Builder {
        match *kind {
            Type::BOOL => Builder::Bool(BooleanBuilder::new()),
            Type::INT2 => Builder::Int2(PrimitiveBuilder::new()),
            Type::INT4 => Builder::Int4(PrimitiveBuilder::new()),
            Type::INT8 => Builder::Int8(PrimitiveBuilder::new()),
            Type::FLOAT4 => Builder::Float4(PrimitiveBuilder::new()),
            Type::FLOAT8 => Builder::Float8(PrimitiveBuilder::new()),
            Type::DATE => Builder::Date(PrimitiveBuilder::new()),
            Type::TIME => Builder::Time(PrimitiveBuilder::new()),
            Type::TIMESTAMP => Builder::Timestamp(PrimitiveBuilder::new(), false),
            Type::TIMESTAMPTZ => Builder::Timestamp(PrimitiveBuilder::new(), true),
            // Queries cast all other types to text.
            _ => Builder::Text(StringBuilder::new()),
        }
    }

    fn push(&mut self, value: Option<&[u8]>) -> Result<(), Unread> {
        fn bytes<const N: usize>(raw: &[u8]) -> Result<[u8; N], Unread> {
            raw.try_into().map_err(|_| Unread::Broken)
        }
        /// Appends a value of so many bytes, or NULL.
        macro_rules! append {
            ($builder:expr, $raw:ident => $value:expr) => {
                $builder.append_option(match value {
                    None => None,
                    Some($raw) => Some($value),
                })
            };
        }
        match self {
            Builder::Bool(builder) => append!(builder, raw => bytes::<1>(raw)?[0] != 0),
            Builder::Int2(builder) => append!(builder, raw => i16::from_be_bytes(bytes(raw)?)),
            Builder::Int4(builder) => append!(builder, raw => i32::from_be_bytes(bytes(raw)?)),
            Builder::Int8(builder) => append!(builder, raw => i64::from_be_bytes(bytes(raw)?)),
            Builder::Float4(builder) => append!(builder, raw => f32::from_be_bytes(bytes(raw)?)),
            Builder::Float8(builder) => append!(builder, raw => f64::from_be_bytes(bytes(raw)?)),
            Builder::Date(builder) => {
                append!(builder, raw => days(i32::from_be_bytes(bytes(raw)?))?)
            }
            Builder::Time(builder) => append!(builder, raw => i64::from_be_bytes(bytes(raw)?)),
            Builder::Timestamp(builder, _) => {
                append!(builder, raw => microseconds(i64::from_be_bytes(bytes(raw)?))?)
            }
            Builder::Text(builder) => {
                append!(builder, raw => std::str::from_utf8(raw).map_err(|_| Unread::Broken)?)
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Bool(builder) => Arc::new(builder.finish()),
            Builder::Int2(builder) => Arc::new(builder.finish()),
            Builder::Int4(builder) => Arc::new(builder.finish()),
            Builder::Int8(builder) => Arc::new(builder.finish()),
            Builder::Float4(builder) => Arc::new(builder.finish()),
            Builder::Float8(builder) => Arc::new(builder.finish()),
            Builder::Date(builder) => Arc::new(builder.finish()),
            Builder::Time(builder) => Arc::new(builder.finish()),
            Builder::Timestamp(builder, has_zone) => {
                let zone = has_zone.then_some("UTC");
                Arc::new(builder.finish().with_timezone_opt(zone))
            }
            Builder::Text(builder) => Arc::new(builder.finish()),
        }
    }
}

/// Days since 1970. The least and the greatest number mean infinity.
fn days(since_2000: i32) -> Result<i32, Unread> {
    let is_infinite = [i32::MIN, i32::MAX].contains(&since_2000);
    let days = since_2000.checked_add(DAYS).filter(|_| !is_infinite);
    days.ok_or(Unread::OutOfRange)
}

/// Microseconds since 1970. The least and the greatest number mean infinity.
fn microseconds(since_2000: i64) -> Result<i64, Unread> {
    let is_infinite = [i64::MIN, i64::MAX].contains(&since_2000);
    let microseconds = since_2000
        .checked_add(MICROSECONDS)
        .filter(|_| !is_infinite);
    microseconds.ok_or(Unread::OutOfRange)
}

/// Collects rows into record batches.
pub(super) struct Batch {
    names: Vec<String>,
    builders: Vec<Builder>,
    rows: usize,
}

impl Batch {
    pub(super) fn of(columns: &[Column]) -> Batch {
        Batch {
            names: columns.iter().map(|it| it.name().to_owned()).collect(),
            builders: columns.iter().map(|it| Builder::of(it.type_())).collect(),
            rows: 0,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn push(&mut self, row: &Row) -> Result<(), Error> {
        for (at, builder) in self.builders.iter_mut().enumerate() {
            let broken = || Error::Failed {
                engine: "PostgreSQL",
                doing: crate::error::Doing::Reading,
                state: "of a value that its type does not have".into(),
            };
            let value = row
                .try_get::<_, Option<Raw<'_>>>(at)
                .map_err(|_| broken())?;
            builder
                .push(value.map(|raw| raw.0))
                .map_err(|unread| match unread {
                    Unread::OutOfRange => Error::OutOfRange {
                        column: self.names[at].clone(),
                    },
                    Unread::Broken => broken(),
                })?;
        }
        self.rows += 1;
        Ok(())
    }

    /// The rows collected; the next ones begin a new batch.
    pub(super) fn take(&mut self) -> RecordBatch {
        self.rows = 0;
        let arrays: Vec<ArrayRef> = self.builders.iter_mut().map(Builder::finish).collect();
        let fields = self.names.iter().zip(&arrays);
        let fields = fields.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        RecordBatch::try_new(schema, arrays).expect("every row added to every column")
    }
}
