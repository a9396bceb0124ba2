//! Discernibility that does not look at suppression.

use super::floors::{Spread, below};
use super::{ClassSum, Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::{CountedTable, Histograms};
use crate::lattice::Node;

crate::documented! {
    /// For each row the size of its class, suppressed or not (DM*).
    ///
    /// The sum over all classes, safe or not, of the square of their size. It only grows with generalization,
    /// whatever is suppressed.
    ///
    /// # Range
    /// The number of rows (all distinct) to its square (one class).
    /// # Paper
    /// K. El Emam et al., A Globally Optimal k-Anonymity Method for the De-Identification of Health Data, JAMIA
    /// 16(5), 2009.
    #[derive(Debug, Clone)]
    pub struct DmStar {
        spread: Spread,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "dm-star",
    card: DmStar::CARD,
    settings: &[],
    kind: MetricKind::new(|_, table| Ok(Box::new(DmStar::new(table)))),
};

impl DmStar {
    /// The metric for a table.
    pub fn new(table: &CountedTable) -> Self {
        DmStar {
            spread: Spread::new(table),
        }
    }
}

fn squares(sizes: &[u32]) -> Loss {
    let squares: u64 = (sizes.iter())
        .map(|&size| u64::from(size) * u64::from(size))
        .sum();
    Loss(squares as f64)
}

/// The same whatever is published.
struct AllClasses(Loss);

impl ClassSum for AllClasses {
    fn publish(&mut self, _class: usize) {}

    fn loss(&self, _rows_suppressed: u32) -> Loss {
        self.0
    }
}

impl UtilityMetric for DmStar {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Classes
    }

    fn reads_suppressed_groups(&self) -> bool {
        true
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        squares(published.sizes)
    }

    fn class_sum<'a>(&'a self, classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        Some(Box::new(AllClasses(squares(classes.sizes))))
    }

    fn floor(&self, node: &Node, _known: Known<'_>) -> Loss {
        let least = self.spread.least_squares(node, 0, f64::INFINITY);
        Loss(below(least).max(f64::from(self.spread.rows())))
    }

    fn floor_above(&self, sizes: &[u32], _target: Option<&Histograms>, _known: Known<'_>) -> Loss {
        squares(sizes)
    }
}
