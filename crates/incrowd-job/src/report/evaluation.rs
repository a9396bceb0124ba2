//! What a release is still worth, as people and programs read it.

use serde::{Deserialize, Serialize};

/// The result of `evaluate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// [`VERSION`](super::outcome::VERSION).
    pub version: u32,
    /// Rows of the raw table that were judged.
    pub rows: u64,
    /// Rows of the release; `null` if only the raw side was judged.
    pub rows_released: Option<u64>,
    /// How many parts the rows were split into for training and testing.
    pub folds: u64,
    /// What decided the folds and the queries.
    pub seed: u64,
    /// The columns that were learned from.
    pub features: Vec<String>,
    /// How well classes are predicted, for every target and model.
    pub classification: Vec<Classified>,
    /// How well numbers are predicted, for every target.
    pub regression: Vec<Regressed>,
    /// How well random counts are answered; `null` without a release.
    pub queries: Option<QueriesAnswered>,
    /// How far the distribution of each published column is from the raw one.
    pub columns: Vec<ColumnDistance>,
    /// How strongly columns depend on each other, before and after.
    pub associations: Vec<Associated>,
    /// The rules that tell most about the first target, before and after; `null` if not asked for.
    pub partitioning: Option<Partitioning>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

/// How well a model predicts the classes of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classified {
    /// The column predicted.
    pub target: String,
    /// `decision-tree`, `logistic-regression` or `naive-bayes`.
    pub model: String,
    /// Shares of rows, none of them seen in training, whose class is predicted.
    pub accuracy: Accuracy,
}

/// Shares of rows whose class is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Accuracy {
    /// By the most frequent class alone.
    pub majority: f64,
    /// By what was learned from raw rows.
    pub raw: f64,
    /// By what was learned from released rows; `null` without any.
    pub release: Option<f64>,
}

/// How well a model predicts the numbers of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regressed {
    /// The column predicted.
    pub target: String,
    /// `linear`.
    pub model: String,
    /// Errors on rows that were not seen in training.
    pub rmse: Rmse,
}

/// Root mean squared errors, in the unit of the target (days for dates).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rmse {
    /// Of the mean alone.
    pub mean: f64,
    /// Of what was learned from raw rows.
    pub raw: f64,
    /// Of what was learned from released rows; `null` without any.
    pub release: Option<f64>,
}

/// How well random counts are answered from a release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueriesAnswered {
    /// How many queries were asked.
    pub asked: u64,
    /// Half of the answers have a smaller relative error.
    pub median_relative_error: f64,
    /// The average relative error.
    pub mean_relative_error: f64,
}

/// How far the distribution of a published column is from the raw one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnDistance {
    /// The column.
    pub name: String,
    /// From 0 (equal) to 1.
    pub distance: f64,
    /// `total-variation`, or `earth-mover` for numbers and dates.
    pub measure: String,
}

/// How strongly two columns depend on each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Associated {
    /// The columns.
    pub columns: [String; 2],
    /// In the raw table.
    pub raw: f64,
    /// In the release; `null` without one.
    pub release: Option<f64>,
    /// `pearson`, `cramers-v` or `correlation-ratio`.
    pub measure: String,
}

/// The rules that tell most about a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Partitioning {
    /// The column that rules tell about.
    pub target: String,
    /// Those of the raw rows.
    pub raw: Vec<RuleBucket>,
    /// Those of the released rows; `null` without a release.
    pub release: Option<Vec<RuleBucket>>,
}

/// The rows that a rule selects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleBucket {
    /// Such as `capital-gain >= 7298`.
    pub rule: String,
    /// How many rows follow it.
    pub rows: u64,
    /// The share of those that have the class below.
    pub share: f64,
    /// The class that most of them have.
    pub majority: String,
    /// Released rows whose interval has numbers on both sides of a boundary of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlapping_rows: Option<u64>,
}
