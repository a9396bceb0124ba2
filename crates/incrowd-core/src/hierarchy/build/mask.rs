//! Codes read from the left, like zip codes: fewer and fewer characters stay.

use super::{Runs, present};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::listed::check_levels;

/// Hides `step` more characters at the end on each level: `12345`, `123**`, `1****`, `*`.
///
/// The longest value sets the length; shorter values are treated as if blanks followed. So a value that ends
/// before the masked part stays whole (`12` among five-digit codes is `12` while three characters are kept,
/// `12***` once two are). Characters are Unicode scalar values. Leaves are sorted by their bytes, so codes
/// with a common beginning are neighbours.
///
/// # Errors
/// No values, `step` 0, or more levels than a hierarchy may have.
///
/// ```
/// use incrowd_core::hierarchy::build::mask;
/// let zip = mask("zip", &["1010", "1012", "8700"], 3)?;
/// assert_eq!(zip.to_csv(), "value,first-1,any\n1010,1***,*\n1012,1***,*\n8700,8***,*\n");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn mask(column: &str, values: &[&str], step: u32) -> Result<Hierarchy, Error> {
    check_step(step)?;
    let mut sorted: Vec<&str> = present(values).map(|(_, value)| value).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let length = sorted.iter().map(|value| value.chars().count()).max();
    let length = length.unwrap_or(0);
    check_levels(column, 1 + length.div_ceil(step as usize))?;

    let mut runs = Runs::new("value", sorted.iter().copied());
    let mut kept = length;
    while kept > step as usize {
        kept -= step as usize;
        let prefix = |leaf: usize| prefix(sorted[leaf], kept);
        runs.merge(format!("first-{kept}"), prefix, |first, _, text| {
            let (start, masked) = prefix(first);
            text.push_str(start);
            if masked {
                text.extend(std::iter::repeat_n('*', length - kept));
            }
        });
    }
    runs.finish(column, values)
}

/// Refuses a step of nothing.
pub(crate) fn check_step(step: u32) -> Result<(), Error> {
    if step == 0 {
        return Err(Error::HierarchySpecParameter {
            builder: "mask",
            expected: "a number of characters above 0",
        });
    }
    Ok(())
}

/// The first characters of a value, and whether the rest is to be masked.
fn prefix(value: &str, kept: usize) -> (&str, bool) {
    let mut starts = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    match starts.nth(kept) {
        Some(end) => (&value[..end], true),
        None => (value, false),
    }
}
