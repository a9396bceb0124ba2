//! What a release costs: every metric is a loss, lower is better.
//!
//! A metric is built for one counted table ([`MetricSpec::build`]), so whatever depends on the table alone is
//! worked out once. It then gives the loss of a release and, for searches that must prove an optimum, two
//! *floors*: losses that no node at or above a given one can stay under. One is known from levels, before
//! anything is counted; the other from the classes of a counted node.
//!
//! A new metric is a file with an entry, and a line in [`METRICS`].
//!
//! ```
//! use incrowd_core::utility::MetricSpec;
//! let spec: MetricSpec = "loss(aggregate=sum,weights=age:2)".parse()?;
//! assert_eq!(spec.to_string(), "loss(aggregate=sum,weights=age:2)");
//! # Ok::<(), incrowd_core::Error>(())
//! ```

mod aggregate;
mod ambiguity;
mod average_class_size;
mod classification_metric;
mod discernibility;
mod dm_star;
mod floors;
mod hdm;
mod height;
mod kl_divergence;
mod loss;
mod ncp;
mod non_uniform_entropy;
mod precision;
mod query_error;
mod registry;
mod research_value;
#[cfg(test)]
mod tests;

pub use aggregate::Aggregate;
pub use ambiguity::Ambiguity;
pub use average_class_size::AverageClassSize;
pub use classification_metric::ClassificationMetric;
pub use discernibility::Discernibility;
pub use dm_star::DmStar;
pub use hdm::Hdm;
pub use height::Height;
pub use kl_divergence::KlDivergence;
pub use loss::GeneralizedLoss;
pub use ncp::Ncp;
pub use non_uniform_entropy::NonUniformEntropy;
pub use precision::Precision;
pub use query_error::QueryError;
pub use registry::{MetricEntry, MetricKind, MetricSpec};
pub use research_value::{AttributeValue, ResearchValue, automatic_weights};
pub(crate) use research_value::{Left, RuleSide, Said};

use crate::counts::{Attribute, CountedTable, Histograms, LeafOrder, LeafSet};
use crate::hierarchy::{Group, Hierarchy, Leaf};
use crate::lattice::{Level, Node};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Debug;

/// Every metric, in the order it is shown.
pub static METRICS: &[MetricEntry] = &[
    loss::ENTRY,
    discernibility::ENTRY,
    hdm::ENTRY,
    dm_star::ENTRY,
    average_class_size::ENTRY,
    non_uniform_entropy::ENTRY,
    precision::ENTRY,
    height::ENTRY,
    ncp::ENTRY,
    ambiguity::ENTRY,
    kl_divergence::ENTRY,
    query_error::ENTRY,
    classification_metric::ENTRY,
    research_value::ENTRY,
];

/// A loss; lower is better. Never NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss(pub f64);

impl Eq for Loss {}

impl Loss {
    /// Whether two losses are the same but for the order in which they were summed up.
    pub fn is_about(self, other: Loss) -> bool {
        let (one, other) = (self.0, other.0);
        one == other || (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-3)
    }
}

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

/// One quasi-identifier as published: its values fall into *groups*, listed in parallel.
#[derive(Debug, Clone, Copy)]
pub struct PublishedAttribute<'a> {
    /// The level whose groups these are; `None` when they come from several levels or from none.
    pub level: Option<Level>,
    /// Which raw values each group stands for.
    pub cover: Cover<'a>,
    /// Raw values under each group.
    pub leaves: &'a [u32],
    /// Rows of the whole table in each group.
    pub rows: &'a [u32],
    /// Rows of each group that are suppressed. May be empty when nothing is, or when the metric needs less than
    /// [`Detail::Marginals`] and there is a `level`.
    pub rows_suppressed: &'a [u32],
    /// Rows of each leaf that are suppressed. Empty when nothing is, when the metric needs less than
    /// [`Detail::Leaves`], or when groups overlap.
    pub leaves_suppressed: &'a [u32],
}

/// Which leaves of an attribute each of its groups stands for.
#[derive(Debug, Clone, Copy)]
pub enum Cover<'a> {
    /// Every leaf is in one group, the same in every row: the number of the group of each leaf.
    Disjoint(&'a [u32]),
    /// Groups may share leaves. Which of them a row is in depends on its other values too.
    Overlapping(&'a OverlappingGroups),
}

/// Groups that may share leaves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OverlappingGroups {
    /// The order that sets of leaves are runs of.
    pub order: LeafOrder,
    /// The leaves of each group.
    pub leaves: Vec<LeafSet>,
    /// How rows are spread, by leaf and then by group.
    pub rows: Vec<LeafRows>,
}

impl OverlappingGroups {
    /// For each position of the order the sum of what the leaves before it have and, at the end, of all.
    fn sums_before(&self, of_position: impl Fn(u32) -> u64) -> Vec<u64> {
        let mut sums = vec![0];
        for position in 0..self.order.len() {
            sums.push(sums[position as usize] + of_position(position));
        }
        sums
    }

    /// For each group, its least and greatest number; infinity and minus infinity if it has none.
    fn spans(&self) -> Vec<(f64, f64)> {
        let numbers = self.order.numbers().unwrap_or(&[]);
        let first = numbers.partition_point(|number| number.is_nan()) as u32;
        let span = |leaves: &LeafSet| match leaves.ends_from(first) {
            Some((least, greatest)) => (numbers[least as usize], numbers[greatest as usize]),
            None => (f64::INFINITY, f64::NEG_INFINITY),
        };
        self.leaves.iter().map(span).collect()
    }

    /// For each group, the lowest level at which all its leaves are in one group.
    fn levels(&self, hierarchy: &Hierarchy) -> Vec<Level> {
        let mut levels = vec![hierarchy.height(); self.leaves.len()];
        // From the top down: what is one group at a level is one at all levels above.
        for level in Level::under(hierarchy.height()).rev() {
            // Leaves from one position to another are in one group if none of them is in another than the one before.
            let group = |position| hierarchy.group_of(level, self.order.leaf(position));
            let changes = self.sums_before(|position| {
                u64::from(position > 0 && group(position) != group(position - 1))
            });
            for (leaves, lowest) in self.leaves.iter().zip(&mut levels) {
                if leaves.is_in_one(&changes, group) {
                    *lowest = level;
                }
            }
        }
        levels
    }
}

/// Rows with the same raw value that are published in the same group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafRows {
    /// The raw value.
    pub leaf: Leaf,
    /// The group.
    pub group: Group,
    /// The rows.
    pub rows: u32,
    /// Those of them that are suppressed.
    pub rows_suppressed: u32,
}

impl<'a> PublishedAttribute<'a> {
    /// An attribute published at one level of its hierarchy.
    pub fn at_level(attribute: &'a Attribute, level: Level, rows_suppressed: &'a [u32]) -> Self {
        PublishedAttribute {
            level: Some(level),
            cover: Cover::Disjoint(attribute.hierarchy.groups_of_leaves(level)),
            leaves: attribute.hierarchy.leaves_of_groups(level),
            rows: &attribute.rows_of_groups[level.index()],
            rows_suppressed,
            leaves_suppressed: &[],
        }
    }

    /// The number of the group of each leaf, for those who know that a row's group depends on its leaf alone.
    ///
    /// # Panics
    /// When groups overlap.
    pub fn groups_of_leaves(&self) -> &'a [u32] {
        match self.cover {
            Cover::Disjoint(groups_of_leaves) => groups_of_leaves,
            Cover::Overlapping(_) => panic!("a leaf is in several groups"),
        }
    }

    /// For each group, the rows of the table whose raw value it stands for, whatever they are published as.
    fn rows_under(&self, attribute: &Attribute) -> Cow<'a, [u32]> {
        let Cover::Overlapping(groups) = self.cover else {
            return Cow::Borrowed(self.rows);
        };
        let rows = &attribute.rows_of_groups[0];
        let before = groups.sums_before(|position| {
            let leaf = groups.order.leaf(position);
            rows[leaf.index()].into()
        });
        // A group has no more rows than the table.
        let rows = (groups.leaves.iter()).map(|leaves| leaves.sum_of(&before) as u32);
        Cow::Owned(rows.collect())
    }

    /// Rows by their raw value and the group they are published in.
    fn leaf_rows(&self, attribute: &'a Attribute) -> impl Iterator<Item = LeafRows> + 'a {
        let (disjoint, overlapping) = match self.cover {
            Cover::Disjoint(groups_of_leaves) => (groups_of_leaves, None),
            Cover::Overlapping(groups) => (&[][..], Some(groups.rows.iter().copied())),
        };
        let leaves_suppressed = self.leaves_suppressed;
        let disjoint = (0..).zip(disjoint).map(move |(leaf, &group)| LeafRows {
            leaf: Leaf(leaf),
            group: Group(group),
            rows: attribute.rows_of_groups[0][leaf as usize],
            rows_suppressed: leaves_suppressed.get(leaf as usize).copied().unwrap_or(0),
        });
        disjoint.chain(overlapping.into_iter().flatten())
    }

    /// For each group, the lowest level at which all its leaves are in one group.
    pub(crate) fn levels_of_groups(&self, hierarchy: &Hierarchy) -> Vec<Level> {
        let groups_of_leaves = match self.cover {
            Cover::Disjoint(groups_of_leaves) => groups_of_leaves,
            Cover::Overlapping(groups) => return groups.levels(hierarchy),
        };
        let mut levels = vec![Level::RAW; self.leaves.len()];
        let mut first: Vec<Option<usize>> = vec![None; self.leaves.len()];
        for (leaf, &group) in groups_of_leaves.iter().enumerate() {
            let group = group as usize;
            let other = *first[group].get_or_insert(leaf);
            let together = |&level: &Level| {
                let groups = hierarchy.groups_of_leaves(level);
                groups[leaf] == groups[other]
            };
            let level = Level::under(hierarchy.height())
                .skip(levels[group].index())
                .find(together);
            levels[group] = level.unwrap_or(hierarchy.height());
        }
        levels
    }

    /// Rows of a group that are suppressed.
    fn suppressed(&self, group: usize) -> u32 {
        self.rows_suppressed.get(group).copied().unwrap_or(0)
    }
}

/// How much a metric must be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// The published groups and the number of suppressed rows.
    Levels,
    /// Also class sizes, which of them are safe, and the histograms of [`UtilityMetric::column`].
    Classes,
    /// Also the suppressed rows of every group of every attribute.
    Marginals,
    /// Also the groups every class consists of.
    Groups,
    /// Also the suppressed rows of every raw value of every attribute, which classes above the raw values do not
    /// tell: every raw tuple is looked up again.
    Leaves,
}

/// A counted, judged recoding, as a metric sees it.
#[derive(Debug, Clone, Copy)]
pub struct Published<'a> {
    /// The table before recoding.
    pub table: &'a CountedTable,
    /// Rows in unsafe classes.
    pub rows_suppressed: u32,
    /// The attributes as published.
    pub attributes: &'a [PublishedAttribute<'a>],
    /// Rows of each class.
    pub sizes: &'a [u32],
    /// Whether each class is published.
    pub is_safe: &'a [bool],
    /// The numbers of the groups of each class, attribute by attribute, `attributes.len()` per class. Empty unless the metric needs
    /// [`Detail::Groups`].
    pub groups: &'a [u32],
    /// The values of [`UtilityMetric::column`] in each class, when the metric has one.
    pub target: Option<&'a Histograms>,
}

impl<'a> Published<'a> {
    /// The numbers of the groups of a class, for metrics that need [`Detail::Groups`].
    fn groups_of(&self, class: usize) -> &'a [u32] {
        let attributes = self.attributes.len();
        &self.groups[class * attributes..(class + 1) * attributes]
    }

    /// The classes that are published.
    fn safe_classes(&self) -> impl Iterator<Item = usize> + 'a {
        let classes = self.is_safe.iter().enumerate();
        classes.filter(|(_, safe)| **safe).map(|(class, _)| class)
    }
}

/// A loss that is a sum over rows, for searches that bound it class by class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ByRow<'a> {
    /// A published row costs the size of its class, a suppressed one the number of all rows.
    ClassSizes,
    /// A published row costs the weighted mean over attributes of the share of other rows that its raw value was
    /// merged with, (E - V) / (N - V); a suppressed one costs 1.
    ValuesShared {
        /// The weight of each attribute; not all are 0.
        weights: &'a [f64],
    },
}

/// What is known of every node a floor speaks of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known<'a> {
    /// Each of them suppresses at least so many rows.
    pub rows_suppressed: u32,
    /// None of them publishes a class with fewer rows.
    pub smallest_safe: u32,
    /// What rows that each of them suppresses add, from [`UtilityMetric::added_below`]; empty when nothing is known.
    pub added: &'a [f64],
}

impl Known<'_> {
    /// Nothing is known.
    pub const NOTHING: Known<'static> = Known {
        rows_suppressed: 0,
        smallest_safe: 1,
        added: &[],
    };
}

/// What is known of the nodes between a counted node and another one above it: their classes are unions of classes of the
/// lower node and parts of classes of the upper one.
#[derive(Debug, Clone, Copy)]
pub struct Between<'a> {
    /// Rows of each class of the lower node.
    pub sizes: &'a [u32],
    /// For each of them, the fewest rows of a published class that contains it.
    pub fewest_around: &'a [u32],
    /// For each of them, the class of the upper node that it is in.
    pub class_of: &'a [u32],
    /// For each class of the upper node, the most of its rows that are published.
    pub most_kept: &'a [u32],
}

impl Between<'_> {
    /// The classes of the lower node that may be published: rows, fewest rows around it, and the class of the upper node.
    fn publishable(&self) -> impl Iterator<Item = (u32, u32, usize)> + '_ {
        let classes = self.sizes.iter().zip(self.fewest_around).zip(self.class_of);
        classes
            .map(|((&size, &around), &class)| (size, around, class as usize))
            .filter(|&(_, around, class)| around <= self.most_kept[class])
    }

    /// Rows that every node between suppresses, at least.
    pub fn rows_lost(&self) -> u32 {
        let mut left: Vec<u32> = vec![0; self.most_kept.len()];
        for (size, _, class) in self.publishable() {
            left[class] += size;
        }
        let kept = left.iter().zip(self.most_kept);
        let kept: u32 = kept.map(|(&left, &most)| left.min(most)).sum();
        self.sizes.iter().sum::<u32>() - kept
    }
}

/// A loss that is added up class by class, for whoever wants to know it again each time that some more are published.
pub trait ClassSum {
    /// Publishes one more class, by its place among those that the sum was begun for.
    fn publish(&mut self, class: usize);

    /// The loss if these classes are published and all others, so many rows, are suppressed: the very number that
    /// [`UtilityMetric::loss`] gives.
    fn loss(&self, rows_suppressed: u32) -> Loss;
}

/// A measure of what a release costs, built for one table.
///
/// Everything is deterministic and independent of the order in which classes are listed.
pub trait UtilityMetric: Debug + Send + Sync {
    /// The name in the registry, such as `loss`.
    fn name(&self) -> &'static str;

    /// What [`UtilityMetric::loss`] reads.
    fn detail(&self) -> Detail;

    /// Whether it matters in which group or class a suppressed row would have been. Whoever has only the published rows
    /// cannot know that.
    fn reads_suppressed_groups(&self) -> bool {
        false
    }

    /// The counted column whose histograms the metric reads, if any.
    fn column(&self) -> Option<usize> {
        None
    }

    /// The loss of a release.
    fn loss(&self, published: &Published<'_>) -> Loss;

    /// Begins to add up the loss over these classes, none of which is published yet; what `classes` says of safety and
    /// suppression is not read. None if the metric needs less than [`Detail::Classes`], or is not such a sum.
    fn class_sum<'a>(&'a self, _classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        None
    }

    /// The metric as a research value, for algorithms that must know what experts say; none if it is another one.
    fn research_value(&self) -> Option<&ResearchValue> {
        None
    }

    /// The loss of each attribute by itself, 0 for a raw one and 1 for one that says nothing; none if the metric does
    /// not look at single attributes.
    fn loss_of_attributes(&self, _published: &Published<'_>) -> Option<Vec<Loss>> {
        None
    }

    /// No full-domain node at or above `node` costs less than this, given what is known of them.
    ///
    /// Known from the levels alone, without counting. Rises, if anything, with every level and with
    /// `rows_suppressed`.
    fn floor(&self, _node: &Node, _known: Known<'_>) -> Loss {
        Loss(0.0)
    }

    /// The loss as a sum over rows, when it is one of those.
    fn by_row(&self) -> Option<ByRow<'_>> {
        None
    }

    /// What the suppressed rows add for each attribute, here and at every node below that suppresses them too.
    /// Empty when the metric has no more to say than their number does.
    fn added_below(&self, _published: &Published<'_>) -> Vec<f64> {
        Vec::new()
    }

    /// Whether [`UtilityMetric::added_below`] has something to say.
    fn adds_below(&self) -> bool {
        false
    }

    /// No node between two counted ones costs less than this, given what is known of them.
    fn floor_between(&self, _between: &Between<'_>, _known: Known<'_>) -> Loss {
        Loss(0.0)
    }

    /// A node with classes of these sizes costs no less than this, whichever of those that `may_be_safe` are published, and none
    /// of the others.
    fn floor_at(&self, _sizes: &[u32], _may_be_safe: &[bool]) -> Loss {
        Loss(0.0)
    }

    /// No node at or above a counted one costs less than this, given what is known of them.
    ///
    /// `sizes` and `target` are those of the counted node; which of its classes are safe does not matter.
    fn floor_above(&self, _sizes: &[u32], _target: Option<&Histograms>, _known: Known<'_>) -> Loss {
        Loss(0.0)
    }
}
