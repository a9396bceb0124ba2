//! What a release costs: every metric is a loss, lower is better.

use crate::counts::{CountedTable, Histograms};
use crate::lattice::Node;
use std::cmp::Ordering;
use std::fmt::Debug;

/// A loss; lower is better. Never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss(pub f64);

impl Eq for Loss {}

impl PartialOrd for Loss {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Loss {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// One quasi-identifier as published: parallel lists over its published values (*groups*).
#[derive(Debug, Clone, Copy)]
pub struct PublishedAttribute<'a> {
    /// Raw values under each group.
    pub leaves: &'a [u32],
    /// Rows of the whole table in each group.
    pub rows: &'a [u32],
    /// Rows of each group that are suppressed. Empty unless the metric needs [`Detail::Marginals`].
    pub rows_suppressed: &'a [u32],
}

/// How much a metric must be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Levels and the number of suppressed rows.
    Levels,
    /// Also class sizes, which of them are safe, and the target's histograms.
    Classes,
    /// Also the suppressed rows of every group of every attribute.
    Marginals,
    /// Also the groups every class consists of.
    Groups,
}

/// A counted, judged full-domain recoding, as a metric sees it.
#[derive(Debug, Clone, Copy)]
pub struct Published<'a> {
    /// The table before recoding.
    pub table: &'a CountedTable,
    /// The level of each attribute.
    pub node: &'a Node,
    /// Rows in unsafe classes.
    pub rows_suppressed: u32,
    /// The attributes as published.
    pub attributes: &'a [PublishedAttribute<'a>],
    /// Rows of each class.
    pub sizes: &'a [u32],
    /// Whether each class is published.
    pub is_safe: &'a [bool],
    /// Groups of each class, attribute by attribute, `attributes.len()` per class, classes sorted by them.
    /// Empty unless the metric needs [`Detail::Groups`].
    pub groups: &'a [u32],
    /// The target's values in each class, when there is a target.
    pub target: Option<&'a Histograms>,
}

/// A measure of what a release costs.
pub trait UtilityMetric: Debug + Send + Sync {
    /// The name in the registry, such as `loss`.
    fn name(&self) -> &'static str;

    /// What [`UtilityMetric::loss`] reads.
    fn detail(&self) -> Detail;

    /// The loss of a release.
    fn loss(&self, published: &Published<'_>) -> Loss;

    /// No node at or above `node` that suppresses at least `rows_suppressed` rows costs less than this.
    /// Known from the levels alone, without counting.
    fn floor(&self, _node: &Node, _rows_suppressed: u32) -> Loss {
        Loss(0.0)
    }

    /// No node at or above the counted one costs less than this, whatever is suppressed there.
    fn floor_above(&self, _sizes: &[u32], _target: Option<&Histograms>) -> Loss {
        Loss(0.0)
    }
}
