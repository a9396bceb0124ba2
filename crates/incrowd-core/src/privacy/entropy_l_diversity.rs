//! Entropy l-diversity.

use super::part::largest;
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::registry::{Kind, Setting};
use std::sync::Arc;

crate::documented! {
    /// The sensitive values of every class are spread at least as evenly as l equally frequent ones.
    ///
    /// Their entropy, -sum p ln p over the shares p of the values in the class, is at least ln l.
    ///
    /// # Paper
    /// A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: Privacy Beyond k-Anonymity, ACM
    /// TKDD 1(1), 2007, definition 4.1.
    /// # Differs from the paper
    /// l may be any decimal of at least 1. Entropies are sums of logarithms, which no computer holds exactly: one that
    /// misses ln l by at most 1e-11 counts as equal to it, so that l equally frequent values are l-diverse.
    /// # Reached
    /// exp(entropy), the number of equally frequent values that are spread as evenly, the least of all classes.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be.
    /// # Cost
    /// One pass over the values present; a logarithm for each count above 1023.
    #[derive(Debug, Clone)]
    pub struct EntropyLDiversity {
        column: usize,
        l: Decimal,
        /// ln l, less the tolerance.
        least_entropy: f64,
        /// c ln c of small counts c: the logarithm is most of the work.
        small: Arc<[f64]>,
    }
}

/// How far, in nats, an entropy may miss its bound through rounding. Rounding alone stays below 1e-12 for a thousand
/// values and grows with their number.
const TOLERANCE: f64 = 1e-11;

/// Counts whose c ln c is kept: 8 KiB, a part of the first cache.
const SMALL: u32 = 1024;

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "entropy-l-diversity",
    card: EntropyLDiversity::CARD,
    settings: &[
        Setting::required(
            "l",
            Kind::AtLeastOne,
            "number of equally frequent values that a class must be as evenly spread as",
        ),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(EntropyLDiversity::new(
            subject.required_column(ENTRY.name)?.0,
            given.decimal("l"),
        )))
    }),
};

impl EntropyLDiversity {
    /// For a sensitive column, by its index among the counted columns; l is at least 1.
    pub fn new(column: usize, l: Decimal) -> Self {
        let small = (0..SMALL).map(|count| times_ln(count.into())).collect();
        Self::with(column, l, small)
    }

    fn with(column: usize, l: Decimal, small: Arc<[f64]>) -> Self {
        EntropyLDiversity {
            column,
            l,
            least_entropy: l.to_f64().ln() - TOLERANCE,
            small,
        }
    }

    /// -sum (c/n) ln (c/n) = ln n - (sum c ln c) / n.
    #[inline]
    fn entropy(&self, class: &ClassView<'_>) -> f64 {
        let counts = class.histogram.counts.iter();
        let sum: f64 = counts.map(|&count| self.times_ln(count)).sum();
        let size = f64::from(class.size);
        size.ln() - sum / size
    }

    /// c ln c.
    #[inline]
    fn times_ln(&self, count: u32) -> f64 {
        match self.small.get(count as usize) {
            Some(&known) => known,
            None => times_ln(count.into()),
        }
    }

    /// Whether there are l values at all. Settles most unsafe classes without a logarithm, and as entropy cannot
    /// exceed the logarithm of their number, also that the tolerance admits no class with fewer values or rows.
    #[inline]
    fn has_l_values(&self, class: &ClassView<'_>) -> bool {
        u64::from(class.distinct()) * self.l.denominator() >= self.l.numerator()
    }
}

fn times_ln(count: f64) -> f64 {
    if count > 0.0 { count * count.ln() } else { 0.0 }
}

impl PrivacyModel for EntropyLDiversity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        self.has_l_values(class) && self.entropy(class) >= self.least_entropy
    }

    /// Snapped to a number of at most six digits after the point when it is within the tolerance of one, so that
    /// equally frequent values give their number exactly.
    fn measure(&self, class: &ClassView<'_>) -> f64 {
        if class.histogram.counts.is_empty() {
            return 0.0;
        }
        let spread = self.entropy(class).exp();
        let snapped = (spread * 1e6).round() / 1e6;
        if (spread - snapped).abs() <= spread * TOLERANCE {
            snapped
        } else {
            spread
        }
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn monotonicity(&self) -> Monotonicity {
        // Entropy is concave: that of a mixture is at least the mixture of the entropies.
        Monotonicity::UnionOfKept
    }

    fn smallest_safe(&self) -> u32 {
        // There are l values at least.
        super::ceiling(self.l)
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, _smallest: u32) -> u32 {
        if !self.has_l_values(class) {
            return 0; // nor has any part
        }
        // Of the parts with as many rows, the one that cuts off the most frequent values at one height is the most even,
        // and the lower it is cut, the more even it is.
        let counts = class.histogram.counts;
        let cut_at = |most: u32| counts.iter().map(move |&count| count.min(most));
        let is_even = |most: u32| {
            let rows = f64::from(cut_at(most).sum::<u32>());
            let sum: f64 = cut_at(most).map(|count| self.times_ln(count)).sum();
            // Twice the tolerance, so that rounding never makes the part smaller.
            most <= 1 || rows.ln() - sum / rows >= self.least_entropy - TOLERANCE
        };
        let greatest = largest(class.greatest_count(), is_even);
        // Between two heights some of the values may be cut higher than others; all of them cannot.
        let rows: u32 = cut_at(greatest).sum();
        let higher = counts.iter().filter(|&&count| count > greatest).count() as u32;
        rows + higher.saturating_sub(1)
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        // Every row adds one value at most, and l are needed.
        let missing = super::ceiling(self.l).saturating_sub(class.distinct());
        class.size.saturating_add(missing)
    }

    fn parameter(&self) -> Decimal {
        self.l
    }

    fn with_checked(&self, l: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(Self::with(self.column, l, Arc::clone(&self.small)))
    }
}
