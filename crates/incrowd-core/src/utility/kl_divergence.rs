//! How surprised a reader of the release would be by the raw rows.

use super::{ClassSum, Detail, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::{CountedTable, in_parallel, pieces};

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
        raw: Bits,
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
            raw: bits_of_tuples(table),
            all: leaves.map(f64::log2).sum(),
        }
    }
}

/// The bits of the rows of each distinct tuple. Equal ones follow each other where rows are apart.
fn bits_of_tuples(table: &CountedTable) -> Bits {
    let (tuples, sizes) = (&table.tuples, table.tuples.sizes());
    let add = |sum: Bits, rows| sum.and(bits(rows));
    if table.rows_are_apart {
        let all: Vec<usize> = (0..tuples.len()).collect();
        let is_same = |one: &usize, other: &usize| tuples.key(*one) == tuples.key(*other);
        let size = |same: &[usize]| same.iter().map(|&tuple| sizes[tuple]).sum();
        return all.chunk_by(is_same).map(size).fold(Bits::default(), add);
    }
    let sums = in_parallel(table.threads, pieces(sizes.len(), table.threads), |range| {
        sizes[range].iter().copied().fold(Bits::default(), add)
    });
    Bits(sums.into_iter().map(|sum| sum.0).sum())
}

/// The number of rows times its logarithm.
fn bits(rows: u32) -> f64 {
    let rows = f64::from(rows);
    match rows > 0.0 {
        true => rows * rows.log2(),
        false => 0.0,
    }
}

/// A sum of bits, the same in whatever order the terms come: in whole numbers of 2^-60 bits. All rows together have less
/// than 2^32 times some thousand bits, so there is room for it.
#[derive(Debug, Clone, Copy, Default)]
struct Bits(i128);

impl Bits {
    const ONE: f64 = (1u64 << 60) as f64;

    fn and(self, term: f64) -> Self {
        Bits(self.0 + (term * Self::ONE) as i128)
    }

    fn to_f64(self) -> f64 {
        self.0 as f64 / Self::ONE
    }
}

/// The logarithms of how many raw values the groups of each attribute stand for.
fn logarithms(published: &Published<'_>) -> Vec<Vec<f64>> {
    let attributes = published.attributes.iter();
    let of_attribute = attributes.map(|shown| {
        let leaves = shown.leaves.iter();
        leaves.map(|&leaves| f64::from(leaves).log2()).collect()
    });
    of_attribute.collect()
}

/// The bits of published classes.
struct Spread<'a> {
    metric: &'a KlDivergence,
    classes: &'a Published<'a>,
    logarithms: Vec<Vec<f64>>,
    published: Bits,
}

impl<'a> Spread<'a> {
    fn new(metric: &'a KlDivergence, classes: &'a Published<'a>) -> Self {
        Spread {
            metric,
            classes,
            logarithms: logarithms(classes),
            published: Bits::default(),
        }
    }
}

impl ClassSum for Spread<'_> {
    fn publish(&mut self, class: usize) {
        let groups = self.classes.groups_of(class).iter().zip(&self.logarithms);
        let tuples: f64 = groups.map(|(&group, bits)| bits[group as usize]).sum();
        let size = self.classes.sizes[class];
        self.published = self.published.and(f64::from(size) * tuples - bits(size));
    }

    fn loss(&self, rows_suppressed: u32) -> Loss {
        let KlDivergence { rows, raw, all } = *self.metric;
        if rows == 0 {
            return Loss(0.0);
        }
        let lost = f64::from(rows_suppressed) * all - bits(rows_suppressed);
        let bits = Bits(raw.0 + self.published.0).and(lost).to_f64();
        // Never below 0 but for rounding.
        Loss((bits / f64::from(rows)).max(0.0))
    }
}

impl UtilityMetric for KlDivergence {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Groups
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let mut spread = Spread::new(self, published);
        published
            .safe_classes()
            .for_each(|class| spread.publish(class));
        spread.loss(published.rows_suppressed)
    }

    fn class_sum<'a>(&'a self, classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        Some(Box::new(Spread::new(self, classes)))
    }
}
