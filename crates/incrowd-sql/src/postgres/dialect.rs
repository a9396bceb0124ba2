//! The SQL of PostgreSQL.

use crate::address::TableName;
use crate::column::{Column, Declared, Form};
use crate::dialect::Dialect;
use arrow_schema::{DataType, TimeUnit};

pub(crate) struct Postgres;

/// Text is compared byte by byte, whatever the collation of a column says.
const BYTEWISE: &str = "COLLATE pg_catalog.\"C\"";

impl Dialect for Postgres {
    fn engine(&self) -> &'static str {
        "PostgreSQL"
    }

    fn longest_name(&self) -> Option<usize> {
        Some(63)
    }

    fn ignores_case(&self) -> bool {
        false
    }

    fn is_reserved(&self, table: &TableName) -> bool {
        let schema = table.0.iter().rev().nth(1);
        schema.is_some_and(|it| it.starts_with("pg_") || it == "information_schema")
    }

    fn column(&self, declared: Declared) -> Column {
        let micros =
            |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let (kind, form, cast) = match declared.kind.as_str() {
            "text" | "varchar" => (DataType::Utf8, Form::Bytes, None),
            "bool" => (DataType::Boolean, Form::Itself, None),
            "int2" => (DataType::Int16, Form::Itself, None),
            "int4" => (DataType::Int32, Form::Itself, None),
            "int8" => (DataType::Int64, Form::Itself, None),
            // `0` and `-0` are equal numbers with different texts.
            "float4" => (DataType::Float32, Form::Text, Some("float4")),
            "float8" => (DataType::Float64, Form::Text, Some("float8")),
            "date" => (DataType::Date32, Form::Itself, None),
            "time" => (DataType::Time64(TimeUnit::Microsecond), Form::Itself, None),
            "timestamp" => (micros(None), Form::Itself, None),
            "timestamptz" => (micros(Some("UTC")), Form::Itself, None),
            // Padded text, numbers whose text says how precise they are, enumerations, addresses and all others.
            _ => (DataType::Utf8, Form::Text, None),
        };
        Column {
            name: declared.name,
            kind,
            form,
            cast,
            declared: declared.kind,
            is_single: declared.is_single,
        }
    }

    fn compared(&self, expression: &str, form: Form) -> String {
        match form {
            Form::Itself => expression.to_owned(),
            // Others could have made an operator for `varchar`, which the server has none of.
            Form::Bytes | Form::Text | Form::Number => {
                format!("(CAST({expression} AS pg_catalog.text) {BYTEWISE})")
            }
        }
    }

    fn published(&self, cell: &str, column: &Column) -> String {
        match column.declared.as_str() {
            // Without a length, padding is stored although it does not count.
            "bpchar" => format!("CAST(CAST({cell} AS pg_catalog.text) AS pg_catalog.bpchar)"),
            _ => cell.to_owned(),
        }
    }

    fn unless(&self, condition: &str, cell: &str) -> String {
        // A CASE would forget the length of the type.
        format!("(SELECT {cell} WHERE NOT ({condition}))")
    }

    fn equal(&self, one: &str, other: &str) -> String {
        format!("({one}) OPERATOR(pg_catalog.=) ({other})")
    }

    fn sum(&self, numbers: &[String]) -> String {
        numbers.join(" OPERATOR(pg_catalog.+) ")
    }

    fn stored(&self, kind: &DataType) -> String {
        match kind {
            DataType::Boolean => "boolean".into(),
            DataType::Int8 | DataType::Int16 | DataType::UInt8 => "smallint".into(),
            DataType::Int32 | DataType::UInt16 => "integer".into(),
            DataType::Int64 | DataType::UInt32 => "bigint".into(),
            DataType::UInt64 => "numeric(20,0)".into(),
            DataType::Float32 => "real".into(),
            DataType::Float64 => "double precision".into(),
            DataType::Date32 => "date".into(),
            DataType::Time32(_) | DataType::Time64(TimeUnit::Microsecond) => "time".into(),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => "text".into(),
            DataType::Timestamp(_, None) => "timestamp".into(),
            DataType::Timestamp(_, Some(_)) => "timestamptz".into(),
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale) => format!("numeric({digits},{scale})"),
            // Among them times of a precision that PostgreSQL does not have.
            _ => "text".into(),
        }
    }

    fn begin(&self) -> Vec<String> {
        [
            "BEGIN ISOLATION LEVEL REPEATABLE READ",
            // The texts of values must not depend on who asks.
            "SET LOCAL DateStyle = 'ISO, YMD'",
            "SET LOCAL IntervalStyle = 'postgres'",
            "SET LOCAL TimeZone = 'UTC'",
            "SET LOCAL extra_float_digits = 1",
            "SET LOCAL bytea_output = 'hex'",
            "SET LOCAL xmloption = 'content'",
            "SET LOCAL standard_conforming_strings = on",
            // A search may take longer than a session is usually allowed to think.
            "SET LOCAL idle_in_transaction_session_timeout = 0",
        ]
        .map(String::from)
        .to_vec()
    }

    fn shuffle(&self) -> &'static str {
        " ORDER BY pg_catalog.random()"
    }

    fn around_stop(&self) -> Option<[&'static str; 2]> {
        Some([
            "SAVEPOINT incrowd_counting",
            "ROLLBACK TO SAVEPOINT incrowd_counting",
        ])
    }

    fn before_recoding(&self, relations: &[String]) -> Vec<String> {
        // Without statistics it would sort every row for every mapping table.
        let analyzed = relations
            .iter()
            .map(|relation| format!("ANALYZE {relation}"));
        let hash_joins = ["enable_mergejoin", "enable_nestloop"];
        let hash_joins = hash_joins.map(|setting| format!("SET LOCAL {setting} = off"));
        analyzed.chain(hash_joins).collect()
    }
}
