//! The files whose risk is measured, counted: each in one pass.

use crate::error::Error;
use crate::run::control::Control;
use crate::run::hierarchies;
use crate::run::input::{self, CountPass};
use crate::run::plan::Plan;
use crate::run::population::People;
use crate::run::published_reader::PublishedReader;
use crate::run::unchanged::ColumnCounter;
use crate::run::verify::as_released;
use crate::spec::Job;
use incrowd_core::counts::{CountEngine, CountedTable, Missing, MissingCells, RowCounter};
use incrowd_core::hierarchy::{ANY, Hierarchy, build};
use incrowd_io::{RowReader, RowSource};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A table to measure; every text is a value of its own, whatever it stands for.
pub(super) struct Counted {
    pub(super) input: String,
    pub(super) table: CountedTable,
    /// Rows that are `*` in every column.
    pub(super) rows_starred: u64,
    pub(super) has_padded_cells: bool,
}

impl Counted {
    /// The file that the job names, which may be a release.
    pub(super) fn read_release(
        job: &Job,
        has_original: bool,
        control: &Control,
    ) -> Result<Self, Error> {
        Self::read(&as_released(job, has_original, control), true, control)
    }

    /// The table that it was made from.
    pub(super) fn read_original(job: &Job, path: &str, control: &Control) -> Result<Self, Error> {
        Self::read(&other_table(job, path), false, control)
    }

    fn read(job: &Job, is_release: bool, control: &Control) -> Result<Self, Error> {
        let source = input::source(job, control)?;
        let mut reader = source.open()?;
        // Nothing is said about the bytes.
        reader.leave_fingerprint();
        let has_padded_cells = reader.has_padded_cells();
        let plan = Plan::of_release(job, &source.name(), reader.columns())?;
        let rows_starred = Arc::new(AtomicU64::new(0));
        let starred = is_release.then(|| Arc::clone(&rows_starred));
        let reader = Box::new(PublishedReader::new(reader, None, starred));
        let counter = count(
            job,
            &*source,
            reader,
            &plan.quasi_identifiers,
            &plan.sensitive,
            control,
        )?;
        let missing = missing(job);
        let names = plan.names_of(&plan.quasi_identifiers);
        let as_they_stand = names.iter().enumerate().map(|(at, name)| {
            let values = counter.values(at, &missing);
            let mut texts: Vec<&str> = values.iter().map(|&(text, _)| text).collect();
            if texts.is_empty() {
                // No row has a value, and a hierarchy cannot be empty.
                texts.push(ANY);
            }
            Ok(build::suppress(name, &texts)?)
        });
        let as_they_stand = as_they_stand.collect::<Result<Vec<_>, Error>>()?;
        let distances = vec![None; plan.sensitive.len()];
        let table = finished(counter, as_they_stand, distances, missing, &source.name())?;
        Ok(Counted {
            input: source.name(),
            table,
            rows_starred: rows_starred.load(Ordering::Relaxed),
            has_padded_cells,
        })
    }
}

/// The table of a population, with the levels that published values may come from.
pub(super) struct CountedPopulation {
    pub(super) input: String,
    pub(super) table: CountedTable,
}

impl CountedPopulation {
    pub(super) fn read(job: &Job, path: &str, control: &Control) -> Result<Self, Error> {
        let people = People::read(job, path, control)?;
        let missing = missing(job);
        let names = job.columns.quasi_identifiers.as_deref().unwrap_or_default();
        let levels = names.iter().enumerate().map(|(at, name)| {
            Ok(hierarchies::of_column(job, name, &people.values(at, &missing))?.hierarchy)
        });
        let levels = levels.collect::<Result<Vec<_>, Error>>()?;
        Ok(CountedPopulation {
            input: people.input.clone(),
            table: people.finish(levels, missing)?,
        })
    }
}

/// The same job for another raw table.
fn other_table(job: &Job, path: &str) -> Job {
    let mut job = job.clone();
    job.data.path = Some(path.to_owned());
    job.data.table = None;
    job
}

/// Missing cells that could be any value are a value of their own here.
fn missing(job: &Job) -> Missing {
    let missing = input::missing(job);
    Missing {
        cells: match missing.cells {
            MissingCells::ExcludeRow => MissingCells::ExcludeRow,
            _ => MissingCells::OwnValue,
        },
        ..missing
    }
}

fn count(
    job: &Job,
    source: &dyn RowSource,
    reader: Box<dyn RowReader + Send>,
    quasi_identifiers: &[usize],
    counted: &[usize],
    control: &Control,
) -> Result<RowCounter, Error> {
    let mut counter = RowCounter::new(reader.columns(), quasi_identifiers, counted);
    let mut pass = CountPass::new(job, source, reader, ColumnCounter::default(), control);
    pass.count(&mut counter)?;
    Ok(counter)
}

fn finished(
    counter: RowCounter,
    levels: Vec<Hierarchy>,
    distances: Vec<Option<Hierarchy>>,
    missing: Missing,
    input: &str,
) -> Result<CountedTable, Error> {
    let table = counter.finish(levels, distances, missing)?;
    match table.rows == 0 && table.rows_excluded > 0 {
        true => Err(Error::AllRowsExcluded {
            input: input.to_owned(),
            rows: table.rows_excluded.into(),
        }),
        false => Ok(table),
    }
}
