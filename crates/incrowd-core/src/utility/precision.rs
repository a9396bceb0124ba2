//! How far up its hierarchy a cell went, on average.

use super::aggregate::{AGGREGATE, Aggregation, WEIGHTS};
use super::{Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::registry::Given;

crate::documented! {
    /// Mean share of its hierarchy that a cell was generalized by.
    ///
    /// For each quasi-identifier, the mean over all rows of level / height of its hierarchy; a suppressed row
    /// counts 1. By default the mean over the quasi-identifiers. Shown as a loss: Sweeney's precision is 1 minus
    /// it. Where the values of an attribute come from several levels, each row counts by the level of its own
    /// value.
    ///
    /// # Range
    /// 0 (raw) to 1 (everything at the top or suppressed).
    /// # Paper
    /// L. Sweeney, Achieving k-Anonymity Privacy Protection Using Generalization and Suppression, IJUFKS 10(5),
    /// 2002.
    #[derive(Debug, Clone)]
    pub struct Precision {
        rows: u32,
        heights: Vec<Level>,
        aggregation: Aggregation,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "precision",
    card: Precision::CARD,
    settings: &[AGGREGATE.or("arithmetic-mean"), WEIGHTS],
    kind: MetricKind::new(|given, table| Ok(Box::new(Precision::new(given, table)?))),
};

impl Precision {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let attributes = table.attributes.iter();
        Ok(Precision {
            rows: table.rows,
            heights: attributes.map(|one| one.hierarchy.height()).collect(),
            aggregation: Aggregation::new(ENTRY.name, given, table)?,
        })
    }

    /// The loss of an attribute whose kept rows went up so many steps altogether.
    fn share(&self, height: Level, steps: u64, rows_suppressed: u32) -> f64 {
        let rows = f64::from(self.rows);
        match (self.rows, height.0) {
            (0, _) => 0.0,
            (_, 0) => f64::from(rows_suppressed) / rows,
            _ => {
                let suppressed = u64::from(rows_suppressed) * u64::from(height.0);
                (steps + suppressed) as f64 / (rows * f64::from(height.0))
            }
        }
    }
}

impl UtilityMetric for Precision {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Levels
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let attributes = published.attributes.iter().zip(&published.table.attributes);
        let shares = attributes
            .zip(&self.heights)
            .map(|((shown, attribute), &height)| {
                let steps = match shown.level {
                    Some(level) => {
                        u64::from(self.rows - published.rows_suppressed) * u64::from(level.0)
                    }
                    None => {
                        let levels = shown.levels_of_groups(&attribute.hierarchy);
                        (levels.iter().zip(shown.rows).enumerate())
                            .map(|(group, (&level, &rows))| {
                                u64::from(rows - shown.suppressed(group)) * u64::from(level.0)
                            })
                            .sum()
                    }
                };
                self.share(height, steps, published.rows_suppressed)
            });
        Loss(self.aggregation.of(shares))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        // Rises with every level and, no level being above the height, with every suppressed row.
        let suppressed = known.rows_suppressed.min(self.rows);
        let kept = u64::from(self.rows - suppressed);
        let shares = (node.levels().zip(&self.heights))
            .map(|(level, &height)| self.share(height, kept * u64::from(level.0), suppressed));
        Loss(self.aggregation.exact_floor_of(shares))
    }
}
