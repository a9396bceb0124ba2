//! How wide the published values are.

use super::aggregate::{Aggregation, WEIGHTS};
use super::floors::Ladders;
use super::{
    Cover, Detail, Known, Loss, MetricEntry, MetricKind, Published, PublishedAttribute,
    UtilityMetric,
};
use crate::counts::{Attribute, CountedTable};
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::registry::Given;

crate::documented! {
    /// Width of the published values (normalized certainty penalty).
    ///
    /// For each row and quasi-identifier: of numbers and dates, the distance between the least and the greatest raw
    /// value under the published one, divided by that of the whole hierarchy; of text, the number of raw values
    /// under the published one divided by the number of all, 0 for a single one. 1 for a suppressed row. Summed and
    /// divided by rows times quasi-identifiers; with weights, the weighted mean over quasi-identifiers. A missing
    /// cell, or one that the hierarchy does not list, is no number and does not widen a group. A column of numbers
    /// whose hierarchy also lists other text is measured as text.
    ///
    /// # Range
    /// 0 (raw) to 1 (everything lost).
    /// # Paper
    /// J. Xu et al., Utility-Based Anonymization Using Local Recoding, KDD 2006.
    #[derive(Debug, Clone)]
    pub struct Ncp {
        rows: u32,
        /// Of each attribute the numbers of the leaves, NaN for a missing or unlisted one; none for text.
        numbers: Vec<Option<Vec<f64>>>,
        /// Of each group of each level of each attribute.
        penalties: Vec<Vec<Vec<f64>>>,
        ladders: Ladders,
        aggregation: Aggregation,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "ncp",
    card: Ncp::CARD,
    settings: &[WEIGHTS],
    kind: MetricKind::new(|given, table| Ok(Box::new(Ncp::new(given, table)?))),
};

impl Ncp {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let numbers: Vec<_> = table
            .attributes
            .iter()
            .map(Attribute::numbers_of_leaves)
            .collect();
        let penalties: Vec<Vec<Vec<f64>>> = (table.attributes.iter().zip(&numbers))
            .map(|(attribute, numbers)| {
                let hierarchy = &attribute.hierarchy;
                Level::up_to(hierarchy.height())
                    .map(|level| {
                        let shown = PublishedAttribute::at_level(attribute, level, &[]);
                        penalties(numbers.as_deref(), hierarchy.leaves(), &shown)
                    })
                    .collect()
            })
            .collect();
        Ok(Ncp {
            rows: table.rows,
            ladders: Ladders::new(table, |attribute, level, group| {
                penalties[attribute][level.index()][group]
            }),
            numbers,
            penalties,
            aggregation: Aggregation::new(ENTRY.name, given, table)?,
        })
    }

    /// The penalty of each attribute.
    fn shares<'a>(&'a self, published: &'a Published<'_>) -> impl Iterator<Item = f64> + 'a {
        let attributes = published.attributes.iter().enumerate();
        attributes.map(|(attribute, shown)| {
            let mixed;
            let penalties = match shown.level {
                Some(level) => &self.penalties[attribute][level.index()],
                None => {
                    let numbers = self.numbers[attribute].as_deref();
                    let hierarchy = &published.table.attributes[attribute].hierarchy;
                    mixed = penalties(numbers, hierarchy.leaves(), shown);
                    &mixed
                }
            };
            let kept: f64 = (penalties.iter().zip(shown.rows).enumerate())
                .map(|(group, (penalty, &rows))| {
                    penalty * f64::from(rows - shown.suppressed(group))
                })
                .sum();
            self.share(kept, published.rows_suppressed)
        })
    }

    fn share(&self, kept: f64, rows_suppressed: u32) -> f64 {
        match self.rows {
            0 => 0.0,
            rows => (kept + f64::from(rows_suppressed)) / f64::from(rows),
        }
    }
}

/// What each row of each group is charged. A group that holds another is never charged less.
fn penalties(
    numbers: Option<&[f64]>,
    all_leaves: usize,
    shown: &PublishedAttribute<'_>,
) -> Vec<f64> {
    let Some(numbers) = numbers else {
        let all = all_leaves as f64;
        return (shown.leaves.iter())
            .map(|&leaves| {
                if leaves > 1 {
                    f64::from(leaves) / all
                } else {
                    0.0
                }
            })
            .collect();
    };
    // `min` and `max` pass over NaN.
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    let widen =
        |(least, greatest): (f64, f64), number: f64| (least.min(number), greatest.max(number));
    let (least, greatest) = numbers.iter().copied().fold(nothing, widen);
    let spans: Vec<(f64, f64)> = match shown.cover {
        Cover::Disjoint(groups_of_leaves) => {
            let mut spans = vec![nothing; shown.leaves.len()];
            for (&group, &number) in groups_of_leaves.iter().zip(numbers) {
                spans[group as usize] = widen(spans[group as usize], number);
            }
            spans
        }
        Cover::Overlapping(groups) => groups.spans(),
    };
    // Halves, as the whole may be too wide for a float.
    let range = greatest / 2.0 - least / 2.0;
    let penalty = |(least, greatest): (f64, f64)| match greatest > least && range > 0.0 {
        true => ((greatest / 2.0 - least / 2.0) / range).min(1.0),
        false => 0.0,
    };
    spans.into_iter().map(penalty).collect()
}

impl UtilityMetric for Ncp {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Marginals
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        Loss(self.aggregation.of(self.shares(published)))
    }

    fn loss_of_attributes(&self, published: &Published<'_>) -> Option<Vec<Loss>> {
        Some(self.shares(published).map(Loss).collect())
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        let suppressed = known.rows_suppressed.min(self.rows);
        let kept = self.ladders.kept(node, suppressed);
        let losses = kept.map(|kept| self.share(kept, suppressed));
        Loss(self.aggregation.floor_of(losses))
    }
}
