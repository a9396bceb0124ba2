//! What is allowed in small classes, looked up instead of worked out: nearly all classes of a low node are small.

use std::sync::Arc;

/// The most numbers looked up: few enough to stay at hand.
const MOST_CELLS: usize = 1 << 10;

/// A count for every value in classes of 0, 1, 2 and more rows, as far as there is room.
#[derive(Debug, Clone)]
pub(super) struct SmallClasses {
    values: usize,
    counts: Arc<[u32]>,
}

impl SmallClasses {
    /// Of which no class is small.
    pub(super) fn none() -> Self {
        SmallClasses {
            values: 1,
            counts: Arc::default(),
        }
    }

    /// For a column with so many values; `count` is asked with the rows of a class and a value.
    pub(super) fn new(values: usize, count: impl Fn(u32, u32) -> u32) -> Self {
        let classes = (MOST_CELLS / values.max(1)) as u32;
        let cells =
            (0..classes).flat_map(|rows| (0..values as u32).map(move |value| (rows, value)));
        SmallClasses {
            values,
            counts: cells.map(|(rows, value)| count(rows, value)).collect(),
        }
    }

    /// The count of each value in a class of so many rows; none if it is not small.
    #[inline]
    pub(super) fn of(&self, rows: u32) -> Option<&[u32]> {
        let start = rows as usize * self.values;
        self.counts.get(start..start + self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_classes_have_what_they_were_made_from_and_large_ones_nothing() {
        assert_eq!(SmallClasses::none().of(0), None);
        for values in [0, 1, 3, 14, MOST_CELLS, MOST_CELLS + 1] {
            let small = SmallClasses::new(values, |rows, value| rows * 7 + value);
            let largest = (MOST_CELLS / values.max(1)) as u32;
            for rows in [0, 1, largest.saturating_sub(1)] {
                if rows < largest && values > 0 {
                    let expected: Vec<u32> = (0..values as u32).map(|at| rows * 7 + at).collect();
                    assert_eq!(small.of(rows), Some(&expected[..]));
                }
            }
            if values > 0 {
                assert_eq!(small.of(largest), None);
                assert_eq!(small.of(u32::MAX), None);
            }
        }
    }
}
