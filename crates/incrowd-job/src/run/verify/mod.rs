//! Judges a published file, whatever tool made it.

mod again;
mod certified;
mod counted;
mod differences;
mod measure;
mod recount;
mod rules;

pub use certified::{CertificateCheck, verify_certificate};

use crate::error::Error;
use crate::report::certificate::PopulationStated;
use crate::report::outcome::{AgainstOriginal, Distribution, Over, VERSION, Verification};
use crate::run::control::Control;
use crate::run::input;
use crate::run::models;
use crate::run::population::People;
use crate::run::unchanged::{Published, raw_notes};
use crate::spec::Job;
use counted::{Counted, Finished, Which, finish};
use incrowd_core::algorithms::{self, Generalization};
use incrowd_core::counts::CountedTable;
use incrowd_core::hierarchy::Leaf;
use incrowd_core::lattice::Level;
use incrowd_core::publish::{self, Violation, compare_with_original};
use incrowd_core::recode::PublishedNumbers;
use incrowd_io::Fingerprint;
use measure::measure_all;
use std::collections::BTreeSet;

/// Judges the file that the job names as its table; against the table it was made from, if that is given.
///
/// Without models, every model is measured, and only the comparison with the original is judged.
pub fn verify(job: &Job, original: Option<&str>, control: &Control) -> Result<Verification, Error> {
    let original = original.map(|path| {
        let mut job = job.clone();
        job.data.path = Some(path.to_owned());
        job.data.table = None;
        job
    });
    let release = as_released(job, original.is_some(), control);
    let specs = models::parse(job.privacy.models.as_deref().unwrap_or_default())?;
    models::check_population(job, &specs)?;
    Ok(look(&release, original.as_ref(), None, control)?.verification)
}

/// The job, with its table read in the format of a release.
///
/// What a job, or flags next to an original, say about the format of a table applies to the original. Its release has a
/// header, the usual quotes, and apostrophes if it was made for spreadsheets.
pub(crate) fn as_released(job: &Job, has_original: bool, control: &Control) -> Job {
    let mut release = job.clone();
    release.data.spreadsheet_safe = job.output.spreadsheet_safe == Some(true);
    if !has_original && job.file.is_none() {
        return release;
    }
    release.data.quote = None;
    if release.data.header == Some(false) {
        // Another tool may have omitted the header; our releases have the names that columns get without one.
        let mut named = release.clone();
        named.data.header = Some(true);
        let is_ours = |name: &String| {
            let number = name.strip_prefix("column-");
            number.is_some_and(|number| number.parse::<usize>().is_ok())
        };
        if columns(&named, control).is_ok_and(|names| names.iter().all(is_ours)) {
            release = named;
        }
    }
    release
}

/// Everything found in a published file.
struct Looked {
    verification: Verification,
    /// The columns of the file.
    columns: Vec<String>,
    table: CountedTable,
    hash: Fingerprint,
    original: Option<LookedOriginal>,
    /// The people of the population and the hash of their table, if they were counted.
    population: Option<PopulationStated>,
}

impl Looked {
    /// The published texts of a quasi-identifier.
    fn texts(&self, attribute: usize) -> BTreeSet<&str> {
        let attribute = &self.table.attributes[attribute];
        let rows = attribute.rows_of_groups[0].iter();
        let used = (0..).map(Leaf).zip(rows).filter(|(_, rows)| **rows > 0);
        used.map(|(leaf, _)| attribute.hierarchy.text(leaf))
            .collect()
    }
}

/// Everything found in the table a file was made from.
struct LookedOriginal {
    table: CountedTable,
    hash: Fingerprint,
    /// The level of each quasi-identifier, if each is published at one level.
    levels: Option<Vec<Level>>,
}

/// Examines the file that `job` names as its table, and the one that `original` names. `stated` are the levels that a
/// certificate states; those that follow from the original come first.
fn look(
    job: &Job,
    original: Option<&Job>,
    stated: Option<&[Level]>,
    control: &Control,
) -> Result<Looked, Error> {
    let texts = job.privacy.models.as_deref().unwrap_or_default();
    let specs = models::parse(texts)?;
    let columns = columns(job, control)?;
    let joined = match original {
        None => None,
        Some(original) => {
            let theirs = self::columns(original, control)?;
            let quasi_identifiers = job.columns.quasi_identifiers.as_deref().unwrap_or_default();
            let is_shared =
                |name: &&String| theirs.contains(name) && !quasi_identifiers.contains(name);
            // The columns both have besides the quasi-identifiers, in the order of the release.
            Some(
                columns
                    .iter()
                    .filter(is_shared)
                    .cloned()
                    .collect::<Vec<_>>(),
            )
        }
    };
    let release = Counted::read(job, Which::Release, joined.as_deref(), control)?;
    let which = Which::Original {
        published: &columns,
    };
    let original = match original {
        None => None,
        Some(original) => Some((
            original,
            Counted::read(original, which, joined.as_deref(), control)?,
        )),
    };
    let (plan, kept) = (release.plan.clone(), release.kept.clone());
    let (rows_starred, hash) = (release.rows_starred, release.hash);
    let raw_kept = original.as_ref().map(|(_, counted)| counted.kept.clone());
    let original_hash = original.as_ref().map(|(_, counted)| counted.hash);
    let identifying_published = plan.names_of(&plan.dropped);
    let sensitive: Vec<usize> = (0..plan.sensitive.len()).collect();
    let path = job.privacy.population.as_deref();
    let path = path.filter(|_| models::about_population(&specs).is_some());
    let raw = original.as_ref().map_or(job, |(original, _)| original);
    let people = path.map(|path| People::read(raw, path, control));
    let people = people.transpose()?;
    let population_hash = people.as_ref().map(|people| people.hash);
    let Finished {
        published,
        original,
        population,
    } = finish(job, release, original, people)?;
    // Distances are measured from the distribution of the original, if it is known.
    let reference = original.as_ref().unwrap_or(&published);
    let distribution = Distribution {
        over: match &original {
            Some(_) => Over::RowsTakingPart,
            None => Over::RowsPublished,
        },
        rows: reference.rows.into(),
    };
    let compared = (original.as_ref())
        .map(|original| compare_with_original(&published, original, numbers(job)));
    let levels = compared.as_ref().and_then(|it| it.levels.clone());
    let (judged, privacy) = if specs.is_empty() {
        measure_all(&published, reference, &sensitive)?
    } else {
        let built = models::build(&specs, reference, &sensitive)?;
        let judged = publish::verify_among(
            &published,
            &built,
            population.as_ref(),
            levels.as_deref().or(stated),
        );
        let counted = plan.counted().len();
        let privacy = models::reached_among(&built, &judged.reached, reference, counted);
        (judged, privacy)
    };
    let against_original = original.as_ref().zip(compared).map(|(original, compared)| {
        // Rows that are `*` in every column may be blank, as far as the original allows, and blank rows do not count
        // toward the budget.
        let blank = match asked_for_regions(job) {
            true => rows_starred,
            false => rows_starred.min(compared.rows_at_any.into()),
        };
        let mut against = against(compared);
        // The budget applies to the rows that take part; those excluded because of missing cells are not published
        // either.
        let (rows, excluded) = (u64::from(original.rows), u64::from(original.rows_excluded));
        let allowed =
            (job.privacy.max_suppressed).map(|budget| budget.rows(rows) + excluded + blank);
        if let Some(allowed) = allowed.filter(|&allowed| against.rows_suppressed > allowed) {
            against.violations.push(format!(
                "{} rows are not published, but only {allowed} were allowed",
                against.rows_suppressed
            ));
        }
        against
    });
    let is_faithful = against_original
        .as_ref()
        .is_none_or(|against| against.violations.is_empty());
    let safe = match is_faithful && identifying_published.is_empty() {
        true if specs.is_empty() => None,
        true => Some(judged.is_safe()),
        false => Some(false),
    };
    let exposed = Published {
        plan: &plan,
        rows: judged.rows.into(),
        exposure: &judged.exposure,
        measures: &kept,
    };
    let notes = raw_kept.map(|kept| raw_notes(&kept, &plan));
    Ok(Looked {
        verification: Verification {
            version: VERSION,
            safe,
            asked: !specs.is_empty(),
            privacy,
            smallest_class: judged.smallest_class.into(),
            classes: judged.classes as u64,
            rows: judged.rows.into(),
            rows_starred,
            identifying_published,
            distribution,
            exposed: exposed.exposed(),
            notes: notes.unwrap_or_default(),
            against_original,
            certificate: None,
        },
        columns,
        table: published,
        hash,
        population: population
            .zip(population_hash)
            .map(|(table, hash)| PopulationStated {
                rows: table.rows.into(),
                sha256: hash.to_string(),
            }),
        original: (original.zip(original_hash)).map(|(table, hash)| LookedOriginal {
            table,
            hash,
            levels,
        }),
    })
}

/// The columns of a job's table.
fn columns(job: &Job, control: &Control) -> Result<Vec<String>, Error> {
    Ok(input::source(job, control)?.open()?.columns().to_vec())
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
            "{values} values of column `{column}` are neither in the original nor in the hierarchy above it"
        ),
        Violation::InventedRows { rows } => {
            format!("{rows} rows do not correspond to any row of the original")
        }
        Violation::TooManyRows { rows } => format!("{rows} more rows than the original has"),
    }
}

/// What was published of numbers, as far as the job says.
fn numbers(job: &Job) -> PublishedNumbers {
    let given = job.search.settings.get("numbers");
    let name = given.and_then(<[String]>::first);
    PublishedNumbers::named(name.map_or("", String::as_str))
}

/// Whether a job names an algorithm that decides row by row, which may publish any row as `*`.
fn asked_for_regions(job: &Job) -> bool {
    let algorithm = job.search.algorithm.as_deref().and_then(algorithms::find);
    let kind = algorithm.map(|algorithm| &algorithm.entry().kind);
    kind.is_some_and(|kind| kind.generalization == Generalization::Regions)
}
