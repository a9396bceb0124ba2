//! Algorithms tried on a sample of the rows.

use crate::error::Error;
use crate::report::advice::Tried;
use crate::report::evaluation::Evaluation;
use crate::run::anonymize::{Show, anonymize_by};
use crate::run::control::Control;
use crate::run::evaluate::{EvaluateOptions, evaluate};
use crate::spec::{AttachedTable, Budget, Job, Output, WorkLimit};
use incrowd_core::advisor::Use;
use incrowd_core::algorithms::Algorithm;
use incrowd_core::draw::Draw;
use incrowd_core::table::RowBatch;
use incrowd_io::{MemoryTable, RowSource};

/// Rows of a sample: enough for classes, few enough for every algorithm.
const SAMPLE_ROWS: usize = 5_000;

/// The work that an algorithm may do on a sample; a few seconds of it. A limit on time would give other results elsewhere.
const WORK: u64 = 200_000_000;

/// Parts that the sample is split into to learn from most of them and to test on the others.
const FOLDS: usize = 3;

/// The seed if the job has none.
const SEED: u64 = 1;

/// A sample of a job's rows, and the job about it.
pub(super) struct Trial {
    job: Job,
    rows: u64,
    usage: Use,
}

impl Trial {
    /// Draws the sample.
    pub(super) fn new(
        job: &Job,
        source: &dyn RowSource,
        usage: Use,
        control: &Control,
    ) -> Result<Trial, Error> {
        let seed = job.search.seed.unwrap_or(SEED);
        let (table, all) = drawn(source, seed, control)?;
        let rows = table.rows().count() as u64;
        let mut job = job.clone();
        job.data.path = None;
        job.data.table = Some(AttachedTable::new(table));
        job.output = Output::default();
        job.search.time_limit = None;
        job.search.work_limit = Some(WorkLimit::of_steps(WORK));
        if let Some(Budget::Rows(budget)) = job.privacy.max_suppressed {
            // The same share of the sample.
            let share = u128::from(budget) * u128::from(rows) / u128::from(all.max(1));
            job.privacy.max_suppressed = Some(Budget::Rows(share as u64));
        }
        Ok(Trial { job, rows, usage })
    }

    /// What an algorithm reaches. That it reaches nothing on a sample is a result, too.
    pub(super) fn run(
        &self,
        algorithm: &'static dyn Algorithm,
        control: &Control,
    ) -> Result<Tried, Error> {
        let mut job = self.job.clone();
        job.search.algorithm = Some(algorithm.entry().name.to_owned());
        let mut tried = Tried {
            rows: self.rows,
            seconds: 0.0,
            ncp: None,
            rows_suppressed: None,
            classes: None,
            accuracy: None,
            rmse: None,
            failed: None,
        };
        match anonymize_by(&job, algorithm, Show::default(), control) {
            Ok(outcome) => {
                tried.seconds = outcome.seconds.solve;
                tried.ncp = outcome.metrics.get("ncp").copied();
                tried.rows_suppressed = Some(outcome.rows_suppressed);
                tried.classes = Some(outcome.classes);
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                tried.failed = Some(error.to_string());
                return Ok(tried);
            }
        }
        if matches!(self.usage, Use::Classification | Use::Regression) {
            let options = EvaluateOptions {
                folds: FOLDS,
                ..EvaluateOptions::default()
            };
            match evaluate(&job, &options, control) {
                Ok(evaluation) => tried.predict(&evaluation),
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => tried.failed = Some(error.to_string()),
            }
        }
        Ok(tried)
    }
}

impl Tried {
    fn predict(&mut self, evaluation: &Evaluation) {
        let classified = evaluation.classification.iter();
        self.accuracy = mean(classified.filter_map(|it| it.accuracy.release));
        self.rmse = mean(
            evaluation
                .regression
                .iter()
                .filter_map(|it| it.rmse.release),
        );
    }
}

fn mean(figures: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = figures.fold((0.0, 0u32), |(sum, count), it| (sum + it, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Rows drawn at random, in the order of the table, and how many rows there are.
fn drawn(
    source: &dyn RowSource,
    seed: u64,
    control: &Control,
) -> Result<(MemoryTable, u64), Error> {
    let mut reader = source.open()?;
    let names = reader.columns().to_vec();
    let mut draw = Draw::new(seed);
    let mut kept: Vec<(u64, Vec<String>)> = Vec::new();
    let mut batch = RowBatch::default();
    let mut rows = 0;
    while control.while_engine_works(|| Ok(reader.read(&mut batch)?))? {
        control.check()?;
        for row in 0..batch.rows() {
            rows += 1;
            let cells = || -> Vec<String> {
                let cell = |column| String::from_utf8_lossy(batch.cell(row, column)).into_owned();
                (0..names.len()).map(cell).collect()
            };
            if kept.len() < SAMPLE_ROWS {
                kept.push((rows, cells()));
                continue;
            }
            // Every row so far has the same chance to be among the kept.
            let place = draw.below(rows as usize);
            if place < SAMPLE_ROWS {
                kept[place] = (rows, cells());
            }
        }
    }
    kept.sort_unstable_by_key(|(row, _)| *row);
    let cells = kept.into_iter().map(|(_, cells)| cells);
    Ok((MemoryTable::new(names, cells)?, rows))
}
