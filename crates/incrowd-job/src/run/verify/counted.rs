//! A published file and its original, counted.

use crate::error::Error;
use crate::run::control::Control;
use crate::run::hierarchies;
use crate::run::input::{self, CountPass};
use crate::run::plan::Plan;
use crate::run::population::People;
use crate::run::published_reader::{Joined, PublishedReader};
use crate::run::unchanged::{ColumnCounter, Measures, Watched};
use crate::spec::Job;
use incrowd_core::counts::{CountEngine, CountedTable, Missing, MissingCells, RowCounter};
use incrowd_core::hierarchy::{ANY, Hierarchy, build};
use incrowd_io::{Fingerprint, RowReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file after its counting pass.
pub(super) struct Counted {
    pub(super) plan: Plan,
    counter: RowCounter,
    /// Of the columns published unchanged.
    pub(super) kept: Measures,
    pub(super) rows_starred: u64,
    /// Of the bytes read.
    pub(super) hash: Fingerprint,
}

/// Which file of the two is read.
#[derive(Clone, Copy)]
pub(super) enum Which<'a> {
    /// The one to be judged.
    Release,
    /// The table it was made from; only these columns are in the release.
    Original { published: &'a [String] },
}

impl Counted {
    /// Counts a file. The cells of the columns `joined` of a row become one more counted value, so that whole rows can
    /// be compared.
    pub(super) fn read(
        job: &Job,
        which: Which<'_>,
        joined: Option<&[String]>,
        control: &Control,
    ) -> Result<Self, Error> {
        let source = input::source(job, control)?;
        let mut reader = source.open()?;
        let mut plan = Plan::of_release(job, &source.name(), reader.columns())?;
        let watched = match which {
            Which::Release => Watched::published(&plan, reader.columns()),
            Which::Original { published } => {
                let names = plan.names.clone();
                plan.kept.retain(|&at| published.contains(&names[at]));
                reader.fingerprint_only(&plan.fingerprinted());
                Watched::raw(&plan)
            }
        };
        let position = |name: &String| plan.names.iter().position(|column| column == name);
        let mut counted = plan.counted();
        let joined = joined.map(|names| Joined {
            columns: (names.iter().filter_map(position))
                .map(|at| (at, counted.contains(&at)))
                .collect(),
            missing: input::missing(job),
        });
        if joined.is_some() {
            counted.push(plan.names.len());
        }
        let rows_starred = Arc::new(AtomicU64::new(0));
        let is_release = matches!(which, Which::Release);
        let counts_stars = is_release.then(|| Arc::clone(&rows_starred));
        let reader = PublishedReader::new(reader, joined, counts_stars);
        let mut counter = RowCounter::new(reader.columns(), &plan.quasi_identifiers, &counted);
        let kept = ColumnCounter::new(watched);
        let mut pass = CountPass::new(job, &*source, Box::new(reader), kept, control);
        pass.count(&mut counter)?;
        let hash = pass.reader.fingerprint()?;
        let (mut kept, _) = pass.finish();
        if !is_release {
            kept.add(Measures::of_counted(&plan, &counter)?);
        }
        let rows_starred = rows_starred.load(Ordering::Relaxed);
        Ok(Counted {
            plan,
            counter,
            kept,
            rows_starred,
            hash,
        })
    }

    /// The values of a column; quasi-identifiers first, then the counted columns.
    fn values(&self, job: &Job, column: usize) -> Vec<(&str, u32)> {
        self.counter.values(column, &input::missing(job))
    }

    fn texts(&self, job: &Job, column: usize) -> Vec<String> {
        let values = self.values(job, column).into_iter();
        values.map(|(text, _)| text.to_owned()).collect()
    }
}

/// The counted tables.
pub(super) struct Finished {
    pub(super) published: CountedTable,
    pub(super) original: Option<CountedTable>,
    /// Everyone whom the rows could be about, if that matters.
    pub(super) population: Option<CountedTable>,
}

/// Builds counted tables of both files, with the same numbers for the same values.
pub(super) fn finish(
    job: &Job,
    mut release: Counted,
    original: Option<(&Job, Counted)>,
    people: Option<People>,
) -> Result<Finished, Error> {
    let missing = input::missing(job);
    let quasi_identifiers = release.plan.quasi_identifiers.len();
    let counted = release.plan.counted().len() + usize::from(original.is_some());
    let mut original = original;
    if let Some((_, original)) = &mut original {
        if let Some(people) = &people {
            people.teach(&mut original.counter, &missing);
        }
        for column in quasi_identifiers..quasi_identifiers + counted {
            for text in original.texts(job, column) {
                release.counter.learn(column, &text);
            }
            for text in release.texts(job, column) {
                original.counter.learn(column, &text);
            }
        }
    }
    let distances = |of: &Counted| {
        let names = of.plan.names_of(&of.plan.counted());
        let hierarchies = names.iter().enumerate().map(|(at, name)| {
            let Some(source) = hierarchies::source_of(job, name) else {
                return Ok(None);
            };
            let values = of.values(job, quasi_identifiers + at);
            let unlisted = job.columns.unlisted.unwrap_or_default();
            let resolved = hierarchies::resolve(name, &source, &values, unlisted)?;
            Ok(Some(resolved.hierarchy))
        });
        let mut hierarchies = hierarchies.collect::<Result<Vec<Option<Hierarchy>>, Error>>()?;
        hierarchies.resize(counted, None);
        Ok::<_, Error>(hierarchies)
    };
    let names = release.plan.names_of(&release.plan.quasi_identifiers);
    // Published values are judged as texts: each is a value of its own, whatever it stands for.
    let as_they_stand = names.iter().enumerate().map(|(at, name)| {
        let values = release.values(job, at);
        let mut texts: Vec<&str> = values.iter().map(|&(text, _)| text).collect();
        if texts.is_empty() {
            // No row has a value, and a hierarchy cannot be empty.
            texts.push(ANY);
        }
        Ok(build::suppress(name, &texts)?)
    });
    let as_they_stand = as_they_stand.collect::<Result<Vec<_>, Error>>()?;
    let release_distances = distances(&release)?;
    let mut population = None;
    let original = match original {
        None => {
            if let Some(people) = people {
                let levels = names.iter().enumerate().map(|(at, name)| {
                    let values = people.values(at, &missing);
                    Ok(hierarchies::of_column(job, name, &values)?.hierarchy)
                });
                let levels = levels.collect::<Result<Vec<_>, Error>>()?;
                population = Some(people.finish(levels, missing.clone())?);
            }
            None
        }
        Some((job, original)) => {
            let hierarchies = names.iter().enumerate().map(|(at, name)| {
                Ok(hierarchies::of_column(job, name, &original.values(job, at))?.hierarchy)
            });
            let hierarchies = hierarchies.collect::<Result<Vec<_>, Error>>()?;
            let distances = distances(&original)?;
            let counter = original.counter;
            let mut table = counter.finish(hierarchies.clone(), distances, missing.clone())?;
            if let Some(people) = people {
                let population = people.finish(hierarchies, missing.clone())?;
                table = table.with_population(population)?;
            }
            Some(table)
        }
    };
    // Published rows are there: a policy that excludes rows applies only to the original.
    let cells = match missing.cells {
        MissingCells::ExcludeRow => MissingCells::OwnValue,
        other => other,
    };
    let missing = Missing { cells, ..missing };
    let published = release
        .counter
        .finish(as_they_stand, release_distances, missing)?;
    Ok(Finished {
        published,
        population: population.or_else(|| {
            let population = original.as_ref()?.population.as_ref()?;
            Some(CountedTable::clone(population))
        }),
        original,
    })
}
