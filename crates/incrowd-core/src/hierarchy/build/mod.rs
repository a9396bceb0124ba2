//! Hierarchies made by rule from the distinct values of a column.
//!
//! Every builder sorts the values, so that a group is a run of neighbours, and then merges runs level by level.
//! Labels are made once per group, never per value, which keeps a million values within a second. The
//! missing value (an empty text) is put aside: it stays itself below the last level ([`ExtraLeaf::OwnBranch`]).
//! The last level is always `*`.
//!
//! ```
//! use incrowd_core::hierarchy::build::mask;
//! let zip = mask("zip", &["12345", "12399", "12700"], 2)?;
//! assert_eq!(zip.to_csv().lines().nth(1), Some("12345,123**,1****,*"));
//! # Ok::<(), incrowd_core::Error>(())
//! ```

mod date;
mod decimal;
mod interval;
mod mask;
mod order;
mod quantile;
#[cfg(test)]
mod tests;

pub use date::{DateLevel, date};
pub use decimal::{Decimal, NotDecimal};
pub use interval::interval;
pub use mask::mask;
pub use order::{Arrangement, order};
pub use quantile::quantile;

pub(super) use date::check_periods;
pub(super) use interval::check_widths;
pub(super) use mask::check_step;
pub(super) use quantile::check_groups;

use super::listed::add_top;
use super::{ExtraLeaf, Groups, Hierarchy};
use crate::error::Error;
use crate::table::{Dictionary, Number, parse_number};

/// The value or `*`: one step, for values that have nothing in common.
///
/// # Errors
/// No values.
pub fn suppress(column: &str, values: &[&str]) -> Result<Hierarchy, Error> {
    let present = present(values).map(|(_, value)| value);
    Runs::new("value", present).finish(column, values)
}

/// The values that are not missing, with their positions.
fn present<'a>(values: &[&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    let values = values.iter().copied().enumerate();
    values.filter(|(_, value)| !value.is_empty())
}

/// A value that was read as something with an order.
struct Read<'a, T> {
    meaning: T,
    text: &'a str,
    /// Where it stood among the values given, from 0.
    at: usize,
}

/// Values that could not be read: how many, and where the first stood, from 1.
#[derive(Debug)]
struct Unread {
    values: usize,
    first: usize,
}

/// Reads every present value and sorts what it means, ascending; texts that mean the same in the order of bytes.
fn read_sorted<'a, T: Ord>(
    values: &[&'a str],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<Read<'a, T>>, Unread> {
    let mut all = Vec::with_capacity(values.len());
    let mut unread = Unread {
        values: 0,
        first: 0,
    };
    for (at, text) in present(values) {
        match read(text) {
            Some(meaning) => all.push(Read { meaning, text, at }),
            None => {
                unread.first = if unread.values == 0 {
                    at + 1
                } else {
                    unread.first
                };
                unread.values += 1;
            }
        }
    }
    if unread.values > 0 {
        return Err(unread);
    }
    all.sort_unstable_by(|a, b| (&a.meaning, a.text, a.at).cmp(&(&b.meaning, b.text, b.at)));
    all.dedup_by(|a, b| a.text == b.text);
    Ok(all)
}

fn sorted_numbers<'a>(column: &str, values: &[&'a str]) -> Result<Vec<Read<'a, Number>>, Error> {
    read_sorted(values, parse_number).map_err(|unread| Error::NotNumbers {
        column: column.into(),
        values: unread.values,
        first: unread.first,
    })
}

/// A hierarchy growing upwards, in which every group is a run of neighbouring leaves.
struct Runs {
    levels: Vec<Groups>,
    /// The first leaf of each group of the last level so far.
    firsts: Vec<usize>,
}

impl Runs {
    /// The leaves, in their final order; a repeated one counts once.
    fn new<'a>(name: &str, leaves: impl Iterator<Item = &'a str>) -> Self {
        let mut groups = Groups::new(name.into());
        for leaf in leaves {
            groups.labels.encode(leaf);
        }
        let count = groups.labels.len();
        groups.of_leaf = (0..count as u32).collect();
        groups.leaves = vec![1; count];
        Runs {
            levels: vec![groups],
            firsts: (0..count).collect(),
        }
    }

    /// Adds a level on which neighbouring groups are one when `key` of their first leaves is equal. `label` writes
    /// the text of a group, given its first and last leaf.
    ///
    /// Two groups with one text are kept apart by a number behind the second; that takes values which
    /// look like labels themselves.
    fn merge<K: PartialEq>(
        &mut self,
        name: String,
        mut key: impl FnMut(usize) -> K,
        mut label: impl FnMut(usize, usize, &mut String),
    ) {
        let below = self.levels.last_mut().expect("there is level 0");
        let mut firsts = Vec::new();
        let mut last_key = None;
        for &first in &self.firsts {
            let key = Some(key(first));
            if key != last_key {
                firsts.push(first);
                last_key = key;
            }
            below.parents.push(firsts.len() as u32 - 1);
        }
        let mut groups = Groups::new(name);
        groups.of_leaf = below
            .of_leaf
            .iter()
            .map(|&group| below.parents[group as usize])
            .collect();
        groups.leaves = vec![0; firsts.len()];
        for (&parent, &leaves) in below.parents.iter().zip(&below.leaves) {
            groups.leaves[parent as usize] += leaves;
        }
        let ends = firsts.iter().skip(1).copied().chain([groups.of_leaf.len()]);
        let (mut text, mut repeated) = (String::new(), 1_u32);
        for (group, (&first, end)) in firsts.iter().zip(ends).enumerate() {
            text.clear();
            label(first, end - 1, &mut text);
            let plain = text.len();
            while groups.labels.encode(&text) as usize != group {
                repeated += 1;
                text.truncate(plain);
                text.push_str(&format!(" ({repeated})"));
            }
        }
        self.levels.push(groups);
        self.firsts = firsts;
    }

    /// Puts `*` on top and the missing value, if `values` has it, aside.
    fn finish(self, column: &str, values: &[&str]) -> Result<Hierarchy, Error> {
        let missing = values.contains(&"");
        if self.levels[0].of_leaf.is_empty() {
            if missing {
                return Hierarchy::from_rows(column, [["", super::ANY]]);
            }
            return Err(Error::HierarchyEmpty {
                column: column.into(),
            });
        }
        let hierarchy = Hierarchy {
            levels: add_top(column, self.levels)?,
            suppressed: Dictionary::default(),
            is_listed: false,
        };
        Ok(match missing {
            true => hierarchy.with_extra_leaf("", ExtraLeaf::OwnBranch),
            false => hierarchy,
        })
    }
}
