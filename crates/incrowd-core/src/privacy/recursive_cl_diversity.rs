//! Recursive (c, l)-diversity.

use super::decimal::ratio;
use super::part::largest;
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::registry::{Kind, Setting};
use smallvec::SmallVec;

crate::documented! {
    /// The most frequent sensitive value is not too frequent, nor are the rare ones too rare.
    ///
    /// With a class's counts sorted, r1 >= r2 >= ..., r1 < c * (rl + ... + rm), and there are at least l values. Then
    /// ruling out one value still leaves a (c, l-1)-diverse class.
    ///
    /// # Paper
    /// A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: Privacy Beyond k-Anonymity, ACM
    /// TKDD 1(1), 2007, definition 4.2.
    /// # Reached
    /// r1 / (rl + ... + rm), the greatest of all classes; infinite for a class with fewer than l values.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be.
    /// # Cost
    /// Up to l = 9, l steps for each value present; beyond, linear in them by selection.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RecursiveClDiversity {
        /// The sensitive column, as its index among the counted columns.
        pub column: usize,
        /// How many times the tail the greatest count must stay below.
        pub c: Decimal,
        /// Where the tail starts.
        pub l: u32,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "recursive-cl-diversity",
    card: RecursiveClDiversity::CARD,
    settings: &[
        Setting::required(
            "c",
            Kind::Positive,
            "how many times the tail the greatest count must stay below",
        ),
        Setting::required(
            "l",
            Kind::Count,
            "where the tail starts, and the fewest values of a class",
        ),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind::new(|given, subject| {
        Ok(Box::new(RecursiveClDiversity {
            column: subject.required_column(ENTRY.name)?.0,
            c: given.decimal("c"),
            l: given.count("l"),
        }))
    }),
};

impl RecursiveClDiversity {
    /// Rows with the l-th most frequent value or a rarer one; 0 when there are fewer than l values.
    #[inline]
    fn tail(&self, class: &ClassView<'_>) -> u32 {
        if class.distinct() < self.l {
            return 0;
        }
        let head = (self.l - 1) as usize;
        let in_head: u32 = match head {
            1 => class.greatest_count(),
            0..=SMALL => greatest(class.histogram.counts, head).iter().sum(),
            _ => {
                let mut counts: SmallVec<[u32; 64]> = SmallVec::from_slice(class.histogram.counts);
                counts.select_nth_unstable_by(head, |a, b| b.cmp(a));
                counts[..head].iter().sum()
            }
        };
        class.size - in_head
    }
}

/// Up to this many greatest counts are kept in registers; beyond, they are selected in a copy.
const SMALL: usize = 8;

/// The `most` greatest counts, descending, then zeros.
#[inline]
fn greatest(counts: &[u32], most: usize) -> [u32; SMALL] {
    let mut greatest = [0; SMALL];
    for &count in counts {
        let mut moving = count;
        for kept in &mut greatest[..most] {
            // The greater stays, the lesser moves on.
            (*kept, moving) = ((*kept).max(moving), (*kept).min(moving));
        }
    }
    greatest
}

impl PrivacyModel for RecursiveClDiversity {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        // 2^32 times 10^9, and 2^32 times a numerator below 2^62. With an empty tail nothing is below 0.
        u128::from(class.greatest_count()) * u128::from(self.c.denominator())
            < u128::from(self.tail(class)) * u128::from(self.c.numerator())
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        match self.tail(class) {
            0 => f64::INFINITY,
            tail => ratio(class.greatest_count().into(), tail.into()),
        }
    }

    fn direction(&self) -> Direction {
        Direction::Below
    }

    fn smallest_class(&self) -> u32 {
        self.l
    }

    fn monotonicity(&self) -> Monotonicity {
        // The tail is the least that any l-1 values leave over, so that of a union is at least the sum of the
        // tails, while its greatest count is at most the sum of the greatest counts.
        Monotonicity::UnionOfKept
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, _smallest: u32) -> u32 {
        if class.distinct() < self.l {
            return 0; // nor has any part as many
        }
        // Of the parts with the same greatest count, the one that cuts off all values there has the most rows and the longest
        // tail. The tail grows with that count, but ever more slowly, so what is too high for it stays too high.
        let mut counts: SmallVec<[u32; 64]> = SmallVec::from_slice(class.histogram.counts);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let cut_at = |most: u32, from: usize| -> u32 {
            let counts = counts[from..].iter();
            counts.map(|&count| count.min(most)).sum()
        };
        let head = self.l.saturating_sub(1) as usize;
        let greatest = largest(counts[0], |most| {
            most == 0
                || u128::from(most) * u128::from(self.c.denominator())
                    < u128::from(cut_at(most, head)) * u128::from(self.c.numerator())
        });
        cut_at(greatest, 0)
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        // Every row makes the tail longer by one at most, and the values before it must be there first. The greatest count
        // only grows.
        let longest = u128::from(class.greatest_count()) * u128::from(self.c.denominator())
            / u128::from(self.c.numerator())
            + 1;
        let head = self.l.saturating_sub(1).saturating_sub(class.distinct());
        let missing = u32::try_from(longest).unwrap_or(u32::MAX);
        let missing = missing.saturating_sub(self.tail(class));
        class.size.saturating_add(missing.saturating_add(head))
    }

    fn parameter(&self) -> Decimal {
        self.c
    }

    fn with_checked(&self, c: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(RecursiveClDiversity { c, ..*self })
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        vec![Some(self.l.to_string())]
    }
}
