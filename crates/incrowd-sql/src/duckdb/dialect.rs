//! The SQL of DuckDB.

use crate::address::TableName;
use crate::column::{Column, Declared, Form};
use crate::dialect::Dialect;
use arrow_schema::{DataType, TimeUnit};

pub(crate) struct DuckDb;

impl Dialect for DuckDb {
    fn engine(&self) -> &'static str {
        "DuckDB"
    }

    fn longest_name(&self) -> Option<usize> {
        None
    }

    fn ignores_case(&self) -> bool {
        true
    }

    fn is_reserved(&self, table: &TableName) -> bool {
        let mut around = table.0.iter().rev().skip(1);
        let reserved = ["temp", "system", "pg_catalog", "information_schema"];
        around.any(|part| reserved.contains(&part.to_lowercase().as_str()))
    }

    fn tells_apart(&self, column: &Column) -> bool {
        // Texts do not say which of its types a value is of.
        !column.declared.contains("UNION(") && !column.declared.contains("VARIANT")
    }

    fn runs_several_statements(&self) -> bool {
        true
    }

    fn refuses_to_drop_what_is_read(&self) -> bool {
        false
    }

    fn column(&self, declared: Declared) -> Column {
        let micros =
            |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let (kind, form, cast) = match declared.kind.as_str() {
            "VARCHAR" => (DataType::Utf8, Form::Bytes, None),
            "BOOLEAN" => (DataType::Boolean, Form::Itself, None),
            "TINYINT" => (DataType::Int8, Form::Itself, None),
            "SMALLINT" => (DataType::Int16, Form::Itself, None),
            "INTEGER" => (DataType::Int32, Form::Itself, None),
            "BIGINT" => (DataType::Int64, Form::Itself, None),
            "UTINYINT" => (DataType::UInt8, Form::Itself, None),
            "USMALLINT" => (DataType::UInt16, Form::Itself, None),
            "UINTEGER" => (DataType::UInt32, Form::Itself, None),
            "UBIGINT" => (DataType::UInt64, Form::Itself, None),
            // `0` and `-0` are equal numbers with different texts, `nan` and `-nan` have one text here.
            "FLOAT" => (DataType::Float32, Form::Number, Some("FLOAT")),
            "DOUBLE" => (DataType::Float64, Form::Number, Some("DOUBLE")),
            "DATE" => (DataType::Date32, Form::Itself, None),
            "TIME" => (DataType::Time64(TimeUnit::Microsecond), Form::Itself, None),
            "TIMESTAMP" => (micros(None), Form::Itself, None),
            "TIMESTAMP WITH TIME ZONE" => (micros(Some("UTC")), Form::Itself, None),
            // Numbers of many digits, enumerations and all others.
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
            Form::Bytes => format!("({expression} COLLATE C)"),
            Form::Text => format!("(CAST({expression} AS VARCHAR) COLLATE C)"),
            Form::Number => format!(
                "(CASE WHEN isnan({expression}) THEN 'nan' ELSE CAST({expression} AS VARCHAR) END COLLATE C)"
            ),
        }
    }

    fn published(&self, cell: &str, column: &Column) -> String {
        match (column.form, column.cast) {
            (Form::Number, Some(kind)) => {
                format!("CASE WHEN isnan({cell}) THEN CAST('nan' AS {kind}) ELSE {cell} END")
            }
            _ => cell.to_owned(),
        }
    }

    fn stored(&self, kind: &DataType) -> String {
        match kind {
            DataType::Boolean => "BOOLEAN".into(),
            DataType::Int8 => "TINYINT".into(),
            DataType::Int16 => "SMALLINT".into(),
            DataType::Int32 => "INTEGER".into(),
            DataType::Int64 => "BIGINT".into(),
            DataType::UInt8 => "UTINYINT".into(),
            DataType::UInt16 => "USMALLINT".into(),
            DataType::UInt32 => "UINTEGER".into(),
            DataType::UInt64 => "UBIGINT".into(),
            DataType::Float32 => "FLOAT".into(),
            DataType::Float64 => "DOUBLE".into(),
            DataType::Date32 => "DATE".into(),
            DataType::Time32(_) | DataType::Time64(TimeUnit::Microsecond) => "TIME".into(),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => "VARCHAR".into(),
            DataType::Timestamp(_, None) => "TIMESTAMP".into(),
            DataType::Timestamp(_, Some(_)) => "TIMESTAMP WITH TIME ZONE".into(),
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale) => format!("DECIMAL({digits},{scale})"),
            // Among them times of a precision that DuckDB does not have.
            _ => "VARCHAR".into(),
        }
    }

    fn begin(&self) -> Vec<String> {
        vec!["BEGIN TRANSACTION".into()]
    }

    fn before_recoding(&self, _relations: &[String]) -> Vec<String> {
        Vec::new()
    }
}
