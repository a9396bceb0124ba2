//! How many rows each row cannot be told from.

use super::floors::{Spread, below};
use super::{
    Between, ByRow, ClassSum, Detail, Known, Loss, MetricEntry, MetricKind, Published,
    UtilityMetric,
};
use crate::counts::{CountedTable, Histograms};
use crate::lattice::Node;

crate::documented! {
    /// For each row the size of its class, or the number of all rows when suppressed (DM).
    ///
    /// The sum over published classes of the square of their size, plus the number of all rows for each suppressed
    /// row.
    ///
    /// # Range
    /// The number of rows (all distinct) to its square (one class, or everything suppressed).
    /// # Paper
    /// R. J. Bayardo and R. Agrawal, Data Privacy through Optimal k-Anonymization, ICDE 2005.
    #[derive(Debug, Clone)]
    pub struct Discernibility {
        spread: Spread,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "discernibility",
    card: Discernibility::CARD,
    settings: &[],
    kind: MetricKind::new(|_, table| Ok(Box::new(Discernibility::new(table)))),
};

impl Discernibility {
    /// The metric for a table.
    pub fn new(table: &CountedTable) -> Self {
        Discernibility {
            spread: Spread::new(table),
        }
    }
}

impl Discernibility {
    /// The loss, given the sum of the squares of published classes.
    fn cost(&self, squares: u64, rows_suppressed: u32) -> Loss {
        let suppressed = u64::from(self.spread.rows()) * u64::from(rows_suppressed);
        Loss((squares + suppressed) as f64)
    }
}

/// The squares of published classes.
struct Squares<'a> {
    metric: &'a Discernibility,
    sizes: &'a [u32],
    published: u64,
}

impl ClassSum for Squares<'_> {
    fn publish(&mut self, class: usize) {
        let size = u64::from(self.sizes[class]);
        self.published += size * size;
    }

    fn loss(&self, rows_suppressed: u32) -> Loss {
        self.metric.cost(self.published, rows_suppressed)
    }
}

impl UtilityMetric for Discernibility {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Classes
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        // At most rows², which fits.
        let squares: u64 = (published.sizes.iter().zip(published.is_safe))
            .map(|(&size, &safe)| u64::from(safe) * u64::from(size) * u64::from(size))
            .sum();
        self.cost(squares, published.rows_suppressed)
    }

    fn class_sum<'a>(&'a self, classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        Some(Box::new(Squares {
            metric: self,
            sizes: classes.sizes,
            published: 0,
        }))
    }

    fn by_row(&self) -> Option<ByRow<'_>> {
        Some(ByRow::ClassSizes)
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        let rows = self.spread.rows();
        let suppressed = known.rows_suppressed.min(rows);
        let squares = (self.spread).least_squares(node, suppressed, f64::from(rows));
        // A kept row costs its class, which is no smaller than any safe one.
        let smallest = u64::from(known.smallest_safe.min(rows));
        let kept = u64::from(rows - suppressed) * smallest;
        let charged = u64::from(suppressed) * u64::from(rows);
        Loss(below(squares).max((kept + charged) as f64))
    }

    fn floor_between(&self, between: &Between<'_>, known: Known<'_>) -> Loss {
        // A published row costs its class, which has at least the fewest rows around it.
        let rows = u64::from(self.spread.rows());
        let (mut cost, mut kept, mut greatest) = (0u64, 0u32, known.smallest_safe);
        for (size, around, _) in between.publishable() {
            cost += u64::from(size) * u64::from(around.max(known.smallest_safe)).min(rows);
            kept += size;
            greatest = greatest.max(around);
        }
        // Rows that cannot be published cost all rows; of the others, those that are not costs the least more in the greatest class.
        let all: u32 = between.sizes.iter().sum();
        cost += u64::from(all - kept) * rows;
        let others = known
            .rows_suppressed
            .max(between.rows_lost())
            .saturating_sub(all - kept);
        cost += u64::from(others) * rows.saturating_sub(greatest.into());
        Loss(cost as f64)
    }

    fn floor_at(&self, sizes: &[u32], may_be_safe: &[bool]) -> Loss {
        // A row costs its class if that may be published, which is no more than all rows.
        let (mut squares, mut rows) = (0, 0);
        for (&size, &may) in sizes.iter().zip(may_be_safe) {
            let size = u64::from(size) * u64::from(may);
            squares += size * size;
            rows += size as u32;
        }
        self.cost(squares, self.spread.rows() - rows)
    }

    fn floor_above(&self, sizes: &[u32], _target: Option<&Histograms>, known: Known<'_>) -> Loss {
        // Going up, the class of a row only grows; published it is no smaller than any safe class, suppressed it
        // costs all rows. What a suppressed row costs beyond that is least in the greatest class.
        let rows = self.spread.rows();
        let smallest = known.smallest_safe.min(rows);
        let (mut cost, mut greatest) = (0u64, smallest);
        for &size in sizes {
            cost += u64::from(size) * u64::from(size.max(smallest));
            greatest = greatest.max(size);
        }
        cost += u64::from(known.rows_suppressed) * u64::from(rows - greatest.min(rows));
        Loss(cost as f64)
    }
}
