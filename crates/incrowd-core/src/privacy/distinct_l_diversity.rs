//! Distinct l-diversity.

use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Counted, Decimal, Direction, Monotonicity, PrivacyModel, whole};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// Every class has at least l distinct values of the sensitive column.
    ///
    /// Nobody's value is certain. It may still be nearly certain: 99 of 100 rows may share one.
    ///
    /// # Paper
    /// A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: Privacy Beyond k-Anonymity, ACM
    /// TKDD 1(1), 2007.
    /// # Reached
    /// The fewest distinct values of a class.
    /// # Merging
    /// A safe class stays safe whatever joins it.
    /// # Cost
    /// One comparison per class; histograms must be counted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DistinctLDiversity {
        /// The sensitive column, as its index among the counted columns.
        pub column: usize,
        /// Distinct values a class must have.
        pub l: u32,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "distinct-l-diversity",
    card: DistinctLDiversity::CARD,
    settings: &[
        Setting::required("l", Kind::Count, "distinct values a class must have"),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(DistinctLDiversity {
            column: subject.required_column(ENTRY.name)?.0,
            l: given.count("l"),
        }))
    }),
};

impl PrivacyModel for DistinctLDiversity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        class.distinct() >= self.l
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        class.distinct().into()
    }

    fn counted(&self) -> Option<Counted> {
        Some(Counted::Values)
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn smallest_class(&self) -> u32 {
        self.l
    }

    fn reads_counts(&self) -> bool {
        false
    }

    fn monotonicity(&self) -> Monotonicity {
        // Values are only added.
        Monotonicity::UnionWithAny
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        // Every row adds one value at most.
        let missing = self.l.saturating_sub(class.distinct());
        class.size.saturating_add(missing)
    }

    fn parameter(&self) -> Decimal {
        self.l.into()
    }

    fn with_checked(&self, l: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(DistinctLDiversity {
            l: whole(l),
            ..*self
        })
    }
}
