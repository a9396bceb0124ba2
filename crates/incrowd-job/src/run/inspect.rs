//! Inspects a table: what its columns are, and which of them single people out.
//!
//! Cells are seen, hashed and forgotten: no value leaves this module. Two values of a column that share a
//! 64-bit hash would count as one; for a million values the chance of that is below one in ten million, and it
//! would change a count by one.
//!
//! The first pass counts the values of every column ([`column_count`]) and draws some rows ([`sampled_rows`]), from which
//! follows which columns determine others ([`dependencies`]), which tell rows apart soonest ([`separating`]) and which
//! should be quasi-identifiers. The second pass counts these few columns in all rows: the distinct tuples, from which
//! all pairs and triples are counted ([`combinations`]), and their values, to choose levels. Memory is bounded whatever
//! the table; what does not fit is estimated from samples and marked as such.
//!
//! Only a few columns are proposed, since every one costs detail in all others: those that others are likely to know,
//! judging by their names (one per topic), then those that single out many rows in combination with them.

mod column_count;
mod combinations;
mod dependencies;
mod sampled_rows;
mod separating;
mod singled_out;
mod spread;

use crate::error::Error;
use crate::report::outcome::VERSION;
use crate::run::batches::{for_each_batch, workers};
use crate::run::control::{Control, Phase};
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::input;
use crate::run::looks::LooksLike;
use crate::run::roles::{self, Leaning, Proposal};
use crate::run::sample::hash;
use crate::spec::Job;
use column_count::ColumnCount;
use combinations::Tuples;
use incrowd_core::counts::{Missing, RowCounter};
use incrowd_core::table::RowBatch;
use incrowd_io::RowSource;
use sampled_rows::{RowDraw, SampledRows};
use separating::{Chosen, SeparatingCounter};
use serde::{Deserialize, Serialize};

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
    /// The few columns that tell rows apart soonest, whether or not others are likely to know them.
    #[serde(default)]
    pub separating: Separating,
    /// Columns that determine others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
    /// What would reveal people if it were overlooked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Notes that the user should read first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

pub use combinations::{Combination, Combinations};
pub use dependencies::Dependency;
pub use roles::{ColumnReport, ProposedRole};
pub use separating::{Separating, SeparatingStep};

/// Columns examined for what they reveal in combination with those proposed.
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
    let source = input::source(job, control)?;
    let mut reader = source.open()?;
    let names = reader.columns().to_vec();
    let has_padded_cells = reader.has_padded_cells();
    control.progress().begin(Phase::Read, source.bytes_total());
    let first = FirstLook::new(names.len());
    let missing = input::missing(job);
    let looked = for_each_batch(
        &mut *reader,
        control,
        job.threads(),
        vec![first; workers(job.threads())],
        |first, batch| {
            first.add(batch, &missing);
            Ok(())
        },
    );
    control.progress().end();
    let mut looked = looked?.into_iter();
    let mut first = looked.next().ok_or(Error::WorkerLost)?;
    looked.for_each(|other| first.absorb(other));
    let FirstLook { counts, draw } = first;
    let rows = counts.first().map_or(0, ColumnCount::rows);
    let drawn = draw.finish(names.len());
    let (mut columns, mut leanings) = by_themselves(job, &names, &counts, &drawn);
    let compared = compared(&columns);
    let dependencies = dependencies::find(&drawn, &names, &compared, control)?;
    leave_out_repeated(&mut columns, &mut leanings, &dependencies);
    propose_quasi_identifiers(&mut columns, &leanings, &drawn, control)?;
    let chosen: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].role == ProposedRole::QuasiIdentifying)
        .collect();
    let separating = (compared.iter().copied())
        .filter(|&at| columns[at].role != ProposedRole::Sensitive)
        .collect::<Vec<_>>();
    let second = SecondLook {
        candidates: combinations::candidates(&columns),
        separating: separating::choose(&drawn, &separating, control)?,
        chosen,
    };
    let (combinations, separating, levels) =
        second.count(job, &*source, &names, drawn.rows, control)?;
    for (&at, levels) in second.chosen.iter().zip(&levels) {
        columns[at].levels = Some(levels.origin());
    }
    let mut notes = Vec::new();
    if has_padded_cells {
        notes.push(input::PADDED_CELLS.to_owned());
    }
    if (drawn.rows as u64) < rows {
        notes.push(format!(
            "columns are compared with each other on {} rows drawn at random",
            drawn.rows
        ));
    }
    let inspection = Inspection {
        version: VERSION,
        input: source.name(),
        rows,
        warnings: warnings(&columns, &dependencies),
        columns,
        combinations,
        separating,
        dependencies,
        notes,
    };
    Ok((inspection, levels))
}

/// A cell of a batch, empty if it is missing.
fn cell<'b>(batch: &'b RowBatch, row: usize, column: usize, missing: &Missing) -> &'b [u8] {
    let cell = batch.cell(row, column);
    match missing.tokens.iter().any(|token| token.as_bytes() == cell) {
        true => &[],
        false => cell,
    }
}

/// The first pass: every column by itself, and some rows.
#[derive(Debug, Clone)]
struct FirstLook {
    counts: Vec<ColumnCount>,
    draw: RowDraw,
}

impl FirstLook {
    fn new(columns: usize) -> Self {
        FirstLook {
            counts: vec![ColumnCount::new(columns); columns],
            draw: RowDraw::new(columns),
        }
    }

    fn add(&mut self, batch: &RowBatch, missing: &Missing) {
        // Column by column, so that the counts of one stay in a fast cache.
        for (at, column) in self.counts.iter_mut().enumerate() {
            for row in 0..batch.rows() {
                column.add(cell(batch, row, at, missing));
            }
        }
        let columns = self.counts.len();
        for row in 0..batch.rows() {
            let cells = || (0..columns).map(|at| hash(cell(batch, row, at, missing)));
            self.draw
                .see(batch.first_row() + row as u64, || cells().collect());
        }
    }

    fn absorb(&mut self, other: FirstLook) {
        for (ours, theirs) in self.counts.iter_mut().zip(other.counts) {
            ours.absorb(theirs);
        }
        self.draw.absorb(other.draw);
    }
}

/// What is in each column, and the role it would have by itself.
fn by_themselves(
    job: &Job,
    names: &[String],
    counts: &[ColumnCount],
    drawn: &SampledRows,
) -> (Vec<ColumnReport>, Vec<Leaning>) {
    let columns = names.iter().zip(counts).zip(&drawn.columns);
    columns
        .map(|((name, count), sampled)| {
            let mut report = count.report(name, sampled);
            let proposal = roles::propose(&count.evidence(&report), &job.columns);
            let Proposal {
                role,
                reason,
                leaning,
                looks_like,
            } = proposal;
            (report.role, report.reason, report.looks_like) = (role, reason, looks_like);
            (report, leaning)
        })
        .unzip()
}

/// The columns that are compared with each other: neither the same in every row, nor identifying, nor a weight.
fn compared(columns: &[ColumnReport]) -> Vec<usize> {
    let is_compared = |column: &ColumnReport| {
        column.distinct > 1
            && column.role != ProposedRole::Identifying
            && column.looks_like != Some(LooksLike::SurveyWeight)
    };
    (0..columns.len())
        .filter(|&at| is_compared(&columns[at]))
        .collect()
}

/// Of two columns that carry the same and may be quasi-identifiers, only the better known one stays in question.
fn leave_out_repeated(
    columns: &mut [ColumnReport],
    leanings: &mut [Leaning],
    dependencies: &[Dependency],
) {
    let may_be = |leaning: Leaning| matches!(leaning, Leaning::Named { .. } | Leaning::Possible);
    for dependency in dependencies.iter().filter(|it| it.is_mutual) {
        let position = |name: &String| columns.iter().position(|column| column.name == *name);
        let both = position(&dependency.column).zip(position(&dependency.determines));
        let Some((first, second)) = both else {
            continue;
        };
        let is_known = |at: usize| leanings[at] == Leaning::Given || may_be(leanings[at]);
        if !is_known(first) || !is_known(second) {
            continue;
        }
        let (stays, goes) = match leanings[second] < leanings[first] {
            true => (second, first),
            false => (first, second),
        };
        if may_be(leanings[goes]) {
            let name = columns[stays].name.escape_debug().to_string();
            columns[goes].reason = format!("carries the same as `{name}`, so leave it out");
            leanings[goes] = Leaning::None;
        }
    }
}

/// Proposes the columns that others know, and those that single people out in combination with them; says of the others
/// why not.
fn propose_quasi_identifiers(
    columns: &mut [ColumnReport],
    leanings: &[Leaning],
    drawn: &SampledRows,
    control: &Control,
) -> Result<(), Error> {
    let mut proposed = roles::known_by_name(leanings);
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
    let added = singled_out::additions(drawn, &proposed, &possible, most, control)?;
    for &at in &proposed {
        columns[at].role = ProposedRole::QuasiIdentifying;
    }
    for addition in added {
        let column = &mut columns[addition.column];
        column.role = ProposedRole::QuasiIdentifying;
        column.reason = format!(
            "makes {:.0} % more rows unique, combined with the other proposed columns",
            addition.gain * 100.0
        );
        proposed.push(addition.column);
    }
    roles::say_why_not(columns, leanings);
    let could_be: Vec<usize> = (0..columns.len())
        .filter(|&at| columns[at].role == ProposedRole::Plain)
        .filter(|&at| matches!(leanings[at], Leaning::Named { .. } | Leaning::Possible))
        .collect();
    let gains = singled_out::gains(drawn, &proposed, &could_be, control)?;
    for (at, gain) in could_be.into_iter().zip(gains) {
        let column = &mut columns[at];
        column.if_published = Some(ProposedRole::QuasiIdentifying);
        if gain >= 0.01 {
            column.reason += &format!("; it would make {:.0} % more rows unique", gain * 100.0);
        }
    }
    Ok(())
}

/// What would reveal people if it were overlooked. Columns whose role leaves them out cannot.
fn warnings(columns: &[ColumnReport], dependencies: &[Dependency]) -> Vec<String> {
    let mut warnings = Vec::new();
    for column in columns {
        let name = column.name.escape_debug();
        if column.looks_like == Some(LooksLike::FreeText) {
            warnings.push(format!(
                "`{name}` is free text and may name people, places and dates in any row; no privacy model covers that"
            ));
        }
        let is_kept = column.role == ProposedRole::Plain && column.reason == roles::GIVEN;
        let unique = column.unique_rows.unwrap_or(0) as f64 / column.distinct.max(1) as f64;
        if is_kept && column.distinct_ratio * unique >= roles::MANY_ALONE {
            warnings.push(format!(
                "`{name}` is nearly unique: whoever knows a value finds the row"
            ));
        }
    }
    let role_of = |name: &String| {
        let column = columns.iter().find(|column| column.name == *name);
        column.map_or(ProposedRole::Plain, |column| column.role)
    };
    for dependency in dependencies {
        let mut ways = vec![(&dependency.column, &dependency.determines)];
        if dependency.is_mutual {
            ways.push((&dependency.determines, &dependency.column));
        }
        for (column, determined) in ways {
            if role_of(determined) == ProposedRole::QuasiIdentifying
                && matches!(
                    role_of(column),
                    ProposedRole::Plain | ProposedRole::Sensitive
                )
            {
                warnings.push(format!(
                    "publish `{}` unchanged, and generalizing `{}` is in vain: the one determines the other",
                    column.escape_debug(),
                    determined.escape_debug()
                ));
            }
        }
    }
    warnings
}

/// The second pass: a few columns together, and the levels of those proposed.
struct SecondLook {
    /// The quasi-identifiers, which need levels.
    chosen: Vec<usize>,
    /// Those of which pairs and triples are counted.
    candidates: Vec<usize>,
    separating: Vec<Chosen>,
}

/// What the second pass counts.
#[derive(Clone)]
struct SecondCounts {
    tuples: Tuples,
    separating: SeparatingCounter,
    /// The values of each quasi-identifier by itself, so memory grows with values, not with tuples.
    values: Vec<RowCounter>,
}

impl SecondLook {
    fn count(
        &self,
        job: &Job,
        source: &dyn RowSource,
        names: &[String],
        rows_drawn: usize,
        control: &Control,
    ) -> Result<(Combinations, Separating, Vec<ColumnHierarchy>), Error> {
        let missing = input::missing(job);
        let counts = SecondCounts {
            tuples: Tuples::new(self.candidates.len()),
            separating: SeparatingCounter::new(self.separating.len()),
            values: (self.chosen.iter())
                .map(|&at| RowCounter::new(names, &[at], &[]))
                .collect(),
        };
        let mut reader = source.open()?;
        control.progress().begin(Phase::Read, source.bytes_total());
        let counted = for_each_batch(
            &mut *reader,
            control,
            job.threads(),
            vec![counts],
            |counts, batch| {
                let hashed = |row, at| hash(cell(batch, row, at, &missing));
                for row in 0..batch.rows() {
                    let candidates = self.candidates.iter();
                    counts.tuples.add(candidates.map(|&at| hashed(row, at)));
                    let separating = self.separating.iter();
                    let separating = separating.map(|chosen| hashed(row, chosen.column));
                    counts.separating.add(separating);
                }
                for values in &mut counts.values {
                    values.add(batch)?;
                }
                Ok(())
            },
        );
        control.progress().end();
        let counts = counted?.pop().ok_or(Error::WorkerLost)?;
        let combinations =
            (counts.tuples).combinations(names, &self.candidates, job.threads(), control)?;
        let separating = (counts.separating).finish(names, &self.separating, rows_drawn);
        let levels = (self.chosen.iter().zip(&counts.values))
            .map(|(&at, values)| {
                hierarchies::of_column(job, &names[at], &values.values(0, &missing))
            })
            .collect::<Result<_, Error>>()?;
        Ok((combinations, separating, levels))
    }
}

#[cfg(test)]
mod tests;
