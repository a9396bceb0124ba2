//! Numbers in intervals with about the same number of rows.

use super::{Runs, label, sorted_numbers};
use crate::error::Error;
use crate::hierarchy::Hierarchy;

/// Intervals with about the same number of rows, `groups` of them on each level; `values` come with their rows.
///
/// A number goes where the middle of its rows falls if all rows are distributed evenly, so equal numbers stay together;
/// a number that fills several shares leaves fewer groups than requested. Levels above level 1 distribute whole groups
/// in the same way. A group is written by its smallest and greatest number, both included: `[17-23]`, `[1.5-2.25]`,
/// `[-3-0]`; a group of one number as that number.
///
/// # Errors
/// Values that are not numbers; group counts that are 0 or do not decrease.
///
/// ```
/// use incrowd_core::hierarchy::build::quantile;
/// let values = [("20", 5), ("30", 1), ("31", 1), ("40", 3)];
/// let age = quantile("age", &values, &[2])?;
/// assert_eq!(age.to_csv(), "value,2-groups,any\n20,20,*\n30,[30-40],*\n31,[30-40],*\n40,[30-40],*\n");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn quantile(column: &str, values: &[(&str, u32)], groups: &[u32]) -> Result<Hierarchy, Error> {
    check_groups(groups)?;
    let texts: Vec<&str> = values.iter().map(|&(text, _)| text).collect();
    let numbers = sorted_numbers(column, &texts)?;
    let number = |leaf: usize| numbers[leaf].meaning.get();

    // Rows before each leaf, and at the end all rows. Values that no row has count as one row, to be placed at all.
    let mut before = Vec::with_capacity(numbers.len() + 1);
    let mut total = 0_u64;
    for read in &numbers {
        before.push(total);
        total += u64::from(values[read.at].1.max(1));
    }
    before.push(total);

    let mut runs = Runs::new("value", numbers.iter().map(|read| read.text));
    // Texts of one number form one group from the start: no label can distinguish them.
    let mut ends = units(numbers.len(), |leaf| number(leaf).to_bits());
    for &count in groups {
        let mut shares: Vec<u128> = Vec::with_capacity(numbers.len());
        for (leaf, &end) in ends.iter().enumerate() {
            let joins = leaf > 0 && ends[leaf - 1] == end;
            shares.push(if joins {
                shares[leaf - 1]
            } else {
                let twice_middle = u128::from(before[leaf]) + u128::from(before[end]);
                twice_middle * u128::from(count) / (2 * u128::from(total))
            });
        }
        runs.merge(
            format!("{count}-groups"),
            |leaf| shares[leaf],
            |first, last, text| {
                // Texts of one number (`1.5`, `1.50`) are one bound.
                let last = if number(first) == number(last) {
                    first
                } else {
                    last
                };
                let bound = |leaf: usize| numbers[leaf].text.trim();
                text.push_str(&label::interval(bound(first), bound(last)));
            },
        );
        ends = units(numbers.len(), |leaf| shares[leaf]);
    }
    runs.finish(column, &texts)
}

/// Refuses group counts that are none, 0, or do not decrease.
pub(crate) fn check_groups(groups: &[u32]) -> Result<(), Error> {
    if groups.is_empty() || groups.contains(&0) {
        return Err(Error::HierarchySpecParameter {
            builder: "quantile",
            expected: "numbers of groups above 0",
        });
    }
    match groups.windows(2).position(|pair| pair[1] >= pair[0]) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "quantile",
            level: at + 2,
            rule: "each level must have fewer groups than the one before",
        }),
    }
}

/// For each leaf, the end of the run of equal keys it stands in.
fn units<K: PartialEq>(leaves: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut ends = vec![leaves; leaves];
    for leaf in (0..leaves.saturating_sub(1)).rev() {
        ends[leaf] = match key(leaf) == key(leaf + 1) {
            true => ends[leaf + 1],
            false => leaf + 1,
        };
    }
    ends
}
