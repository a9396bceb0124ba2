//! Hierarchies built by a rule from the distinct values of a column.
//!
//! Every builder sorts the values, so that a group is a run of neighbors, and then merges runs level by level. Labels
//! are made once per group, never per value, which keeps a million values within a second. The missing value (an empty
//! text) is kept separate: it stays itself below the last level ([`ExtraLeaf::OwnBranch`]). The last level is always
//! `*`.
//!
//! ```
//! use incrowd_core::hierarchy::build::mask;
//! let zip = mask("zip", &["12345", "12399", "12700"], 2)?;
//! assert_eq!(zip.to_csv().lines().nth(1), Some("12345,123**,1****,*"));
//! # Ok::<(), incrowd_core::Error>(())
//! ```

mod cut_at;
mod date;
mod frequent;
mod icd10;
mod interval;
mod label;
mod listed_in;
mod log;
mod mask;
mod order;
mod postcode;
mod quantile;
mod scaled;
#[cfg(test)]
mod tests;

pub use cut_at::cut_at;
pub use date::{DateLevel, date};
pub use frequent::frequent;
pub use icd10::icd10;
pub use interval::interval;
pub use listed_in::listed_in;
pub use log::{LogStep, log};
pub use mask::{mask, prefix};
pub use order::{Arrangement, order};
pub use postcode::postcode;
pub use quantile::quantile;

pub(super) use cut_at::check_bounds;
pub(super) use date::check_periods;
pub(super) use frequent::check_counts;
pub(super) use icd10::is_icd10;
pub(super) use interval::check_widths;
pub(super) use log::check_steps;
pub(super) use mask::{Codes, check_lengths, check_step};
pub(super) use order::known_order;
pub(super) use postcode::is_postcode;
pub(super) use quantile::check_groups;

use super::listed::add_top;
use super::{ExtraLeaf, Groups, Hierarchy};
use crate::error::Error;
use crate::table::decimal::MOST_PLACES;
use crate::table::{Dictionary, Number, parse_number};

/// The value or `*`: one step, for values that have nothing in common. Leaves are in their natural order.
///
/// # Errors
/// No values.
pub fn suppress(column: &str, values: &[&str]) -> Result<Hierarchy, Error> {
    let leaves = order::natural(values);
    Runs::new("value", leaves.into_iter()).finish(column, values)
}

/// The values that are not missing, with their positions.
fn present<'a>(values: &[&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    let values = values.iter().copied().enumerate();
    values.filter(|(_, value)| !value.is_empty())
}

/// A value that was parsed as something with an order.
struct Read<'a, T> {
    meaning: T,
    text: &'a str,
    /// Its position among the given values, from 0.
    at: usize,
}

/// Values that could not be parsed: how many, and the position of the first, from 1.
#[derive(Debug)]
struct Unread {
    values: usize,
    first: usize,
}

/// Parses every present value and sorts by meaning, ascending; texts with the same meaning in byte order.
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

/// What a builder knows about a value; those it does not know come last.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Recognized<T> {
    Yes(T),
    No,
}

/// The present values, each once, by what they are recognized as. Refuses values if more than half are not recognized.
fn recognized<'a, T: Ord>(
    column: &str,
    expected: &'static str,
    values: &[&'a str],
    recognize: impl Fn(&'a str) -> Option<T>,
) -> Result<Vec<(Recognized<T>, &'a str)>, Error> {
    let mut leaves = Vec::with_capacity(values.len());
    let (mut unread, mut first) = (0, 0);
    for (at, text) in present(values) {
        let known = recognize(text);
        if known.is_none() {
            first = if unread == 0 { at + 1 } else { first };
            unread += 1;
        }
        leaves.push((known.map_or(Recognized::No, Recognized::Yes), text));
    }
    if unread * 2 > leaves.len() {
        return Err(Error::NotRecognized {
            column: column.into(),
            expected,
            values: unread,
            first,
        });
    }
    leaves.sort_unstable();
    leaves.dedup();
    Ok(leaves)
}

/// Numbers as whole multiples of one power of ten.
struct Exact {
    /// Digits after the point; as many as the data has, and no fewer than requested.
    places: u8,
    /// Each number in units of 10 to the power of minus `places`, ascending.
    scaled: Vec<i128>,
}

impl Exact {
    /// Parses the texts exactly and sorts the numbers exactly, which differs from the order of their float values only
    /// if these are too long to be distinguished. None if a text needs too many digits.
    fn of(numbers: &mut Vec<Read<'_, Number>>, least_places: u8) -> Option<Exact> {
        let mut places = least_places;
        for read in numbers.iter() {
            let needed = u8::try_from(scaled::places_of(read.text)?).ok()?;
            places = places.max(needed);
        }
        if places > MOST_PLACES {
            return None;
        }
        let scaled = |read: &Read<'_, Number>| scaled::scaled_text(read.text, places);
        let mut scaled: Vec<i128> = numbers.iter().map(scaled).collect::<Option<_>>()?;
        if !scaled.is_sorted() {
            let mut both: Vec<_> = scaled.into_iter().zip(std::mem::take(numbers)).collect();
            both.sort_by(|(one, a), (other, b)| (one, a.text).cmp(&(other, b.text)));
            (scaled, *numbers) = both.into_iter().unzip();
        }
        Some(Exact { places, scaled })
    }
}

/// A hierarchy growing upwards, in which every group is a run of neighboring leaves.
struct Runs {
    levels: Vec<Groups>,
    /// The first leaf of each group of each level so far.
    firsts: Vec<Vec<usize>>,
    /// Whether the order of the leaves means something.
    is_ordered: bool,
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
            firsts: vec![(0..count).collect()],
            is_ordered: false,
        }
    }

    /// Adds a level that merges neighboring groups if `key` of their first leaves is equal. `label` writes the text of
    /// a group, given its first and last leaf.
    ///
    /// A text is unique on its level, and on a higher level it covers everything it covers on a lower one; otherwise
    /// readers would not know what it stands for. If values look like labels themselves, a number after the text
    /// distinguishes them.
    fn merge<K: PartialEq>(
        &mut self,
        name: String,
        mut key: impl FnMut(usize) -> K,
        mut label: impl FnMut(usize, usize, &mut String),
    ) {
        let below = self.firsts.last().expect("there is level 0");
        let mut firsts = Vec::new();
        let mut parents = Vec::with_capacity(below.len());
        let mut last_key = None;
        for &first in below {
            let key = Some(key(first));
            if key != last_key {
                firsts.push(first);
                last_key = key;
            }
            parents.push(firsts.len() as u32 - 1);
        }
        let leaves = self.levels[0].of_leaf.len();
        let ends: Vec<usize> = firsts.iter().skip(1).copied().chain([leaves]).collect();
        let mut groups = Groups::new(name);
        let (mut text, mut repeated) = (String::new(), 1_u32);
        for (group, (&first, &end)) in firsts.iter().zip(&ends).enumerate() {
            text.clear();
            label(first, end - 1, &mut text);
            let plain = text.len();
            while self.means_another(&text, first..end)
                || groups.labels.encode(&text).index() != group
            {
                repeated += 1;
                text.truncate(plain);
                text.push_str(&format!(" ({repeated})"));
            }
        }
        let below = self.levels.last_mut().expect("there is level 0");
        below.parents = parents;
        groups.of_leaf = below
            .of_leaf
            .iter()
            .map(|&group| below.parents[group as usize])
            .collect();
        groups.leaves = vec![0; firsts.len()];
        for (&parent, &leaves) in below.parents.iter().zip(&below.leaves) {
            groups.leaves[parent as usize] += leaves;
        }
        self.levels.push(groups);
        self.firsts.push(firsts);
    }

    /// How many groups the last level so far has.
    fn groups(&self) -> usize {
        self.firsts.last().map_or(0, Vec::len)
    }

    /// Whether a lower level has this text for a group outside these leaves. Levels nest, so a group that starts
    /// among them lies among them.
    fn means_another(&self, text: &str, leaves: std::ops::Range<usize>) -> bool {
        let mut levels = self.levels.iter().zip(&self.firsts);
        levels.any(|(groups, firsts)| {
            let group = groups.labels.lookup(text.as_bytes());
            group.is_some_and(|group| !leaves.contains(&firsts[group.index()]))
        })
    }

    /// The same; the order of the leaves means something.
    fn in_order(self) -> Self {
        Runs {
            is_ordered: true,
            ..self
        }
    }

    /// Puts `*` on top and adds the missing value, if `values` has it.
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
            is_ordered: self.is_ordered,
        };
        Ok(match missing {
            true => hierarchy.with_extra_leaf("", ExtraLeaf::OwnBranch),
            false => hierarchy,
        })
    }
}
