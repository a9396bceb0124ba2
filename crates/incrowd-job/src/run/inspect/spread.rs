//! How rows are spread over values or tuples.

/// The distribution of rows over values or tuples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spread {
    pub(super) rows: u64,
    pub(super) distinct: u64,
    /// Rows whose value no other row has.
    pub(super) unique: u64,
    /// Pairs of rows that share a value.
    pub(super) pairs: u128,
}

impl Spread {
    /// Of the rows of each value.
    pub(super) fn of(counts: impl Iterator<Item = u64>) -> Spread {
        let mut spread = Spread {
            rows: 0,
            distinct: 0,
            unique: 0,
            pairs: 0,
        };
        counts.filter(|rows| *rows > 0).for_each(|rows| {
            spread.rows += rows;
            spread.distinct += 1;
            spread.unique += u64::from(rows == 1);
            spread.pairs += u128::from(rows) * u128::from(rows - 1) / 2;
        });
        spread
    }

    /// Share of the pairs of rows that differ.
    pub(super) fn separation_ratio(&self) -> f64 {
        let all = u128::from(self.rows) * u128::from(self.rows.saturating_sub(1)) / 2;
        match all {
            0 => 0.0,
            all => (all - self.pairs) as f64 / all as f64,
        }
    }
}
