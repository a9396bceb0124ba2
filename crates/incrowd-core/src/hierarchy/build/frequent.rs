//! Texts that have nothing in common: the most common stay, all others become one.

use super::{Runs, label};
use crate::error::Error;
use crate::hierarchy::Hierarchy;

/// On each level, the `counts` most common values stay and all others become `other`; `values` come with their rows.
///
/// Values with equally many rows are ranked by their bytes, so the order of rows does not matter. Leaves are listed by
/// rank. If a value is itself called `other`, in any case, the group is called `any other`.
///
/// # Errors
/// No values; counts that are 0 or do not decrease.
///
/// ```
/// use incrowd_core::hierarchy::build::frequent;
/// let values = [("cat", 5), ("dog", 9), ("newt", 1), ("owl", 1)];
/// let pet = frequent("pet", &values, &[2, 1])?;
/// assert_eq!(
///     pet.to_csv(),
///     "value,2-most-common,1-most-common,any\ndog,dog,dog,*\ncat,cat,other,*\nnewt,other,other,*\nowl,other,other,*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn frequent(column: &str, values: &[(&str, u32)], counts: &[u32]) -> Result<Hierarchy, Error> {
    check_counts(counts)?;
    let texts: Vec<&str> = values.iter().map(|&(text, _)| text).collect();
    let mut ranked: Vec<(&str, u32)> = (values.iter().copied())
        .filter(|(text, _)| !text.is_empty())
        .collect();
    ranked.sort_unstable_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    let mut seen = hashbrown::HashSet::new();
    ranked.retain(|(text, _)| seen.insert(*text));
    let other = label::other(ranked.iter().map(|&(text, _)| text));
    let mut runs = Runs::new("value", ranked.iter().map(|&(text, _)| text));
    for &count in counts {
        let count = count as usize;
        runs.merge(
            format!("{count}-most-common"),
            |leaf| leaf.min(count),
            |first, last, text| {
                text.push_str(match first < count || first == last {
                    true => ranked[first].0,
                    false => &other,
                });
            },
        );
    }
    runs.finish(column, &texts)
}

/// Refuses counts that are none, 0, or do not decrease.
pub(crate) fn check_counts(counts: &[u32]) -> Result<(), Error> {
    if counts.is_empty() || counts.contains(&0) {
        return Err(Error::HierarchySpecParameter {
            builder: "frequent",
            expected: "numbers of values above 0",
        });
    }
    match counts.windows(2).position(|pair| pair[1] >= pair[0]) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "frequent",
            level: at + 2,
            rule: "each level must keep fewer values than the one before",
        }),
    }
}
