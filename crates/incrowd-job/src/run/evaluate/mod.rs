//! What a release is still worth: learned from released rows, tested on raw ones.
//!
//! The rows are held in memory here, unlike everywhere else. What is learned must be tested on rows that were not learned
//! from, so rows have to be told apart even where they are equal: some are anonymized again without the others. And
//! every judged column counts as a feature, kept ones too, so that few rows are equal anyway. A row takes four
//! bytes for each column.
//!
//! With a file to judge, released rows are learned from if the raw rows they could be are not tested ([`pairing`]).
//! Without one, the job is run on the rows of all folds but one, again and again, and once on all rows for everything
//! that is not predicted. All runs use the levels of the whole table: which values a column may have is not knowledge
//! about a row.

mod columns;
mod compared;
mod held;
mod meanings;
mod pairing;
mod predict;
mod survival;

pub use survival::{SurvivalOptions, study_survival};

use crate::error::Error;
use crate::report::evaluation::Evaluation;
use crate::report::outcome::{Outcome, VERSION};
use crate::run::anonymize::{Show, anonymize};
use crate::run::control::{Control, Phase};
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::input;
use crate::run::models;
use crate::run::population::People;
use crate::run::published_reader::PublishedReader;
use crate::run::verify::as_released;
use crate::spec::{
    AttachedLevels, AttachedSink, AttachedTable, HierarchySource, Job, Others, Output,
};
use columns::{Roles, Side};
use held::Held;
use incrowd_core::counts::{self, Missing};
use incrowd_io::{MemorySink, RowSource};
use incrowd_learn::folds;
use meanings::{Judged, Released};
use predict::{Fold, Target};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What is asked beside a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluateOptions {
    /// A published file to judge; without one, the job's own releases are judged.
    pub release: Option<String>,
    /// The columns to learn from; all that are published when not given.
    pub columns: Option<Vec<String>>,
    /// Parts that the rows are split into.
    pub folds: usize,
    /// How often rows are cut to find the rules that tell most about the first target; not at all when not given.
    pub partitioning: Option<usize>,
}

impl Default for EvaluateOptions {
    fn default() -> Self {
        EvaluateOptions {
            release: None,
            columns: None,
            folds: 5,
            partitioning: None,
        }
    }
}

/// The seed of folds and queries if the job has none.
const SEED: u64 = 1;

/// Judges a published file, or the releases of a job; without either, only what can be learned from the raw rows.
pub fn evaluate(
    job: &Job,
    options: &EvaluateOptions,
    control: &Control,
) -> Result<Evaluation, Error> {
    let (question, file) = Question::open(job, options, control)?;
    question.answer(file)
}

/// A published file, opened.
struct ReleasedFile {
    name: String,
    source: Arc<dyn RowSource>,
    columns: Vec<String>,
}

impl ReleasedFile {
    fn open(job: &Job, path: &str, control: &Control) -> Result<Self, Error> {
        let mut job = job.clone();
        job.data.path = Some(path.to_owned());
        job.data.table = None;
        let source = input::source(&as_released(&job, true, control), control)?;
        let columns = source.open()?.columns().to_vec();
        Ok(ReleasedFile {
            name: source.name(),
            source,
            columns,
        })
    }

    /// The columns of some names. Rows that are `*` in every column tell nothing.
    fn read(&self, names: &[String], control: &Control) -> Result<Held, Error> {
        let positions: Vec<usize> = (names.iter())
            .filter_map(|name| self.columns.iter().position(|column| column == name))
            .collect();
        let starred = Some(Arc::new(AtomicU64::new(0)));
        let reader = PublishedReader::new(self.source.open()?, None, starred);
        let bytes = self.source.bytes_total();
        Held::read(Box::new(reader), bytes, &positions, control)
    }
}

/// Everything that is known before anything is judged.
struct Question<'a> {
    job: &'a Job,
    options: &'a EvaluateOptions,
    control: &'a Control,
    roles: Roles,
    held: Held,
    levels: Vec<ColumnHierarchy>,
    judged: Judged,
    seed: u64,
}

impl<'a> Question<'a> {
    /// Reads the rows, and opens the file to judge if there is one.
    fn open(
        job: &'a Job,
        options: &'a EvaluateOptions,
        control: &'a Control,
    ) -> Result<(Self, Option<ReleasedFile>), Error> {
        hierarchies::check_folder(job)?;
        let specs = models::parse(job.privacy.models.as_deref().unwrap_or_default())?;
        let makes_releases = options.release.is_none();
        if makes_releases {
            models::check_population(job, &specs)?;
        }
        // The levels of all rows must also list what only the population has.
        let path = job.privacy.population.as_ref();
        let path = path.filter(|_| makes_releases && models::about_population(&specs).is_some());
        let people = path.map(|path| People::read(job, path, control));
        let people = people.transpose()?;
        let source = input::source(job, control)?;
        let reader = source.open()?;
        let file = (options.release.as_deref())
            .map(|path| ReleasedFile::open(job, path, control))
            .transpose()?;
        let roles = Roles::new(
            job,
            options,
            &source.name(),
            reader.columns(),
            file.as_ref().map(|file| columns::Released {
                input: &file.name,
                columns: &file.columns,
            }),
        )?;
        let limit = job.search.time_limit;
        let bytes = source.bytes_total();
        let mut held = control.within(limit, Phase::Read, || {
            Held::read(reader, bytes, &roles.held, control)
        })?;
        let missing = Missing {
            // Cells that match any value are values of their own to whoever learns.
            cells: counts::MissingCells::OwnValue,
            tokens: input::missing(job).tokens,
        };
        let rows_read = held.rows as u64;
        if input::missing(job).cells == counts::MissingCells::ExcludeRow {
            held.exclude_missing(&roles.counted, &missing);
        }
        if held.rows == 0 {
            return Err(Error::AllRowsExcluded {
                input: source.name(),
                rows: rows_read,
            });
        }
        if options.folds < 2 || options.folds > held.rows {
            return Err(Error::Folds {
                folds: options.folds as u64,
                rows: held.rows as u64,
            });
        }
        let levels = roles.levels(job, &held, people.as_ref(), &missing)?;
        let judged_levels: Vec<ColumnHierarchy> =
            roles.judged.iter().map(|&at| levels[at].clone()).collect();
        let judged = Judged::new(
            &source.name(),
            &held,
            &roles.judged,
            &judged_levels,
            missing,
        )?;
        let question = Question {
            job,
            options,
            control,
            roles,
            held,
            levels,
            judged,
            seed: job.search.seed.unwrap_or(SEED),
        };
        Ok((question, file))
    }

    /// Judges a column by its name, whatever else it is.
    fn judge(&mut self, target: &str) -> Result<(), Error> {
        let names = &self.judged.names;
        let at = names.iter().position(|name| name == target);
        self.roles.targets = vec![at.ok_or(Error::NothingToPartition)?];
        Ok(())
    }

    fn all_rows(&self) -> Vec<u32> {
        (0..self.held.rows as u32).collect()
    }

    fn answer(&self, file: Option<ReleasedFile>) -> Result<Evaluation, Error> {
        let rows = self.all_rows();
        let mut notes = Vec::new();
        let released = match (self.roles.side, file) {
            (Side::File, Some(file)) => {
                let held = file.read(&self.judged.names, self.control)?;
                Some(self.judged.read(&file.name, &held)?)
            }
            (Side::Job, _) => Some(self.released(&rows)?),
            _ => None,
        };
        let fold_of_row = folds(rows.len(), self.options.folds, self.seed);
        let by_fold = match (&released, self.roles.targets.is_empty()) {
            (Some(released), false) if self.roles.side == Side::File => {
                self.folds_of_file(released, &fold_of_row, &mut notes)?
            }
            _ => Vec::new(),
        };
        let own = match self.roles.side == Side::Job && !self.roles.targets.is_empty() {
            true => (0..self.options.folds as u32)
                .map(|fold| self.released(&trained(&fold_of_row, fold)))
                .collect::<Result<Vec<_>, _>>()?,
            false => Vec::new(),
        };
        let folds: Vec<Fold<'_>> = (0..self.options.folds)
            .map(|fold| Fold {
                trained: trained(&fold_of_row, fold as u32),
                tested: (rows.iter().copied())
                    .filter(|&row| fold_of_row[row as usize] == fold as u32)
                    .collect(),
                released: match (&released, by_fold.get(fold), own.get(fold)) {
                    (_, _, Some(released)) => Some((released, (0..released.rows).collect())),
                    (Some(released), Some(rows), None) => Some((released, rows.clone())),
                    _ => None,
                },
            })
            .collect();
        let targets: Vec<Target<'_>> = (self.roles.targets.iter())
            .map(|&target| Target::new(&self.judged, target, &self.roles.features))
            .collect();
        let (mut classification, mut regression) = (Vec::new(), Vec::new());
        for target in &targets {
            if target.has_classes() {
                classification.extend(target.classify(&folds, self.control)?);
            }
            regression.extend(target.regress(&folds, self.control)?);
        }
        let released = released.as_ref();
        self.control.check()?;
        let (associations, skipped) = compared::associations(&self.judged, released);
        if skipped > 0 {
            notes.push(format!(
                "{skipped} pairs of columns have too many values for their association to be measured"
            ));
        }
        let features = self.roles.features.iter();
        Ok(Evaluation {
            version: VERSION,
            rows: rows.len() as u64,
            rows_released: released.map(|released| released.rows.into()),
            folds: self.options.folds as u64,
            seed: self.seed,
            features: features.map(|&at| self.judged.names[at].clone()).collect(),
            classification,
            regression,
            queries: released.map(|it| compared::queries(&self.judged, it, self.seed)),
            columns: released.map_or_else(Vec::new, |it| compared::distances(&self.judged, it)),
            associations,
            partitioning: match self.options.partitioning {
                Some(cuts) => {
                    let classed = targets.iter().zip(&self.roles.targets);
                    let mut classed = classed.filter(|(target, _)| target.has_classes());
                    let (target, &at) = classed.next().ok_or(Error::NothingToPartition)?;
                    let name = &self.judged.names[at];
                    let found = compared::partitioning(&self.judged, released, target, name, cuts);
                    Some(found)
                }
                None => None,
            },
            notes,
        })
    }

    /// The rows of a file to learn from in each fold: those that cannot be a row that is tested.
    fn folds_of_file(
        &self,
        released: &Released,
        fold_of_row: &[u32],
        notes: &mut Vec<String>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let pairs = pairing::pair(&self.judged.columns, &released.columns);
        let unpaired = pairs.iter().filter(|pair| pair.is_none()).count();
        if unpaired == pairs.len() && unpaired > 0 {
            return Err(Error::NotItsOriginal);
        }
        if unpaired > 0 {
            notes.push(format!(
                "{unpaired} released rows could be no raw row that is left; nothing was learned from them"
            ));
        }
        let of_fold = |fold: u32| {
            let pairs = (0..).zip(&pairs);
            let others = pairs.filter_map(|(row, pair): (u32, _)| {
                let raw_row = pair.as_ref().copied()?;
                (fold_of_row[raw_row as usize] != fold).then_some(row)
            });
            others.collect()
        };
        Ok((0..self.options.folds as u32).map(of_fold).collect())
    }

    /// The release of some rows by the job.
    fn released(&self, rows: &[u32]) -> Result<Released, Error> {
        let (released, _) = self.released_by(self.job, rows)?;
        Ok(released)
    }

    /// The release of some rows by a job for the same columns.
    fn released_by(&self, job: &Job, rows: &[u32]) -> Result<(Released, Outcome), Error> {
        let table = self.held.table(rows)?;
        let names: Vec<&String> = self.held.columns.iter().map(|it| &it.name).collect();
        let mut job = job.clone();
        job.hierarchies.retain(|column, _| names.contains(&column));
        let levels = self.held.columns.iter().zip(&self.levels);
        let levels = levels.zip(&self.roles.is_generalized);
        for ((column, levels), _) in levels.filter(|(_, is_generalized)| **is_generalized) {
            let attached = AttachedLevels {
                hierarchy: Arc::new(levels.hierarchy.clone()),
                from: levels.from.clone(),
                reason: levels.reason.clone(),
            };
            let source = HierarchySource::Attached(attached);
            job.hierarchies.insert(column.name.clone(), source);
        }
        let sink = MemorySink::default();
        job.data.table = Some(AttachedTable::new(table));
        job.columns.identifying = None;
        job.columns.others = Some(Others::Drop);
        // Nothing is published, so nothing can reveal people.
        job.columns.keep = Some(self.roles.kept.clone());
        job.output = Output {
            sink: Some(AttachedSink::new(sink.clone())),
            ..Output::default()
        };
        let outcome = anonymize(&job, Show::default(), self.control)?;
        let release = sink.release();
        let release = release.expect("a run that ends well has written its release");
        let positions: Vec<usize> = (self.judged.names.iter())
            .filter_map(|name| release.columns().iter().position(|column| column == name))
            .collect();
        let held = match release.open() {
            Ok(reader) => Held::read(reader, None, &positions, self.control)?,
            // Every row may have been suppressed.
            Err(incrowd_io::Error::NoRows { .. }) => Held::none(&self.judged.names),
            Err(error) => return Err(error.into()),
        };
        Ok((self.judged.read(&release.name(), &held)?, outcome))
    }
}

/// The rows that are not of a fold.
fn trained(fold_of_row: &[u32], fold: u32) -> Vec<u32> {
    let rows = (0..).zip(fold_of_row);
    let others = rows.filter(|(_, of_row)| **of_row != fold);
    others.map(|(row, _)| row).collect()
}
