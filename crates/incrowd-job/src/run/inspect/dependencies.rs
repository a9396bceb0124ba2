//! Columns that determine others: whoever knows one knows the other.
//!
//! How much a column reveals about another is measured as `anonymize` measures it for columns published unchanged
//! ([`Teller`]), on the sampled rows. Trying all pairs in full would take long in a wide table, so most are ruled out
//! early: walk through the rows and count how often a row differs in the second column from the row before it that has
//! the same value in the first. A row that is an exception causes at most two such differences, one with the row before
//! and one with the row after it. So once there are more than two for each exception allowed, the first column does
//! not determine the second, and the rows left need no look.

use super::sampled_rows::{SampledColumn, SampledRows};
use crate::error::Error;
use crate::run::control::Control;
use crate::run::unchanged::{Numbered, Teller};
use serde::{Deserialize, Serialize};

/// A column that reveals at least this share of another determines it.
const DETERMINES: f64 = 0.99;

/// With fewer rows to go by (those whose value another row has as well), agreement may be chance.
const FEWEST_ROWS: u64 = 30;

/// The most columns compared with each other, and the most dependencies reported.
const MOST_COLUMNS: usize = 128;
const MOST_REPORTED: usize = 20;

/// A column that determines another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dependency {
    /// The column.
    pub column: String,
    /// The column it determines.
    pub determines: String,
    /// Whether that column determines it as well, so that both carry the same.
    pub is_mutual: bool,
    /// How much of the other column it reveals, 1 if all; of both ways the lesser share.
    pub share: f64,
    /// Whether all rows were looked at, and not a sample.
    pub is_exact: bool,
}

impl Dependency {
    /// The dependency in words.
    pub fn in_words(&self) -> String {
        let (one, other) = (self.column.escape_debug(), self.determines.escape_debug());
        let nearly = match self.share >= 1.0 {
            true => "",
            false => "nearly ",
        };
        let within = match self.is_exact {
            true => "",
            false => ", as far as a sample of rows shows",
        };
        match self.is_mutual {
            true => format!(
                "`{one}` and `{other}` carry {nearly}the same: each determines the other{within}"
            ),
            false => format!("`{one}` {nearly}determines `{other}`{within}"),
        }
    }
}

/// The dependencies between these columns, in the order of the table.
pub(super) fn find(
    rows: &SampledRows,
    names: &[String],
    columns: &[usize],
    control: &Control,
) -> Result<Vec<Dependency>, Error> {
    let columns = &columns[..columns.len().min(MOST_COLUMNS)];
    let sizes = vec![1; rows.rows];
    let mut found = Vec::new();
    for &one in columns {
        control.check()?;
        let told = |other: usize| revealed(&sizes, &rows.columns[one], &rows.columns[other]);
        for &other in columns.iter().filter(|other| **other != one) {
            found.extend(told(other).map(|share| (one, other, share)));
        }
    }
    let share_of = |one, other| {
        let mut found = found.iter();
        found.find_map(|&(a, b, share)| ((a, b) == (one, other)).then_some(share))
    };
    let dependencies = found.iter().filter_map(|&(one, other, share)| {
        let back = share_of(other, one);
        // Said once.
        if back.is_some() && other < one {
            return None;
        }
        Some(Dependency {
            column: names[one].clone(),
            determines: names[other].clone(),
            is_mutual: back.is_some(),
            share: share.min(back.unwrap_or(1.0)),
            is_exact: rows.is_exact,
        })
    });
    let mut dependencies: Vec<Dependency> = dependencies.collect();
    // Stable: otherwise in the order of the table.
    dependencies.sort_by_key(|dependency| !dependency.is_mutual);
    dependencies.truncate(MOST_REPORTED);
    Ok(dependencies)
}

/// How much of another column one reveals, if it determines it.
fn revealed(sizes: &[u32], one: &SampledColumn, other: &SampledColumn) -> Option<f64> {
    if one.distinct < 2 || other.distinct < 2 || is_ruled_out(one, other) {
        return None;
    }
    let column = Numbered::new(one.codes.clone());
    let teller = Teller::new(sizes, &column);
    if teller.rows_to_go_by() < FEWEST_ROWS {
        return None;
    }
    let share = teller.share(&Numbered::new(other.codes.clone()))?;
    (share >= DETERMINES).then_some(share)
}

/// Whether more rows are exceptions than may be.
fn is_ruled_out(one: &SampledColumn, other: &SampledColumn) -> bool {
    let exceptions = (1.0 - DETERMINES) * one.codes.len() as f64;
    let most = 2 * exceptions.ceil() as u64;
    let mut last: Vec<Option<u32>> = vec![None; one.distinct];
    let mut differences = 0;
    for (&value, &determined) in one.codes.iter().zip(&other.codes) {
        let before = last[value as usize].replace(determined);
        differences += u64::from(before.is_some_and(|before| before != determined));
        if differences > most {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::inspect::tests::{Random, table, whole};
    use std::collections::BTreeMap;

    /// How much of a column another reveals, by its definition: with maps of texts.
    fn brute_force(rows: &[Vec<String>], one: usize, other: usize) -> Option<(u64, f64)> {
        let mut of_one: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in rows {
            of_one.entry(&row[one]).or_default().push(&row[other]);
        }
        of_one.retain(|_, others| others.len() > 1);
        let most_common = |texts: &mut dyn Iterator<Item = &str>| {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            texts.for_each(|text| *counts.entry(text.to_owned()).or_default() += 1);
            counts.into_values().max().unwrap_or(0)
        };
        let all: Vec<&str> = of_one.values().flatten().copied().collect();
        let anyway = most_common(&mut all.iter().copied());
        let guessed: u64 = of_one
            .values()
            .map(|others| most_common(&mut others.iter().copied()))
            .sum();
        let to_tell = all.len() as u64 - anyway;
        (to_tell > 0).then(|| {
            let share = (guessed - anyway) as f64 / to_tell as f64;
            (all.len() as u64 - of_one.len() as u64, share)
        })
    }

    #[test]
    fn dependencies_are_those_that_brute_force_finds() {
        let mut random = Random(7);
        let mut met = [0; 3];
        for _ in 0..300 {
            let rows = 40 + random.below(400) as usize;
            let kinds = 2 + random.below(6);
            // The second column follows from the first but for a few rows, the third repeats it in other words.
            let wrong_in = 1 + random.below(300);
            let table = table(rows, |_| {
                let value = random.below(4 * kinds);
                let wrong = u64::from(random.below(wrong_in) == 0);
                vec![
                    format!("a{value}"),
                    format!("b{}", value / 2 + wrong),
                    format!("c{}", value * 7),
                    format!("d{}", random.below(kinds)),
                    "e".to_owned(),
                ]
            });
            let (sampled, names) = whole(&table);
            let columns: Vec<usize> = (0..5).collect();
            let found = find(&sampled, &names, &columns, &Control::default()).unwrap();
            for one in 0..5 {
                for other in (0..5).filter(|other| *other != one) {
                    let holds = |one: usize, other: usize| {
                        let told = brute_force(&table, one, other);
                        told.is_some_and(|(rows, share)| rows >= 30 && share >= 0.99)
                    };
                    let reported = found.iter().any(|dependency| {
                        let pair = (&dependency.column, &dependency.determines);
                        pair == (&names[one], &names[other])
                            || dependency.is_mutual && pair == (&names[other], &names[one])
                    });
                    assert_eq!(reported, holds(one, other), "{one} {other} of {rows} rows");
                    met[0] += usize::from(reported);
                    met[1] += usize::from(!reported);
                }
            }
            met[2] += found.iter().filter(|it| it.share < 1.0).count();
        }
        assert!(met.iter().all(|&met| met > 20), "{met:?}");
    }
}
