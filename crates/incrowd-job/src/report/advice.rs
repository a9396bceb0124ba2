//! Which algorithms suit a table, as people and programs read it.

use crate::report::outcome::Figure128;
use serde::{Deserialize, Serialize};

/// The result of `advise`. Every algorithm is ranked or excluded, each once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AdviceReport {
    /// [`VERSION`](super::outcome::VERSION).
    pub version: u32,
    /// What the release is for, as given or as the target says: `any`, `classification`, `regression` or `tables`.
    #[serde(rename = "use")]
    pub usage: String,
    /// The best first.
    pub ranked: Vec<RankedAlgorithm>,
    /// Those that a wish or the table rules out.
    pub excluded: Vec<ExcludedAlgorithm>,
    /// What was measured.
    pub table: TableFacts,
    /// What was assumed because nothing was said, and what else should be known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An algorithm that may be taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedAlgorithm {
    /// Its name.
    pub algorithm: String,
    /// Why it stands where it does, the most important first.
    pub reasons: Vec<String>,
    /// The command that takes it, for a shell.
    pub command: String,
    /// What it reached on a sample, if that was asked for.
    pub tried: Option<Tried>,
}

/// An algorithm that should not be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcludedAlgorithm {
    /// Its name.
    pub algorithm: String,
    /// Why.
    pub reasons: Vec<String>,
}

/// What an algorithm reached on a sample of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Rows of the sample.
    pub rows: u64,
    /// Seconds that the search took.
    pub seconds: f64,
    /// The width of published values, by the metric `ncp`; suppressed rows count as `*`.
    pub ncp: Option<f64>,
    /// Rows suppressed.
    pub rows_suppressed: Option<u64>,
    /// Classes published.
    pub classes: Option<u64>,
    /// For classification: the share of unseen rows predicted, the mean over all models; learned from the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// For regression: the root mean squared error on unseen rows; learned from the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Why there is no release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// What was measured of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableFacts {
    /// Rows that take part.
    pub rows: u64,
    /// Distinct combinations of quasi-identifiers.
    pub distinct_tuples: u64,
    /// Combinations of levels.
    pub lattice_nodes: Figure128,
    /// Whether they are too many to judge all of them.
    pub is_large: bool,
    /// Quasi-identifiers.
    pub quasi_identifiers: u64,
    /// Quasi-identifiers with numbers or dates.
    pub numbers: u64,
    /// Missing cells of quasi-identifiers.
    pub missing_cells: u64,
    /// Columns that analysts might want to predict.
    pub candidate_targets: Vec<CandidateTarget>,
}

/// A column that analysts might want to predict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateTarget {
    /// The column.
    pub name: String,
    /// What could be predicted.
    pub kind: TargetKind,
    /// Distinct values in the first rows.
    pub values: u64,
}

/// What could be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// One of a few classes.
    Classes,
    /// A number.
    Numbers,
}
