//! p-sensitive k-anonymity.

use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel, whole};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// Every class has at least k rows and at least p distinct values of the sensitive column.
    ///
    /// k-anonymity and distinct l-diversity in one. One model is built per sensitive column, so that every column
    /// has its p values.
    ///
    /// # Paper
    /// T. M. Truta, B. Vinay, Privacy Protection: p-Sensitive k-Anonymity Property, ICDE Workshops 2006.
    /// # Reached
    /// The fewest distinct values of a class; 0 for a class with fewer than k rows.
    /// # Merging
    /// A safe class stays safe whatever joins it.
    /// # Cost
    /// Two comparisons per class; histograms must be counted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PSensitiveKAnonymity {
        /// The sensitive column, as its index among the counted columns.
        pub column: usize,
        /// Distinct values a class must have.
        pub p: u32,
        /// Rows a class must have.
        pub k: u32,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "p-sensitive-k-anonymity",
    card: PSensitiveKAnonymity::CARD,
    settings: &[
        Setting::required("p", Kind::Count, "distinct values a class must have"),
        Setting::required("k", Kind::Count, "rows a class must have"),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(PSensitiveKAnonymity {
            column: subject.required_column(ENTRY.name)?.0,
            p: given.count("p"),
            k: given.count("k"),
        }))
    }),
};

impl PrivacyModel for PSensitiveKAnonymity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        class.size >= self.k && class.distinct() >= self.p
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        if class.size >= self.k {
            class.distinct().into()
        } else {
            0.0
        }
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn smallest_class(&self) -> u32 {
        self.k.max(self.p)
    }

    fn reads_counts(&self) -> bool {
        false
    }

    fn monotonicity(&self) -> Monotonicity {
        // Rows and values are only added.
        Monotonicity::UnionWithAny
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        // Every row adds one value at most.
        let missing = self.p.saturating_sub(class.distinct());
        class.size.saturating_add(missing).max(self.k)
    }

    fn parameter(&self) -> Decimal {
        self.p.into()
    }

    fn with_checked(&self, p: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(PSensitiveKAnonymity {
            p: whole(p),
            ..*self
        })
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        vec![Some(self.k.to_string())]
    }
}
