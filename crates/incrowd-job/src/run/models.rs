//! The privacy models of a job, built for a counted table.

use crate::error::Error;
use crate::report::outcome::{Figure, PrivacyReached};
use crate::spec::{Job, MissingCells};
use incrowd_core::counts::{CountedTable, Histogram};
use incrowd_core::privacy::{ClassView, ModelSpec, Monotonicity, PrivacyModel, ReleaseView};
use incrowd_core::publish::Reached;

/// Parses models as users write them. Needs no table, so misspelled models are refused before one is read.
pub(crate) fn parse(texts: &[String]) -> Result<Vec<ModelSpec>, Error> {
    let mut specs = Vec::new();
    for text in texts {
        let spec: ModelSpec = text.parse()?;
        spec.check_complete()?;
        specs.push(spec);
    }
    Ok(specs)
}

/// The first model about a population, if there is one.
pub(crate) fn about_population(specs: &[ModelSpec]) -> Option<&'static str> {
    let mut specs = specs.iter().filter(|spec| spec.needs_population());
    specs.next().map(|spec| spec.name())
}

/// Refuses models about a population if the job names none, or where they cannot be judged.
pub(crate) fn check_population(job: &Job, specs: &[ModelSpec]) -> Result<(), Error> {
    let Some(model) = about_population(specs) else {
        return Ok(());
    };
    if job.privacy.population.is_none() {
        return Err(Error::PopulationNeeded { model });
    }
    match job.data.missing_cells {
        Some(MissingCells::MatchAny) => Err(Error::PopulationElsewhere {
            model,
            place: "missing cells that match any value",
        }),
        _ => Ok(()),
    }
}

/// Builds the models for every column they apply to; `sensitive` are indexes of counted columns.
pub(crate) fn build(
    specs: &[ModelSpec],
    table: &CountedTable,
    sensitive: &[usize],
) -> Result<Vec<Box<dyn PrivacyModel>>, Error> {
    let mut models = Vec::new();
    for spec in specs {
        models.extend(spec.build_all(&table.columns, sensitive)?);
    }
    Ok(models)
}

/// Refuses models that no class of the table can satisfy, because not even all rows together do.
///
/// Only models that survive merging with any class can be refused that way.
pub(crate) fn check_reach(
    models: &[Box<dyn PrivacyModel>],
    table: &CountedTable,
) -> Result<(), Error> {
    for model in models {
        if model.monotonicity() != Monotonicity::UnionWithAny {
            continue;
        }
        let (values, counts): (Vec<u32>, Vec<u32>) = match model.column() {
            Some(column) => (0..)
                .zip(table.columns[column].rows_of_values.iter().copied())
                .filter(|&(_, rows)| rows > 0)
                .unzip(),
            None => Default::default(),
        };
        let histogram = Histogram {
            values: &values,
            counts: &counts,
        };
        let people = table.population.as_ref().map_or(0, |people| people.rows);
        let whole = ClassView::new(table.rows, histogram).with_people(people);
        let release = ReleaseView::of_sizes([table.rows]);
        let measure = match model.is_about_release() {
            true => model.measure_release(release).unwrap_or(0.0),
            false => model.measure(&whole),
        };
        if !model.holds(&whole) || !model.holds_in_release(release) {
            return Err(Error::OutOfReach {
                model: describe(&**model, table),
                reached: Figure(measure),
                rows: table.rows.into(),
            });
        }
    }
    Ok(())
}

/// The canonical text of a model; it names its column if several columns are counted.
pub(crate) fn describe(model: &dyn PrivacyModel, table: &CountedTable) -> String {
    describe_among(model, table, table.columns.len())
}

/// The same if only the first few columns are counted for their values.
fn describe_among(model: &dyn PrivacyModel, table: &CountedTable, counted: usize) -> String {
    let column = model.column().map(|column| &*table.columns[column].name);
    model.describe(column.filter(|_| counted > 1))
}

/// How far the models are satisfied, for reports.
pub(crate) fn reached(
    models: &[Box<dyn PrivacyModel>],
    reached: &[Reached],
    table: &CountedTable,
) -> Vec<PrivacyReached> {
    reached_among(models, reached, table, table.columns.len())
}

/// The same if only the first few columns are counted for their values.
pub(crate) fn reached_among(
    models: &[Box<dyn PrivacyModel>],
    reached: &[Reached],
    table: &CountedTable,
    counted: usize,
) -> Vec<PrivacyReached> {
    models
        .iter()
        .zip(reached)
        .map(|(model, reached)| PrivacyReached {
            model: describe_among(&**model, table, counted),
            reached: reached.worst.filter(|worst| worst.is_finite()).map(Figure),
            holds: reached.holds,
        })
        .collect()
}
