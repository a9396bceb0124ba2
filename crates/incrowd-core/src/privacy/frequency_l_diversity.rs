//! Frequency l-diversity.

use super::decimal::ratio;
use super::part::{fewest_of_shares, largest_of_shares, rounded_up};
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// No value of the sensitive column makes up more than 1/l of a class.
    ///
    /// Nobody's value can be guessed with more than 1/l confidence.
    ///
    /// # Paper
    /// X. Xiao, Y. Tao, Anatomy: Simple and Effective Privacy Preservation, VLDB 2006, definition 2; called simple
    /// l-diversity in A. Pilalidou, Online Negotiation for Privacy Preserving Data Publishing, 2010.
    /// # Differs from the paper
    /// l may be any decimal of at least 1.
    /// # Reached
    /// Rows of a class over the rows with its most frequent value, the least of all classes.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be.
    /// # Cost
    /// One pass over the values present.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FrequencyLDiversity {
        /// The sensitive column, as its index among the counted columns.
        pub column: usize,
        /// The greatest share allowed, upside down.
        pub l: Decimal,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "frequency-l-diversity",
    card: FrequencyLDiversity::CARD,
    settings: &[
        Setting::required(
            "l",
            Kind::AtLeastOne,
            "a value may make up at most 1/l of a class",
        ),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(FrequencyLDiversity {
            column: subject.required_column(ENTRY.name)?.0,
            l: given.decimal("l"),
        }))
    }),
};

impl PrivacyModel for FrequencyLDiversity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        // 2^32 times a numerator below 2^62. As a count is at least 1, this implies a size of at least l.
        let count = u128::from(class.greatest_count());
        count > 0
            && count * u128::from(self.l.numerator())
                <= u128::from(class.size) * u128::from(self.l.denominator())
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        match class.greatest_count() {
            0 => 0.0,
            count => ratio(class.size.into(), count.into()),
        }
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn monotonicity(&self) -> Monotonicity {
        // The share of a value in a union lies between its shares in the parts, so below the same bound.
        Monotonicity::UnionOfKept
    }

    fn smallest_safe(&self) -> u32 {
        // A value that occurs makes up at least one row.
        super::ceiling(self.l)
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        let share = rounded_up(1.0 / self.l.to_f64());
        largest_of_shares(class, smallest, |_| share)
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        let share = rounded_up(1.0 / self.l.to_f64());
        fewest_of_shares(class, |_| share)
    }

    fn parameter(&self) -> Decimal {
        self.l
    }

    fn with_checked(&self, l: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(FrequencyLDiversity { l, ..*self })
    }
}
