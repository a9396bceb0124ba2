//! Pairs and triples of columns, and how well they single people out.

use super::{ColumnReport, ProposedRole, Spread, hash};
use crate::error::Error;
use crate::run::batches::for_each_batch;
use crate::run::control::{Control, Phase};
use crate::run::input;
use crate::run::roles::ratio;
use crate::spec::Job;
use hashbrown::HashMap;
use incrowd_io::RowSource;
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
struct Tuples {
    codes: Vec<HashMap<u64, u32>>,
    rows: u64,
    rows_of_tuples: HashMap<Box<[u32]>, u64>,
    tuple: Vec<u32>,
}

pub(super) fn count(
    job: &Job,
    source: &dyn RowSource,
    names: &[String],
    candidates: &[usize],
    control: &Control,
) -> Result<Combinations, Error> {
    if candidates.len() < 2 {
        return Ok(Combinations::default());
    }
    let mut reader = source.open()?;
    let missing = input::missing(job);
    control.progress().begin(Phase::Read, source.bytes_total());
    let worker = Tuples {
        codes: vec![HashMap::new(); candidates.len()],
        ..Tuples::default()
    };
    let counted = for_each_batch(
        &mut *reader,
        control,
        job.threads(),
        vec![worker],
        |tuples: &mut Tuples, batch, (): &mut ()| {
            for row in 0..batch.rows() {
                if tuples.rows_of_tuples.len() >= MOST_TUPLES {
                    break;
                }
                tuples.tuple.clear();
                for (&at, codes) in candidates.iter().zip(&mut tuples.codes) {
                    let text = std::str::from_utf8(batch.cell(row, at)).unwrap_or_default();
                    let next = codes.len() as u32;
                    let code = codes.entry(hash(missing.normalize(text))).or_insert(next);
                    tuples.tuple.push(*code);
                }
                tuples.rows += 1;
                match tuples.rows_of_tuples.get_mut(&tuples.tuple[..]) {
                    Some(rows) => *rows += 1,
                    None => {
                        let tuple = tuples.tuple.clone().into_boxed_slice();
                        tuples.rows_of_tuples.insert(tuple, 1);
                    }
                }
            }
            Ok(())
        },
        |()| Ok(()),
    );
    control.progress().end();
    let tuples = counted?.pop().ok_or(Error::WorkerLost)?;
    let mut strongest = Vec::new();
    for chosen in pairs_and_triples(candidates.len()) {
        control.check()?;
        strongest.push(tuples.combination(names, candidates, &chosen));
    }
    // Sorting is stable, so equals stay in the order of the table.
    strongest.sort_by(|a, b| {
        let by_unique = b.unique_rows.cmp(&a.unique_rows);
        by_unique
            .then(a.columns.len().cmp(&b.columns.len()))
            .then(b.separation_ratio.total_cmp(&a.separation_ratio))
    });
    strongest.truncate(MOST_REPORTED);
    let all: Vec<usize> = (0..candidates.len()).collect();
    let together = Spread::of(tuples.rows_of_tuples.values().copied());
    Ok(Combinations {
        columns: candidates.iter().map(|&at| names[at].clone()).collect(),
        rows: tuples.rows,
        together: Some(Combination::new(names, candidates, &all, together)),
        strongest,
    })
}

impl Tuples {
    /// What a pair or a triple of the candidates reveals.
    fn combination(&self, names: &[String], candidates: &[usize], chosen: &[usize]) -> Combination {
        let mut rows_of: HashMap<u128, u64> = HashMap::new();
        self.rows_of_tuples.iter().for_each(|(tuple, rows)| {
            // Three numbers of 32 bits side by side.
            let key = chosen
                .iter()
                .fold(0, |key, &at| key << 32 | u128::from(tuple[at]));
            *rows_of.entry(key).or_insert(0) += rows;
        });
        let spread = Spread::of(rows_of.values().copied());
        Combination::new(names, candidates, chosen, spread)
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
