//! k-anonymity.

use super::registry::{ModelEntry, ModelKind};
use super::{ClassView, Counted, Decimal, Direction, Monotonicity, PrivacyModel, whole};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// Every class has at least k rows.
    ///
    /// Nobody can be told apart from k - 1 others by the quasi-identifiers. Says nothing about sensitive values: a
    /// class whose rows all share one gives it away.
    ///
    /// # Paper
    /// L. Sweeney, k-Anonymity: A Model for Protecting Privacy, IJUFKS 10(5), 2002; P. Samarati, Protecting
    /// Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001.
    /// # Reached
    /// The size of the smallest class.
    /// # Merging
    /// A safe class stays safe whatever joins it.
    /// # Cost
    /// One comparison per class.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KAnonymity {
        /// Rows a class must have.
        pub k: u32,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "k-anonymity",
    card: KAnonymity::CARD,
    settings: &[Setting::required(
        "k",
        Kind::Count,
        "rows a class must have",
    )],
    kind: ModelKind::new(|given, _| {
        Ok(Box::new(KAnonymity {
            k: given.count("k"),
        }))
    }),
};

impl PrivacyModel for KAnonymity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        class.size >= self.k
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        class.size.into()
    }

    fn counted(&self) -> Option<Counted> {
        Some(Counted::Rows)
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn smallest_class(&self) -> u32 {
        self.k
    }

    fn monotonicity(&self) -> Monotonicity {
        // Sizes only grow.
        Monotonicity::UnionWithAny
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        class.size.max(self.k)
    }

    fn parameter(&self) -> Decimal {
        self.k.into()
    }

    fn with_checked(&self, k: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(KAnonymity { k: whole(k) })
    }
}
