//! How many steps the release went up.

use super::{Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::lattice::Node;

crate::documented! {
    /// Sum of the levels.
    ///
    /// The sum of the levels of all quasi-identifiers. Suppressed rows cost nothing. Where the values of an
    /// attribute come from several levels, the highest level that holds rows counts.
    ///
    /// # Range
    /// 0 (nothing generalized) to the sum of all hierarchy heights.
    /// # Paper
    /// P. Samarati, Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001.
    #[derive(Debug, Clone)]
    pub struct Height;
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "height",
    card: Height::CARD,
    settings: &[],
    kind: MetricKind::new(|_, _| Ok(Box::new(Height))),
};

impl UtilityMetric for Height {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Levels
    }

    fn reads_suppressed_groups(&self) -> bool {
        true
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let attributes = published.attributes.iter().zip(&published.table.attributes);
        let levels = attributes.map(|(shown, attribute)| match shown.level {
            Some(level) => u32::from(level.0),
            None => {
                let levels = shown.levels_of_groups(&attribute.hierarchy);
                let with_rows = levels.iter().zip(shown.rows).filter(|(_, rows)| **rows > 0);
                let highest = with_rows.map(|(&level, _)| level).max();
                highest.map_or(0, |level| u32::from(level.0))
            }
        });
        Loss(f64::from(levels.sum::<u32>()))
    }

    fn floor(&self, node: &Node, _known: Known<'_>) -> Loss {
        Loss(f64::from(node.height()))
    }
}
