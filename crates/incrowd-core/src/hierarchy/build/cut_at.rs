//! Levels of numbers, cut wherever a boundary must stay visible.

use super::{Runs, label, sorted_numbers};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::numbers::{Leaf, Level};
use crate::table::Decimal;

/// The levels of `base`, with every group cut in two at each bound that it spans; the second part begins with the bound. A
/// last level below `*` has no other groups than those between the bounds.
///
/// So a boundary that matters to someone is visible at every level but `*`. Groups next to a bound are written by their
/// smallest and greatest number, both included.
///
/// ```
/// use incrowd_core::hierarchy::HierarchySpec;
/// let spec: HierarchySpec = "interval:5,10+18".parse()?;
/// let age = spec.build("age", &[("12", 1), ("16", 1), ("17", 1), ("18", 1), ("33", 1)])?;
/// assert_eq!(
///     age.to_csv(),
///     "value,5-wide,10-wide,cut,any\n12,[10-14],[12-17],[12-17],*\n16,[16-17],[12-17],[12-17],*\n\
///      17,[16-17],[12-17],[12-17],*\n18,18,18,[18-33],*\n33,[30-34],[30-39],[18-33],*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
///
/// # Errors
/// Values that are not numbers or that `base` does not list, and bounds that are none or do not ascend.
pub fn cut_at(
    column: &str,
    values: &[&str],
    base: &Hierarchy,
    bounds: &[Decimal],
) -> Result<Hierarchy, Error> {
    check_bounds(bounds)?;
    let numbers = sorted_numbers(column, values)?;
    let bounds: Vec<f64> = bounds.iter().map(|bound| bound.to_f64()).collect();
    let part = |leaf: usize| bounds.partition_point(|&it| it <= numbers[leaf].meaning.get());
    let from_to = |first: usize, last: usize| {
        // Texts of one number (`1.5`, `1.50`) are one bound.
        let same = numbers[first].meaning == numbers[last].meaning;
        let last = if same { first } else { last };
        label::interval(numbers[first].text.trim(), numbers[last].text.trim())
    };
    let mut runs = Runs::new("value", numbers.iter().map(|read| read.text));
    let leaves: Vec<Option<Leaf>> = (numbers.iter()).map(|read| base.leaf(read.text)).collect();
    let unlisted = leaves.iter().filter(|leaf| leaf.is_none()).count();
    if unlisted > 0 {
        return Err(Error::HierarchyCutsOther {
            column: column.into(),
            values: unlisted,
        });
    }
    let leaves: Vec<Leaf> = leaves.into_iter().flatten().collect();
    for level in Level::under(base.height()).skip(1) {
        let group = |leaf: usize| base.group_of(level, leaves[leaf]);
        let key = |leaf: usize| (group(leaf), part(leaf));
        runs.merge(
            base.level_name(level).to_owned(),
            key,
            |first, last, text| {
                let beside = [first.checked_sub(1), Some(last + 1)].into_iter().flatten();
                let mut beside = beside.filter(|&leaf| leaf < numbers.len());
                // A group that ends at a bound must not look as if it went beyond.
                let ends_at_bound = beside.any(|leaf| part(leaf) != part(first));
                match ends_at_bound {
                    true => text.push_str(&from_to(first, last)),
                    false => text.push_str(base.label(level, group(first))),
                }
            },
        );
    }
    let parts = (1..numbers.len()).filter(|&leaf| part(leaf) != part(leaf - 1));
    if parts.count() + 1 < runs.groups() {
        runs.merge("cut".to_owned(), part, |first, last, text| {
            text.push_str(&from_to(first, last));
        });
    }
    runs.in_order().finish(column, values)
}

/// Refuses bounds that are none or do not ascend.
pub(crate) fn check_bounds(bounds: &[Decimal]) -> Result<(), Error> {
    let ascends = bounds.windows(2).all(|pair| pair[0] < pair[1]);
    match ascends && !bounds.is_empty() {
        true => Ok(()),
        false => Err(Error::HierarchySpecParameter {
            builder: "+",
            expected: "numbers in ascending order after `+`, separated by commas",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::HierarchySpec;

    #[test]
    fn a_hierarchy_of_other_values_is_not_cut() {
        let values = |texts: [&'static str; 3]| texts.map(|text| (text, 1));
        let base = HierarchySpec::Suppress.build("age", &values(["1", "2", "3"]));
        let base = base.expect("levels of any values");
        let bounds = ["2".parse().expect("a number")];
        let cut = |texts: [&str; 3]| cut_at("age", &texts, &base, &bounds);
        assert!(cut(["1", "2", "3"]).is_ok());
        let error = cut(["1", "4", "5"]).expect_err("4 and 5 are not listed");
        assert!(matches!(error, Error::HierarchyCutsOther { values: 2, .. }));
    }
}
