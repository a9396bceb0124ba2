//! How far up its hierarchy a cell went, on average.

use super::aggregate::Aggregation;
use super::{Aggregate, Detail, Known, Loss, MetricEntry, Published, Settings, UtilityMetric};
use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::Node;

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "precision",
    summary: "mean share of its hierarchy that a cell went up",
    documentation: "\
For each quasi-identifier, the mean over all rows of level / height of its hierarchy; a suppressed row counts 1.
The mean over the quasi-identifiers, or another aggregate. Shown as a loss: Sweeney's precision is 1 minus it.
When an attribute's groups come from several levels, each row counts by the level of its own group.
Range: 0 (raw) to 1 (everything at the top or suppressed).
Options: aggregate (arithmetic-mean by default, geometric-mean, sum, maximum), weights.
Source: L. Sweeney, Achieving k-Anonymity Privacy Protection Using Generalization and Suppression, IJUFKS 10(5), 2002.",
    options: &["aggregate", "weights"],
    applies: |_, _| true,
    build: |settings, table| Ok(Box::new(Precision::new(settings, table)?)),
};

/// The mean of level / height, suppressed rows counting 1.
#[derive(Debug, Clone)]
pub struct Precision {
    rows: u32,
    heights: Vec<u8>,
    aggregation: Aggregation,
}

impl Precision {
    /// The metric for a table.
    pub fn new(settings: &Settings, table: &CountedTable) -> Result<Self, Error> {
        let attributes = table.attributes.iter();
        Ok(Precision {
            rows: table.rows,
            heights: attributes.map(|one| one.hierarchy.height()).collect(),
            aggregation: Aggregation::new(ENTRY.name, Aggregate::ArithmeticMean, settings, table)?,
        })
    }

    /// The loss of an attribute whose kept rows went up so many steps altogether.
    fn share(&self, height: u8, steps: u64, rows_suppressed: u32) -> f64 {
        let rows = f64::from(self.rows);
        match (self.rows, height) {
            (0, _) => 0.0,
            (_, 0) => f64::from(rows_suppressed) / rows,
            _ => {
                let suppressed = u64::from(rows_suppressed) * u64::from(height);
                (steps + suppressed) as f64 / (rows * f64::from(height))
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
                        u64::from(self.rows - published.rows_suppressed) * u64::from(level)
                    }
                    None => {
                        let levels = shown.levels_of_groups(&attribute.hierarchy);
                        (levels.iter().zip(shown.rows).enumerate())
                            .map(|(group, (&level, &rows))| {
                                u64::from(rows - shown.suppressed(group)) * u64::from(level)
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
            .map(|(level, &height)| self.share(height, kept * u64::from(level), suppressed));
        Loss(self.aggregation.exact_floor_of(shares))
    }
}
