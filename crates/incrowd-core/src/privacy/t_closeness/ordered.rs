//! Values are as far apart as their ranks.
//!
//! Along a line, the rows that must cross the gap after rank i are the difference of the cumulative counts there:
//! the amount is the sum of |C_i N - K_i n| over the gaps, C and K the cumulative counts of class and table. Between
//! two values of the class C stands still while K grows, so the terms change sign at most once, and sums of K known
//! in advance give both sides of that place at once. The cost is a binary search per value present, not a step per
//! value of the table.

use super::super::ClassView;
use super::leaves;
use crate::counts::CountedColumn;
use crate::error::Error;
use crate::table::Kind;
use std::cell::RefCell;
use std::ops::Range;

/// The values of a table's column in their order.
#[derive(Debug)]
pub(super) struct Ranks {
    /// Rows of the table up to and including each rank, K; the last is N.
    up_to: Vec<u32>,
    /// The sum of `up_to` before each rank, and of all; below 2^32 times 2^32.
    sums: Vec<u64>,
    /// The rank of each value code, unless they are the same.
    of_codes: Option<Vec<u32>>,
}

thread_local! {
    /// Ranks and counts of a class, when codes are not in order.
    static PRESENT: RefCell<Vec<(u32, u32)>> = const { RefCell::new(Vec::new()) };
}

/// Gaps up to here are summed one by one, which is quicker than a search.
const SHORT: usize = 8;

impl Ranks {
    /// Numbers and dates are in order already; text is when its hierarchy lists it in order.
    pub(super) fn of(column: &CountedColumn) -> Result<Self, Error> {
        let mut order: Vec<u32> = (0..column.rows_of_values.len() as u32).collect();
        match (&column.hierarchy, column.kind) {
            (_, Kind::Number | Kind::Date) => {}
            (Some(hierarchy), Kind::Text) => {
                let leaves = leaves(column, hierarchy)?;
                order.sort_by_key(|&code| leaves[code as usize]);
            }
            (None, Kind::Text) => {
                return Err(Error::ColumnHasNoOrder {
                    column: column.name.clone(),
                });
            }
        }
        Ok(Self::new(&column.rows_of_values, order))
    }

    /// `order` lists the value codes; those no row has are left out of the ranking.
    fn new(rows_of_values: &[u32], mut order: Vec<u32>) -> Self {
        order.retain(|&code| rows_of_values[code as usize] > 0);
        let mut of_codes = vec![0; rows_of_values.len()];
        let (mut up_to, mut sums) = (Vec::new(), vec![0]);
        let (mut rows, mut sum) = (0, 0);
        for (rank, &code) in order.iter().enumerate() {
            of_codes[code as usize] = rank as u32;
            rows += rows_of_values[code as usize];
            sum += u64::from(rows);
            up_to.push(rows);
            sums.push(sum);
        }
        let same = (0..).zip(&of_codes).all(|(code, &rank)| code == rank);
        Ranks {
            up_to,
            sums,
            of_codes: (!same).then_some(of_codes),
        }
    }

    /// Gaps between ranks; 1 when there are none, as nothing is moved then.
    #[inline]
    pub(super) fn steps(&self) -> u32 {
        (self.up_to.len().max(2) - 1) as u32
    }

    #[inline]
    pub(super) fn moved(&self, class: &ClassView<'_>) -> u128 {
        self.sum_of_gaps(class, |from, to, before| {
            self.between(from, to, before * self.rows(), class.size.into())
        })
    }

    /// What must be moved at least in a part of the class with so many rows.
    ///
    /// Of the C rows of the class up to a rank, at most C are in the part, and at least what the others cannot fill. So K m
    /// must be missed by K m - C N or by (C - (n - m)) N - K m. Over m, neither falls with m.
    pub(super) fn least_moved(&self, class: &ClassView<'_>, rows: u32) -> u128 {
        let left_out = u64::from(class.size - rows);
        self.sum_of_gaps(class, |from, to, before| {
            let (most, least) = (before, before.saturating_sub(left_out));
            self.outside(from, to, least * self.rows()..most * self.rows(), rows)
        })
    }

    /// Rows of the table, N.
    #[inline]
    fn rows(&self) -> u64 {
        self.up_to.last().copied().unwrap_or(0).into()
    }

    /// The sum of what the gaps `from..to` amount to, given the rows of the class before `from`, which are those before `to`.
    #[inline]
    fn sum_of_gaps(
        &self,
        class: &ClassView<'_>,
        amount: impl Fn(usize, usize, u64) -> u128,
    ) -> u128 {
        let values = class.histogram.values;
        match &self.of_codes {
            None => {
                let present = values.iter().zip(class.histogram.counts);
                self.sum_between(present.map(|(&rank, &count)| (rank, count)), amount)
            }
            Some(of_codes) => PRESENT.with_borrow_mut(|present| {
                let ranks = values.iter().map(|&value| of_codes[value as usize]);
                present.clear();
                present.extend(ranks.zip(class.histogram.counts.iter().copied()));
                present.sort_unstable();
                self.sum_between(present.iter().copied(), amount)
            }),
        }
    }

    /// `present` are ranks, ascending, with their counts.
    #[inline]
    fn sum_between(
        &self,
        present: impl Iterator<Item = (u32, u32)>,
        amount: impl Fn(usize, usize, u64) -> u128,
    ) -> u128 {
        let Some(last) = self.up_to.len().checked_sub(1) else {
            return 0;
        };
        let mut sum = 0;
        let (mut from, mut before) = (0, 0);
        for (rank, count) in present {
            sum += amount(from, rank as usize, before);
            from = rank as usize;
            before += u64::from(count);
        }
        sum + amount(from, last, before)
    }

    /// The sum over i in `from..to` of how far K_i m is from a range, for m rows.
    fn outside(&self, from: usize, to: usize, range: Range<u64>, rows: u32) -> u128 {
        let scaled = |up_to: u32| u64::from(up_to) * u64::from(rows);
        let ranks = &self.up_to[from..to];
        if to - from <= SHORT {
            let missed = ranks.iter().map(|&up_to| {
                let short = range.start.saturating_sub(scaled(up_to));
                u128::from(short + scaled(up_to).saturating_sub(range.end))
            });
            return missed.sum();
        }
        let below = from + ranks.partition_point(|&up_to| scaled(up_to) < range.start);
        let above = from + ranks.partition_point(|&up_to| scaled(up_to) <= range.end);
        let sum =
            |from: usize, to: usize| u128::from(self.sums[to] - self.sums[from]) * u128::from(rows);
        ((below - from) as u128 * u128::from(range.start) - sum(from, below))
            + (sum(above, to) - (to - above) as u128 * u128::from(range.end))
    }

    /// The sum of |crossing - K_i n| for i in `from..to`. Each term is below 2^64 and there are less than 2^32.
    #[inline]
    fn between(&self, from: usize, to: usize, crossing: u64, size: u64) -> u128 {
        if to - from <= SHORT {
            let terms = self.up_to[from..to].iter();
            let terms = terms.map(|&rows| crossing.abs_diff(u64::from(rows) * size));
            return terms.map(u128::from).sum();
        }
        let below = self.up_to[from..to].partition_point(|&rows| u64::from(rows) * size < crossing);
        let turn = from + below;
        let before = u128::from(self.sums[turn] - self.sums[from]) * u128::from(size);
        let after = u128::from(self.sums[to] - self.sums[turn]) * u128::from(size);
        (below as u128 * u128::from(crossing) - before)
            + (after - (to - turn) as u128 * u128::from(crossing))
    }
}
