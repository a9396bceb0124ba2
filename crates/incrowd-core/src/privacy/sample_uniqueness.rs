//! sample-uniqueness.

use super::decimal::ratio;
use super::registry::{ModelEntry, ModelKind};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel, ReleaseView, is_at_most};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// At most this share of the published rows is alone in its class.
    ///
    /// A row that is alone in its class belongs to the only person in the table with these values. With `max=0` nobody is
    /// alone, which is 2-anonymity if nothing is suppressed; a greater share accepts a few such rows for the sake of detail.
    ///
    /// # Definition
    /// Rows published in classes of one / rows published <= max. Rows are suppressed only if they break a promise about
    /// classes, never to lower the share: what is left must keep the promise. If nothing is published, it is kept.
    /// # Reached
    /// The share of the published rows that is alone.
    /// # Merging
    /// About the whole release: without suppression, merging classes never leaves more rows alone. With it, rows that are no
    /// longer suppressed may come back alone, so nothing can be said.
    /// # Algorithms
    /// Searches over levels keep it and still prove their optimum; cuts keep it at every step. Partitions and regions keep it if
    /// the answer does; if not, they search again for classes of at least two rows, with
    /// which it always holds, and prove nothing but a bound.
    /// # Cost
    /// A look at the size of every class. With rows that may be suppressed, it rules out no node below another; only rows that are
    /// lost there by other promises do.
    /// # Paper
    /// C. Skinner and D. Holmes, Estimating the Re-identification Risk Per Record in Microdata, Journal of Official Statistics
    /// 14(4), 1998.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SampleUniqueness {
        /// The greatest share.
        pub max: Decimal,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "sample-uniqueness",
    card: SampleUniqueness::CARD,
    settings: &[Setting::required(
        "max",
        Kind::Distance,
        "greatest share of the published rows that is alone in its class",
    )],
    kind: ModelKind::of_release(|given, _| {
        Ok(Box::new(SampleUniqueness {
            max: given.decimal("max"),
        }))
    }),
};

impl PrivacyModel for SampleUniqueness {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn holds(&self, _: &ClassView<'_>) -> bool {
        true
    }

    fn measure(&self, _: &ClassView<'_>) -> f64 {
        0.0
    }

    fn holds_in_release(&self, release: ReleaseView) -> bool {
        is_at_most(release.rows_alone, release.rows, self.max)
    }

    fn measure_release(&self, release: ReleaseView) -> Option<f64> {
        (release.rows > 0).then(|| ratio(release.rows_alone.into(), release.rows.into()))
    }

    fn class_size_that_suffices(&self) -> u32 {
        2
    }

    fn direction(&self) -> Direction {
        Direction::AtMost
    }

    fn monotonicity(&self) -> Monotonicity {
        // Every single class keeps it. What suppression does to all of them is for the problem to say.
        Monotonicity::UnionWithAny
    }

    fn parameter(&self) -> Decimal {
        self.max
    }

    fn with_checked(&self, max: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(SampleUniqueness { max })
    }
}
