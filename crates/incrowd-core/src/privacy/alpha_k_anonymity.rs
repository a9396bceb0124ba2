//! (alpha, k)-anonymity.

use super::decimal::ratio;
use super::part::{fewest_of_shares, largest_of_shares, rounded_up};
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::counts::CountedColumn;
use crate::error::Error;
use crate::registry::{Kind, Setting};
use crate::table::ValueCode;

crate::documented! {
    /// Every class has at least k rows, and no sensitive value makes up more than a share alpha of it.
    ///
    /// With `value=` only that value is bounded, for columns in which one value harms and the others do not.
    ///
    /// # Paper
    /// R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, (alpha, k)-Anonymity: An Enhanced k-Anonymity Model for Privacy
    /// Preserving Data Publishing, KDD 2006.
    /// # Reached
    /// The greatest share in a class; infinite for a class with fewer than k rows.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be.
    /// # Cost
    /// One pass over the values present; with `value=` a binary search.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AlphaKAnonymity {
        column: usize,
        alpha: Decimal,
        k: u32,
        /// The one value bounded: its code, and its text for the canonical string.
        value: Option<(ValueCode, String)>,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "alpha-k-anonymity",
    card: AlphaKAnonymity::CARD,
    settings: &[
        Setting::required("alpha", Kind::Share, "greatest share of a value in a class"),
        Setting::required("k", Kind::Count, "rows a class must have"),
        Setting::optional(
            "value",
            Kind::Text,
            "the value whose share is bounded; all values when not given",
        ),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(AlphaKAnonymity::new(
            subject.required_column(ENTRY.name)?,
            given.decimal("alpha"),
            given.count("k"),
            given.text("value"),
        )?))
    }),
};

impl AlphaKAnonymity {
    /// Bounds the share of one value, or of each when none is named.
    pub fn new(
        (index, column): (usize, &CountedColumn),
        alpha: Decimal,
        k: u32,
        value: Option<&str>,
    ) -> Result<Self, Error> {
        let code = |text: &str| match column.values.lookup(text.as_bytes()) {
            Some(code) => Ok((code, text.to_owned())),
            None => Err(Error::NoSuchValue {
                model: ENTRY.name,
                column: column.name.clone(),
            }),
        };
        Ok(AlphaKAnonymity {
            column: index,
            alpha,
            k,
            value: value.map(code).transpose()?,
        })
    }

    /// Rows with the value bounded, or with the most frequent one.
    #[inline]
    fn count(&self, class: &ClassView<'_>) -> u32 {
        match &self.value {
            None => class.greatest_count(),
            Some((code, _)) => match class.histogram.values.binary_search(&code.0) {
                Ok(at) => class.histogram.counts[at],
                Err(_) => 0,
            },
        }
    }

    /// The greatest share that a class may have of each value.
    fn shares(&self) -> impl Fn(u32) -> f64 {
        let share = rounded_up(self.alpha.to_f64());
        let bounded = self.value.as_ref().map(|(code, _)| code.0);
        move |value| match bounded {
            Some(bounded) if bounded != value => 1.0,
            _ => share,
        }
    }
}

impl PrivacyModel for AlphaKAnonymity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        // 2^32 times 10^9, as alpha is at most 1.
        class.size >= self.k
            && u64::from(self.count(class)) * self.alpha.denominator()
                <= u64::from(class.size) * self.alpha.numerator()
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        if class.size >= self.k {
            ratio(self.count(class).into(), class.size.into())
        } else {
            f64::INFINITY
        }
    }

    fn direction(&self) -> Direction {
        Direction::AtMost
    }

    fn smallest_class(&self) -> u32 {
        self.k
    }

    fn monotonicity(&self) -> Monotonicity {
        // Sizes grow; the share of a value in a union lies between its shares in the parts.
        Monotonicity::UnionOfKept
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        largest_of_shares(class, smallest, self.shares())
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        fewest_of_shares(class, self.shares()).max(self.k)
    }

    fn parameter(&self) -> Decimal {
        self.alpha
    }

    fn with_checked(&self, alpha: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(AlphaKAnonymity {
            alpha,
            ..self.clone()
        })
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        let value = self.value.as_ref().map(|(_, text)| text.clone());
        vec![Some(self.k.to_string()), value]
    }
}
