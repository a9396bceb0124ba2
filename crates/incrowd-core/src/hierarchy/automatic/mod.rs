//! The hierarchy of a column if none is given.
//!
//! Meaningful groups are used if they merge anything: a calendar, a list of countries, age bands. Otherwise several
//! hierarchies are built from the values and their rows, and the one that keeps the most detail is used. That is
//! measured, not guessed: see [`lost()`]; round bounds are given up only for clearly less loss: see [`Weight`]. Each
//! choice comes with its reason, to be shown to the user.
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
use crate::numbers::Level;
use crate::table::{DateForms, Decimal, Kind, words_of_name};
use lost::lost;

const FEW_VALUES: usize = 2;

/// Hierarchies are compared on at most this many values of a column that is not text, evenly picked from all.
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

impl Automatic {
    /// The same, cut at these bounds as well, if its groups are runs of numbers.
    ///
    /// # Errors
    /// Bounds that do not ascend.
    pub fn cut_at(
        self,
        column: &str,
        values: &[(&str, u32)],
        bounds: Vec<Decimal>,
    ) -> Result<Self, Error> {
        let spec = match bounds.is_empty() {
            true => None,
            false => self.spec.clone().cut_at(bounds),
        };
        let Some(spec) = spec else {
            return Ok(self);
        };
        Ok(Automatic {
            hierarchy: spec.build(column, values)?,
            spec,
            reason: format!("{}; cut at the boundaries of rules", self.reason),
        })
    }
}

/// How easily people understand the groups of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Weight {
    /// They are meaningful; used whenever they merge anything.
    Meaning,
    /// They have round bounds that do not depend on the rows.
    Round,
    /// They depend on the rows.
    Made,
}

impl Weight {
    /// The factor of a loss before it is compared.
    fn factor(self) -> f64 {
        match self {
            Weight::Meaning | Weight::Round => 0.65,
            Weight::Made => 1.0,
        }
    }
}

/// A candidate hierarchy for a column.
#[derive(Debug, Clone)]
struct Candidate {
    spec: HierarchySpec,
    weight: Weight,
    /// What it does, after "42 numbers: ".
    does: String,
}

/// A column, as needed for the choice.
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

    /// The measured candidate; none if it cannot be built from these values.
    fn measure(&self, candidate: Candidate) -> Option<Measured> {
        let compared = self.compared();
        let hierarchy = candidate.spec.build("", &compared).ok()?;
        let lost = lost(&hierarchy, &compared);
        let mut groups = Level::under(hierarchy.height())
            .skip(1)
            .map(|level| hierarchy.groups(level));
        Some(Measured {
            lost: lost.share,
            weighed: lost.share * candidate.weight.factor() + lost.of_levels(),
            merges: groups.any(|groups| groups > 1 && groups < hierarchy.leaves()),
            candidate,
        })
    }
}

/// A candidate and what was measured of it.
struct Measured {
    candidate: Candidate,
    /// The share of the detail it loses.
    lost: f64,
    /// What candidates are compared by.
    weighed: f64,
    /// Whether it merges any values below `*`, and not all of them.
    merges: bool,
}

/// The one with the lowest weighted loss; the first of equals.
fn best(measured: impl Iterator<Item = Measured>) -> Option<Measured> {
    measured.reduce(|best, other| match other.weighed < best.weighed {
        true => other,
        false => best,
    })
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
    let (meaning, families): (Vec<_>, Vec<_>) = (families.into_iter())
        .map(|family| {
            let has_meaning = |one: &Candidate| one.weight == Weight::Meaning;
            family
                .into_iter()
                .partition::<Vec<Candidate>, _>(has_meaning)
        })
        .unzip();
    let meaning = meaning.into_iter().flatten();
    let meaning = meaning.filter_map(|one| column.measure(one));
    let finalists: Vec<Measured> = match best(meaning.filter(|one| one.merges)) {
        Some(best) => vec![best],
        // The best of each family.
        None => (families.into_iter())
            .filter_map(|family| best(family.into_iter().filter_map(|one| column.measure(one))))
            .collect(),
    };
    let what = match column.kind {
        _ if column.dates.are_dates() => "dates",
        Kind::Number => "numbers",
        _ => "values",
    };
    let measures: Vec<(&str, f64)> = (finalists.iter())
        .map(|one| (one.candidate.spec.name(), one.lost))
        .collect();
    let Some(best) = best(finalists.into_iter()) else {
        // Numbers that cannot be parsed are refused by a builder that needs numbers.
        if column.kind == Kind::Number {
            let groups = vec![16, 8, 4];
            let reason = format!("{count} numbers: groups with about the same number of rows");
            return (HierarchySpec::Quantile { groups }, reason);
        }
        let reason =
            format!("{count} values, almost all of them unique: each is kept or suppressed");
        return (HierarchySpec::Suppress, reason);
    };
    let kept = |lost: f64| format!("{:.0} %", (1.0 - lost) * 100.0);
    let spec = best.candidate.spec;
    let others = (measures.iter())
        .filter(|(name, _)| *name != spec.name())
        .map(|(name, lost)| format!(", {name} {}", kept(*lost)));
    let others: String = others.collect();
    let reason = format!(
        "{count} {what}: {}; keeps {} of the detail{others}",
        best.candidate.does,
        kept(best.lost)
    );
    (spec, reason)
}
