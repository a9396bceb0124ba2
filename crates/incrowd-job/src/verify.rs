//! Judges a published file, whoever made it.

use crate::control::Control;
use crate::error::Error;
use crate::hierarchies;
use crate::input;
use crate::job::Job;
use crate::models;
use crate::outcome::{AgainstOriginal, Figure, PrivacyReached, VERSION, Verification};
use crate::plan::Plan;
use crate::published_reader::PublishedReader;
use incrowd_core::counts::{CountedTable, Missing, MissingCells, RowCounter};
use incrowd_core::hierarchy::{ANY, Hierarchy, build};
use incrowd_core::privacy::{
    Decimal, Direction, MODELS, ModelEntry, ModelSpec, ParameterKind, PrivacyModel,
};
use incrowd_core::publish::{self, Reached, Violation, compare_with_original};
use incrowd_core::table::RowBatch;
use incrowd_io::RowReader;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Classes smaller than this single people out; what "safe" means when no promise was named.
const LEAST_CROWD: u64 = 2;

/// Judges the file that the job names as its table; against the table it was made from, if that is given.
///
/// Without models every model is measured, and the file counts as safe when nobody stands alone in it.
pub fn verify(job: &Job, original: Option<&str>, control: &Control) -> Result<Verification, Error> {
    let texts = job.privacy.models.as_deref().unwrap_or_default();
    let specs = models::parse(texts)?;
    let path = job.data.path.as_deref().ok_or(Error::NoData)?;
    // The release may have apostrophes that its original does not have.
    let mut of_release = job.clone();
    of_release.data.spreadsheet_safe = job.output.spreadsheet_safe == Some(true);
    let (release, original) = match original {
        None => (Counted::read(&of_release, path, None, control)?, None),
        Some(original) => {
            let shared = shared_columns(job, &of_release, original)?;
            let release = Counted::read(&of_release, path, Some(&shared), control)?;
            (
                release,
                Some(Counted::read(job, original, Some(&shared), control)?),
            )
        }
    };
    let rows_starred = release.rows_starred;
    let identifying_published = release.plan.names_of(&release.plan.dropped);
    let sensitive: Vec<usize> = (0..release.plan.sensitive.len()).collect();
    let (published, original) = finish(job, release, original)?;
    // Distances are measured from the distribution of the original, where it is known.
    let reference = original.as_ref().unwrap_or(&published);
    let (judged, privacy) = if specs.is_empty() {
        measure_all(&published, reference, &sensitive)?
    } else {
        let built = models::build(&specs, reference, &sensitive)?;
        let judged = publish::verify(&published, &built);
        let privacy = models::reached(&built, &judged.reached, reference);
        (judged, privacy)
    };
    let against_original = original.as_ref().map(|original| {
        let mut against = against(compare_with_original(&published, original));
        let rows = u64::from(original.rows + original.rows_excluded);
        let allowed = job.privacy.max_suppressed.map(|budget| budget.rows(rows));
        if let Some(allowed) = allowed.filter(|&allowed| against.rows_suppressed > allowed) {
            against.violations.push(format!(
                "{} rows are not published, {allowed} were allowed",
                against.rows_suppressed
            ));
        }
        against
    });
    let keeps_promises = match specs.is_empty() {
        true => u64::from(judged.smallest_class) >= LEAST_CROWD || judged.classes == 0,
        false => judged.is_safe(),
    };
    let is_faithful = against_original
        .as_ref()
        .is_none_or(|against| against.violations.is_empty());
    Ok(Verification {
        version: VERSION,
        safe: keeps_promises && is_faithful && identifying_published.is_empty(),
        asked: !specs.is_empty(),
        privacy,
        smallest_class: judged.smallest_class.into(),
        classes: judged.classes as u64,
        rows: judged.rows.into(),
        rows_starred,
        identifying_published,
        against_original,
    })
}

/// The columns beside the quasi-identifiers that both files have, in the order of the first.
fn shared_columns(job: &Job, of_release: &Job, original: &str) -> Result<Vec<String>, Error> {
    let columns = |job: &Job, path: &str| -> Result<Vec<String>, Error> {
        Ok(input::source(job, path)?.open()?.columns().to_vec())
    };
    let release = of_release.data.path.as_deref().ok_or(Error::NoData)?;
    let (release, original) = (columns(of_release, release)?, columns(job, original)?);
    let quasi_identifiers = job.columns.quasi_identifiers.as_deref().unwrap_or_default();
    let is_shared = |name: &String| original.contains(name) && !quasi_identifiers.contains(name);
    Ok(release.into_iter().filter(is_shared).collect())
}

/// A file after its counting pass.
struct Counted {
    plan: Plan,
    counter: RowCounter,
    rows_starred: u64,
}

impl Counted {
    /// Counts a file. The cells of the columns `joined` of a row become one more counted value, so that rows can
    /// be compared whole.
    fn read(
        job: &Job,
        path: &str,
        joined: Option<&[String]>,
        control: &Control,
    ) -> Result<Self, Error> {
        let source = input::source(job, path)?;
        let reader = source.open()?;
        let plan = Plan::of_release(job, &source.name(), reader.columns())?;
        let position = |name: &String| plan.names.iter().position(|column| column == name);
        let joined = joined.map(|names| names.iter().filter_map(position).collect());
        let mut counted = plan.counted();
        if joined.is_some() {
            counted.push(plan.names.len());
        }
        let rows_starred = Arc::new(AtomicU64::new(0));
        let reader = PublishedReader::new(reader, joined, Arc::clone(&rows_starred));
        let counter = RowCounter::new(reader.columns(), &plan.quasi_identifiers, &counted);
        let empty = counter.clone();
        let columns = reader.columns().len();
        let (mut counter, _) = input::count(job, &source, Box::new(reader), counter, control)?;
        let mut rows_starred = rows_starred.load(Ordering::Relaxed);
        if counter.rows() == 0 && rows_starred > 0 {
            // Nothing but `*`: a table published at the top, not one of suppressed rows.
            counter = empty;
            let mut row = RowBatch::new(columns);
            (0..columns).for_each(|_| row.push_cell(ANY.as_bytes()));
            for _ in 0..std::mem::take(&mut rows_starred) {
                counter.add(&row)?;
            }
        }
        Ok(Counted {
            plan,
            counter,
            rows_starred,
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

/// Makes counted tables of both files, with the same numbers for the same values.
fn finish(
    job: &Job,
    mut release: Counted,
    mut original: Option<Counted>,
) -> Result<(CountedTable, Option<CountedTable>), Error> {
    let missing = input::missing(job);
    let quasi_identifiers = release.plan.quasi_identifiers.len();
    let counted = release.plan.counted().len() + usize::from(original.is_some());
    if let Some(original) = &mut original {
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
            let unlisted = job.columns.missing.unwrap_or_default();
            let resolved = hierarchies::resolve(name, Some(&source), &values, unlisted)?;
            Ok(Some(resolved.hierarchy))
        });
        let mut hierarchies = hierarchies.collect::<Result<Vec<Option<Hierarchy>>, Error>>()?;
        hierarchies.resize(counted, None);
        Ok::<_, Error>(hierarchies)
    };
    let names = release.plan.names_of(&release.plan.quasi_identifiers);
    // Published values are judged as they stand: each is its own, whatever it stands for.
    let as_they_stand = names.iter().enumerate().map(|(at, name)| {
        let values = release.values(job, at);
        let texts: Vec<&str> = values.iter().map(|&(text, _)| text).collect();
        Ok(build::suppress(name, &texts)?)
    });
    let as_they_stand = as_they_stand.collect::<Result<Vec<_>, Error>>()?;
    let release_distances = distances(&release)?;
    let original = match original {
        None => None,
        Some(original) => {
            let hierarchies = names.iter().enumerate().map(|(at, name)| {
                Ok(hierarchies::of_column(job, name, &original.values(job, at))?.hierarchy)
            });
            let hierarchies = hierarchies.collect::<Result<Vec<_>, Error>>()?;
            let distances = distances(&original)?;
            Some(
                original
                    .counter
                    .finish(hierarchies, distances, missing.clone())?,
            )
        }
    };
    // What is published is there: a policy that leaves rows out speaks of the original only.
    let cells = match missing.cells {
        MissingCells::ExcludeRow => MissingCells::OwnValue,
        other => other,
    };
    let missing = Missing { cells, ..missing };
    let published = release
        .counter
        .finish(as_they_stand, release_distances, missing)?;
    Ok((published, original))
}

/// Measures every model that applies, then checks each with the strictest parameter it seems to keep.
fn measure_all(
    published: &CountedTable,
    reference: &CountedTable,
    sensitive: &[usize],
) -> Result<(publish::Verification, Vec<PrivacyReached>), Error> {
    let mut built: Vec<(ModelSpec, Box<dyn PrivacyModel>)> = Vec::new();
    for entry in MODELS {
        if entry.needs_column && sensitive.is_empty() {
            continue;
        }
        let spec: ModelSpec = loosest(entry).parse()?;
        let models = spec.build_all(&reference.columns, sensitive)?;
        built.extend(models.into_iter().map(|model| (spec.clone(), model)));
    }
    let (specs, models): (Vec<_>, Vec<_>) = built.into_iter().unzip();
    let measured = publish::verify(published, &models);
    let mut tightened: Vec<Box<dyn PrivacyModel>> = Vec::new();
    let mut at = Vec::new();
    for (number, (model, reached)) in models.iter().zip(&measured.reached).enumerate() {
        let kind = specs[number].entry().parameters[0].kind;
        if let Some(parameter) = strictest(kind, model.direction(), reached)
            && let Ok(model) = model.with_parameter(parameter)
        {
            tightened.push(model);
            at.push(number);
        }
    }
    let mut privacy: Vec<PrivacyReached> = models
        .iter()
        .zip(&measured.reached)
        .map(|(model, reached)| PrivacyReached {
            model: model.name().to_owned(),
            reached: reached.worst.filter(|worst| worst.is_finite()).map(Figure),
            holds: false,
        })
        .collect();
    let checked = publish::verify(published, &tightened);
    let checked = models::reached(&tightened, &checked.reached, reference);
    for (number, checked) in at.into_iter().zip(checked) {
        privacy[number].model = checked.model;
        privacy[number].holds = checked.holds;
    }
    Ok((measured, privacy))
}

/// A model with parameters that keep its measure from being cut off.
fn loosest(entry: &ModelEntry) -> String {
    let parameters: Vec<String> = entry
        .parameters
        .iter()
        .filter(|parameter| parameter.default.is_none() && parameter.kind != ParameterKind::Text)
        .enumerate()
        .map(|(at, parameter)| {
            // With l = 1 a class of one value has nothing to compare its most frequent value with.
            let least = match (at > 0, parameter.name) {
                (true, "l") => 2,
                _ => 1,
            };
            format!("{}={least}", parameter.name)
        })
        .collect();
    format!("{}({})", entry.name, parameters.join(","))
}

/// The measure as a parameter of few digits, rounded to the weaker side.
fn strictest(kind: ParameterKind, direction: Direction, reached: &Reached) -> Option<Decimal> {
    const DIGITS: f64 = 1e6;
    let worst = reached.worst.filter(|worst| worst.is_finite())?;
    if kind == ParameterKind::Count {
        return format!("{}", worst.floor()).parse().ok();
    }
    let scaled = worst * DIGITS;
    let rounded = match direction {
        Direction::AtLeast => scaled.floor(),
        Direction::AtMost => scaled.ceil(),
        Direction::Below => scaled.floor() + 1.0,
    };
    format!("{:.6}", rounded / DIGITS).parse().ok()
}

fn against(compared: publish::AgainstOriginal) -> AgainstOriginal {
    AgainstOriginal {
        rows_suppressed: compared.rows_suppressed.into(),
        invented: compared.rows_invented.into(),
        violations: compared.violations.iter().map(in_words).collect(),
    }
}

fn in_words(violation: &Violation) -> String {
    match violation {
        Violation::UnknownValues { column, values } => format!(
            "{values} values of column `{column}` are neither in the original nor above it in the hierarchy"
        ),
        Violation::OverlappingValues { column } => format!(
            "values of column `{column}` overlap, so rows cannot be compared with the original"
        ),
        Violation::InventedRows { rows } => {
            format!("{rows} rows that no row of the original accounts for")
        }
        Violation::TooManyRows { rows } => format!("{rows} rows more than the original has"),
    }
}
