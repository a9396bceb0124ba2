//! Ordered values, merged with their neighbors: two, then four, then eight.

use super::{Read, Runs, label, present, read_sorted};
use crate::error::Error;
use crate::hierarchy::{Hierarchy, known};
use crate::table::{DateForms, Dictionary, Kind, parse_number};

/// Groups of at most this many texts are written as a set; longer ones by their first and last.
const MOST_IN_A_SET: usize = 8;

/// Which values are neighbors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Arrangement {
    /// Numbers, dates and bands such as `25-34` ascending; well-known scales (`low`, `medium`, `high`) in their usual
    /// order; other text by its bytes.
    #[default]
    Natural,
    /// As given.
    Given,
}

/// Pairs of neighbors, then pairs of pairs, until one group is left, which is `*`.
///
/// Numbers and dates are written `[low-high]`, text as the set `{a, b}` while that is short, then by its first and last
/// value too; a leftover at the end of a level does not change.
///
/// # Errors
/// No values.
///
/// ```
/// use incrowd_core::hierarchy::build::{Arrangement, order};
/// let size = order("size", &["S", "M", "L"], Arrangement::Given)?;
/// assert_eq!(size.to_csv(), "value,by-2,any\nS,\"{S, M}\",*\nM,\"{S, M}\",*\nL,L,*\n");
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn order(column: &str, values: &[&str], arrangement: Arrangement) -> Result<Hierarchy, Error> {
    let (leaves, kind) = match arrangement {
        Arrangement::Natural => naturally(values),
        Arrangement::Given => (
            given(values),
            Kind::of(present(values).map(|(_, text)| text)),
        ),
    };
    let mut runs = Runs::new("value", leaves.iter().copied());
    let mut size = 2;
    while size < leaves.len() {
        runs.merge(
            format!("by-{size}"),
            |leaf| leaf / size,
            |first, last, text| {
                let is_set = kind == Kind::Text && last - first < MOST_IN_A_SET;
                text.push_str(&match is_set {
                    true => label::set(&leaves[first..=last]),
                    false => label::interval(leaves[first].trim(), leaves[last].trim()),
                });
            },
        );
        size *= 2;
    }
    runs.in_order().finish(column, values)
}

/// The present values, each once.
fn given<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut seen = Dictionary::default();
    let values = present(values).map(|(_, value)| value);
    values
        .filter(|value| {
            let next = seen.len();
            seen.encode(value).index() == next
        })
        .collect()
}

/// The present values in their natural order, each once.
pub(super) fn natural<'a>(values: &[&'a str]) -> Vec<&'a str> {
    naturally(values).0
}

/// The present values in their natural order, and what they are; dates of any form are dates.
fn naturally<'a>(values: &[&'a str]) -> (Vec<&'a str>, Kind) {
    let present: Vec<&str> = present(values).map(|(_, value)| value).collect();
    let kind = Kind::of(present.iter().copied());
    let forms = DateForms::of(present.iter().copied());
    let sorted = if kind == Kind::Number {
        read_sorted(values, parse_number).map(texts)
    } else if let Some(form) = forms.found().filter(|_| !forms.is_ambiguous()) {
        let sorted = read_sorted(values, |text| form.read(text)).map(texts);
        return (sorted.expect("the form reads every value"), Kind::Date);
    } else if let Some(scale) = known_order(present.iter().copied()) {
        read_sorted(values, |text| scale.place(text)).map(texts)
    } else {
        read_sorted(values, |_| Some(())).map(texts)
    };
    (sorted.expect("the kind is that of every value"), kind)
}

/// A well-known order of texts.
pub(in crate::hierarchy) enum KnownOrder {
    /// Bands of numbers: `under 18`, `18-24`, `65+`.
    Bands,
    /// A well-known scale.
    Scale(&'static known::Scale),
}

impl KnownOrder {
    fn place(&self, text: &str) -> Option<(i128, i128)> {
        match self {
            KnownOrder::Bands => known::band(text),
            KnownOrder::Scale(scale) => scale.place(text).map(|place| (place as i128, 0)),
        }
    }
}

/// The well-known order that every one of these texts has a place in.
pub(in crate::hierarchy) fn known_order<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Option<KnownOrder> {
    let bands = texts.clone().all(|text| known::band(text).is_some());
    if bands && texts.clone().next().is_some() {
        return Some(KnownOrder::Bands);
    }
    known::scale_of(texts).map(KnownOrder::Scale)
}

fn texts<T>(read: Vec<Read<'_, T>>) -> Vec<&str> {
    read.into_iter().map(|read| read.text).collect()
}
