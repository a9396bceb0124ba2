//! delta-presence.

use super::decimal::ratio;
use super::registry::{ModelEntry, ModelKind};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::error::Error;
use crate::registry::{Kind, Setting};

crate::documented! {
    /// Of the rows of the population that match a class, a share between two bounds is in the table.
    ///
    /// For tables in which being there is itself sensitive, such as those of patients: nobody should learn that a person is
    /// in the table, nor, with a lower bound, that they are not. Without `min=` only the first.
    ///
    /// Where published values overlap, one person may match several classes. Then the rows of all classes that share a person
    /// with this one count against `max=`, since all of them could be about the people of this class; for `min=` only its own
    /// rows count. Suppressed rows are not in what is published, and so count for nobody.
    ///
    /// # Paper
    /// M. E. Nergiz, M. Atzori, C. Clifton, Hiding the Presence of Individuals from Shared Databases, SIGMOD 2007.
    /// # Reached
    /// The greatest share of a class; infinite for a class whose share is below the lower bound.
    /// # Merging
    /// Without a lower bound, safe classes merged are safe, as long as nobody matches both; a safe and an unsafe one may not be.
    /// With one, nothing can be said: a class may be joined by people of whom nobody is in the table.
    /// # Cost
    /// A look-up for every distinct combination of the population, for every recoding of columns that is judged. Regions are
    /// looked up in a tree over these combinations, one by one.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DeltaPresence {
        /// The greatest share.
        pub max: Decimal,
        /// The least share.
        pub min: Decimal,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-presence",
    card: DeltaPresence::CARD,
    settings: &[
        Setting::required(
            "max",
            Kind::Share,
            "greatest share of the people who match a class that is in the table",
        ),
        Setting::optional("min", Kind::Distance, "least share of them").or("0"),
    ],
    kind: ModelKind::of_population(|given, _| {
        let (max, min) = (given.decimal("max"), given.decimal("min"));
        if min > max {
            // No class could keep both.
            return Err(Error::SettingOutOfRange {
                family: "model",
                owner: ENTRY.name,
                setting: "min",
                given: min.to_string(),
                allowed: format!("at most `max`, which is {max}"),
            });
        }
        Ok(Box::new(DeltaPresence { max, min }))
    }),
};

impl DeltaPresence {
    fn is_enough(&self, class: &ClassView<'_>) -> bool {
        // 2^32 times 10^9, as bounds are at most 1.
        u64::from(class.size) * self.min.denominator()
            >= u64::from(class.people) * self.min.numerator()
    }
}

impl PrivacyModel for DeltaPresence {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        class.people > 0
            && self.is_enough(class)
            && u64::from(class.rows_among_people) * self.max.denominator()
                <= u64::from(class.people) * self.max.numerator()
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        match class.people > 0 && self.is_enough(class) {
            true => ratio(class.rows_among_people.into(), class.people.into()),
            false => f64::INFINITY,
        }
    }

    fn direction(&self) -> Direction {
        Direction::AtMost
    }

    fn reads_overlaps(&self) -> bool {
        true
    }

    fn monotonicity(&self) -> Monotonicity {
        match self.min == Decimal::ZERO {
            // The share of a union is at most the greater one of its parts, and falls with everyone else who joins.
            true => Monotonicity::UnionOfKept,
            false => Monotonicity::None,
        }
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, _smallest: u32) -> u32 {
        // No two parts are matched by the same people.
        let rows = u64::from(class.people) * self.max.numerator() / self.max.denominator();
        rows.min(class.size.into()) as u32
    }

    fn parameter(&self) -> Decimal {
        self.max
    }

    fn with_checked(&self, max: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(DeltaPresence { max, ..*self })
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        vec![Some(self.min.to_string())]
    }
}
