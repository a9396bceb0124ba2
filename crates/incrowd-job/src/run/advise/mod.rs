//! Which algorithm suits a table and its holder.
//!
//! Counts the table once, as a release would, and lets the [advisor](incrowd_core::advisor) ask its questions. What was not said is
//! assumed and noted, so that a novice can begin with a table and its quasi-identifiers alone.

mod command;
mod targets;
mod tried;

use crate::error::Error;
use crate::report::advice::{
    AdviceReport, CandidateTarget, ExcludedAlgorithm, RankedAlgorithm, TableFacts, TargetKind,
};
use crate::report::outcome::{Figure128, VERSION};
use crate::run::asked::Asked;
use crate::run::choose::{rank, use_of_target, wishes_of};
use crate::run::control::Control;
use crate::run::counted::first_pass_to_advise;
use crate::run::input;
use crate::spec::{AttachedTable, Budget, Job, Others};
use incrowd_core::advisor::{Facts, Quality, Use, Wanted, Wishes};
use incrowd_core::algorithms::{Generalization, PROPERTIES, Property};
use tried::Trial;

/// The promise if none is given.
const PROMISE: &str = "k-anonymity(k=5)";

/// What may be suppressed if something may, and nobody says how much.
const BUDGET: &str = "1%";

/// What is asked beside a job. Nothing of it is required.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdviseOptions {
    /// What the release is for; when not given, what its target says.
    pub usage: Option<Use>,
    /// How good it must be.
    pub quality: Option<Quality>,
    /// What must decide how a value is published.
    pub generalization: Option<Generalization>,
    /// Whether rows may be suppressed.
    pub may_suppress: Option<bool>,
    /// Properties that must have a value, as `name=value`.
    pub properties: Vec<String>,
    /// How many of the first are tried on a sample.
    pub tries: usize,
}

/// Columns of a job's table that analysts might want to predict.
pub fn candidate_targets(job: &Job, control: &Control) -> Result<Vec<CandidateTarget>, Error> {
    targets::candidates(job, &*input::source(job, control)?, control)
}

/// Advises which algorithm to take for a job.
pub fn advise(
    job: &Job,
    options: &AdviseOptions,
    control: &Control,
) -> Result<AdviceReport, Error> {
    let wishes = Wishes {
        usage: options.usage.unwrap_or_default(),
        quality: options.quality,
        generalization: options.generalization,
        may_suppress: options.may_suppress,
        properties: (options.properties.iter())
            .map(|text| wanted(text))
            .collect::<Result<_, _>>()?,
        ..Wishes::default()
    };
    let mut notes = Vec::new();
    // Opened once: standard input could not be read again by another source.
    let source = input::source(job, control)?;
    let candidates = targets::candidates(job, &*source, control)?;
    let mut job = completed(job, options, &candidates, &mut notes)?;
    job.data.table = Some(AttachedTable::shared(source));
    let (asked, reader) = Asked::read(&job, "loss", control)?;
    let (first_pass, refused) =
        first_pass_to_advise(&job, &*asked.source, &asked.plan, reader, control)?;
    if let Some(error) = refused {
        notes.push(format!(
            "`anonymize` will refuse this job: {error}; {}",
            error.hint()
        ));
    }
    let models = asked.models(&first_pass.table)?;
    let usage = options
        .usage
        .unwrap_or_else(|| use_of_target(&asked, &first_pass));
    if options.usage.is_none() && usage != Use::Any {
        notes.push(format!(
            "no `--use` given: {}, as the target says",
            usage.name()
        ));
    }
    let wishes = wishes_of(&job, &asked, Wishes { usage, ..wishes });
    let (advice, facts) = rank(&job, &asked, &first_pass, &models, &wishes)?;
    let trial = match options.tries {
        0 => None,
        _ => Some(Trial::new(&job, &*asked.source, usage, control)?),
    };
    let mut ranked = Vec::new();
    for (at, advised) in advice.ranked.into_iter().enumerate() {
        let trial = trial.as_ref().filter(|_| at < options.tries);
        let algorithm = advised.algorithm;
        ranked.push(RankedAlgorithm {
            algorithm: algorithm.entry().name.to_owned(),
            reasons: advised.reasons,
            command: command::command(&job, algorithm.entry().name)?,
            tried: trial
                .map(|trial| trial.run(algorithm, control))
                .transpose()?,
        });
    }
    let excluded = advice
        .excluded
        .into_iter()
        .map(|advised| ExcludedAlgorithm {
            algorithm: advised.algorithm.entry().name.to_owned(),
            reasons: advised.reasons,
        });
    Ok(AdviceReport {
        version: VERSION,
        usage: usage.name().to_owned(),
        ranked,
        excluded: excluded.collect(),
        table: table_facts(&facts, candidates),
        notes,
    })
}

/// A property and the value it must have.
fn wanted(text: &str) -> Result<Wanted, Error> {
    let refused = |known: Vec<&'static str>| Error::PropertyFlag {
        text: text.to_owned(),
        known,
    };
    let names = || PROPERTIES.iter().map(|property| property.name).collect();
    let (name, value) = text.split_once('=').ok_or_else(|| refused(names()))?;
    let property = Property::named(name.trim()).ok_or_else(|| refused(names()))?;
    let mut values = property.values.iter().copied();
    let value = values.find(|known| *known == value.trim());
    let value = value.ok_or_else(|| refused(property.values.to_vec()))?;
    Ok(Wanted { property, value })
}

/// The job with everything that a command needs; what was assumed is noted.
fn completed(
    job: &Job,
    options: &AdviseOptions,
    candidates: &[CandidateTarget],
    notes: &mut Vec<String>,
) -> Result<Job, Error> {
    let mut job = job.clone();
    let has_promise = job
        .privacy
        .models
        .as_ref()
        .is_some_and(|models| !models.is_empty());
    if !has_promise {
        job.privacy.models = Some(vec![PROMISE.to_owned()]);
        notes.push("no promise given: `-k 5` is assumed".to_owned());
    }
    let kind = match options.usage {
        Some(Use::Classification) => Some(TargetKind::Classes),
        Some(Use::Regression) => Some(TargetKind::Numbers),
        _ => None,
    };
    let has_target = job
        .columns
        .target
        .as_ref()
        .is_some_and(|target| !target.is_empty());
    if let Some(kind) = kind.filter(|_| !has_target) {
        let mut suited = candidates.iter().filter(|it| it.kind == kind);
        match suited.next() {
            Some(target) => {
                let name = &target.name;
                notes.push(format!(
                    "no `--target` given: `{name}` is assumed to be predicted"
                ));
                job.columns.target = Some(vec![name.clone()]);
            }
            None => notes.push("no `--target` given, and no column looks like one".to_owned()),
        }
    }
    if job.columns.others.is_none() {
        job.columns.others = Some(Others::Drop);
    }
    match (options.may_suppress, job.privacy.max_suppressed) {
        (Some(false), _) => job.privacy.max_suppressed = Some(Budget::Rows(0)),
        (Some(true), None) => {
            job.privacy.max_suppressed = Some(BUDGET.parse()?);
            notes.push(format!("no `--max-suppressed` given: {BUDGET} is assumed"));
        }
        _ => {}
    }
    Ok(job)
}

fn table_facts(facts: &Facts, candidate_targets: Vec<CandidateTarget>) -> TableFacts {
    TableFacts {
        rows: facts.rows,
        distinct_tuples: facts.distinct_tuples,
        lattice_nodes: Figure128(facts.lattice_nodes),
        is_large: facts.is_large(),
        quasi_identifiers: facts.quasi_identifiers as u64,
        numbers: facts.numbers as u64,
        missing_cells: facts.missing_cells,
        candidate_targets,
    }
}
