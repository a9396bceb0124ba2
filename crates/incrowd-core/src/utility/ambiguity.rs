//! How many raw rows a published row could be.

use super::floors::{Ladders, below};
use super::{ClassSum, Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::CountedTable;
use crate::lattice::Node;

crate::documented! {
    /// Average number of raw tuples that a published row could be.
    ///
    /// For each row, the product over the quasi-identifiers of the number of raw values under the published one;
    /// for a suppressed row, of all raw values. The mean over rows.
    ///
    /// # Range
    /// 1 (raw) to the product of the numbers of raw values.
    /// # Paper
    /// J. Goldberger and T. Tassa, Efficient Anonymizations with Enhanced Utility, Transactions on Data Privacy 3,
    /// 2010.
    #[derive(Debug, Clone)]
    pub struct Ambiguity {
        rows: u32,
        /// All raw tuples there could be; kept so small that a sum over rows stays finite.
        tuples: f64,
        /// The same as a whole number, when a sum over rows fits.
        exact_tuples: Option<u128>,
        /// Logarithms of the raw values under each group.
        ladders: Ladders,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "ambiguity",
    card: Ambiguity::CARD,
    settings: &[],
    kind: MetricKind::new(|_, table| Ok(Box::new(Ambiguity::new(table)))),
};

/// A product no greater than this, summed over all rows, is finite.
const GREATEST: f64 = 1e290;

impl Ambiguity {
    /// The metric for a table.
    pub fn new(table: &CountedTable) -> Self {
        let leaves = || (table.attributes.iter()).map(|attribute| attribute.hierarchy.leaves());
        let exact_tuples = leaves()
            .try_fold(1u128, |tuples, leaves| tuples.checked_mul(leaves as u128))
            .filter(|tuples| tuples.checked_mul(table.rows.max(1).into()).is_some());
        Ambiguity {
            rows: table.rows,
            tuples: leaves()
                .map(|leaves| leaves as f64)
                .product::<f64>()
                .min(GREATEST),
            exact_tuples,
            ladders: Ladders::new(table, |attribute, level, group| {
                let hierarchy = &table.attributes[attribute].hierarchy;
                f64::from(hierarchy.leaves_of_groups(level)[group]).ln()
            }),
        }
    }

    /// The loss, given what the rows of published classes could be, if whole numbers hold it.
    fn mean(&self, kept: u128, tuples: u128, rows_suppressed: u32) -> Loss {
        let sum = (kept + tuples * u128::from(rows_suppressed)) as f64;
        Loss(sum / f64::from(self.rows))
    }
}

/// The leaves of the groups of a class.
fn leaves<'a>(published: &Published<'a>, class: usize) -> impl Iterator<Item = u32> + 'a {
    let groups = published.groups_of(class).iter().zip(published.attributes);
    groups.map(|(&group, shown)| shown.leaves[group as usize])
}

/// What the rows of a class could be, all together.
fn possible(published: &Published<'_>, class: usize) -> u128 {
    let rows = published.sizes[class].into();
    leaves(published, class).fold(rows, |all: u128, one| all * u128::from(one))
}

/// What the rows of published classes could be.
struct Possible<'a> {
    metric: &'a Ambiguity,
    classes: &'a Published<'a>,
    tuples: u128,
    published: u128,
}

impl ClassSum for Possible<'_> {
    fn publish(&mut self, class: usize) {
        self.published += possible(self.classes, class);
    }

    fn loss(&self, rows_suppressed: u32) -> Loss {
        let Possible {
            metric,
            tuples,
            published,
            ..
        } = self;
        metric.mean(*published, *tuples, rows_suppressed)
    }
}

impl UtilityMetric for Ambiguity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Groups
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        if self.rows == 0 {
            return Loss(0.0);
        }
        let suppressed = published.rows_suppressed;
        if let Some(tuples) = self.exact_tuples {
            let kept = published
                .safe_classes()
                .map(|class| possible(published, class));
            return self.mean(kept.sum(), tuples, suppressed);
        }
        let mut kept: Vec<f64> = (published.safe_classes())
            .map(|class| {
                let tuples = leaves(published, class).map(f64::from).product::<f64>();
                tuples.min(GREATEST) * f64::from(published.sizes[class])
            })
            .collect();
        // Small ones first, whatever the order of the classes.
        kept.sort_unstable_by(f64::total_cmp);
        let sum = kept.iter().sum::<f64>() + self.tuples * f64::from(suppressed);
        Loss(sum / f64::from(self.rows))
    }

    fn class_sum<'a>(&'a self, classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        let tuples = self.exact_tuples.filter(|_| self.rows > 0)?;
        Some(Box::new(Possible {
            metric: self,
            classes,
            tuples,
            published: 0,
        }))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        // The mean of products is at least the product of geometric means (Jensen), and these are least when the
        // suppressed rows are those of the widest groups. Both rise with every level and every suppressed row.
        let suppressed = known.rows_suppressed.min(self.rows);
        let kept = f64::from(self.rows - suppressed);
        if self.rows == 0 {
            return Loss(0.0);
        }
        let mut sum = f64::from(suppressed) * self.tuples;
        if kept > 0.0 {
            let logarithms: f64 = self.ladders.kept(node, suppressed).sum();
            sum += kept * (logarithms / kept).exp().min(GREATEST);
        }
        Loss(below(sum / f64::from(self.rows)))
    }
}
