//! How likely it is that an attacker picks the right person.

use super::ClassSizes;

/// How likely it is that the right person is picked, over the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reidentification {
    /// Of the row that is found most easily; 0 if there is no row.
    pub highest: f64,
    /// The mean over rows; 0 if there is no row.
    pub average: f64,
    /// Rows whose risk is greater than the threshold.
    pub rows_above: u64,
}

impl Reidentification {
    /// Every row is picked among those of its class.
    pub fn of_prosecutor(sizes: &ClassSizes, threshold: f64) -> Self {
        let crowds = sizes.iter().map(|(size, classes)| {
            let rows = u64::from(size) * u64::from(classes);
            (rows, u64::from(size))
        });
        Self::of_crowds(crowds, threshold)
    }

    /// From numbers of rows, each with the number of people that each of these rows could be; at least 1.
    ///
    /// A risk of exactly the threshold is not above it. `1 / people` and a threshold written in decimals are both
    /// rounded once, so where they are equal, they are equal as floats.
    pub fn of_crowds(crowds: impl IntoIterator<Item = (u64, u64)>, threshold: f64) -> Self {
        let (mut rows_in_all, mut found) = (0, 0.0);
        let mut risk = Reidentification {
            highest: 0.0,
            average: 0.0,
            rows_above: 0,
        };
        for (rows, people) in crowds.into_iter().filter(|&(rows, _)| rows > 0) {
            let chance = 1.0 / people.max(1) as f64;
            rows_in_all += rows;
            // Rows are a multiple of people where classes are whole, so that no digit is lost.
            found += rows as f64 / people.max(1) as f64;
            risk.highest = risk.highest.max(chance);
            risk.rows_above += if chance > threshold { rows } else { 0 };
        }
        if rows_in_all > 0 {
            risk.average = found / rows_in_all as f64;
        }
        risk
    }
}
