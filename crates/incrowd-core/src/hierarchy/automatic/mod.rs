//! The hierarchy a column gets when nobody has prepared one.
//!
//! What means something to people is taken where it merges anything: a calendar, a list of countries, bands of age.
//! Otherwise several hierarchies are built from the values and their rows, and the one that keeps most is taken. What a
//! hierarchy keeps is measured, not guessed: see [`lost()`]; round bounds are given up only for clearly less loss: see
//! [`Weight`]. Each answer carries its reason, to be shown to the user.
//!
//! | the column | may get |
//! |---|---|
//! | at most 2 values | `suppress` |
//! | dates in one form, with or without times | `date`: the periods that tell some of them apart; only years where day and month cannot be told apart; `order` within one month |
//! | values that a bundled list has | `countries`, `us-states`, `education`: see [`KnownList`]; the others are `other` |
//! | diagnoses, postcodes of the United Kingdom | `icd10`, `uk-postcode` |
//! | bands such as `25-34`, well-known scales | `order` |
//! | other codes with digits | `prefix`: the lengths that merge something, at most 4 |
//! | numbers | `interval` of round widths, `log` where they differ in size, `quantile`; `order` where they are few; 5, 10 and 20 years for ages |
//! | other text | `frequent`: the most common values, the others as `other` |
//! | text of which hardly any value occurs twice | `suppress` |
//!
//! Nothing depends on the order of the values.
//!
//! ```
//! use incrowd_core::hierarchy::automatic;
//! use incrowd_core::table::Kind;
//! let ages: Vec<String> = (17..=90).map(|age| age.to_string()).collect();
//! let ages: Vec<(&str, u32)> = ages.iter().map(|age| (age.as_str(), 1)).collect();
//! let chosen = automatic("age", &ages, Kind::Number)?;
//! assert_eq!(chosen.spec.to_string(), "interval:5,10,20");
//! # Ok::<(), incrowd_core::Error>(())
//! ```

mod lost;
mod numbers;
#[cfg(test)]
mod tests;
mod texts;

use super::{Hierarchy, HierarchySpec, KnownList};
use crate::error::Error;
use crate::table::{DateForms, Kind, words_of_name};
use lost::lost;

const FEW_VALUES: usize = 2;

/// Hierarchies are compared on at most so many values of a column that is not text, evenly picked from all.
const MOST_COMPARED: usize = 4096;

/// A hierarchy chosen for a column.
#[derive(Debug, Clone)]
pub struct Automatic {
    /// How it was built; the same text builds it again.
    pub spec: HierarchySpec,
    /// Why, in one line that quotes no value.
    pub reason: String,
    /// The hierarchy.
    pub hierarchy: Hierarchy,
}

/// How easily people understand the groups of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Weight {
    /// They mean something; taken whenever they merge anything.
    Meaning,
    /// They have round bounds that do not depend on the rows.
    Round,
    /// They are what the rows make them.
    Made,
}

impl Weight {
    /// What a loss is multiplied with before it is compared.
    fn factor(self) -> f64 {
        match self {
            Weight::Meaning | Weight::Round => 0.65,
            Weight::Made => 1.0,
        }
    }
}

/// A hierarchy that a column might get.
#[derive(Debug, Clone)]
struct Candidate {
    spec: HierarchySpec,
    weight: Weight,
    /// What it does, after "42 numbers: ".
    does: String,
}

/// A column as the choice sees it.
struct Column<'a> {
    /// The words of its name.
    words: Vec<String>,
    /// Its present values in the order of their bytes, each once, with their rows.
    values: Vec<(&'a str, u32)>,
    kind: Kind,
    dates: DateForms,
}

impl<'a> Column<'a> {
    fn new(name: &str, values: &[(&'a str, u32)], kind: Kind) -> Self {
        let mut values: Vec<(&str, u32)> = (values.iter().copied())
            .filter(|(text, _)| !text.is_empty())
            .collect();
        values.sort_unstable();
        values.dedup_by_key(|(text, _)| *text);
        Column {
            words: words_of_name(name),
            dates: DateForms::of(values.iter().map(|&(text, _)| text)),
            values,
            kind,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.values.iter().map(|&(text, _)| text)
    }

    fn is_called(&self, names: &[&str]) -> bool {
        self.words.iter().any(|word| names.contains(&word.as_str()))
    }

    /// The values to compare hierarchies on.
    fn compared(&self) -> Vec<(&'a str, u32)> {
        let step = match self.kind {
            Kind::Text => 1,
            _ => self.values.len().div_ceil(MOST_COMPARED).max(1),
        };
        self.values.iter().copied().step_by(step).collect()
    }

    /// Whether the candidate merges any values below `*`, and not all of them.
    fn merges(&self, candidate: &Candidate) -> bool {
        let built = candidate.spec.build("", &self.compared());
        built.is_ok_and(|hierarchy| {
            let mut groups = (1..hierarchy.height()).map(|level| hierarchy.groups(level));
            groups.any(|groups| groups > 1 && groups < hierarchy.leaves())
        })
    }

    /// The candidate with the least weighed loss, the first of equals, and the share that it loses.
    fn best(&self, candidates: impl IntoIterator<Item = Candidate>) -> Option<(Candidate, f64)> {
        let compared = self.compared();
        let mut best: Option<(Candidate, f64, f64)> = None;
        for candidate in candidates {
            let Ok(hierarchy) = candidate.spec.build("", &compared) else {
                continue;
            };
            let lost = lost(&hierarchy, &compared);
            let weighed = lost.share * candidate.weight.factor() + lost.of_levels();
            if best.as_ref().is_none_or(|(_, _, least)| weighed < *least) {
                best = Some((candidate, lost.share, weighed));
            }
        }
        best.map(|(candidate, share, _)| (candidate, share))
    }
}

/// Chooses and builds a hierarchy for these distinct values; each comes with the number of its rows. `kind` is
/// what the present values are.
///
/// # Errors
/// No values, or values that are not of that kind.
pub fn automatic(column: &str, values: &[(&str, u32)], kind: Kind) -> Result<Automatic, Error> {
    let (spec, reason) = choose(&Column::new(column, values, kind));
    Ok(Automatic {
        hierarchy: spec.build(column, values)?,
        spec,
        reason,
    })
}

fn choose(column: &Column<'_>) -> (HierarchySpec, String) {
    let count = column.values.len();
    if count <= FEW_VALUES {
        let reason = format!("{count} distinct values: each is kept or suppressed");
        return (HierarchySpec::Suppress, reason);
    }
    let mut families = vec![
        texts::known(column),
        texts::dates(column),
        texts::codes(column),
        texts::frequent(column),
    ];
    families.extend(numbers::families(column));
    let has_meaning = |candidate: &Candidate| candidate.weight == Weight::Meaning;
    let with_meaning = families.iter().flatten().filter(|one| has_meaning(one));
    let found = column.best(with_meaning.filter(|one| column.merges(one)).cloned());
    // Else of each family the best, then the best of these.
    let finalists: Vec<(Candidate, f64)> = match found {
        Some(found) => vec![found],
        None => (families.into_iter())
            .filter_map(|family| column.best(family.into_iter().filter(|one| !has_meaning(one))))
            .collect(),
    };
    let what = match column.kind {
        Kind::Number => "numbers",
        _ if column.dates.are_dates() => "dates",
        _ => "values",
    };
    let candidates = finalists.iter().map(|(candidate, _)| candidate.clone());
    let Some((best, share)) = column.best(candidates) else {
        // Numbers that cannot be read as such are refused by a builder that needs numbers.
        if column.kind == Kind::Number {
            let groups = vec![16, 8, 4];
            let reason = format!("{count} numbers: about equally many rows each");
            return (HierarchySpec::Quantile { groups }, reason);
        }
        let reason =
            format!("{count} values, hardly any of them twice: each is kept or suppressed");
        return (HierarchySpec::Suppress, reason);
    };
    let kept = |lost: f64| format!("{:.0} %", (1.0 - lost) * 100.0);
    let others = (finalists.iter())
        .filter(|(other, _)| other.spec != best.spec)
        .map(|(other, lost)| format!(", {} {}", other.spec.name(), kept(*lost)));
    let others: String = others.collect();
    let reason = format!(
        "{count} {what}: {}; keeps {} of the detail{others}",
        best.does,
        kept(share)
    );
    (best.spec, reason)
}
