//! Delta-disclosure privacy.

use super::decimal::ratio;
use super::distribution::Distribution;
use super::part::{Shares, largest, rounded_up};
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::small_classes::SmallClasses;
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::counts::CountedColumn;
use crate::registry::{Kind, Setting};
use std::sync::Arc;

crate::documented! {
    /// The share of every sensitive value in a class is within a factor of 2^delta of its share in the table.
    ///
    /// |log2(p/q)| < delta for each value of the table, p its share in the class and q in the table. A value absent
    /// from the class is infinitely far.
    ///
    /// # Paper
    /// J. Brickell, V. Shmatikov, The Cost of Privacy: Destruction of Data-Mining Utility in Anonymized Data
    /// Publishing, KDD 2008, definition 3.
    /// # Compared with
    /// The rows of the table that take part in the release: suppressed rows do, rows left out for missing cells
    /// (`exclude-row`) do not. `verify` compares with the original if it is given, else with the published rows.
    /// # Differs from the paper
    /// `absent=ignore` looks only at the values present in a class, as ARX does; a weaker promise.
    /// # Reached
    /// The greatest |log2(p/q)| of a class; infinite when a value is absent and that is rejected.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be. With `absent=ignore` not even the first.
    /// # Cost
    /// One pass over the values present.
    #[derive(Debug, Clone)]
    pub struct DeltaDisclosure {
        column: usize,
        delta: Decimal,
        absent: Absent,
        bound: Bound,
        table: Arc<Distribution>,
        /// The greatest p of each value, or a little more.
        most: Shares,
        /// The least p of each value, about.
        least: Arc<[f64]>,
        /// The most rows of each value in a class that keeps the promise, exactly.
        allowed: SmallClasses,
        /// The fewest, unless there are none.
        needed: SmallClasses,
        /// Values of the table, all of which a class must have.
        values: usize,
    }
}

/// What a value of the table that a class lacks means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Absent {
    /// The class is unsafe.
    Reject,
    /// Nothing.
    Ignore,
}

/// 2^delta, which the ratio of the shares must stay below.
///
/// A ratio of counts is rational, and 2^delta is only when delta is whole. So ratios exactly on the bound, which are
/// not safe, exist for whole delta only, and those are compared in integers.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Whole {
        delta: u32,
    },
    /// Less what rounding can hide: a ratio too close to call counts as unsafe.
    Irrational {
        power: f64,
    },
}

impl Bound {
    fn new(delta: Decimal) -> Self {
        match delta.whole() {
            Some(delta) => Bound::Whole { delta },
            None => {
                let delta = delta.to_f64();
                // The rounding of delta itself is what delta multiplies.
                let power = delta.exp2() * (1.0 - (4.0 + delta) * f64::EPSILON);
                Bound::Irrational { power }
            }
        }
    }

    /// Whether `a / b` is below 2^delta; both at least 1.
    #[inline]
    fn admits(self, a: u64, b: u64) -> bool {
        match self {
            // Below 2^64 shifted by less than 64; from 2^64 on every ratio is below.
            Bound::Whole { delta } => delta >= 64 || u128::from(a) < u128::from(b) << delta,
            Bound::Irrational { power } => (a as f64) < b as f64 * power,
        }
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "delta-disclosure",
    card: DeltaDisclosure::CARD,
    settings: &[
        Setting::required("delta", Kind::Positive, "what |log2(p/q)| must stay below"),
        Setting::optional(
            "absent",
            Kind::Choice(&["reject", "ignore"]),
            "what to do with a class that lacks a value of the table",
        )
        .or("reject"),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(DeltaDisclosure::new(
            subject.required_column(ENTRY.name)?,
            given.decimal("delta"),
            match given.text("absent") {
                Some("ignore") => Absent::Ignore,
                _ => Absent::Reject,
            },
        )))
    }),
};

impl DeltaDisclosure {
    /// For a sensitive column and its index among the counted columns; delta is above 0.
    pub fn new((index, column): (usize, &CountedColumn), delta: Decimal, absent: Absent) -> Self {
        let table = Distribution::of(column);
        let model = DeltaDisclosure {
            column: index,
            delta,
            absent,
            bound: Bound::new(delta),
            most: most(&table, delta),
            least: least(&table, delta),
            values: table.occurring(),
            table: Arc::new(table),
            allowed: SmallClasses::none(),
            needed: SmallClasses::none(),
        };
        model.with_small_classes()
    }

    /// The same, once it is known what is allowed in small classes.
    fn with_small_classes(mut self) -> Self {
        let values = self.table.rows_of_values.len();
        self.allowed = SmallClasses::new(values, |rows, value| {
            let is_below = |count: &u32| {
                let (p, q) = self.share((&value, count), rows);
                self.bound.admits(p, q)
            };
            // The share is no less than the greatest allowed, and hardly more.
            let most = (f64::from(rows) * self.most.of(value)) as u32;
            (0..=most.min(rows)).rev().find(is_below).unwrap_or(0)
        });
        self.needed = SmallClasses::new(values, |rows, value| {
            let is_above = |count: &u32| {
                let (p, q) = self.share((&value, count), rows);
                self.bound.admits(q, p)
            };
            // The share is about the least.
            let about = (f64::from(rows) * self.least[value as usize]) as u32;
            let from = about.saturating_sub(1).max(1);
            (from..=rows).find(is_above).unwrap_or(u32::MAX)
        });
        self
    }

    /// Whether all shares are within their bounds, if floats suffice to see it: they are nearly always far enough from them.
    #[inline]
    fn is_clear(&self, class: &ClassView<'_>) -> Option<bool> {
        let size = f64::from(class.size);
        let mut is_clear = true;
        for (&value, &count) in class.histogram.values.iter().zip(class.histogram.counts) {
            let count = f64::from(count);
            let (most, least) = (
                size * self.most.of(value),
                size * self.least[value as usize],
            );
            if count > most * (1.0 + 1e-8) || count < least * (1.0 - 1e-8) {
                return Some(false);
            }
            is_clear &= count < most * (1.0 - 1e-8) && count > least * (1.0 + 1e-8);
        }
        is_clear.then_some(true)
    }

    #[inline]
    fn lacks_a_value(&self, class: &ClassView<'_>) -> bool {
        self.absent == Absent::Reject && class.histogram.values.len() < self.values
    }

    /// p and q of each value present, brought to one denominator: c N and Q n, both below 2^64.
    #[inline]
    fn shares(&self, class: &ClassView<'_>) -> impl Iterator<Item = (u64, u64)> {
        let size = class.size;
        let present = class.histogram.values.iter().zip(class.histogram.counts);
        present.map(move |entry| self.share(entry, size))
    }

    /// The same for one value.
    #[inline]
    fn share(&self, (&value, &count): (&u32, &u32), size: u32) -> (u64, u64) {
        let in_class = u64::from(count) * self.table.rows;
        (in_class, self.table.rows_of(value) * u64::from(size))
    }
}

/// The greatest share of each value in a class, or a little more.
fn most(table: &Distribution, delta: Decimal) -> Shares {
    let shares = table.rows_of_values.iter().map(|&rows| {
        let q = f64::from(rows) / table.rows as f64;
        // What rounding delta may hide, see `Bound`, is less than a thousandth of a millionth.
        rounded_up(q * delta.to_f64().exp2() * (1.0 + 1e-9))
    });
    Shares::new(shares.collect())
}

/// The least share of every value of the table, about.
fn least(table: &Distribution, delta: Decimal) -> Arc<[f64]> {
    let shares = table.rows_of_values.iter().map(|&rows| {
        let q = f64::from(rows) / table.rows as f64;
        q * (-delta.to_f64()).exp2()
    });
    shares.collect()
}

impl PrivacyModel for DeltaDisclosure {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        if self.lacks_a_value(class) {
            return false;
        }
        let small = self.allowed.of(class.size).zip(self.needed.of(class.size));
        if let Some((allowed, needed)) = small {
            let mut present = class.histogram.values.iter().zip(class.histogram.counts);
            return present.all(|(&value, &count)| {
                count <= allowed[value as usize] && count >= needed[value as usize]
            });
        }
        self.is_clear(class).unwrap_or_else(|| {
            let mut shares = self.shares(class);
            shares.all(|(p, q)| self.bound.admits(p, q) && self.bound.admits(q, p))
        })
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        if self.lacks_a_value(class) {
            return f64::INFINITY;
        }
        self.shares(class)
            .map(|(p, q)| ratio(p.max(q).into(), p.min(q).into()))
            .fold(1.0, f64::max)
            .log2()
    }

    fn direction(&self) -> Direction {
        Direction::Below
    }

    fn reads_table(&self) -> bool {
        true
    }

    fn monotonicity(&self) -> Monotonicity {
        match self.absent {
            // The share of a value in a union lies between its shares in the parts, so within the same factors.
            Absent::Reject => Monotonicity::UnionOfKept,
            // A class that lacks a value dilutes it below its bound.
            Absent::Ignore => Monotonicity::None,
        }
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        if self.lacks_a_value(class) {
            return 0; // and so does every part
        }
        let most = self.most.largest(class, smallest);
        match self.absent {
            // No value may be too rare in the part, even if all of its rows are in it.
            Absent::Reject => largest(most, |rows| {
                let mut present = class.histogram.values.iter().zip(class.histogram.counts);
                present.all(|(&value, &count)| {
                    let expected = self.table.rows_of(value) * u64::from(rows);
                    self.bound
                        .admits(expected, u64::from(count) * self.table.rows)
                })
            }),
            Absent::Ignore => most, // a value too rare may be left out
        }
    }

    fn smallest_safe(&self) -> u32 {
        self.most.smallest()
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        let missing = match self.absent {
            // Every row adds one value at most.
            Absent::Reject => self.values.saturating_sub(class.histogram.values.len()),
            Absent::Ignore => 0,
        };
        let complete = class.size.saturating_add(missing as u32);
        self.most.fewest_around(class).max(complete)
    }

    fn parameter(&self) -> Decimal {
        self.delta
    }

    fn with_checked(&self, delta: Decimal) -> Box<dyn PrivacyModel> {
        let model = DeltaDisclosure {
            delta,
            bound: Bound::new(delta),
            most: most(&self.table, delta),
            least: least(&self.table, delta),
            ..self.clone()
        };
        Box::new(model.with_small_classes())
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        let absent = match self.absent {
            Absent::Reject => "reject",
            Absent::Ignore => "ignore",
        };
        vec![Some(absent.to_owned())]
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
            let parameter: Decimal = ["1", "2", "1.5", "0.3"][draw.below(4)].parse().unwrap();
            let model = DeltaDisclosure::new(
                (0, &column),
                parameter,
                [Absent::Ignore, Absent::Reject][draw.below(2)],
            );
            let computed = DeltaDisclosure {
                allowed: SmallClasses::none(),
                needed: SmallClasses::none(),
                ..model.clone()
            };
            judge_alike(&mut draw, values, [&model, &computed], &mut kept);
        }
        assert!(kept[0] > 1000 && kept[1] > 1000, "{kept:?}");
    }
}
