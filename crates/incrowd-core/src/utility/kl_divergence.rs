//! How surprised a reader of the release would be by the raw rows.

use super::{Detail, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::CountedTable;

crate::documented! {
    /// Divergence of the raw rows from what the release says of them, in bits per row (Kullback-Leibler).
    ///
    /// A reader who knows only the release expects the rows of a class to be spread evenly over the raw tuples that
    /// its published values stand for, and suppressed rows over all raw tuples. The divergence of the raw rows from
    /// that expectation is the mean over rows of log2(n v / s): n rows have the same raw tuple, s rows are in the same
    /// class, v raw tuples are what a row of that class could be. Suppressed rows are one class, and could be any
    /// tuple.
    ///
    /// # Range
    /// 0 (raw) to the logarithm of the number of raw tuples that the hierarchies allow.
    /// # Paper
    /// D. Kifer and J. Gehrke, Injecting Utility into Anonymized Datasets, SIGMOD 2006.
    #[derive(Debug, Clone)]
    pub struct KlDivergence {
        rows: u32,
        /// The sum over rows of the logarithm of how many rows have the same raw tuple.
        raw: f64,
        /// The logarithm of the number of all raw tuples.
        all: f64,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "kl-divergence",
    card: KlDivergence::CARD,
    settings: &[],
    kind: MetricKind::new(|_, table| Ok(Box::new(KlDivergence::new(table)))),
};

impl KlDivergence {
    /// The metric for a table.
    pub fn new(table: &CountedTable) -> Self {
        let leaves = (table.attributes.iter()).map(|attribute| attribute.hierarchy.leaves() as f64);
        KlDivergence {
            rows: table.rows,
            raw: sum(sizes_of_tuples(table).map(bits).collect()),
            all: leaves.map(f64::log2).sum(),
        }
    }
}

/// The rows of each distinct tuple. Equal ones follow each other where rows are apart.
fn sizes_of_tuples(table: &CountedTable) -> impl Iterator<Item = u32> {
    let tuples: Vec<usize> = (0..table.tuples.len()).collect();
    let is_same = |one: &usize, other: &usize| table.tuples.key(*one) == table.tuples.key(*other);
    let sizes = table.tuples.sizes();
    let size = |same: &[usize]| same.iter().map(|&tuple| sizes[tuple]).sum();
    let sizes: Vec<u32> = tuples.chunk_by(is_same).map(size).collect();
    sizes.into_iter()
}

/// The number of rows times its logarithm.
fn bits(rows: u32) -> f64 {
    let rows = f64::from(rows);
    match rows > 0.0 {
        true => rows * rows.log2(),
        false => 0.0,
    }
}

/// The sum, whatever order the terms are listed in.
fn sum(mut terms: Vec<f64>) -> f64 {
    terms.sort_unstable_by(f64::total_cmp);
    terms.iter().sum()
}

impl UtilityMetric for KlDivergence {
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
        let attributes = published.attributes.len();
        let classes = published.sizes.iter().zip(published.is_safe).enumerate();
        let terms = classes.filter(|(_, (_, safe))| **safe);
        let terms = terms.map(|(class, (&size, _))| {
            let groups = &published.groups[class * attributes..(class + 1) * attributes];
            let leaves = groups.iter().zip(published.attributes);
            let tuples: f64 = leaves
                .map(|(&group, shown)| f64::from(shown.leaves[group as usize]).log2())
                .sum();
            f64::from(size) * tuples - bits(size)
        });
        let suppressed = published.rows_suppressed;
        let lost = f64::from(suppressed) * self.all - bits(suppressed);
        let bits = self.raw + sum(terms.collect()) + lost;
        // Never below 0 but for rounding.
        Loss((bits / f64::from(self.rows)).max(0.0))
    }
}
