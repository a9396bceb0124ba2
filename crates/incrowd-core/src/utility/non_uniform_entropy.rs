//! How much there is to guess about the raw values.

use super::aggregate::{AGGREGATE, Aggregation, WEIGHTS};
use super::floors::below;
use super::{
    Detail, Known, Loss, MetricEntry, MetricKind, Published, PublishedAttribute, UtilityMetric,
};
use crate::counts::{Attribute, CountedTable};
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::registry::Given;
use std::f64::consts::LN_2;

crate::documented! {
    /// Bits needed to get from the published values back to the raw ones.
    ///
    /// For each quasi-identifier, the sum over all rows of -log2(rows with the raw value / rows with any value that
    /// the published one stands for), both counted in the whole table. A suppressed row costs that too, and in
    /// addition -log2(c/S): S rows are suppressed, c of them with that published value. By default the quasi-
    /// identifiers are summed.
    ///
    /// # Range
    /// 0 bits (raw) upwards.
    /// # Paper
    /// A. Gionis and T. Tassa, k-Anonymization with Minimal Loss of Information, IEEE TKDE 21(2), 2009; suppression
    /// as in ARX.
    #[derive(Debug, Clone)]
    pub struct NonUniformEntropy {
        levels: Vec<Vec<LevelBits>>,
        aggregation: Aggregation,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "non-uniform-entropy",
    card: NonUniformEntropy::CARD,
    settings: &[AGGREGATE.or("sum"), WEIGHTS],
    kind: MetricKind::new(|given, table| Ok(Box::new(NonUniformEntropy::new(given, table)?))),
};

/// An attribute at a level.
#[derive(Debug, Clone)]
struct LevelBits {
    /// What all rows cost.
    all_rows: f64,
    /// Rows of the `j` greatest groups.
    first: Vec<u64>,
    /// Σ r·log2 r over the `j` greatest groups.
    first_logs: Vec<f64>,
}

/// part · log2(whole / part), precise also when the part is nearly the whole.
fn bits(part: u32, whole: u32) -> f64 {
    let part = f64::from(part);
    part * ((f64::from(whole) - part) / part).ln_1p() / LN_2
}

fn r_log_r(rows: f64) -> f64 {
    if rows > 0.0 { rows * rows.log2() } else { 0.0 }
}

/// What all rows cost when published in these groups, leaf by leaf.
fn bits_of_all_rows(attribute: &Attribute, shown: &PublishedAttribute<'_>) -> f64 {
    let rows_under = shown.rows_under(attribute);
    (shown.leaf_rows(attribute))
        .filter(|cell| cell.rows > 0)
        .map(|cell| {
            let raw = attribute.rows_of_groups[0][cell.leaf.index()];
            let of_raw = bits(raw, rows_under[cell.group.index()]);
            match cell.rows == raw {
                true => of_raw,
                false => of_raw * f64::from(cell.rows) / f64::from(raw),
            }
        })
        .sum()
}

impl LevelBits {
    fn new(attribute: &Attribute, level: Level) -> Self {
        let rows_of_groups = &attribute.rows_of_groups[level.index()];
        let mut rows: Vec<u32> = (rows_of_groups.iter().copied())
            .filter(|&rows| rows > 0)
            .collect();
        rows.sort_unstable_by(|left, right| right.cmp(left));
        let (mut first, mut first_logs) = (vec![0], vec![0.0]);
        for (group, &rows) in rows.iter().enumerate() {
            first.push(first[group] + u64::from(rows));
            first_logs.push(first_logs[group] + r_log_r(f64::from(rows)));
        }
        LevelBits {
            all_rows: bits_of_all_rows(
                attribute,
                &PublishedAttribute::at_level(attribute, level, &[]),
            ),
            first,
            first_logs,
        }
    }

    /// The least that suppressing at least so many rows adds: S·log2 S − Σ c·log2 c, with c of the S suppressed
    /// rows in each group.
    ///
    /// It rises with every c (its derivative is log2(S/c)), so exactly s rows cost least; and it falls when a row
    /// moves from a group to one with more suppressed rows, so filling the greatest groups first costs least.
    fn least_added(&self, rows_suppressed: u32) -> f64 {
        let filled = self
            .first
            .partition_point(|&first| first <= u64::from(rows_suppressed))
            .saturating_sub(1);
        let rest = u64::from(rows_suppressed) - self.first[filled];
        let whole = r_log_r(f64::from(rows_suppressed));
        let parts = self.first_logs[filled] + r_log_r(rest as f64);
        // A difference of like numbers: what is lost in it is in proportion to them.
        (whole - parts - whole * 1e-11).max(0.0)
    }
}

impl NonUniformEntropy {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let levels = table.attributes.iter().map(|attribute| {
            Level::up_to(attribute.hierarchy.height())
                .map(|level| LevelBits::new(attribute, level))
                .collect()
        });
        Ok(NonUniformEntropy {
            levels: levels.collect(),
            aggregation: Aggregation::new(ENTRY.name, given, table)?,
        })
    }
}

fn bits_of_suppressed(shown: &PublishedAttribute<'_>, rows_suppressed: u32) -> f64 {
    (shown.rows_suppressed.iter())
        .filter(|&&rows| rows > 0)
        .map(|&rows| bits(rows, rows_suppressed))
        .sum()
}

impl UtilityMetric for NonUniformEntropy {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Marginals
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let attributes = published.attributes.iter().zip(&published.table.attributes);
        let losses = attributes
            .zip(&self.levels)
            .map(|((shown, attribute), levels)| {
                let all_rows = match shown.level {
                    Some(level) => levels[level.index()].all_rows,
                    None => bits_of_all_rows(attribute, shown),
                };
                all_rows + bits_of_suppressed(shown, published.rows_suppressed)
            });
        Loss(self.aggregation.of(losses))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        let losses =
            self.levels
                .iter()
                .zip(node.levels())
                .enumerate()
                .map(|(at, (levels, level))| {
                    let added = known.added.get(at).copied().unwrap_or(0.0);
                    if known.rows_suppressed == 0 {
                        return levels[level.index()].all_rows;
                    }
                    // Going up costs all rows more, yet may spare suppressed ones: every higher level is looked at.
                    (levels[level.index()..].iter())
                        .map(|level| {
                            level.all_rows + level.least_added(known.rows_suppressed).max(added)
                        })
                        .fold(f64::INFINITY, f64::min)
                });
        Loss(self.aggregation.floor_of(losses))
    }

    fn adds_below(&self) -> bool {
        true
    }

    fn added_below(&self, published: &Published<'_>) -> Vec<f64> {
        // Going down, groups of suppressed rows only split and more rows join them. Both add bits.
        (published.attributes.iter())
            .map(|shown| below(bits_of_suppressed(shown, published.rows_suppressed)))
            .collect()
    }
}
