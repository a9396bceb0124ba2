//! What else a search found, beside the recoding it proposes.

use super::choices;
use incrowd_core::algorithms::partition::Choices;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Figures about a search over partitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionSearch {
    /// The cost of the result by the metric minimized.
    pub cost: f64,
    /// No allowed partitions cost less than this.
    pub lower_bound: f64,
    /// Nodes whose cost was computed.
    pub nodes_visited: u64,
    /// How much was pruned, by rule.
    pub pruning: IndexMap<String, u64>,
    /// The direction of the search, `bottom-up` or `top-down`.
    pub search: String,
    /// Why this direction.
    pub search_reason: String,
    /// How many choices of partitions there are: a number, or the text `more than 1e308`.
    #[serde(with = "choices")]
    pub choices: Choices,
}

/// The safe full-domain recodings that a search has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SafeRecodings {
    /// How many are safe.
    pub safe_nodes: u64,
    /// Which recodings were searched for safe ones.
    pub safe_nodes_among: SafeAmong,
    /// The levels of each minimal safe recoding (none below it is safe), the lowest first.
    pub minimal: Vec<IndexMap<String, u8>>,
    /// The losses of the first of these, by the metric requested.
    pub minimal_losses: Vec<f64>,
}

/// What an optimizer of research value met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StringsMet {
    /// The best safe combinations of levels, the best first; the first is published.
    pub strings: Vec<SafeString>,
    /// Quasi-identifiers that are published as `*` because they are unsafe by themselves at every acceptable level.
    pub dropped: Vec<String>,
}

/// A safe combination of levels: a generalization string of the paper on research values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SafeString {
    /// The level of each quasi-identifier, in their order.
    pub levels: Vec<u8>,
    /// The research value of the release; `null` if another metric was searched by.
    pub value: Option<f64>,
    /// How many quasi-identifiers are at their last level.
    pub top_levels: usize,
}

/// Which recodings were searched for safe ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SafeAmong {
    /// All at acceptable levels.
    Lattice,
    /// Those at the lowest height (sum of levels) that has a safe one.
    LeastHeight,
}
