//! The few columns that tell rows apart: a small quasi-identifier, found without trying all combinations.
//!
//! A combination of columns *separates* two rows if they differ in one of them. The smallest combination that separates
//! nearly all pairs of rows is a set cover, which nobody knows how to find quickly; the greedy choice (always the column
//! that separates the most pairs left) needs at most 1 + ln(pairs) times as many columns as the best one, and nobody can
//! guarantee much less in reasonable time. Pairs need not be those of the whole table: the share of pairs that
//! a combination separates among n rows drawn at random is off by about 1/√n at most, half a percent for 32 768
//! rows. (R. Motwani and Y. Xu, Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007.)
//!
//! What a column adds to a combination never exceeds what it added to a smaller one, so most columns need not be tried
//! again at each step: what they added before is less than what the best one adds now (M. Minoux, Accelerated greedy
//! algorithms, 1978). The choice is the same.

use super::sampled_rows::SampledRows;
use super::spread::Spread;
use crate::error::Error;
use crate::run::control::Control;
use crate::run::roles::ratio;
use crate::run::sample::{Sample, bound, join};
use serde::{Deserialize, Serialize};

/// The most columns in the combination.
const MOST_COLUMNS: usize = 6;

/// With this share of the rows unique, there is nothing left to show.
const NEARLY_ALL_UNIQUE: f64 = 0.95;

/// The columns that tell rows apart soonest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Separating {
    /// Rows drawn to choose the columns; all rows of a small table.
    pub rows_drawn: u64,
    /// Each column with the figures of all columns up to it.
    pub steps: Vec<SeparatingStep>,
}

/// A column, and what it and those before it reveal in combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeparatingStep {
    /// The column added.
    pub column: String,
    /// Distinct tuples.
    pub distinct: u64,
    /// Distinct tuples per row.
    pub distinct_ratio: f64,
    /// Rows whose tuple no other row has.
    pub unique_rows: u64,
    /// Share of the pairs of rows that differ.
    pub separation_ratio: f64,
    /// Whether these figures are counted, and not estimated.
    pub is_exact: bool,
}

/// A column chosen, and the share of the sampled pairs that it and those before it separate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chosen {
    pub(super) column: usize,
    pub(super) separation_ratio: f64,
}

/// Chooses among these columns, each the one that separates the most pairs of rows left.
pub(super) fn choose(
    rows: &SampledRows,
    columns: &[usize],
    control: &Control,
) -> Result<Vec<Chosen>, Error> {
    let mut classes = rows.one_class();
    let mut now = classes.spread();
    // What each column can still separate at most; of equals the first of the table goes first.
    let mut left: Vec<(u128, usize)> = columns.iter().map(|&at| (u128::MAX, at)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < MOST_COLUMNS
        && now.pairs > 0
        && (now.unique as f64) < NEARLY_ALL_UNIQUE * now.rows as f64
    {
        left.sort_by_key(|&(gain, at)| (std::cmp::Reverse(gain), at));
        let mut best: Option<(u128, usize)> = None;
        for (most, at) in left.iter_mut() {
            if best.is_some_and(|(gain, _)| *most < gain) {
                break;
            }
            control.check()?;
            *most = now.pairs - classes.split(&rows.columns[*at]).spread().pairs;
            let is_better = |(gain, first): (u128, usize)| (*most, first) > (gain, *at);
            if best.is_none_or(is_better) {
                best = Some((*most, *at));
            }
        }
        let Some((_, column)) = best.filter(|(gain, _)| *gain > 0) else {
            break;
        };
        left.retain(|&(_, at)| at != column);
        classes = classes.split(&rows.columns[column]);
        now = classes.spread();
        chosen.push(Chosen {
            column,
            separation_ratio: now.separation_ratio(),
        });
    }
    Ok(chosen)
}

/// Counts the tuples of the chosen columns in all rows of a table: those of the first column, of the first two, and so
/// on.
#[derive(Debug, Clone)]
pub(super) struct SeparatingCounter {
    rows: u64,
    tuples: Vec<Sample<()>>,
}

impl SeparatingCounter {
    pub(super) fn new(columns: usize) -> Self {
        SeparatingCounter {
            rows: 0,
            tuples: vec![Sample::new(bound(columns)); columns],
        }
    }

    /// Counts a row with these cells, in the order of the chosen columns.
    pub(super) fn add(&mut self, cells: impl Iterator<Item = u64>) {
        self.rows += 1;
        let mut tuple = 0;
        for (cell, tuples) in cells.zip(&mut self.tuples) {
            tuple = join(tuple, cell);
            tuples.add(tuple, || ());
        }
    }

    /// The figures of the table. Separation cannot be estimated from a sample of tuples, since one that was left out may
    /// have half of the rows; it is that of the rows drawn, then.
    pub(super) fn finish(
        self,
        names: &[String],
        chosen: &[Chosen],
        rows_drawn: usize,
    ) -> Separating {
        let rows = self.rows;
        let steps = chosen.iter().zip(self.tuples).map(|(chosen, tuples)| {
            let spread = Spread::of(tuples.counted().map(|tuple| u64::from(tuple.rows)));
            let distinct = tuples.estimate(spread.distinct).min(rows);
            SeparatingStep {
                column: names[chosen.column].clone(),
                distinct,
                distinct_ratio: ratio(distinct, rows),
                unique_rows: tuples.estimate(spread.unique).min(rows),
                separation_ratio: match tuples.is_exact() {
                    true => spread.separation_ratio(),
                    false => chosen.separation_ratio,
                },
                is_exact: tuples.is_exact(),
            }
        });
        Separating {
            rows_drawn: rows_drawn as u64,
            steps: steps.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::inspect::tests::{Random, table, whole};

    /// The pairs of rows that no column of a combination separates, row by row.
    fn pairs_left(rows: &[Vec<String>], columns: &[usize]) -> usize {
        let alike = |one: &Vec<String>, other: &Vec<String>| {
            columns.iter().all(|&column| one[column] == other[column])
        };
        let pairs = rows.iter().enumerate();
        pairs
            .map(|(at, one)| {
                rows[at + 1..]
                    .iter()
                    .filter(|other| alike(one, other))
                    .count()
            })
            .sum()
    }

    fn random_table(random: &mut Random) -> Vec<Vec<String>> {
        let rows = 2 + random.below(30) as usize;
        let kinds: Vec<u64> = (0..6).map(|_| 1 + random.below(5)).collect();
        table(rows, |_| {
            kinds
                .iter()
                .map(|&kinds| random.below(kinds).to_string())
                .collect()
        })
    }

    #[test]
    fn each_step_is_the_column_that_separates_most_and_no_combination_is_far_smaller() {
        let mut random = Random(11);
        let mut longest = 0;
        for _ in 0..400 {
            let table = random_table(&mut random);
            let (rows, _) = whole(&table);
            let all: Vec<usize> = (0..6).collect();
            let chosen = choose(&rows, &all, &Control::default()).unwrap();
            let pairs = table.len() * (table.len() - 1) / 2;
            let mut before: Vec<usize> = Vec::new();
            for step in &chosen {
                let left = |at: usize| {
                    let mut columns = before.clone();
                    columns.push(at);
                    pairs_left(&table, &columns)
                };
                let best = all.iter().copied().min_by_key(|&at| (left(at), at));
                assert_eq!(Some(step.column), best);
                let separated = 1.0 - left(step.column) as f64 / pairs as f64;
                assert!((separated - step.separation_ratio).abs() < 1e-12);
                before.push(step.column);
            }
            // The guarantee of the greedy choice, against all 64 combinations.
            let reached = pairs_left(&table, &before);
            let combinations = (0u32..64)
                .map(|set| -> Vec<usize> { (0..6).filter(|&at| set >> at & 1 == 1).collect() });
            let as_good = combinations.filter(|set| pairs_left(&table, set) <= reached);
            let smallest = as_good.map(|set| set.len()).min().unwrap();
            let most = smallest as f64 * (1.0 + (pairs as f64).ln().max(0.0));
            assert!(before.len() as f64 <= most, "{} {smallest}", before.len());
            longest = longest.max(before.len());
        }
        assert!(longest >= 3);
    }

    #[test]
    fn ratios_are_those_that_brute_force_counts() {
        let mut random = Random(12);
        for _ in 0..200 {
            let table = random_table(&mut random);
            let (rows, names) = whole(&table);
            let chosen = choose(&rows, &[0, 1, 2, 3, 4, 5], &Control::default()).unwrap();
            let mut counter = SeparatingCounter::new(chosen.len());
            for row in &table {
                let cells = chosen.iter().map(|step| &row[step.column]);
                counter.add(cells.map(|cell| crate::run::sample::hash(cell.as_bytes())));
            }
            let found = counter.finish(&names, &chosen, table.len());
            let mut columns = Vec::new();
            for (step, of) in found.steps.iter().zip(&chosen) {
                columns.push(of.column);
                let tuple = |row: &Vec<String>| -> Vec<String> {
                    columns.iter().map(|&at| row[at].clone()).collect()
                };
                let tuples: Vec<Vec<String>> = table.iter().map(tuple).collect();
                let rows_of = |tuple: &Vec<String>| tuples.iter().filter(|it| *it == tuple).count();
                let unique = tuples.iter().filter(|tuple| rows_of(tuple) == 1).count();
                let mut distinct = tuples.clone();
                distinct.sort();
                distinct.dedup();
                assert!(step.is_exact);
                assert_eq!(step.distinct, distinct.len() as u64);
                assert_eq!(
                    step.distinct_ratio,
                    distinct.len() as f64 / table.len() as f64
                );
                assert_eq!(step.unique_rows, unique as u64);
                assert!((step.separation_ratio - of.separation_ratio).abs() < 1e-12);
            }
        }
    }
}
