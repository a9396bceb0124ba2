//! What only some algorithms want to be told.

use crate::registry::Given;
use crate::utility::MetricSpec;

/// Whatever an algorithm may be told beside the problem itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// What the user set of the settings that the algorithm [declares](crate::algorithms::Algorithm::entry).
    pub own: Given,
    /// Counted columns that a release should still predict.
    pub targets: Vec<usize>,
    /// Quasi-identifiers for whose values nobody gave levels. Their numbers may be cut anywhere.
    pub without_hierarchy: Vec<usize>,
    /// What experts say, if they say anything, for algorithms that need it whatever metric is to be minimized.
    pub research: Option<MetricSpec>,
    /// For algorithms that draw numbers. The same seed gives the same answer.
    pub seed: u64,
    /// Threads an algorithm may use. The answer never depends on it. 0 stands for one.
    pub threads: usize,
}
