//! The values of a dimension, numbered in their order.

use super::axes::Axes;
use super::side::{Side, bits};

/// What sides begin and end with, in order; nothing of sides with bits.
#[derive(Debug)]
pub(super) struct Ranks {
    values: Vec<i32>,
    /// Ranks without so many of their last bits fit into a byte.
    shift: u32,
    /// What all values lose together.
    pub(super) most_lost: u32,
}

impl Ranks {
    pub(super) fn new(axes: &Axes<'_>, at: usize) -> Self {
        let mut values = Vec::new();
        if !axes.measures[at].has_bits() {
            values.extend(axes.sides_of_tuples(at).iter().map(|it| it.0));
            values.sort_unstable();
            values.dedup();
        }
        let most_lost = match &values[..] {
            [] => axes.loss(at, (-1, -1)),
            [first, ..] => axes.loss(at, (*first, values[values.len() - 1])),
        };
        let last = values.len().saturating_sub(1);
        // The greatest byte is left for those who are nobody.
        let shift = (0..).find(|shift| last >> shift < usize::from(u8::MAX));
        Ranks {
            values,
            shift: shift.unwrap_or(0),
            most_lost,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    pub(super) fn value(&self, rank: usize) -> i32 {
        self.values[rank]
    }

    pub(super) fn rank(&self, value: i32) -> usize {
        self.values.partition_point(|it| *it < value)
    }

    /// A rank in a byte, rounded up.
    pub(super) fn byte_above(&self, rank: usize) -> u8 {
        ((rank + (1 << self.shift) - 1) >> self.shift) as u8
    }

    /// A rank in a byte, rounded down.
    pub(super) fn byte_below(&self, rank: usize) -> u8 {
        (rank >> self.shift) as u8
    }

    /// A side in two bytes, rounded so that it only seems smaller.
    pub(super) fn bytes(&self, side: Side) -> (u8, u8) {
        let first = self.byte_above(self.rank(side.0));
        (first, self.byte_below(self.rank(side.1)))
    }

    /// What tells a single value from others: its rank, or its bit.
    pub(super) fn place(&self, side: Side) -> u32 {
        match self.values.is_empty() {
            true => bits(side).trailing_zeros(),
            false => self.rank(side.0) as u32,
        }
    }
}
