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
    /// Values of the data that a hierarchy does not list.
    #[error("{unlisted} values of column `{column}` are missing from its hierarchy")]
    UnlistedValues {
        /// The column.
        column: String,
        /// How many distinct values are not listed.
        unlisted: usize,
        /// How many values the hierarchy lists.
        listed: usize,
    },
    /// No acceptable node keeps the promises within the budget.
    #[error(
        "no acceptable recoding keeps the promises while suppressing at most {max_suppressed} rows"
    )]
    NoSolution {
        /// The budget.
        max_suppressed: u32,
        /// Rows the highest acceptable node suppresses.
        rows_suppressed_at_limit: u32,
    },
    /// Time was up before any safe recoding was found.
    #[error("time is up and no safe recoding was found")]
    TimeUp {
        /// Nodes whose classes were counted.
        nodes_checked: u64,
    },
    /// The independent check refused what a search proposed. Always a bug, never published.
    #[error("the independent check refused the recoding: {what}")]
    CheckFailed {
        /// What did not hold.
        what: &'static str,
    },
    /// The rows read in the second pass are not those counted in the first.
    #[error("the input changed between counting and writing")]
    InputChanged,
    /// A column of the counted table is not in the rows to be written.
    #[error("column `{column}` is gone from the input")]
    ColumnVanished {
        /// The column.
        column: String,
    },
    /// The user stopped the run.
    #[error("stopped")]
    Cancelled,
    /// No metric has this name.
    #[error("there is no metric `{name}`")]
    MetricUnknown {
        /// What was asked for.
        name: String,
        /// The registered names nearest to it, nearest first.
        nearest: Vec<&'static str>,
    },
    /// A metric is not written as `name` or `name(option=value,...)`.
    #[error("`{text}` is not a metric with options")]
    MetricSpecMalformed {
        /// What was given.
        text: String,
    },
    /// A metric does not take this option.
    #[error("the metric `{metric}` has no option `{option}`")]
    MetricOptionUnknown {
        /// The metric.
        metric: &'static str,
        /// What was given.
        option: String,
        /// The options it takes.
        known: &'static [&'static str],
    },
    /// The value of a metric's option makes no sense.
    #[error("the option `{option}` of the metric `{metric}` is not {expected}")]
    MetricOptionInvalid {
        /// The metric.
        metric: &'static str,
        /// The option.
        option: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A metric's option names a column that is not there, or not in that role.
    #[error("the metric `{metric}` names the column `{column}`, which it cannot use")]
    MetricColumnUnknown {
        /// The metric.
        metric: &'static str,
        /// The column.
        column: String,
    },
    /// A metric needs a target column.
    #[error("the metric `{metric}` needs a target column")]
    MetricTargetMissing {
        /// The metric.
        metric: &'static str,
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
            Error::UnlistedValues { listed, .. } => {
                Some(format!("the hierarchy lists {listed} values"))
            }
            Error::NoSolution {
                rows_suppressed_at_limit,
                ..
            } => Some(format!(
                "the highest acceptable levels still suppress {rows_suppressed_at_limit} rows"
            )),
            Error::TimeUp { nodes_checked } => Some(format!("{nodes_checked} nodes checked")),
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
            Error::UnlistedValues { .. } => {
                "`incrowd hierarchy check` lists them; or pass `--unlisted suppress`".into()
            }
            Error::NoSolution {
                rows_suppressed_at_limit,
                ..
            } => format!(
                "allow `--max-suppressed {rows_suppressed_at_limit}`, raise `--max-levels`, or weaken a promise"
            ),
            Error::TimeUp { .. } => "raise `--time-limit`".into(),
            Error::CheckFailed { .. } => "nothing was written; please report this as a bug".into(),
            Error::InputChanged | Error::ColumnVanished { .. } => {
                "nothing was written; run again on a copy that nobody changes".into()
            }
            Error::Cancelled => "nothing was written".into(),
            Error::MetricUnknown { nearest, .. } => {
                format!("the nearest names are {}", nearest.join(", "))
            }
            Error::MetricSpecMalformed { .. } => {
                "write for example `loss` or `loss(aggregate=sum,weights=age:2;sex:1)`".into()
            }
            Error::MetricOptionUnknown { known: [], .. } => "it takes no options".into(),
            Error::MetricOptionUnknown { known, .. } => format!("it takes {}", known.join(", ")),
            Error::MetricOptionInvalid { metric, .. } => {
                format!("`incrowd explain {metric}` shows its options")
            }
            Error::MetricColumnUnknown { .. } => {
                "weights belong to quasi-identifiers, a target to `--target`; check the spelling"
                    .into()
            }
            Error::MetricTargetMissing { .. } => "name it with `--target COLUMN`".into(),
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
                "check the spelling; capital letters and spaces count".into()
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
