//! Values that a well-known list has groups for: countries, states, education.

use super::{Recognized, Runs, label, recognized};
use crate::error::Error;
use crate::hierarchy::{Hierarchy, KnownList};

/// The groups of the values in a bundled list; unlisted values are `other` on every level below the last.
///
/// Leaves are in the order of the list, the others after them by their bytes.
///
/// # Errors
/// No values, or more than half of them not listed.
///
/// ```
/// use incrowd_core::hierarchy::KnownList;
/// use incrowd_core::hierarchy::build::listed_in;
/// let born = listed_in("born", &["Atlantis", "Ghana", "FR", "Germany"], KnownList::Countries)?;
/// assert_eq!(
///     born.to_csv(),
///     "value,region,continent,any\nGhana,Western Africa,Africa,*\nFR,Western Europe,Europe,*\n\
///      Germany,Western Europe,Europe,*\nAtlantis,other,other,*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn listed_in(column: &str, values: &[&str], list: KnownList) -> Result<Hierarchy, Error> {
    let leaves = recognized(column, list.contents(), values, |text| list.find(text))?;
    let other = label::other(leaves.iter().map(|&(_, text)| text));
    let mut runs = Runs::new("value", leaves.iter().map(|&(_, text)| text));
    for (level, name) in list.levels().iter().enumerate() {
        let group = |leaf: usize| match leaves[leaf].0 {
            Recognized::Yes(entry) => list.group(entry, level),
            Recognized::No => other.as_str(),
        };
        runs.merge((*name).to_owned(), group, |first, _, text| {
            text.push_str(group(first));
        });
    }
    match list {
        KnownList::Education => runs.in_order().finish(column, values),
        KnownList::Countries | KnownList::UsStates => runs.finish(column, values),
    }
}
