//! k-map.

use super::registry::{ModelEntry, ModelKind};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel, whole};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// At least k rows of the population match every class.
    ///
    /// For attackers who cannot know who is in the table: a person hides among everyone in the population with the same
    /// published values, not only among the rows of the class. Weaker than k-anonymity, since the table is part of its
    /// population, and so less is lost. Whoever does know that somebody is in the table may single them out. Everyone counts
    /// whose values are among those that the published ones stand for, whatever other classes they match.
    ///
    /// # Paper
    /// L. Sweeney, Computational Disclosure Control: A Primer on Data Privacy Protection, PhD thesis, MIT, 2001.
    /// # Reached
    /// The fewest rows of the population that match a class.
    /// # Merging
    /// A safe class stays safe whatever joins it: whoever matches a part matches the whole.
    /// # Cost
    /// A look-up for every distinct combination of the population, for every recoding of columns that is judged. Regions are
    /// looked up in a tree over these combinations, one by one.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KMap {
        /// Rows of the population that must match a class.
        pub k: u32,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "k-map",
    card: KMap::CARD,
    settings: &[Setting::required(
        "k",
        Kind::Count,
        "rows of the population that must match a class",
    )],
    kind: ModelKind::of_population(|given, _| {
        Ok(Box::new(KMap {
            k: given.count("k"),
        }))
    }),
};

impl PrivacyModel for KMap {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        class.people >= self.k
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        class.people.into()
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn monotonicity(&self) -> Monotonicity {
        // More values are matched by more people.
        Monotonicity::UnionWithAny
    }

    fn parameter(&self) -> Decimal {
        self.k.into()
    }

    fn with_checked(&self, k: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(KMap { k: whole(k) })
    }
}
