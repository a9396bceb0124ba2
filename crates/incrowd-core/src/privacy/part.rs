//! The largest part of a class that keeps a promise.
//!
//! Where kept classes stay kept when they merge, all that is kept of a class, however it is divided, is one such part:
//! so no division keeps more rows than the largest.

use super::ClassView;
use super::small_classes::SmallClasses;
use std::sync::Arc;

/// Rounds after which [`largest_of_shares`] gives up; what it has by then is still no less than the answer.
const ROUNDS: u32 = 64;

/// Values that [`smallest`] and [`smallest_of_shares`] look at before they settle for what they know.
const MOST_LOOKS: usize = 100_000;

/// The greatest number up to `most` that is `possible`; if a number is, every smaller one must be.
pub(super) fn largest(most: u32, possible: impl Fn(u32) -> bool) -> u32 {
    let (mut at_least, mut above) = (0, u64::from(most) + 1);
    while above - u64::from(at_least) > 1 {
        let middle = (u64::from(at_least) + above) / 2;
        // At most `most`.
        match possible(middle as u32) {
            true => at_least = middle as u32,
            false => above = middle,
        }
    }
    at_least
}

/// The least number from 1 on that is `possible`, or a smaller one if that takes too long; each costs so many looks.
pub(super) fn smallest(looks: usize, possible: impl Fn(u32) -> bool) -> u32 {
    let most = (MOST_LOOKS / looks.max(1)).max(1) as u32;
    (1..=most).find(|&rows| possible(rows)).unwrap_or(most)
}

/// A share that is certainly not below a computed one.
pub(super) fn rounded_up(share: f64) -> f64 {
    share * (1.0 + 16.0 * f64::EPSILON)
}

/// The most rows that may have a value with this share, [rounded up](rounded_up), in a class of so many.
fn most_of_share(share: f64, rows: u32) -> u32 {
    (f64::from(rows) * share) as u32
}

/// The rows of the largest part of a class in which no value exceeds its share; 0 if they are fewer than the smallest of interest.
pub(super) fn largest_of_shares(
    class: &ClassView<'_>,
    smallest: u32,
    share_of: impl Fn(u32) -> f64,
) -> u32 {
    largest_part(class.size, smallest, |rows| {
        let present = class.histogram.values.iter().zip(class.histogram.counts);
        let kept = present.map(|(&value, &count)| count.min(most_of_share(share_of(value), rows)));
        kept.sum()
    })
}

/// The same, if `kept_of` says how many rows are left where no value has more than its share of so many.
#[inline]
fn largest_part(size: u32, smallest: u32, kept_of: impl Fn(u32) -> u32) -> u32 {
    let mut rows = size;
    for _ in 0..ROUNDS {
        if rows < smallest {
            return 0;
        }
        // No part is larger than `rows`, so of no value may it hold more than its share of so many.
        let fewer = kept_of(rows).min(rows);
        if fewer == rows {
            break;
        }
        rows = fewer;
    }
    rows
}

/// The greatest share of each value in a class, [rounded up](rounded_up).
#[derive(Debug, Clone)]
pub(super) struct Shares {
    shares: Arc<[f64]>,
    /// The most rows of each value.
    small: SmallClasses,
}

impl Shares {
    pub(super) fn new(shares: Arc<[f64]>) -> Self {
        let most = |rows, value| most_of_share(shares[value as usize], rows);
        Shares {
            small: SmallClasses::new(shares.len(), most),
            shares,
        }
    }

    /// The share of a value.
    #[inline]
    pub(super) fn of(&self, value: u32) -> f64 {
        self.shares[value as usize]
    }

    /// See [`largest_of_shares`].
    #[inline]
    pub(super) fn largest(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        if self.small.of(class.size).is_none() {
            return largest_of_shares(class, smallest, |value| self.of(value));
        }
        largest_part(class.size, smallest, |rows| {
            let most = self.small.of(rows).unwrap_or_default();
            let present = class.histogram.values.iter().zip(class.histogram.counts);
            let kept = present.map(|(&value, &count)| count.min(most[value as usize]));
            kept.sum()
        })
    }

    /// See [`fewest_of_shares`].
    pub(super) fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        fewest_of_shares(class, |value| self.of(value))
    }

    /// See [`smallest_of_shares`].
    pub(super) fn smallest(&self) -> u32 {
        smallest_of_shares(&self.shares)
    }
}

/// The fewest rows of a class that contains this one and in which no value exceeds its share, or fewer.
pub(super) fn fewest_of_shares(class: &ClassView<'_>, share_of: impl Fn(u32) -> f64) -> u32 {
    let present = class.histogram.values.iter().zip(class.histogram.counts);
    // A class with all rows of a value is at least as large as these over the share.
    let fewest = present.map(|(&value, &count)| at_least(f64::from(count) / share_of(value)));
    fewest.fold(class.size, u32::max)
}

/// The least whole number that is certainly not below a computed one.
pub(super) fn at_least(rows: f64) -> u32 {
    let rows = rows * (1.0 - 1e-12);
    let whole = rows as u32;
    whole.saturating_add(u32::from(f64::from(whole) < rows))
}

/// The fewest rows of a class in which no value exceeds its share, or fewer.
fn smallest_of_shares(shares: &[f64]) -> u32 {
    if shares.iter().all(|share| share.is_nan()) {
        return 1; // of no rows at all
    }
    smallest(shares.len(), |rows| {
        let most = shares
            .iter()
            .map(|&share| u64::from(most_of_share(share, rows)));
        most.sum::<u64>() >= rows.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Histogram;

    #[test]
    fn numbers_are_the_greatest_of_all() {
        for most in 0..40 {
            for bound in 0..50 {
                assert_eq!(largest(most, |rows| rows <= bound), most.min(bound));
            }
        }
        assert_eq!(largest(u32::MAX, |_| true), u32::MAX);
    }

    #[test]
    fn shares_are_used_up_by_the_largest_part() {
        for a in 0..12 {
            for b in 0..12 {
                for share in [1.0 / 2.0, 1.0 / 3.0, 3.0 / 5.0] {
                    let counts = [a, b];
                    let histogram = Histogram {
                        values: &[0, 1],
                        counts: &counts,
                    };
                    let class = ClassView::new(a + b, histogram);
                    let fits = |(a, b): &(u32, u32)| {
                        f64::from(*a.max(b)) <= f64::from(a + b) * share + 1e-9
                    };
                    let parts = (0..=a).flat_map(|a| (0..=b).map(move |b| (a, b)));
                    let largest = parts.filter(fits).map(|(a, b)| a + b).max();
                    let found = largest_of_shares(&class, 0, |_| rounded_up(share));
                    assert_eq!(Some(found), largest, "{a} {b} {share}");
                    let looked_up = Shares::new([rounded_up(share); 2].into());
                    for smallest in 0..6 {
                        let expected = if found < smallest { 0 } else { found };
                        let found = largest_of_shares(&class, smallest, |_| rounded_up(share));
                        assert_eq!(found, expected);
                        assert_eq!(looked_up.largest(&class, smallest), expected);
                    }
                }
            }
        }
        let shares: Vec<f64> = (1..40).map(|at| rounded_up(f64::from(at) / 50.0)).collect();
        let looked_up = Shares::new(shares.clone().into());
        for size in 0..5000 {
            let (one, other) = (size % 39, size / 7 % 39);
            let histogram = Histogram {
                values: &[one.min(other), one.max(other) + 1],
                counts: &[size / 3, size - size / 3],
            };
            let class = ClassView::new(size, histogram);
            let computed = largest_of_shares(&class, 3, |value| shares[value as usize % 39]);
            if histogram.values[1] < 39 {
                assert_eq!(looked_up.largest(&class, 3), computed);
            }
        }
        assert_eq!(smallest_of_shares(&[0.3, 0.3, 0.3, 0.3].map(rounded_up)), 4);
        assert_eq!(smallest_of_shares(&[0.5, 0.5].map(rounded_up)), 2);
        assert_eq!(smallest_of_shares(&[1.0]), 1);
    }
}
