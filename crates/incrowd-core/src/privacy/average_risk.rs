//! average-risk.

use super::decimal::ratio;
use super::registry::{ModelEntry, ModelKind};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel, ReleaseView, is_at_most};
use crate::registry::{Kind, Setting};

crate::documented! {
    /// Of those who look for a person that they know to be in the table, on average at most this share finds the right row.
    ///
    /// A row can be told from the others in its class only by guessing, so it is found with a chance of one in the size of its
    /// class. This bounds the mean over all published rows, which is the number of classes divided by the number of rows; a
    /// single row may be at a higher risk, so ask for a k as well if nobody may be.
    ///
    /// # Definition
    /// Classes published / rows published <= max. Rows are suppressed only if they break a promise about classes, never to
    /// lower the average: what is left must keep the promise. If nothing is published, it is kept.
    /// # Reached
    /// The mean risk of the published rows.
    /// # Merging
    /// About the whole release: without suppression, merging classes never raises the average. With it, rows that are no longer
    /// suppressed may come back in small classes, so nothing can be said.
    /// # Algorithms
    /// Searches over levels keep it and still prove their optimum; cuts keep it at every step. Partitions and regions keep it if
    /// the answer does; if not, they search again for larger classes, at most for 1 / max rows, with
    /// which it always holds, and prove nothing but a bound.
    /// # Cost
    /// A look at the size of every class. With rows that may be suppressed, it rules out no node below another; only rows that are
    /// lost there by other promises do.
    /// # Paper
    /// F. K. Dankar and K. El Emam, A Method for Evaluating Marketer Re-identification Risk, EDBT/ICDT Workshops 2010.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AverageRisk {
        /// The greatest mean.
        pub max: Decimal,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "average-risk",
    card: AverageRisk::CARD,
    settings: &[Setting::required(
        "max",
        Kind::Share,
        "greatest mean chance of a published row to be found",
    )],
    kind: ModelKind::of_release(|given, _| {
        Ok(Box::new(AverageRisk {
            max: given.decimal("max"),
        }))
    }),
};

impl PrivacyModel for AverageRisk {
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
        is_at_most(release.classes, release.rows, self.max)
    }

    fn measure_release(&self, release: ReleaseView) -> Option<f64> {
        (release.rows > 0).then(|| ratio(release.classes.into(), release.rows.into()))
    }

    fn class_size_that_suffices(&self) -> u32 {
        // 1 / max, rounded up. The parameter is above 0.
        let size = self.max.denominator().div_ceil(self.max.numerator().max(1));
        size.try_into().unwrap_or(u32::MAX)
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
        Box::new(AverageRisk { max })
    }
}
