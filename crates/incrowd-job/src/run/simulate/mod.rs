//! Is k reachable at all? By formula and by simulation, before anyone anonymizes, or has a table.

mod columns;
mod plots;
mod trials;

use crate::error::Error;
use crate::report::outcome::{Figure128, VERSION};
use crate::report::simulation::{Chance, NeededByColumns, Simulation};
use crate::run::control::{Control, Phase};
use crate::run::{files, models};
use crate::spec::Job;
use columns::DrawnColumns;
use incrowd_core::chance::{Combinations, MOST_ROWS, Sampler, chance, rows_needed};
use std::path::PathBuf;
use trials::{Trials, run_trials};

/// The fewest tables that a simulation draws.
const LEAST_REPEATS: u64 = 50;

/// The most.
const MOST_REPEATS: u64 = 10_000_000;

/// The tables drawn if the user does not say how many, unless that is too much work.
const REPEATS: u64 = 500;

/// What is too much work, in draws: about a second.
const MOST_WORK: u64 = 100_000_000;

/// The seed if the job has none.
const SEED: u64 = 1;

/// The chance that plots are about if none is asked for.
const SHARE: f64 = 0.95;

/// The greatest chance that rows can be asked for. Certainty cannot be had, and the formula has only so many digits.
const GREATEST_SHARE: f64 = 0.999_999;

/// Noted if the formula had to treat different chances as equal.
const NEARLY_EXACT: &str = "there are many different combinations; those that are about equally likely were treated as equally likely, so the \
     formula may be off by a tenth of a point";

/// What is simulated, beside the table, the quasi-identifiers and k of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulateOptions {
    /// So many columns, rather than those of a table.
    pub attributes: Option<u64>,
    /// The values that each of them has; 2 if not given.
    pub values: Option<u64>,
    /// Columns with these numbers of values, rather than those of a table.
    pub domain: Option<Vec<u64>>,
    /// Whether whole combinations are drawn from the table, rather than each column by itself.
    pub whole_rows: bool,
    /// The levels that the columns of the table are generalized to first; none if not given.
    pub levels: Option<Vec<u8>>,
    /// Rows of the tables to draw; those of the table if not given.
    pub rows: Option<u64>,
    /// Tables to draw.
    pub repeats: Option<u64>,
    /// The chance, in percent, for which the rows needed are asked.
    pub rows_needed: Option<f64>,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
}

/// Computes and simulates the chance that every combination that occurs at all occurs at least k times.
pub fn simulate(
    job: &Job,
    options: &SimulateOptions,
    control: &Control,
) -> Result<Simulation, Error> {
    let asked = Asked::of(job, options)?;
    let claims = files::claims(job);
    let limit = job.search.time_limit;
    let columns = DrawnColumns::of(job, options, control)?;
    control.within(limit, Phase::Simulate, || {
        let mut found = asked.answer(job, &columns, control)?;
        if let Some(folder) = &options.plot {
            // Only now, so that a request that is refused leaves no folder behind.
            std::fs::create_dir_all(folder).map_err(|error| Error::Folder {
                path: folder.clone(),
                kind: error.kind(),
            })?;
            let share = asked.share.unwrap_or(SHARE);
            found.plots = plots::write(folder, &claims, &columns, &found, share, control)?;
        }
        Ok(found)
    })
}

/// What is asked, checked.
struct Asked {
    k: u32,
    rows: Option<u64>,
    repeats: Option<u64>,
    /// The chance for which the rows needed are asked.
    share: Option<f64>,
    is_plotted: bool,
    notes: Vec<String>,
}

impl Asked {
    fn of(job: &Job, options: &SimulateOptions) -> Result<Asked, Error> {
        let mut notes = Vec::new();
        let specs = models::parse(job.privacy.models.as_deref().unwrap_or_default())?;
        let k = specs.iter().find(|spec| spec.name() == "k-anonymity");
        let k = k.and_then(|spec| spec.setting("k")?.trim().parse().ok());
        let k: u32 = k.ok_or(Error::NoPrivacyModel)?;
        if specs.len() > 1 {
            notes.push("only k-anonymity is simulated; other privacy models need more rows".into());
        }
        if let Some(rows) = options.rows
            && !(1..=MOST_ROWS).contains(&rows)
        {
            return Err(Error::SimulatedRows {
                rows,
                most: MOST_ROWS,
            });
        }
        let has_table = options.attributes.is_none() && options.domain.is_none();
        if options.rows.is_none() && options.rows_needed.is_none() && !has_table {
            return Err(Error::RowsNotGiven);
        }
        if let Some(repeats) = options.repeats
            && !(LEAST_REPEATS..=MOST_REPEATS).contains(&repeats)
        {
            return Err(Error::Repeats {
                repeats,
                least: LEAST_REPEATS,
                most: MOST_REPEATS,
            });
        }
        let share = options.rows_needed.map(|percent| percent / 100.0);
        if share.is_some_and(|share| share > GREATEST_SHARE) {
            return Err(Error::CertainChance {
                greatest: 100.0 * GREATEST_SHARE,
            });
        }
        Ok(Asked {
            k,
            rows: options.rows,
            repeats: options.repeats,
            share,
            is_plotted: options.plot.is_some(),
            notes,
        })
    }

    fn answer(
        &self,
        job: &Job,
        columns: &DrawnColumns,
        control: &Control,
    ) -> Result<Simulation, Error> {
        let combinations = columns.combinations(columns.len())?;
        let needed = |combinations: &Combinations, share| {
            rows_needed(combinations, self.k, share, &|| control.check())
        };
        let mut notes = self.notes.clone();
        notes.extend(columns.notes.iter().cloned());
        let answer = self
            .share
            .map(|share| needed(&combinations, share))
            .transpose()?
            .flatten();
        if !combinations.is_exact() {
            notes.push(NEARLY_EXACT.to_owned());
        }
        let rows = self.rows.or(columns.rows).or(answer);
        let rows = rows.ok_or(Error::RowsOutOfReach { most: MOST_ROWS })?;
        let formula = chance(&combinations, self.k, rows, &|| control.check())?;
        let seed = job.search.seed.unwrap_or(SEED);
        let trials = self.try_out(
            &Sampler::new(&combinations, self.k, rows),
            seed,
            job,
            control,
        )?;
        let mut by_columns = Vec::new();
        if self.share.is_some() || self.is_plotted {
            for first in 1..=columns.len() {
                let combinations = columns.combinations(first)?;
                by_columns.push(NeededByColumns {
                    columns: first as u64,
                    combinations: Figure128(combinations.count()),
                    rows_needed: needed(&combinations, self.share.unwrap_or(SHARE))?,
                });
            }
        }
        Ok(Simulation {
            version: VERSION,
            rows,
            k: self.k,
            combinations: Figure128(combinations.count()),
            columns: columns.described(),
            drawn: columns.drawn,
            chance: Chance::new(formula, trials.reached, trials.repeats),
            repeats: trials.repeats,
            seed,
            rows_needed: answer,
            share: self.share,
            by_columns,
            plots: Vec::new(),
            notes,
        })
    }

    /// Draws as many tables as asked for; without a wish, as many as are not too much work.
    ///
    /// The work is counted in draws, not in seconds, so that every machine draws the same tables.
    fn try_out(
        &self,
        sampler: &Sampler,
        seed: u64,
        job: &Job,
        control: &Control,
    ) -> Result<Trials, Error> {
        let threads = job.threads();
        let progress = control.progress();
        progress.begin(Phase::Simulate, Some(self.repeats.unwrap_or(REPEATS)));
        let all = || {
            let Some(repeats) = self.repeats else {
                let first = run_trials(sampler, seed, 0..LEAST_REPEATS, threads, control)?;
                let affordable = MOST_WORK / (first.steps / LEAST_REPEATS).max(1);
                let repeats = affordable.clamp(LEAST_REPEATS, REPEATS);
                let rest = run_trials(sampler, seed, LEAST_REPEATS..repeats, threads, control)?;
                return Ok(first.and(rest));
            };
            run_trials(sampler, seed, 0..repeats, threads, control)
        };
        let trials = all();
        progress.end();
        trials
    }
}
