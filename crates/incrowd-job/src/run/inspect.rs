//! Inspects a table: what its columns are, and which of them single people out.
//!
//! Cells are seen, hashed and forgotten: no value leaves this module. Two values of a column that share a
//! 64-bit hash would count as one; for a million values the chance of that is below one in ten million, and it
//! would change a count by one.
//!
//! The first pass keeps, per column, how often each value occurs. The second keeps the distinct tuples of the columns
//! proposed as quasi-identifiers; all their pairs and triples are counted from these tuples, not from rows. Both stop
//! at a fixed number and report that, so memory is bounded. The third counts the values of these columns, to choose
//! their levels.
//!
//! Only a few columns are proposed, since every one costs detail in all others: those that others are likely to know,
//! judging by their names (one per topic), then those that single out many rows in combination with them.

mod combinations;
mod singled_out;

use crate::error::Error;
use crate::report::outcome::VERSION;
use crate::run::batches::for_each_batch;
use crate::run::control::{Control, Phase};
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::input;
use crate::run::roles::{self, LIKELY_MISSING, Leaning, ratio};
use crate::spec::Job;
use hashbrown::HashMap;
use incrowd_core::counts::RowCounter;
use incrowd_core::table::{DateForms, Kind, parse_number};
use incrowd_io::RowSource;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hasher};

/// Distinct values of a column that are kept.
const MOST_VALUES: usize = 1_000_000;

/// What is in a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// [`VERSION`].
    pub version: u32,
    /// The table.
    pub input: String,
    /// Rows of the table.
    pub rows: u64,
    /// Every column, in the order of the table.
    pub columns: Vec<ColumnReport>,
    /// What the columns that others are likely to know reveal in combination.
    pub combinations: Combinations,
    /// Notes that the user should read first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

pub use combinations::{Combination, Combinations};
pub use roles::{ColumnReport, ProposedRole};

/// Text columns examined for what they reveal in combination with those proposed.
const MOST_POSSIBLE: usize = 12;

/// The most columns added because they single people out.
const MOST_ADDED: usize = 4;

/// Inspects the table of a job. Roles given in the job are kept.
pub fn inspect(job: &Job, control: &Control) -> Result<Inspection, Error> {
    Ok(inspect_with_levels(job, control)?.0)
}

/// Inspects the table of a job, and builds the levels of the proposed quasi-identifiers, in the order of the table.
pub(crate) fn inspect_with_levels(
    job: &Job,
    control: &Control,
) -> Result<(Inspection, Vec<ColumnHierarchy>), Error> {
    let source = input::source(job)?;
    let mut reader = source.open()?;
    let names = reader.columns().to_vec();
    let has_padded_cells = reader.has_padded_cells();
    let missing = input::missing(job);
    let threads = job.threads();
    let worker = vec![ColumnCount::default(); names.len()];
    control.progress().begin(Phase::Read, source.bytes_total());
    let counted = for_each_batch(
        &mut *reader,
        control,
        threads,
        vec![worker; threads.saturating_sub(1).max(1)],
        |columns: &mut Vec<ColumnCount>, batch, (): &mut ()| {
            for row in 0..batch.rows() {
                for (at, column) in columns.iter_mut().enumerate() {
                    let text = std::str::from_utf8(batch.cell(row, at)).unwrap_or_default();
                    column.add(missing.normalize(text));
                }
            }
            Ok(())
        },
        |()| Ok(()),
    );
    control.progress().end();
    let mut counted = counted?.into_iter();
    let mut columns = counted.next().ok_or(Error::WorkerLost)?;
    for others in counted {
        for (ours, theirs) in columns.iter_mut().zip(others) {
            ours.absorb(theirs);
        }
    }
    let rows = columns.first().map_or(0, |column| column.rows);
    let (mut columns, leanings): (Vec<ColumnReport>, Vec<Leaning>) = (names.iter())
        .zip(columns)
        .map(|(name, column)| column.report(name, job))
        .unzip();
    let proposed = roles::known_by_name(&leanings);
    let is_given = leanings.contains(&Leaning::Given);
    let mut possible: Vec<usize> = (0..columns.len())
        .filter(|&at| leanings[at] == Leaning::Possible && !is_given)
        .collect();
    possible.sort_by(|&one, &other| {
        let separation = |at: usize| columns[at].separation_ratio.unwrap_or(0.0);
        separation(other).total_cmp(&separation(one)) // stable: of equals the first in the table
    });
    possible.truncate(MOST_POSSIBLE);
    let most = MOST_ADDED.min(roles::MOST_PROPOSED.saturating_sub(proposed.len()));
    let added = singled_out::additions(job, &*source, &proposed, &possible, most, control)?;
    for at in proposed {
        columns[at].role = ProposedRole::QuasiIdentifying;
    }
    for addition in added {
        let column = &mut columns[addition.column];
        column.role = ProposedRole::QuasiIdentifying;
        column.reason = format!(
            "makes {:.0} % more rows unique, combined with the other proposed columns",
            addition.gain * 100.0
        );
    }
    roles::say_why_not(&mut columns, &leanings);
    let chosen: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].role == ProposedRole::QuasiIdentifying)
        .collect();
    let candidates = combinations::candidates(&columns);
    let combinations = combinations::count(job, &*source, &names, &candidates, control)?;
    let levels = levels_of(job, &*source, &chosen, control)?;
    for (&at, levels) in chosen.iter().zip(&levels) {
        columns[at].levels = Some(levels.origin());
    }
    let inspection = Inspection {
        version: VERSION,
        input: source.name(),
        rows,
        columns,
        combinations,
        notes: match has_padded_cells {
            true => vec![input::PADDED_CELLS.to_owned()],
            false => Vec::new(),
        },
    };
    Ok((inspection, levels))
}

/// The levels of each column. Every column is counted by itself, so memory grows with values, not with tuples.
fn levels_of(
    job: &Job,
    source: &dyn RowSource,
    columns: &[usize],
    control: &Control,
) -> Result<Vec<ColumnHierarchy>, Error> {
    let mut reader = source.open()?;
    let names = reader.columns().to_vec();
    let counters: Vec<RowCounter> = (columns.iter())
        .map(|&at| RowCounter::new(&names, &[at], &[]))
        .collect();
    control.progress().begin(Phase::Read, source.bytes_total());
    let counted = for_each_batch(
        &mut *reader,
        control,
        job.threads(),
        vec![counters],
        |counters, batch, (): &mut ()| {
            for counter in counters.iter_mut() {
                counter.add(batch)?;
            }
            Ok(())
        },
        |()| Ok(()),
    );
    control.progress().end();
    let counters = counted?.pop().ok_or(Error::WorkerLost)?;
    let missing = input::missing(job);
    (columns.iter().zip(&counters))
        .map(|(&at, counter)| hierarchies::of_column(job, &names[at], &counter.values(0, &missing)))
        .collect()
}

/// The hash that stands for a cell.
fn hash(text: &str) -> u64 {
    // Fixed keys: the same table is counted the same way every time.
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The state of a column while its rows are read.
#[derive(Debug, Clone)]
struct ColumnCount {
    rows: u64,
    missing: u64,
    /// Rows of each value; abandoned if there are too many values.
    values: Option<HashMap<u64, u32>>,
    are_numbers: bool,
    dates: DateForms,
    likely_missing: [bool; LIKELY_MISSING.len()],
}

impl Default for ColumnCount {
    fn default() -> Self {
        ColumnCount {
            rows: 0,
            missing: 0,
            values: Some(HashMap::new()),
            are_numbers: true,
            dates: DateForms::default(),
            likely_missing: Default::default(),
        }
    }
}

impl ColumnCount {
    fn add(&mut self, text: &str) {
        self.rows += 1;
        if text.is_empty() {
            self.missing += 1;
            return;
        }
        if let Some(values) = &mut self.values {
            let rows = values.entry(hash(text)).or_insert(0);
            *rows = rows.saturating_add(1);
            if *rows > 1 {
                return;
            }
            if values.len() > MOST_VALUES {
                self.values = None;
            }
        }
        // From here on the value is new, or not known to be old.
        if let Some(at) = LIKELY_MISSING.iter().position(|token| *token == text) {
            self.likely_missing[at] = true;
            return;
        }
        self.are_numbers = self.are_numbers && parse_number(text).is_some();
        self.dates.see(text);
    }

    fn absorb(&mut self, other: ColumnCount) {
        self.rows += other.rows;
        self.missing += other.missing;
        self.are_numbers &= other.are_numbers;
        self.dates.absorb(other.dates);
        for (ours, theirs) in self.likely_missing.iter_mut().zip(other.likely_missing) {
            *ours |= theirs;
        }
        self.values = match (self.values.take(), other.values) {
            (Some(mut ours), Some(theirs)) => {
                theirs.into_iter().for_each(|(value, rows)| {
                    let sum = ours.entry(value).or_insert(0);
                    *sum = sum.saturating_add(rows);
                });
                (ours.len() <= MOST_VALUES).then_some(ours)
            }
            _ => None,
        };
    }

    fn kind(&self) -> Kind {
        let any = self.missing < self.rows;
        match (self.are_numbers && any, self.dates.are_dates()) {
            (true, _) => Kind::Number,
            (_, true) => Kind::Date,
            _ => Kind::Text,
        }
    }

    fn report(self, name: &str, job: &Job) -> (ColumnReport, Leaning) {
        let kind = self.kind();
        let spread = self.values.as_ref().map(|values| {
            // A missing cell is a value of its own.
            let missing = (self.missing > 0).then_some(self.missing);
            Spread::of(values.values().map(|&rows| u64::from(rows)).chain(missing))
        });
        let distinct = spread.map_or(MOST_VALUES as u64 + 1, |spread| spread.distinct);
        let mut report = ColumnReport {
            name: name.to_owned(),
            kind: match kind {
                Kind::Number => "number",
                Kind::Date => "date",
                Kind::Text => "text",
            }
            .to_owned(),
            missing: self.missing,
            likely_missing: LIKELY_MISSING
                .iter()
                .zip(self.likely_missing)
                .filter(|(_, seen)| *seen)
                .map(|(token, _)| (*token).to_owned())
                .collect(),
            distinct,
            is_exact: spread.is_some(),
            distinct_ratio: ratio(distinct, self.rows),
            separation_ratio: spread.map(|spread| spread.separation_ratio()),
            unique_rows: spread.map(|spread| spread.unique),
            role: ProposedRole::Plain,
            reason: String::new(),
            levels: None,
        };
        let (role, reason, leaning) = roles::propose(&report, kind, self.rows, &job.columns);
        (report.role, report.reason) = (role, reason);
        (report, leaning)
    }
}

/// The distribution of rows over values or tuples.
#[derive(Debug, Clone, Copy)]
struct Spread {
    rows: u64,
    distinct: u64,
    unique: u64,
    /// Pairs of rows that share a value.
    pairs: u128,
}

impl Spread {
    fn of(counts: impl Iterator<Item = u64>) -> Spread {
        let mut spread = Spread {
            rows: 0,
            distinct: 0,
            unique: 0,
            pairs: 0,
        };
        counts.for_each(|rows| {
            spread.rows += rows;
            spread.distinct += 1;
            spread.unique += u64::from(rows == 1);
            spread.pairs += u128::from(rows) * u128::from(rows.saturating_sub(1)) / 2;
        });
        spread
    }

    /// Share of the pairs of rows that differ.
    fn separation_ratio(&self) -> f64 {
        let all = u128::from(self.rows) * u128::from(self.rows.saturating_sub(1)) / 2;
        match all {
            0 => 0.0,
            all => (all - self.pairs) as f64 / all as f64,
        }
    }
}

#[cfg(test)]
mod tests;
