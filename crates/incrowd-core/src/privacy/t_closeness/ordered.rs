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
        match &self.of_codes {
            None => {
                let present = class.histogram.values.iter().zip(class.histogram.counts);
                self.moved_by(class.size, present.map(|(&rank, &count)| (rank, count)))
            }
            Some(of_codes) => PRESENT.with_borrow_mut(|present| {
                let values = class.histogram.values.iter();
                let ranks = values.map(|&value| of_codes[value as usize]);
                present.clear();
                present.extend(ranks.zip(class.histogram.counts.iter().copied()));
                present.sort_unstable();
                self.moved_by(class.size, present.iter().copied())
            }),
        }
    }

    /// `present` are ranks, ascending, with their counts.
    #[inline]
    fn moved_by(&self, size: u32, present: impl Iterator<Item = (u32, u32)>) -> u128 {
        let Some(&rows) = self.up_to.last() else {
            return 0;
        };
        let (size, rows) = (u64::from(size), u64::from(rows));
        let mut amount = 0;
        // Rows of the class before `from`, times N.
        let (mut from, mut crossing) = (0, 0);
        for (rank, count) in present {
            amount += self.between(from, rank as usize, crossing, size);
            from = rank as usize;
            crossing += u64::from(count) * rows;
        }
        amount + self.between(from, self.up_to.len() - 1, crossing, size)
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
