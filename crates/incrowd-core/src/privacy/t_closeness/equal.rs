//! Any two values are equally far apart.

use super::super::ClassView;
use super::super::distribution::Distribution;

/// What the class has too much of: the sum of c N - Q n over the values where that is positive.
///
/// Half the sum of all differences, as both distributions sum to one: what one value has too much of, others have
/// too little. So only values present in the class matter. All of c N sums to n N, below 2^64.
#[inline]
pub(super) fn moved(table: &Distribution, class: &ClassView<'_>) -> u128 {
    let size = u64::from(class.size);
    let present = class.histogram.values.iter().zip(class.histogram.counts);
    let excess: u64 = present
        .map(|(&value, &count)| {
            (u64::from(count) * table.rows).saturating_sub(table.rows_of(value) * size)
        })
        .sum();
    excess.into()
}

/// What must be moved at least in a part of the class with so many rows: what it cannot take from the class.
///
/// Of a value, a part of m rows takes min(c N, Q m) of the Q m that it should have, so m N less the sum of these is moved.
/// Each of them grows ever more slowly with m: what is moved grows at least as m does.
pub(super) fn least_moved(table: &Distribution, class: &ClassView<'_>, rows: u32) -> u128 {
    let present = class.histogram.values.iter().zip(class.histogram.counts);
    let taken: u64 = present
        .map(|(&value, &count)| {
            (u64::from(count) * table.rows).min(table.rows_of(value) * u64::from(rows))
        })
        .sum();
    // The sum of Q m is at most N m.
    (u64::from(rows) * table.rows - taken).into()
}

/// What must be moved at least in any class of so many rows, since only whole rows have a value: of what a value should have,
/// the whole rows are there, and of the rest the rows left over can save the greatest.
pub(super) fn least_moved_of_any(table: &Distribution, rows: u32) -> u128 {
    if table.rows == 0 {
        return 0; // there are no classes
    }
    let expected = |&of_value: &u32| u64::from(of_value) * u64::from(rows);
    let mut rests: Vec<u64> = (table.rows_of_values.iter())
        .map(|of_value| expected(of_value) % table.rows)
        .collect();
    // They sum to whole rows.
    let left_over = rests.iter().sum::<u64>() / table.rows;
    rests.sort_unstable();
    let lost = rests.len().saturating_sub(left_over as usize);
    rests[..lost].iter().map(|&rest| u128::from(rest)).sum()
}
