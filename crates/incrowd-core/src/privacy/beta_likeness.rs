//! Beta-likeness.

use super::decimal::ratio;
use super::distribution::Distribution;
use super::part::{Shares, rounded_up};
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::small_classes::SmallClasses;
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::counts::CountedColumn;
use crate::registry::{Kind, Setting};
use std::sync::Arc;

crate::documented! {
    /// No sensitive value is more than 1 + beta times as frequent in a class as in the table.
    ///
    /// (p - q) / q <= beta for each value with p > q, p its share in the class and q in the table: what is learned about
    /// a rare value is bounded relative to its rarity. Enhanced: <= min(beta, -ln q), so that frequent values cannot
    /// become certain either.
    ///
    /// # Paper
    /// J. Cao, P. Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 5(11), 2012, definitions 2 and 3.
    /// # Compared with
    /// The rows of the table that take part in the release: suppressed rows do, rows left out for missing cells
    /// (`exclude-row`) do not. `verify` compares with the original if it is given, else with the published rows.
    /// # Reached
    /// The greatest (p - q) / q of a class; infinite when it exceeds -ln q and the kind is enhanced.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be.
    /// # Cost
    /// One pass over the values present.
    #[derive(Debug, Clone)]
    pub struct BetaLikeness {
        column: usize,
        beta: Decimal,
        kind: Likeness,
        table: Arc<Distribution>,
        /// The greatest p of each value, or a little more.
        most: Shares,
        /// The most rows of each value in a class that keeps the promise, exactly.
        allowed: SmallClasses,
        /// q (1 - ln q), the greatest p that enhanced likeness allows, less what rounding can hide; empty for basic.
        greatest_shares: Arc<[f64]>,
    }
}

/// How much more frequent a value may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Likeness {
    /// By beta.
    Basic,
    /// By beta, or -ln q where that is less.
    Enhanced,
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "beta-likeness",
    card: BetaLikeness::CARD,
    settings: &[
        Setting::required("beta", Kind::Positive, "greatest (p - q) / q of a value"),
        Setting::optional(
            "kind",
            Kind::Choice(&["basic", "enhanced"]),
            "whether -ln q is a bound too",
        )
        .or("basic"),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(BetaLikeness::new(
            subject.required_column(ENTRY.name)?,
            given.decimal("beta"),
            match given.text("kind") {
                Some("enhanced") => Likeness::Enhanced,
                _ => Likeness::Basic,
            },
        )))
    }),
};

impl BetaLikeness {
    /// For a sensitive column and its index among the counted columns; beta is above 0.
    pub fn new((index, column): (usize, &CountedColumn), beta: Decimal, kind: Likeness) -> Self {
        let table = Distribution::of(column);
        let greatest_share = |&rows: &u32| {
            let q = f64::from(rows) / table.rows as f64;
            // -ln q of a rational q other than 1 is irrational: no share is exactly on the bound, and one too close
            // to call counts as unsafe. For q = 1 no share is above q, so the bound is not asked.
            q * (1.0 - q.ln()) * (1.0 - 8.0 * f64::EPSILON)
        };
        let greatest_shares = match kind {
            Likeness::Basic => Arc::default(),
            Likeness::Enhanced => table.rows_of_values.iter().map(greatest_share).collect(),
        };
        let model = BetaLikeness {
            column: index,
            beta,
            kind,
            most: most(&table, beta, &greatest_shares),
            allowed: SmallClasses::none(),
            table: Arc::new(table),
            greatest_shares,
        };
        model.with_small_classes()
    }

    /// The same, once it is known what is allowed in small classes.
    fn with_small_classes(mut self) -> Self {
        let values = self.table.rows_of_values.len();
        self.allowed = SmallClasses::new(values, |rows, value| {
            let allows = |count: &u32| {
                self.gain(value, *count, rows)
                    .is_none_or(|it| self.allows(it))
            };
            // The share is no less than the greatest allowed, and hardly more.
            let most = (f64::from(rows) * self.most.of(value)) as u32;
            (0..=most.min(rows)).rev().find(allows).unwrap_or(0)
        });
        self
    }

    /// The values more frequent in the class than in the table: (p - q, q) times n N, both below 2^64, and whether p
    /// is also below what enhanced likeness allows.
    #[inline]
    fn gains(&self, class: &ClassView<'_>) -> impl Iterator<Item = (u64, u64, bool)> {
        let size = class.size;
        let present = class.histogram.values.iter().zip(class.histogram.counts);
        present.filter_map(move |(&value, &count)| self.gain(value, count, size))
    }

    /// The same for so many rows of one value.
    #[inline]
    fn gain(&self, value: u32, count: u32, size: u32) -> Option<(u64, u64, bool)> {
        let q = self.table.rows_of(value) * u64::from(size);
        let gain = (u64::from(count) * self.table.rows).checked_sub(q)?;
        let allowed = gain == 0
            || match self.greatest_shares.get(value as usize) {
                None => true,
                Some(share) => f64::from(count) <= f64::from(size) * share,
            };
        Some((gain, q, allowed))
    }

    /// Whether a value may become so much more frequent.
    #[inline]
    fn allows(&self, (gain, q, allowed): (u64, u64, bool)) -> bool {
        // 2^64 times 10^9, and 2^64 times a numerator below 2^62.
        let numerator = u128::from(self.beta.numerator());
        let denominator = u128::from(self.beta.denominator());
        allowed && u128::from(gain) * denominator <= u128::from(q) * numerator
    }
}

/// The greatest share of each value in a class, or a little more. One that is no more frequent than in the table is allowed.
fn most(table: &Distribution, beta: Decimal, greatest_shares: &[f64]) -> Shares {
    let shares = table
        .rows_of_values
        .iter()
        .enumerate()
        .map(|(value, &rows)| {
            let q = f64::from(rows) / table.rows as f64;
            let enhanced = greatest_shares.get(value).copied().unwrap_or(f64::INFINITY);
            rounded_up((q * (1.0 + beta.to_f64())).min(enhanced).max(q))
        });
    Shares::new(shares.collect())
}

impl PrivacyModel for BetaLikeness {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        let mut present = class.histogram.values.iter().zip(class.histogram.counts);
        if let Some(allowed) = self.allowed.of(class.size) {
            return present.all(|(&value, &count)| count <= allowed[value as usize]);
        }
        // Far enough from the bound, which is nearly always, floats suffice.
        let size = f64::from(class.size);
        let mut is_close = false;
        for (&value, &count) in present {
            let (count, most) = (f64::from(count), size * self.most.of(value));
            if count > most * (1.0 + 1e-12) {
                return false;
            }
            // Also where nothing is said of a value.
            let is_below = count <= most * (1.0 - 1e-12);
            is_close |= !is_below;
        }
        if !is_close {
            return true;
        }
        self.gains(class).all(|gain| self.allows(gain))
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        self.gains(class)
            .map(|(gain, q, allowed)| match allowed {
                true => ratio(gain.into(), q.into()),
                false => f64::INFINITY,
            })
            .fold(0.0, f64::max)
    }

    fn direction(&self) -> Direction {
        Direction::AtMost
    }

    fn reads_table(&self) -> bool {
        true
    }

    fn monotonicity(&self) -> Monotonicity {
        // Each value's share has a fixed bound, and its share in a union lies between its shares in the parts.
        Monotonicity::UnionOfKept
    }

    fn smallest_safe(&self) -> u32 {
        self.most.smallest()
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        self.most.largest(class, smallest)
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        self.most.fewest_around(class)
    }

    fn parameter(&self) -> Decimal {
        self.beta
    }

    fn with_checked(&self, beta: Decimal) -> Box<dyn PrivacyModel> {
        let model = BetaLikeness {
            beta,
            most: most(&self.table, beta, &self.greatest_shares),
            ..self.clone()
        };
        Box::new(model.with_small_classes())
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        let kind = match self.kind {
            Likeness::Basic => "basic",
            Likeness::Enhanced => "enhanced",
        };
        vec![Some(kind.to_owned())]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{judge_alike, numbers};
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn what_is_looked_up_for_small_classes_is_what_is_computed_for_others() {
        let mut draw = Draw::new(11);
        let mut kept = [0, 0];
        for _ in 0..60 {
            let values = 1 + draw.below(20);
            let most = [3, 40, 3000][draw.below(3)];
            let rows: Vec<u32> = (0..values).map(|_| 1 + draw.below(most) as u32).collect();
            let column = numbers(&rows);
            let parameter: Decimal = ["0.5", "1", "3", "0.75"][draw.below(4)].parse().unwrap();
            let model = BetaLikeness::new(
                (0, &column),
                parameter,
                [Likeness::Basic, Likeness::Enhanced][draw.below(2)],
            );
            let computed = BetaLikeness {
                allowed: SmallClasses::none(),
                ..model.clone()
            };
            judge_alike(&mut draw, values, [&model, &computed], &mut kept);
        }
        assert!(kept[0] > 1000 && kept[1] > 1000, "{kept:?}");
    }
}
