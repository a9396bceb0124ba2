//! What a column published unchanged reveals with certainty: the sensitive value of all rows that share a value of it.
//!
//! How much one column reveals about another ([`told`](super::told)) is an average over all rows. A ward that has all
//! HIV patients and nobody else reveals little about the diagnoses of a hospital, and everything about a tenth of its
//! patients.

/// Fewer rows than this may all have the same sensitive value by chance: two rows often do, ten almost never, unless
/// nearly all rows of the table have that value, which is accounted for.
pub(super) const FEWEST_ROWS: u64 = 10;

/// Whether all rows seen share one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    /// They do: its hash.
    One(u64),
    Several,
}

impl Shared {
    pub(super) fn join(&mut self, other: Shared) {
        if *self != other {
            *self = Shared::Several;
        }
    }

    pub(super) fn is_one(self) -> bool {
        matches!(self, Shared::One(_))
    }
}

/// The rows whose sensitive value a column reveals.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct GivenAway {
    /// Rows whose value of the column at least [`FEWEST_ROWS`] rows have, all with one sensitive value.
    pub(super) rows: u64,
    /// How many of these are more than chance alone would give.
    pub(super) beyond_chance: f64,
}

impl GivenAway {
    /// Of the values of a column: the rows of each, and whether they have one sensitive value. `most_common` is the share
    /// of the most common sensitive value.
    ///
    /// If sensitive values were spread over the rows at random, the n rows of a value would all have one with a
    /// probability of the sum of p^n over the shares p of all sensitive values, which is at most the greatest p to the
    /// n - 1, as the shares sum up to 1. If nearly everybody has one value, that is not a small number, and most values
    /// of a harmless column occur only with it.
    pub(super) fn of(values: impl Iterator<Item = (u64, bool)>, most_common: f64) -> Self {
        let mut given = GivenAway::default();
        let mut values: Vec<_> = values.filter(|(rows, _)| *rows >= FEWEST_ROWS).collect();
        // The last digit of a sum depends on its order.
        values.sort_unstable();
        for (rows, is_one) in values {
            let by_chance = rows as f64 * most_common.powf((rows - 1) as f64);
            given.beyond_chance -= by_chance;
            if is_one {
                given.rows += rows;
                given.beyond_chance += rows as f64;
            }
        }
        given.beyond_chance = given.beyond_chance.max(0.0);
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_many_rows_with_one_sensitive_value_is_no_chance_unless_nearly_all_rows_have_it() {
        let ward = [(100, true), (450, false), (450, false)];
        let given = GivenAway::of(ward.into_iter(), 0.5);
        assert_eq!(given.rows, 100);
        assert!(given.beyond_chance > 99.9, "{given:?}");
        // 98 % are healthy: of ten rows all are, five times out of six.
        let healthy = (0..60).map(|at| (10, at % 6 > 0));
        let given = GivenAway::of(healthy, 0.98);
        assert_eq!(given.rows, 500);
        assert!(given.beyond_chance < 1.0, "{given:?}");
        // Nothing else is there to be given away.
        let given = GivenAway::of([(30, true)].into_iter(), 1.0);
        assert_eq!((given.rows, given.beyond_chance), (30, 0.0));
    }

    #[test]
    fn values_of_few_rows_do_not_count() {
        let few = (0..1000).map(|_| (9, true));
        assert_eq!(GivenAway::of(few, 0.1), GivenAway::default());
    }

    #[test]
    fn what_is_joined_is_one_only_if_all_of_it_is() {
        let (one, other) = (Shared::One(1), Shared::One(2));
        for (mut first, second, is_one) in [
            (one, one, true),
            (one, other, false),
            (one, Shared::Several, false),
            (Shared::Several, one, false),
        ] {
            first.join(second);
            assert_eq!(first.is_one(), is_one);
        }
    }
}
