//! What only some algorithms want to be told.

use super::PartitionSettings;

/// Whatever an algorithm may be told beside the problem itself. An algorithm's card lists what it
/// [`reads`](crate::algorithms::Card::reads); who takes settings from a user refuses the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Counted columns that a release should still predict, for [`Setting::Targets`].
    pub targets: Vec<usize>,
    /// Quasi-identifiers for whose values nobody gave levels. Their numbers may be cut anywhere.
    pub without_hierarchy: Vec<usize>,
    /// The steps to take one after the other, for [`Setting::Script`].
    pub script: Option<Vec<String>>,
    /// How values may be partitioned, for [`Setting::Partition`].
    pub partition: PartitionSettings,
    /// For algorithms that draw numbers. The same seed gives the same answer.
    pub seed: u64,
    /// Threads an algorithm may use. The answer never depends on it. 0 stands for one.
    pub threads: usize,
}

/// A setting that makes no sense for every algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Setting {
    /// [`Settings::targets`].
    Targets,
    /// [`Settings::script`].
    Script,
    /// [`Settings::partition`].
    Partition,
}
