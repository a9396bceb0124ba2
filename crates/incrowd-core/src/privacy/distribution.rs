//! How often each value occurs in the whole table: what a class is compared with.

use crate::counts::CountedColumn;

/// The rows of a column's values, q before division.
#[derive(Debug, Clone)]
pub(super) struct Distribution {
    /// Rows of the table, N; below 2^32 as the table's rows are.
    pub(super) rows: u64,
    /// Rows with each value, Q.
    pub(super) rows_of_values: Vec<u32>,
}

impl Distribution {
    pub(super) fn of(column: &CountedColumn) -> Self {
        let rows_of_values = column.rows_of_values.clone();
        Distribution {
            rows: rows_of_values.iter().map(|&rows| u64::from(rows)).sum(),
            rows_of_values,
        }
    }

    /// The values that occur.
    pub(super) fn occurring(&self) -> usize {
        self.rows_of_values.iter().filter(|&&rows| rows > 0).count()
    }

    /// Q of a value.
    #[inline]
    pub(super) fn rows_of(&self, value: u32) -> u64 {
        self.rows_of_values[value as usize].into()
    }
}
