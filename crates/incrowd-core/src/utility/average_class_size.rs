//! How large classes are on average.

use super::floors::Spread;
use super::{
    Between, ClassSum, Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric,
};
use crate::counts::{CountedTable, Histograms};
use crate::lattice::Node;
use crate::registry::{Given, Kind, Setting};

crate::documented! {
    /// Rows per class (AECS).
    ///
    /// The number of rows divided by the number of published classes; the suppressed rows, if any, count as one
    /// more class. With `k=5`, the variant of LeFevre: published rows / (published classes * 5), which is 1 when
    /// every class has exactly 5 rows and ignores suppressed rows; when everything is suppressed, all rows / 5.
    ///
    /// # Range
    /// 1 (all rows distinct) to the number of rows (one class, or everything suppressed).
    /// # Paper
    /// K. LeFevre, D. J. DeWitt and R. Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006.
    #[derive(Debug, Clone)]
    pub struct AverageClassSize {
        spread: Spread,
        /// The class size LeFevre's variant is relative to.
        k: Option<u32>,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "average-class-size",
    card: AverageClassSize::CARD,
    settings: &[Setting::optional(
        "k",
        Kind::Count,
        "class size that the variant of LeFevre is relative to; without it, rows per class",
    )],
    kind: MetricKind::new(|given, table| Ok(Box::new(AverageClassSize::new(given, table)))),
};

impl AverageClassSize {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Self {
        AverageClassSize {
            spread: Spread::new(table),
            k: given.is_given("k").then(|| given.count("k")),
        }
    }

    /// The loss of so many published classes.
    fn of_classes(&self, classes: u64, rows_suppressed: u32) -> Loss {
        let rows = self.spread.rows();
        match self.k {
            None => self.parts(classes + u64::from(rows_suppressed > 0)),
            Some(k) if classes == 0 => Loss(f64::from(rows) / f64::from(k)),
            Some(k) => {
                let kept = f64::from(rows - rows_suppressed);
                Loss(kept / (classes as f64 * f64::from(k)))
            }
        }
    }

    /// The loss when the rows fall into so many parts, the suppressed rows being one of them.
    fn parts(&self, parts: u64) -> Loss {
        Loss(f64::from(self.spread.rows()) / parts.max(1) as f64)
    }

    /// Published rows in classes of at least the smallest safe size leave room for so many parts, the suppressed
    /// rows, at least one, being one of them. Without suppressed rows there are no more.
    fn parts_at_most(&self, known: Known<'_>) -> u64 {
        let kept =
            u64::from(self.spread.rows()).saturating_sub(known.rows_suppressed.max(1).into());
        kept / u64::from(known.smallest_safe.max(1)) + 1
    }

    /// LeFevre's variant forgets suppressed rows, so all that is left to say is that no class is smaller than a
    /// safe one.
    fn least_variant(&self, k: u32, known: Known<'_>) -> Loss {
        let smallest = known.smallest_safe.max(1).min(self.spread.rows());
        Loss(f64::from(smallest) / f64::from(k))
    }
}

/// The number of published classes.
struct Counted<'a> {
    metric: &'a AverageClassSize,
    published: u64,
}

impl ClassSum for Counted<'_> {
    fn publish(&mut self, _class: usize) {
        self.published += 1;
    }

    fn loss(&self, rows_suppressed: u32) -> Loss {
        self.metric.of_classes(self.published, rows_suppressed)
    }
}

impl UtilityMetric for AverageClassSize {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Classes
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let classes = published.is_safe.iter().filter(|&&safe| safe).count() as u64;
        self.of_classes(classes, published.rows_suppressed)
    }

    fn class_sum<'a>(&'a self, _classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        Some(Box::new(Counted {
            metric: self,
            published: 0,
        }))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        if let Some(k) = self.k {
            return self.least_variant(k, known);
        }
        // The suppressed rows replace at least one class, so the parts are no more than the classes.
        let classes = self.spread.classes_at_most(node);
        self.parts(classes.min(self.parts_at_most(known)))
    }

    fn floor_between(&self, between: &Between<'_>, known: Known<'_>) -> Loss {
        if let Some(k) = self.k {
            return self.least_variant(k, known);
        }
        // Let every row of a published class of n rows count 1/n: they add up to one class. None of them counts more than one
        // over the fewest rows of a class around it.
        let mut published = vec![0.0; between.most_kept.len()];
        for (size, around, class) in between.publishable() {
            published[class] += f64::from(size) / f64::from(around.max(1));
        }
        let published = published.iter().zip(between.most_kept);
        let classes: u64 = published
            .map(|(&published, &most_kept)| {
                let filled = u64::from(most_kept / known.smallest_safe.max(1));
                // Whole classes only; what rounding took away is less than this.
                filled.min((published * (1.0 + 1e-9) + 1e-9) as u64)
            })
            .sum();
        // The suppressed rows are one more part, in place of at least one class.
        let parts = (classes + 1).min(between.sizes.len() as u64);
        self.parts(parts.min(self.parts_at_most(known)))
    }

    fn floor_at(&self, sizes: &[u32], may_be_safe: &[bool]) -> Loss {
        if self.k.is_some() {
            return Loss(0.0); // fewer classes may have fewer rows each
        }
        // A class less is a part less, in place of which there is at most one part of suppressed rows.
        let classes: u64 = may_be_safe.iter().map(|&may| u64::from(may)).sum();
        self.parts((classes + 1).min(sizes.len() as u64))
    }

    fn floor_above(&self, sizes: &[u32], _target: Option<&Histograms>, known: Known<'_>) -> Loss {
        if let Some(k) = self.k {
            return self.least_variant(k, known);
        }
        // A safe class above holds a class of safe size from here, or is filled with smaller ones alone.
        let (mut large, mut small_rows) = (0u64, 0u64);
        for &size in sizes {
            match size >= known.smallest_safe {
                true => large += 1,
                false => small_rows += u64::from(size),
            }
        }
        let filled = large + small_rows / u64::from(known.smallest_safe.max(1)) + 1;
        let classes = (sizes.len() as u64).min(filled);
        self.parts(classes.min(self.parts_at_most(known)))
    }
}
