//! A column of a table in an engine: how its values are compared there, and how they come here.
//!
//! Two values are the same to us if their texts are. What an engine takes for equal may differ: `1.0` and `1.00`, `0.0`
//! and `-0.0`, upper and lower case under some collations. So every column has a form in which equal means equal text,
//! and GROUP BY and joins use that form.

use crate::dialect::Dialect;
use arrow_schema::DataType;

/// How an engine describes a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The name of its type, as the engine's client states it.
    pub(crate) kind: String,
    /// Whether a value is one thing that has a text: no list, no record.
    pub(crate) is_single: bool,
}

/// The form in which values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are: equal values have equal texts.
    Itself,
    /// Text, byte by byte.
    Bytes,
    /// Their text in the engine, byte by byte.
    Text,
    /// The same for floating-point numbers, of which some are none.
    Number,
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The type in which its values come here.
    pub(crate) kind: DataType,
    pub(crate) form: Form,
    /// What a compared value is cast to on its way here, if anything.
    pub(crate) cast: Option<&'static str>,
    /// The engine's name of its type.
    pub(crate) declared: String,
    /// Whether it can be generalized.
    pub(crate) is_single: bool,
}

impl Column {
    /// A value of this column, in the form in which it is compared.
    pub(crate) fn compared(&self, dialect: &dyn Dialect, table: &str) -> String {
        let cell = format!("{table}.{}", dialect.quote(&self.name));
        dialect.compared(&cell, self.form)
    }

    /// A compared value, as it comes here.
    pub(crate) fn sent(&self, compared: &str) -> String {
        match self.cast {
            Some(kind) => format!("CAST({compared} AS {kind})"),
            None => compared.to_owned(),
        }
    }
}
