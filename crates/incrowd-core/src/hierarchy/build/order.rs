//! Ordered values, merged with their neighbours: two, then four, then eight.

use super::{Read, Runs, present, read_sorted};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::table::{Dictionary, Kind, parse_date, parse_number};

/// Which values are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Arrangement {
    /// Numbers and dates ascending, text by its bytes.
    #[default]
    Natural,
    /// As given.
    Given,
}

/// Pairs of neighbours, then pairs of pairs, until one group is left, which is `*`.
///
/// A group is written by its first and last value, `low..high`; what is left over at the end of a level stays as
/// it is.
///
/// # Errors
/// No values.
///
/// ```
/// use incrowd_core::hierarchy::build::{Arrangement, order};
/// let size = order("size", &["S", "M", "L"], Arrangement::Given)?;
/// assert_eq!(size.to_csv(), "value,by-2,any\nS,S..M,*\nM,S..M,*\nL,L,*\n");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn order(column: &str, values: &[&str], arrangement: Arrangement) -> Result<Hierarchy, Error> {
    let leaves = match arrangement {
        Arrangement::Natural => natural(values),
        Arrangement::Given => given(values),
    };
    let mut runs = Runs::new("value", leaves.iter().copied());
    let mut size = 2;
    while size < leaves.len() {
        runs.merge(
            format!("by-{size}"),
            |leaf| leaf / size,
            |first, last, text| {
                text.push_str(leaves[first]);
                if first != last {
                    text.push_str("..");
                    text.push_str(leaves[last]);
                }
            },
        );
        size *= 2;
    }
    runs.finish(column, values)
}

/// The present values, each once.
fn given<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut seen = Dictionary::default();
    let values = present(values).map(|(_, value)| value);
    values
        .filter(|value| {
            let next = seen.len();
            seen.encode(value) as usize == next
        })
        .collect()
}

/// The present values, sorted, each once.
fn natural<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let kind = Kind::of(present(values).map(|(_, value)| value));
    let texts = match kind {
        Kind::Number => read_sorted(values, parse_number).map(texts),
        Kind::Date => read_sorted(values, parse_date).map(texts),
        Kind::Text => read_sorted(values, |_| Some(())).map(texts),
    };
    texts.expect("the kind is that of every value")
}

fn texts<T>(read: Vec<Read<'_, T>>) -> Vec<&str> {
    read.into_iter().map(|read| read.text).collect()
}
