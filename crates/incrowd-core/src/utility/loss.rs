//! What share of its column's values a cell could be.

use super::aggregate::{AGGREGATE, Aggregation, WEIGHTS};
use super::floors::Ladders;
use super::{Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::Node;
use crate::registry::Given;

crate::documented! {
    /// Share of its column's values that a cell could be (generalized loss, ILoss).
    ///
    /// For each quasi-identifier, the sum over rows of the share of raw values of the hierarchy that lie under the
    /// published value, 1 for a suppressed row; normalized so that a raw column has 0 and a lost one 1. With N rows
    /// and L raw values: x = (sum - N/L) / (N - N/L). A hierarchy with one raw value has nothing to lose: x is the
    /// share of suppressed rows. By default the quasi-identifiers are combined by the geometric mean of 1 + x,
    /// minus 1.
    ///
    /// In whole numbers: with `excess` = leaves under the published value - 1, and L - 1 for a suppressed row, the
    /// normalized loss is the sum of the excess / (N * (L - 1)).
    ///
    /// # Range
    /// 0 (raw) to 1 (everything lost); with `sum`, to the sum of the weights; with `maximum`, to the greatest
    /// weight.
    /// # Paper
    /// V. S. Iyengar, Transforming Data to Satisfy Privacy Constraints, KDD 2002; normalized and aggregated as in
    /// ARX.
    #[derive(Debug, Clone)]
    pub struct GeneralizedLoss {
        rows: u32,
        /// Of each attribute's hierarchy, less one.
        greatest_excess: Vec<u32>,
        ladders: Ladders,
        aggregation: Aggregation,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "loss",
    card: GeneralizedLoss::CARD,
    settings: &[AGGREGATE.or("geometric-mean"), WEIGHTS],
    kind: MetricKind::new(|given, table| Ok(Box::new(GeneralizedLoss::new(given, table)?))),
};

impl GeneralizedLoss {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let attributes = &table.attributes;
        let ladders = Ladders::new(table, |attribute, level, group| {
            let leaves = attributes[attribute].hierarchy.leaves_of_groups(level)[group];
            f64::from(leaves.saturating_sub(1))
        });
        Ok(GeneralizedLoss {
            rows: table.rows,
            greatest_excess: (attributes.iter())
                .map(|attribute| (attribute.hierarchy.leaves() as u32).saturating_sub(1))
                .collect(),
            ladders,
            aggregation: Aggregation::new(ENTRY.name, given, table)?,
        })
    }

    /// The normalized loss of an attribute, from the excess of its kept rows.
    fn normalized(&self, greatest_excess: u32, kept_excess: f64, rows_suppressed: u32) -> f64 {
        let (rows, suppressed) = (f64::from(self.rows), f64::from(rows_suppressed));
        match (self.rows, greatest_excess) {
            (0, _) => 0.0,
            (_, 0) => suppressed / rows,
            _ => {
                let greatest = f64::from(greatest_excess);
                (kept_excess + suppressed * greatest) / (rows * greatest)
            }
        }
    }
}

impl UtilityMetric for GeneralizedLoss {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Marginals
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let attributes = published.attributes.iter().zip(&self.greatest_excess);
        let losses = attributes.map(|(shown, &greatest_excess)| {
            // Less than rows · leaves, both below 2³².
            let kept_excess: u64 = (shown.leaves.iter().zip(shown.rows).enumerate())
                .map(|(group, (&leaves, &rows))| {
                    u64::from(rows - shown.suppressed(group)) * u64::from(leaves.saturating_sub(1))
                })
                .sum();
            self.normalized(
                greatest_excess,
                kept_excess as f64,
                published.rows_suppressed,
            )
        });
        Loss(self.aggregation.of(losses))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        let suppressed = known.rows_suppressed.min(self.rows);
        let kept = self.ladders.kept(node, suppressed);
        let losses = (kept.zip(&self.greatest_excess))
            .map(|(kept, &greatest)| self.normalized(greatest, kept, suppressed));
        // Whole numbers up to 2⁵³ are floats without loss.
        let is_exact = (self.greatest_excess.iter())
            .all(|&greatest| u64::from(self.rows) * u64::from(greatest) < 1 << 53);
        Loss(match is_exact {
            true => self.aggregation.exact_floor_of(losses),
            false => self.aggregation.floor_of(losses),
        })
    }
}
