//! Makes a release: count, search, check, write.
//!
//! Rows are read twice. The first pass keeps only distinct tuples; the second recodes and writes. The output appears
//! only if both passes read the same bytes and the rows written are the rows checked.

use crate::error::Error;
use crate::report::certificate::{Certificate, Engines};
use crate::report::outcome::{Outcome, Seconds};
use crate::report::picture::Picture;
use crate::report::pictured::{Pictured, draw};
use crate::report::stopped::Stopped;
use crate::run::asked::{Asked, algorithm};
use crate::run::choices::Chooser;
use crate::run::choose::{may_divide_rows, take_first_choice};
use crate::run::control::{Control, Phase, PhaseWatch};
use crate::run::counted::{Publication, first_pass_to_publish};
use crate::run::describe::Answer;
use crate::run::files::{
    self, CertificateFiles, PageFile, ReleaseFile, appear, appear_afterwards, set_aside, withdraw,
};
use crate::run::memory;
use crate::run::released::{self, Trial};
use crate::run::row_types::RowTypes;
use crate::run::rows_once::RowsOnce;
use crate::run::second_pass::SecondPass;
use crate::run::solve::{solve, without_unsafe_columns};
use crate::run::unchanged::Measures;
use crate::spec::{AttachedSink, AttachedTable, Job};
use incrowd_core::algorithms::Algorithm;
use incrowd_core::publish::{Applied, Tally, publish_watched};
use incrowd_io::{MemorySink, MemoryTable};
use std::time::Instant;

/// What a front end wants to see in addition to the outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Show {
    /// Rows to show before and after; the only way cells leave the library.
    pub sample: usize,
    /// Whether to hand over the certificate, in addition to any file.
    pub certificate: bool,
    /// Whether to draw what became of the quasi-identifiers.
    pub pictures: bool,
}

/// What a run made.
#[derive(Debug, Clone)]
pub struct Made {
    /// What programs read.
    pub outcome: Outcome,
    /// The certificate of the release, if it was asked for and there is a release.
    pub certificate: Option<Certificate>,
    /// How wide the published values of every quasi-identifier are, then each of them before and after.
    pub pictures: Vec<Picture>,
}

/// Runs a job.
pub fn anonymize(job: &Job, show: Show, control: &Control) -> Result<Outcome, Error> {
    anonymize_with(job, show, None, control)
}

/// Runs a job; returns everything that was made besides the release itself.
pub fn make_release(job: &Job, show: Show, control: &Control) -> Result<Made, Error> {
    run(job, algorithm(job)?, show, None, control)
}

/// Anonymizes a table in memory; returns the release and its outcome. Reports no progress and cannot be stopped.
pub fn anonymize_table(job: &Job, table: MemoryTable) -> Result<(MemoryTable, Outcome), Error> {
    let sink = MemorySink::default();
    let mut job = job.clone();
    job.data.table = Some(AttachedTable::new(table));
    job.output.sink = Some(AttachedSink::new(sink.clone()));
    let outcome = anonymize(&job, Show::default(), &Control::default())?;
    let release = sink.release();
    Ok((
        release.expect("a run that ends well has written its release"),
        outcome,
    ))
}

/// Runs a job with the caller's algorithm, whatever the job names.
pub fn anonymize_by(
    job: &Job,
    algorithm: &'static dyn Algorithm,
    show: Show,
    control: &Control,
) -> Result<Outcome, Error> {
    Ok(run(job, Some(algorithm), show, None, control)?.outcome)
}

/// Runs a job. `chooser` makes the choices that the algorithm leaves to the data holder and the job leaves open.
pub fn anonymize_with(
    job: &Job,
    show: Show,
    chooser: Option<&mut dyn Chooser>,
    control: &Control,
) -> Result<Outcome, Error> {
    Ok(run(job, algorithm(job)?, show, chooser, control)?.outcome)
}

/// Runs a job with an algorithm, or with the one that suits it best.
fn run(
    job: &Job,
    algorithm: Option<&'static dyn Algorithm>,
    show: Show,
    chooser: Option<&mut dyn Chooser>,
    control: &Control,
) -> Result<Made, Error> {
    let started = Instant::now();
    let divides_rows = match algorithm {
        Some(algorithm) => {
            job.search.settings.check_read_by(&[algorithm.entry()])?;
            algorithm.divides_rows(&job.search.settings.of(algorithm.entry())?)
        }
        None => may_divide_rows(job)?,
    };
    let default_metric = algorithm.map_or("loss", |algorithm| algorithm.default_metric());
    let (mut asked, reader) = Asked::read(job, default_metric, control)?;
    let claims = files::claims(job);
    let mut output = ReleaseFile::create(
        job,
        &*asked.source,
        &asked.plan,
        asked.delimiter,
        &claims,
        control,
    )?;
    let engines = Engines::of(
        asked.source.engine(),
        output.as_ref().and_then(ReleaseFile::engine),
    );
    let certificate = CertificateFiles::create(job, &claims, control)?;
    let page = PageFile::create(&claims, job.output.report.as_deref(), control)?;
    let (types, reader) = RowTypes::watch(job, &asked.plan, output.as_ref(), reader);
    let limit = job.search.time_limit;
    let first_pass = first_pass_to_publish(
        job,
        &*asked.source,
        &asked.plan,
        reader,
        Publication {
            divides_rows,
            writes_rows: output.is_some(),
            writes_rows_once_recoded: (output.as_ref())
                .is_some_and(|output| RowsOnce::are_written_by(job, output)),
        },
        control,
    )?;
    let read = started.elapsed();

    let solving = Instant::now();
    let models = asked.models(&first_pass.table)?;
    let algorithm = match algorithm {
        Some(algorithm) => algorithm,
        None => take_first_choice(job, &mut asked, &first_pass, &models)?,
    };
    let metric = asked.metric.build(&first_pass.table)?;
    let problem = asked.problem(job, &first_pass, &models, &*metric, algorithm)?;
    let problem = without_unsafe_columns(job, algorithm, problem, control)?;
    let is_chosen_by_hand = chooser.is_some();
    let solved = solve(job, algorithm, &problem, chooser, control)?;
    let solve = solving.elapsed();
    let trial = Trial {
        job,
        asked: &asked,
        first_pass: &first_pass,
        algorithm,
        problem: &problem,
        control,
        is_chosen_by_hand,
    };
    let alternatives = match page {
        Some(_) => Some(trial.alternatives(&solved)?),
        None => None,
    };

    let writing = Instant::now();
    let made = control.within(limit, Phase::Write, || {
        let release = publish_watched(&problem, &solved.proposal, &PhaseWatch(control))?;
        if let Some(output) = &mut output {
            let types = types.map(|types| types.of_release(&asked.plan));
            output.begin(types, job.threads())?;
        }
        let second_pass = SecondPass {
            job,
            asked: &asked,
            input_seal: first_pass.input_seal.clone(),
            input_hash: None,
            counted_rows: first_pass.counted_rows.as_ref(),
            control,
            output,
            kept: Measures::default(),
        };
        let sample = match show.sample {
            0 => None,
            rows => Some(second_pass.sample(release.map(), rows)?),
        };
        let applied = match second_pass.is_needed(release.map()) {
            true => Some(second_pass.applied(&release)?),
            false => None,
        };
        let nothing_met = (Tally::of(release.map()), Measures::default());
        let (tally, kept) = match &applied {
            Some(applied) => (applied.tally(), &applied.applier().kept),
            None => (&nothing_met.0, &nothing_met.1),
        };
        let answer = Answer {
            job,
            asked: &asked,
            first_pass: &first_pass,
            algorithm,
            problem: &problem,
            proposal: &solved.proposal,
            account: solved.account.as_ref(),
            stopped: Stopped::of(solved.stopped, solved.work),
            release: &release,
            seen: &release.seen(tally)?,
            control,
        };
        let mut outcome = answer.outcome()?;
        outcome.exposed = answer.exposed(kept);
        let facts = match alternatives {
            Some(alternatives) => Some(released::facts(&answer, alternatives)?),
            None => None,
        };
        let pictures = match show.pictures {
            true => draw(&Pictured::of(&release, control)?),
            false => Vec::new(),
        };
        let mut handed_over = None;
        let input_hash = applied
            .as_ref()
            .and_then(|applied| applied.applier().input_hash);
        // From here on, only the writing itself can fail.
        let written = applied.map(Applied::appear).transpose()?.flatten();
        if let Some((written, last_step)) = written {
            let stated = (certificate.is_some() || page.is_some() || show.certificate).then(|| {
                let input_hash = input_hash.expect("rows are only applied with it");
                let certificate = answer.certificate(&outcome, &input_hash, &written.sha256);
                certificate.with_engines(engines)
            });
            outcome.output = Some(written);
            let mut ready = Vec::new();
            let prepare = || {
                if let (Some(files), Some(stated)) = (certificate, &stated) {
                    outcome.certificate = Some(files.write(stated, &mut ready)?);
                }
                if let (Some(page), Some(stated), Some(facts)) = (page, &stated, &facts) {
                    let html = released::page(&answer, &outcome, stated, facts);
                    outcome.report = Some(page.prepare(&html, &mut ready)?);
                }
                Ok(())
            };
            if let Err(error) = prepare() {
                withdraw(&outcome);
                return Err(error);
            }
            match (last_step, &outcome.output) {
                (Some(last_step), Some(release)) => {
                    if let Err(error) = control.publish(last_step) {
                        if error.is_outcome_unknown() {
                            set_aside(ready);
                        }
                        return Err(error);
                    }
                    appear_afterwards(ready, &release.path)?;
                }
                _ => {
                    if let Err(error) = appear(ready) {
                        withdraw(&outcome);
                        return Err(error);
                    }
                }
            }
            handed_over = stated.filter(|_| show.certificate);
        }
        outcome.sample = sample;
        Ok(Made {
            outcome,
            certificate: handed_over,
            pictures,
        })
    });
    control.end_publishing();
    let mut made = made?;
    control.forget_temporary();
    made.outcome.seconds = Seconds {
        read: read.as_secs_f64(),
        solve: solve.as_secs_f64(),
        write: writing.elapsed().as_secs_f64(),
    };
    made.outcome.peak_memory_bytes = memory::peak();
    Ok(made)
}
