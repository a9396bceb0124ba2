//! The SQL of Spark, which Sail understands too.

use super::messages::{self, Kind};
use crate::address::TableName;
use crate::column::{Column, Declared, Form};
use crate::dialect::Dialect;
use arrow_schema::{DataType, TimeUnit};

/// Spark and Databricks, or Sail.
pub(crate) struct Spark {
    pub(super) is_sail: bool,
}

pub(crate) static SPARK: Spark = Spark { is_sail: false };
pub(crate) static SAIL: Spark = Spark { is_sail: true };

/// A text as it stands in a statement. Only for paths: values and labels never do.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

impl Dialect for Spark {
    fn engine(&self) -> &'static str {
        match self.is_sail {
            true => "Sail",
            false => "Spark",
        }
    }

    fn has_transactions(&self) -> bool {
        false
    }

    fn longest_name(&self) -> Option<usize> {
        // Of a table, in the catalogs that store names in databases.
        None
    }

    fn ignores_case(&self) -> bool {
        true
    }

    fn refuses_to_drop_what_is_read(&self) -> bool {
        false
    }

    fn tells_apart(&self, column: &Column) -> bool {
        // A list of `a, b` has the same text as one of `a` and `b`.
        column.is_single
    }

    fn quote(&self, name: &str) -> String {
        format!("`{}`", name.replace('`', "``"))
    }

    fn column(&self, declared: Declared) -> Column {
        let micros =
            |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let (kind, form, cast) = match declared.kind.as_str() {
            "STRING" => (DataType::Utf8, Form::Itself, None),
            "BOOLEAN" => (DataType::Boolean, Form::Itself, None),
            "TINYINT" => (DataType::Int8, Form::Itself, None),
            "SMALLINT" => (DataType::Int16, Form::Itself, None),
            "INT" => (DataType::Int32, Form::Itself, None),
            "BIGINT" => (DataType::Int64, Form::Itself, None),
            // `0` and `-0` are equal numbers with different texts.
            "FLOAT" => (DataType::Float32, Form::Text, Some("FLOAT")),
            "DOUBLE" => (DataType::Float64, Form::Text, Some("DOUBLE")),
            "DATE" => (DataType::Date32, Form::Itself, None),
            "TIMESTAMP_NTZ" => (micros(None), Form::Itself, None),
            "TIMESTAMP" => (micros(Some("UTC")), Form::Itself, None),
            kind if kind.starts_with("STRING COLLATE") => (DataType::Utf8, Form::Bytes, None),
            kind => match decimal(kind) {
                // All values have the same number of digits after the point.
                Some(kind) => (kind, Form::Itself, None),
                None => (DataType::Utf8, Form::Text, None),
            },
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
            // Whatever collation they have.
            Form::Bytes => format!("CAST(CAST({expression} AS BINARY) AS STRING)"),
            Form::Text | Form::Number => format!("CAST({expression} AS STRING)"),
        }
    }

    fn stored(&self, kind: &DataType) -> String {
        match kind {
            DataType::Boolean => "BOOLEAN".into(),
            DataType::Int8 => "TINYINT".into(),
            DataType::Int16 | DataType::UInt8 => "SMALLINT".into(),
            DataType::Int32 | DataType::UInt16 => "INT".into(),
            DataType::Int64 | DataType::UInt32 => "BIGINT".into(),
            DataType::UInt64 => "DECIMAL(20,0)".into(),
            DataType::Float32 => "FLOAT".into(),
            DataType::Float64 => "DOUBLE".into(),
            DataType::Date32 => "DATE".into(),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => "STRING".into(),
            DataType::Timestamp(_, None) => "TIMESTAMP_NTZ".into(),
            DataType::Timestamp(_, Some(_)) => "TIMESTAMP".into(),
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale)
                if *scale >= 0 =>
            {
                format!("DECIMAL({digits},{scale})")
            }
            // Among them times of day, which few versions have.
            _ => "STRING".into(),
        }
    }

    fn begin(&self) -> Vec<String> {
        Vec::new()
    }

    fn before_recoding(&self, _relations: &[String]) -> Vec<String> {
        Vec::new()
    }

    fn shuffle(&self) -> &'static str {
        " ORDER BY rand()"
    }

    fn draft(&self, target: &TableName, name: &str) -> TableName {
        match target.as_path() {
            // Among the tables of the session's schema: whoever looks into the directory sees complete releases only.
            Some(_) => TableName(vec![name.to_owned()]),
            None => target.sibling(name),
        }
    }
}

/// The type `DECIMAL(digits,scale)`.
fn decimal(kind: &str) -> Option<DataType> {
    let (digits, scale) = kind
        .strip_prefix("DECIMAL(")?
        .strip_suffix(')')?
        .split_once(',')?;
    Some(DataType::Decimal128(
        digits.parse().ok()?,
        scale.parse().ok()?,
    ))
}

/// A column as the server describes it.
pub(super) fn declared(field: &messages::StructField) -> Declared {
    let kind = field.data_type.as_ref().and_then(|it| it.kind.as_ref());
    let (kind, is_single) = match kind {
        Some(Kind::Boolean(_)) => ("BOOLEAN".to_owned(), true),
        Some(Kind::Byte(_)) => ("TINYINT".into(), true),
        Some(Kind::Short(_)) => ("SMALLINT".into(), true),
        Some(Kind::Integer(_)) => ("INT".into(), true),
        Some(Kind::Long(_)) => ("BIGINT".into(), true),
        Some(Kind::Float(_)) => ("FLOAT".into(), true),
        Some(Kind::Double(_)) => ("DOUBLE".into(), true),
        Some(Kind::Decimal(decimal)) => {
            let (digits, scale) = (decimal.precision.unwrap_or(10), decimal.scale.unwrap_or(0));
            (format!("DECIMAL({digits},{scale})"), true)
        }
        Some(Kind::Text(text)) => match text.collation.as_str() {
            "" | "UTF8_BINARY" => ("STRING".into(), true),
            collation => (format!("STRING COLLATE {collation}"), true),
        },
        Some(Kind::Char(_) | Kind::VarChar(_)) => ("STRING".into(), true),
        Some(Kind::Date(_)) => ("DATE".into(), true),
        Some(Kind::Timestamp(_)) => ("TIMESTAMP".into(), true),
        Some(Kind::TimestampWithoutZone(_)) => ("TIMESTAMP_NTZ".into(), true),
        Some(Kind::Null(_)) => ("VOID".into(), true),
        Some(Kind::Binary(_)) => ("BINARY".into(), false),
        Some(Kind::CalendarInterval(_) | Kind::YearMonthInterval(_) | Kind::DayTimeInterval(_)) => {
            ("INTERVAL".into(), false)
        }
        Some(Kind::Array(_)) => ("ARRAY".into(), false),
        Some(Kind::Struct(_)) => ("STRUCT".into(), false),
        Some(Kind::Map(_)) => ("MAP".into(), false),
        Some(Kind::Variant(_)) => ("VARIANT".into(), false),
        None => ("of a kind that is not known here".into(), false),
    };
    Declared {
        name: field.name.clone(),
        kind,
        is_single,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_cannot_end_what_they_stand_in() {
        assert_eq!(SPARK.quote("a`b"), "`a``b`");
        assert_eq!(literal("a'b\\"), "'a\\'b\\\\'");
    }

    #[test]
    fn types_are_stored_so_that_they_come_back() {
        for kind in [
            "STRING",
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "FLOAT",
            "DOUBLE",
            "DATE",
            "TIMESTAMP",
            "TIMESTAMP_NTZ",
            "DECIMAL(10,2)",
        ] {
            let declared = Declared {
                name: "a".into(),
                kind: kind.into(),
                is_single: true,
            };
            assert_eq!(SPARK.stored(&SPARK.column(declared).kind), kind);
        }
    }
}
