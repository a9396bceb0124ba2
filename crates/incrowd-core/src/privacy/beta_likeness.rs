//! Beta-likeness.

use super::decimal::ratio;
use super::distribution::Distribution;
use super::part::{fewest_of_shares, largest_of_shares, rounded_up, smallest_of_shares};
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
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
        most: Arc<[f64]>,
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
        BetaLikeness {
            column: index,
            beta,
            kind,
            most: most(&table, beta, &greatest_shares),
            table: Arc::new(table),
            greatest_shares,
        }
    }

    /// The values more frequent in the class than in the table: (p - q, q) times n N, both below 2^64, and whether p
    /// is also below what enhanced likeness allows.
    #[inline]
    fn gains(&self, class: &ClassView<'_>) -> impl Iterator<Item = (u64, u64, bool)> {
        let size = u64::from(class.size);
        let present = class.histogram.values.iter().zip(class.histogram.counts);
        present.filter_map(move |(&value, &count)| {
            let q = self.table.rows_of(value) * size;
            let gain = (u64::from(count) * self.table.rows).checked_sub(q)?;
            let allowed = gain == 0
                || match self.greatest_shares.get(value as usize) {
                    None => true,
                    Some(share) => f64::from(count) <= f64::from(class.size) * share,
                };
            Some((gain, q, allowed))
        })
    }
}

/// The greatest share of each value in a class, or a little more. One that is no more frequent than in the table is allowed.
fn most(table: &Distribution, beta: Decimal, greatest_shares: &[f64]) -> Arc<[f64]> {
    let shares = table
        .rows_of_values
        .iter()
        .enumerate()
        .map(|(value, &rows)| {
            let q = f64::from(rows) / table.rows as f64;
            let enhanced = greatest_shares.get(value).copied().unwrap_or(f64::INFINITY);
            rounded_up((q * (1.0 + beta.to_f64())).min(enhanced).max(q))
        });
    shares.collect()
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
        // Far enough from the bound, which is nearly always, floats suffice.
        let size = f64::from(class.size);
        let present = class.histogram.values.iter().zip(class.histogram.counts);
        let mut is_close = false;
        for (&value, &count) in present {
            let (count, most) = (f64::from(count), size * self.most[value as usize]);
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
        let numerator = u128::from(self.beta.numerator());
        let denominator = u128::from(self.beta.denominator());
        // 2^64 times 10^9, and 2^64 times a numerator below 2^62.
        self.gains(class).all(|(gain, q, allowed)| {
            allowed && u128::from(gain) * denominator <= u128::from(q) * numerator
        })
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
        smallest_of_shares(&self.most)
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>) -> u32 {
        largest_of_shares(class, |value| self.most[value as usize])
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        fewest_of_shares(class, |value| self.most[value as usize])
    }

    fn parameter(&self) -> Decimal {
        self.beta
    }

    fn with_checked(&self, beta: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(BetaLikeness {
            beta,
            most: most(&self.table, beta, &self.greatest_shares),
            ..self.clone()
        })
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        let kind = match self.kind {
            Likeness::Basic => "basic",
            Likeness::Enhanced => "enhanced",
        };
        vec![Some(kind.to_owned())]
    }
}
