//! What can go wrong while deciding, as fields; the sentence and the hint are made from them.
//!
//! Errors point at cells and never quote them: the tables are about persons.

/// Everything the core can refuse.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More rows than a class size can count.
    #[error("the table has more than {limit} rows")]
    TooManyRows {
        /// The greatest number of rows that can be counted.
        limit: u64,
    },
    /// A cell is not valid UTF-8.
    #[error("column `{column}` is not UTF-8 text")]
    NotUtf8 {
        /// The column.
        column: String,
        /// The first row, counted from 1, header not counted.
        row: u64,
    },
    /// No privacy model has this name.
    #[error("there is no privacy model `{name}`")]
    UnknownModel {
        /// The name given.
        name: String,
        /// Names it may have been meant to be, best first.
        nearest: Vec<&'static str>,
    },
    /// A text that should be a model is not of the form `name(parameter=value,...)`.
    #[error("`{text}` does not read as a privacy model")]
    MalformedModel {
        /// The text given.
        text: String,
    },
    /// A model has no such parameter.
    #[error("`{model}` has no parameter `{parameter}`")]
    UnknownParameter {
        /// The model.
        model: &'static str,
        /// The name given.
        parameter: String,
        /// The names it has.
        known: Vec<&'static str>,
    },
    /// A parameter is given twice.
    #[error("`{model}` is given its parameter `{parameter}` twice")]
    DuplicateParameter {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: String,
    },
    /// A parameter without a default is not given.
    #[error("`{model}` needs a value for `{parameter}`")]
    MissingParameter {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// A parameter is not a number or word that the model takes.
    #[error("`{parameter}` of `{model}` cannot be `{given}`")]
    ParameterOutOfRange {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given for it.
        given: String,
        /// What it may be, as it stands after "must be".
        allowed: String,
    },
    /// A model about sensitive values, and no sensitive column.
    #[error("`{model}` is about sensitive values, and no column is sensitive")]
    ModelNeedsColumn {
        /// The model.
        model: &'static str,
    },
    /// A model names a column that is not sensitive.
    #[error("`{model}` is about column `{column}`, which is not sensitive")]
    NotASensitiveColumn {
        /// The model.
        model: &'static str,
        /// The column.
        column: String,
    },
    /// A model names a value that its column does not have.
    #[error("column `{column}` does not have the value that `{model}` names")]
    NoSuchValue {
        /// The model.
        model: &'static str,
        /// The column.
        column: String,
    },
    /// A distance by rank, and nothing to rank by.
    #[error("column `{column}` is text, and nothing says how it is ordered")]
    ColumnHasNoOrder {
        /// The column.
        column: String,
    },
    /// A distance along a hierarchy that is not there.
    #[error("column `{column}` has no hierarchy to measure distances in")]
    ColumnHasNoHierarchy {
        /// The column.
        column: String,
    },
    /// Values without a place in the hierarchy that a distance is measured in.
    #[error("{values} values of column `{column}` are missing from its hierarchy")]
    ValuesOutsideHierarchy {
        /// The column.
        column: String,
        /// How many values.
        values: usize,
    },
}

impl Error {
    /// Where it happened, when there is more to say than the message does.
    pub fn place(&self) -> Option<String> {
        match self {
            Error::NotUtf8 { row, .. } => Some(format!("first in row {row}")),
            _ => None,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::TooManyRows { .. } => "publish the table in parts".into(),
            Error::NotUtf8 { .. } => {
                "convert the file first, for example `iconv -f latin1 -t utf-8`".into()
            }
            Error::UnknownModel { nearest, .. } if nearest.is_empty() => {
                "`incrowd explain` lists the models".into()
            }
            Error::UnknownModel { nearest, .. } => {
                format!("did you mean `{}`?", nearest.join("` or `"))
            }
            Error::MalformedModel { .. } => {
                "write `name(parameter=value,...)`, for example `t-closeness(t=0.2,distance=equal)`; \
                 put values with commas, brackets or `=` in double quotes"
                    .into()
            }
            Error::UnknownParameter { known, .. } => format!("it has `{}`", known.join("`, `")),
            Error::DuplicateParameter { parameter, .. } => {
                format!("keep one of the two `{parameter}=`")
            }
            Error::MissingParameter { model, parameter } => {
                format!("write `{model}({parameter}=...)`; `incrowd explain {model}` says what it means")
            }
            Error::ParameterOutOfRange {
                parameter, allowed, ..
            } => format!("`{parameter}` must be {allowed}"),
            Error::ModelNeedsColumn { .. } => "name one with `--sensitive`".into(),
            Error::NotASensitiveColumn { column, .. } => {
                format!("add `--sensitive {column}`, or leave `column=` out")
            }
            Error::NoSuchValue { .. } => {
                "check its spelling, capital letters and spaces included; when several columns are \
                 sensitive, say which with `column=`"
                    .into()
            }
            Error::ColumnHasNoOrder { column } => format!(
                "list its values in order with `--hierarchy {column}=FILE`, or use `distance=equal`"
            ),
            Error::ColumnHasNoHierarchy { column } => {
                format!("give one with `--hierarchy {column}=FILE`, or use `distance=equal`")
            }
            Error::ValuesOutsideHierarchy { .. } => {
                "add them to the hierarchy, or use `distance=equal`".into()
            }
        }
    }
}
