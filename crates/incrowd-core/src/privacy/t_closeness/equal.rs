//! Any two values are equally far apart.

use super::super::ClassView;
use super::super::distribution::Distribution;
use super::super::part::at_least;
use crate::table::Decimal;

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

/// The rows of the largest part of the class that moves at most t, see [`least_moved`].
///
/// If no part is larger than m, what a smaller part of m' rows takes is at most the sum of c N over the values of which the class
/// has less than Q m, plus the sum of Q m' over the others. That it may lack t m' N at most is one inequality, which bounds m'
/// again. Where the bound stays at m, the part of m rows takes just that, so it is the largest. Below the smallest of interest, it
/// is 0.
pub(super) fn most_kept(
    table: &Distribution,
    t: Decimal,
    (class, smallest): (&ClassView<'_>, u32),
) -> u32 {
    let (numerator, denominator) = (t.numerator(), t.denominator());
    let all = u128::from(table.rows);
    let kept_of_all = all * u128::from(denominator - numerator.min(denominator));
    let mut most = class.size;
    loop {
        // The rows of values that are used up, and those of the table with the others.
        let (mut used_up, mut in_table) = (0_u64, 0_u64);
        for (&value, &count) in class.histogram.values.iter().zip(class.histogram.counts) {
            let (count, of_value) = (u64::from(count), table.rows_of(value));
            let is_used_up = count * table.rows < of_value * u64::from(most);
            used_up += if is_used_up { count } else { 0 };
            in_table += if is_used_up { 0 } else { of_value };
        }
        let lacking = kept_of_all.saturating_sub(u128::from(in_table) * u128::from(denominator));
        if lacking == 0 {
            return most;
        }
        let fewer = u128::from(used_up) * all * u128::from(denominator) / lacking;
        if fewer >= most.into() {
            return most;
        }
        most = fewer as u32;
        if most < smallest {
            return 0;
        }
    }
}

/// The fewest rows of a class that contains this one and moves at most t, or fewer.
///
/// A class of m rows has at least the rows of this one. So of any values A it has at least the sum of c N - Q m too much, and
/// if that is at most t m N, m is at least the sum of c N over t N plus the sum of Q. Best are the values that such a class has
/// too much of; those that this one has too much of are nearly the same.
pub(super) fn fewest_around(table: &Distribution, t: f64, class: &ClassView<'_>) -> u32 {
    let all = table.rows as f64;
    // Whole numbers, and any values will do, so rounding does no harm.
    let (mut rows, mut in_table, share) = (0.0, 0.0, f64::from(class.size) / all);
    for (&value, &count) in class.histogram.values.iter().zip(class.histogram.counts) {
        let (count, of_value) = (f64::from(count), table.rows_of(value) as f64);
        let is_too_much = count > of_value * share;
        rows += if is_too_much { count } else { 0.0 };
        in_table += if is_too_much { of_value } else { 0.0 };
    }
    // As many rows of as many in the table: with t = 0 nothing but the shares of the table will do.
    let fewest = at_least(rows / (t + in_table / all).max(f64::MIN_POSITIVE));
    fewest.max(class.size)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Histogram;
    use crate::privacy::part::largest;

    #[test]
    fn the_largest_part_is_the_one_that_a_search_finds() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let values = random.usize(1..8);
            let draw = |random: &mut fastrand::Rng, most: u32| random.u32(0..most);
            let most = [3, 50, 100_000][random.usize(..3)];
            let of_class: Vec<u32> = (0..values).map(|_| draw(&mut random, most)).collect();
            let of_table = of_class
                .iter()
                .map(|&count| count + draw(&mut random, 4 * most));
            let rows_of_values: Vec<u32> = of_table.collect();
            let table = Distribution {
                rows: rows_of_values.iter().map(|&it| u64::from(it)).sum(),
                rows_of_values,
            };
            let present: Vec<u32> = (0..values as u32)
                .filter(|&value| of_class[value as usize] > 0)
                .collect();
            let counts: Vec<u32> = present.iter().map(|&it| of_class[it as usize]).collect();
            let histogram = Histogram {
                values: &present,
                counts: &counts,
            };
            let class = ClassView::new(counts.iter().sum(), histogram);
            let t: Decimal = ["0", "0.05", "0.2", "0.37", "0.9", "1"][random.usize(..6)]
                .parse()
                .unwrap();
            let is_near = |rows: u32| {
                least_moved(&table, &class, rows) * u128::from(t.denominator())
                    <= u128::from(rows) * u128::from(table.rows) * u128::from(t.numerator())
            };
            assert_eq!(
                most_kept(&table, t, (&class, 0)),
                largest(class.size, is_near),
                "{of_class:?} {t:?}"
            );
        }
    }
}
