//! Pairs and triples of columns, and how well they single people out.

use super::spread::Spread;
use crate::error::Error;
use crate::run::control::Control;
use crate::run::roles::{ColumnReport, ProposedRole, ratio};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Columns that are combined: all pairs and triples of eight are 84.
const MOST_COLUMNS: usize = 8;

/// Distinct tuples that are kept.
const MOST_TUPLES: usize = 1_000_000;

/// Combinations that are reported.
const MOST_REPORTED: usize = 20;

/// What columns reveal in combination.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Combinations {
    /// The columns combined: those that others are likely to know, at most eight.
    pub columns: Vec<String>,
    /// The rows examined: all, or the first ones if they already have very many distinct tuples.
    pub rows: u64,
    /// All of them together.
    pub together: Option<Combination>,
    /// Pairs and triples, starting with those that make the most rows unique.
    pub strongest: Vec<Combination>,
}

/// A combination of columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Combination {
    /// The columns.
    pub columns: Vec<String>,
    /// Distinct tuples.
    pub distinct: u64,
    /// Distinct tuples per row.
    pub distinct_ratio: f64,
    /// Share of the pairs of rows that differ.
    pub separation_ratio: f64,
    /// Rows whose tuple no other row has.
    pub unique_rows: u64,
}

/// The columns to combine: the likely quasi-identifiers; if there are too many, those with the most values.
pub(super) fn candidates(columns: &[ColumnReport]) -> Vec<usize> {
    let mut candidates: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].role == ProposedRole::QuasiIdentifying)
        .collect();
    candidates.sort_by_key(|&at| std::cmp::Reverse(columns[at].distinct));
    candidates.truncate(MOST_COLUMNS);
    candidates.sort_unstable();
    candidates
}

/// Distinct tuples of the candidates, each value a number.
#[derive(Default, Clone)]
pub(super) struct Tuples {
    codes: Vec<HashMap<u64, u32>>,
    rows: u64,
    rows_of_tuples: HashMap<Box<[u32]>, u64>,
    tuple: Vec<u32>,
}

impl Tuples {
    pub(super) fn new(candidates: usize) -> Self {
        Tuples {
            codes: vec![HashMap::new(); candidates],
            ..Tuples::default()
        }
    }

    /// Counts a row with these cells of the candidates, unless there are too many tuples already.
    pub(super) fn add(&mut self, cells: impl Iterator<Item = u64>) {
        if self.rows_of_tuples.len() >= MOST_TUPLES {
            return;
        }
        self.tuple.clear();
        for (cell, codes) in cells.zip(&mut self.codes) {
            let next = codes.len() as u32;
            self.tuple.push(*codes.entry(cell).or_insert(next));
        }
        self.rows += 1;
        match self.rows_of_tuples.get_mut(&self.tuple[..]) {
            Some(rows) => *rows += 1,
            None => {
                let tuple = self.tuple.clone().into_boxed_slice();
                self.rows_of_tuples.insert(tuple, 1);
            }
        }
    }

    /// What the candidates reveal in combination.
    pub(super) fn combinations(
        self,
        names: &[String],
        candidates: &[usize],
        threads: usize,
        control: &Control,
    ) -> Result<Combinations, Error> {
        if candidates.len() < 2 {
            return Ok(Combinations::default());
        }
        let columns = TupleColumns::of(&self);
        let chosen = pairs_and_triples(candidates.len());
        let share = chosen.len().div_ceil(threads.max(1)).max(1);
        let spreads: Vec<Spread> = std::thread::scope(|scope| {
            let parts: Vec<_> = (chosen.chunks(share))
                .map(|part| {
                    let columns = &columns;
                    scope.spawn(move || -> Result<Vec<Spread>, Error> {
                        let mut spreads = Vec::new();
                        for chosen in part {
                            control.check()?;
                            spreads.push(columns.spread(chosen));
                        }
                        Ok(spreads)
                    })
                })
                .collect();
            let mut spreads = Vec::new();
            for part in parts {
                spreads.extend(part.join().map_err(|_| Error::WorkerLost)??);
            }
            Ok::<_, Error>(spreads)
        })?;
        let mut strongest: Vec<Combination> = (chosen.iter().zip(spreads))
            .map(|(chosen, spread)| Combination::new(names, candidates, chosen, spread))
            .collect();
        // Sorting is stable, so equals stay in the order of the table.
        strongest.sort_by(|a, b| {
            let by_unique = b.unique_rows.cmp(&a.unique_rows);
            by_unique
                .then(a.columns.len().cmp(&b.columns.len()))
                .then(b.separation_ratio.total_cmp(&a.separation_ratio))
        });
        strongest.truncate(MOST_REPORTED);
        let all: Vec<usize> = (0..candidates.len()).collect();
        let together = Spread::of(columns.rows.iter().copied());
        Ok(Combinations {
            columns: candidates.iter().map(|&at| names[at].clone()).collect(),
            rows: self.rows,
            together: Some(Combination::new(names, candidates, &all, together)),
            strongest,
        })
    }
}

/// The distinct tuples column by column: a combination reads three of eight.
struct TupleColumns {
    /// The rows of each tuple.
    rows: Vec<u64>,
    /// For each candidate: its value in each tuple.
    codes: Vec<Vec<u32>>,
    /// For each candidate: the number of its values.
    distinct: Vec<usize>,
}

impl TupleColumns {
    fn of(tuples: &Tuples) -> Self {
        let mut codes = vec![Vec::with_capacity(tuples.rows_of_tuples.len()); tuples.codes.len()];
        let mut rows = Vec::with_capacity(tuples.rows_of_tuples.len());
        // Whatever their order, the counts are the same.
        tuples.rows_of_tuples.iter().for_each(|(tuple, count)| {
            rows.push(*count);
            for (codes, &code) in codes.iter_mut().zip(&tuple[..]) {
                codes.push(code);
            }
        });
        TupleColumns {
            rows,
            codes,
            distinct: tuples.codes.iter().map(HashMap::len).collect(),
        }
    }

    /// How rows are spread over the tuples of a pair or triple.
    fn spread(&self, chosen: &[usize]) -> Spread {
        // Fewer than 2^20 values in each of at most three columns: their numbers fit side by side.
        let key = |tuple: usize| {
            (chosen.iter()).fold(0u64, |key, &at| {
                key * self.distinct[at] as u64 + u64::from(self.codes[at][tuple])
            })
        };
        let possible = (chosen.iter())
            .map(|&at| self.distinct[at] as u64)
            .product::<u64>();
        let tuples = self.rows.len();
        if possible <= 4 * tuples as u64 + 1024 {
            let mut rows_of = vec![0u64; possible as usize];
            for (tuple, rows) in self.rows.iter().enumerate() {
                rows_of[key(tuple) as usize] += rows;
            }
            return Spread::of(rows_of.into_iter());
        }
        let mut rows_of: HashMap<u64, u64> = HashMap::with_capacity(tuples);
        for (tuple, rows) in self.rows.iter().enumerate() {
            *rows_of.entry(key(tuple)).or_insert(0) += rows;
        }
        Spread::of(rows_of.values().copied())
    }
}

impl Combination {
    fn new(names: &[String], candidates: &[usize], chosen: &[usize], spread: Spread) -> Self {
        let columns = chosen.iter().map(|&at| names[candidates[at]].clone());
        Combination {
            columns: columns.collect(),
            distinct: spread.distinct,
            distinct_ratio: ratio(spread.distinct, spread.rows),
            separation_ratio: spread.separation_ratio(),
            unique_rows: spread.unique,
        }
    }
}

fn pairs_and_triples(columns: usize) -> Vec<Vec<usize>> {
    let mut chosen = Vec::new();
    for a in 0..columns {
        for b in a + 1..columns {
            chosen.push(vec![a, b]);
            chosen.extend((b + 1..columns).map(|c| vec![a, b, c]));
        }
    }
    chosen
}
