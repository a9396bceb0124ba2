//! How many rows share a published value and not the raw one.

use super::aggregate::{Aggregation, WEIGHTS};
use super::floors::Ladders;
use super::{ByRow, Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::Node;
use crate::registry::Given;

crate::documented! {
    /// For each cell the share of the other rows that its value was merged with (HDM).
    ///
    /// For each row and quasi-identifier (E - V) / (N - V): of N rows, V have the raw value of the row and E a
    /// value that the published one stands for, suppressed rows included. 0 when all rows have one value; 1 for a
    /// suppressed row. The mean over quasi-identifiers, weighted if there are weights, summed over rows. It depends
    /// on no hierarchy.
    ///
    /// # Range
    /// 0 (raw) to the number of rows (everything lost).
    /// # Paper
    /// T. Li and N. Li, Towards Optimal k-Anonymization, Data & Knowledge Engineering 65(1), 2008.
    #[derive(Debug, Clone)]
    pub struct Hdm {
        rows: u32,
        ladders: Ladders,
        aggregation: Aggregation,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "hdm",
    card: Hdm::CARD,
    settings: &[WEIGHTS],
    kind: MetricKind::new(|given, table| Ok(Box::new(Hdm::new(given, table)?))),
};

impl Hdm {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let ladders = Ladders::of_leaves(table, |attribute, level, leaf| {
            let attribute = &table.attributes[attribute];
            let group = attribute.hierarchy.groups_of_leaves(level)[leaf] as usize;
            let together = attribute.rows_of_groups[level.index()][group];
            penalty(table.rows, attribute.rows_of_groups[0][leaf], together)
        });
        Ok(Hdm {
            rows: table.rows,
            ladders,
            aggregation: Aggregation::new(ENTRY.name, given, table)?,
        })
    }
}

/// What a row with a value that `same` rows have is charged when `together` rows are published alike.
fn penalty(rows: u32, same: u32, together: u32) -> f64 {
    match rows - same {
        0 => 0.0,
        others => f64::from(together - same) / f64::from(others),
    }
}

impl UtilityMetric for Hdm {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Leaves
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let attributes = published.attributes.iter().zip(&published.table.attributes);
        let losses = attributes.map(|(shown, attribute)| {
            let together = shown.rows_under(attribute);
            let kept: f64 = (shown.leaf_rows(attribute))
                .map(|cell| {
                    let same = attribute.rows_of_groups[0][cell.leaf.index()];
                    let together = together[cell.group.index()];
                    f64::from(cell.rows - cell.rows_suppressed) * penalty(self.rows, same, together)
                })
                .sum();
            kept + f64::from(published.rows_suppressed)
        });
        Loss(self.aggregation.of(losses))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        // Going up no row is charged less, and a suppressed row is charged 1, never less than a kept one.
        let suppressed = known.rows_suppressed.min(self.rows);
        let kept = self.ladders.kept(node, suppressed);
        let losses = kept.map(|kept| kept + f64::from(suppressed));
        Loss(self.aggregation.floor_of(losses))
    }

    fn by_row(&self) -> Option<ByRow<'_>> {
        Some(ByRow::ValuesShared {
            weights: self.aggregation.weights(),
        })
    }
}
