//! The commands whose result is one JSON document.

use crate::errors::Failure;
use crate::release::json;
use crate::request::{Request, word};
use crate::supervise::{Stop, Watched, Watchers, supervise};
use incrowd_core::advisor::{Quality, Use};
use incrowd_core::algorithms::Generalization;
use incrowd_job::{
    AdviseOptions, CertificateCheck, CompareOptions, Control, Error, EvaluateOptions, Gate,
    HierarchySource, Job, LevelsReport, Population, RiskOptions, SchemesOptions, SimulateOptions,
    StudyOptions, SurvivalOptions, share,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a command does: what can be refused at once is refused before it runs.
type Work = Box<dyn FnOnce(&Control) -> Result<String, Error> + Send>;

/// Runs a command; returns what `--json` prints.
#[pyfunction]
#[pyo3(signature = (command, request, tables, progress = None, stop = None))]
pub(crate) fn run(
    py: Python<'_>,
    command: &str,
    request: &str,
    tables: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    stop: Option<Py<Stop>>,
) -> PyResult<String> {
    let request = Request::read(request)?;
    let job = request.job(py, tables, stop.as_ref())?;
    let work: Work = match command {
        "verify" => verify(job, &request)?,
        "study" => study(job, &request)?,
        "compare" => compare(job, &request)?,
        "evaluate" => evaluate(job, &request)?,
        "risk" => risk(job, &request)?,
        "advise" => advise(job, &request)?,
        "simulate" => simulate(job, &request)?,
        "inspect" => Box::new(move |control| Ok(json(&incrowd_job::inspect(&job, control)?))),
        "hierarchy" => hierarchy(job, &request)?,
        other => {
            return Err(pyo3::exceptions::PyValueError::new_err(format!(
                "there is no command `{other}`"
            )));
        }
    };
    let watchers = Watchers { progress, stop };
    let done = supervise(py, &Watched::new(), &watchers, |control| work(control));
    Ok(done?)
}

/// Explains a name, or lists everything.
#[pyfunction]
#[pyo3(signature = (name = None))]
pub(crate) fn explain(name: Option<&str>) -> PyResult<String> {
    let explained = incrowd_job::explain(name).map_err(Failure::from)?;
    Ok(json(&explained))
}

/// The job of a request, as JSON.
#[pyfunction]
pub(crate) fn job_of(request: &str) -> PyResult<String> {
    Ok(json(&Request::read(request)?.written_job()?))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Verify {
    original: Option<String>,
    certificate: Option<PathBuf>,
    certificate_text: Option<String>,
}

fn verify(mut job: Job, request: &Request) -> Result<Work, Failure> {
    let asked: Verify = request.options()?;
    if !request.names_a_path() && job.data.table.is_none() {
        // The data of a job file is the original; its output is the file to verify.
        job.data.path = job.output.path.take();
    }
    if asked.certificate.is_none() && asked.certificate_text.is_none() {
        return Ok(Box::new(move |control| {
            let found = incrowd_job::verify(&job, asked.original.as_deref(), control)?;
            Ok(json(&found))
        }));
    }
    // A certificate is compared with the job as it was given; keywords say only how to check it.
    let mut stated = request.stated_job()?;
    if let Some(stated) = &mut stated {
        stated.data.tables.clone_from(&job.data.tables);
    }
    let check = CertificateCheck {
        certificate: asked.certificate.unwrap_or_else(|| "certificate".into()),
        text: asked.certificate_text,
        original: asked.original,
        job: stated,
    };
    Ok(Box::new(move |control| {
        Ok(json(&incrowd_job::verify_certificate(
            &job, &check, control,
        )?))
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Study {
    what: String,
    parameters: Option<Vec<String>>,
    importance: bool,
    plot: Option<PathBuf>,
}

fn study(job: Job, request: &Request) -> Result<Work, Failure> {
    let Study {
        what,
        parameters,
        importance,
        plot,
    } = request.options()?;
    let class_sizes = |parameters: Option<Vec<String>>| {
        let size = |text: String| {
            let size = text.trim().parse::<u32>().ok().filter(|size| *size > 0);
            size.ok_or(Error::ClassSize { text })
        };
        let sizes = parameters.map(|texts| texts.into_iter().map(size).collect());
        sizes.transpose()
    };
    Ok(match what.as_str() {
        "schemes" => {
            let options = SchemesOptions {
                parameters: class_sizes(parameters)?,
                plot,
            };
            Box::new(move |control| Ok(json(&incrowd_job::study_schemes(&job, &options, control)?)))
        }
        "research-value" => {
            let options = SurvivalOptions {
                parameters: class_sizes(parameters)?,
                plot,
            };
            Box::new(move |control| {
                Ok(json(&incrowd_job::study_survival(&job, &options, control)?))
            })
        }
        _ => {
            let options = StudyOptions {
                parameters,
                importance,
                plot,
            };
            Box::new(move |control| Ok(json(&incrowd_job::study(&job, &options, control)?)))
        }
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Compare {
    algorithms: Option<Vec<String>>,
    report: Option<PathBuf>,
}

/// What was found, with its fields in their order, and a picture of it.
#[derive(Serialize)]
struct Drawn<F, P> {
    found: F,
    picture: P,
}

/// The comparison, and its plot under `picture`.
fn compare(job: Job, request: &Request) -> Result<Work, Failure> {
    let Compare { algorithms, report } = request.options()?;
    let one = job.search.algorithm.clone().map(|one| vec![one]);
    let options = CompareOptions {
        algorithms: algorithms.or(one),
        report,
    };
    Ok(Box::new(move |control| {
        let found = incrowd_job::compare(&job, &options, control)?;
        let picture = found.draw();
        Ok(json(&Drawn { found, picture }))
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Evaluate {
    release: Option<String>,
    columns: Option<Vec<String>>,
    folds: Option<usize>,
    partitioning: Option<usize>,
}

fn evaluate(job: Job, request: &Request) -> Result<Work, Failure> {
    let asked: Evaluate = request.options()?;
    let options = EvaluateOptions {
        release: asked.release,
        columns: asked.columns,
        folds: asked.folds.unwrap_or(EvaluateOptions::default().folds),
        partitioning: asked.partitioning,
    };
    Ok(Box::new(move |control| {
        Ok(json(&incrowd_job::evaluate(&job, &options, control)?))
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Risk {
    original: Option<String>,
    population: Option<String>,
    population_size: Option<u64>,
    threshold: Option<String>,
    gates: Vec<String>,
}

fn risk(job: Job, request: &Request) -> Result<Work, Failure> {
    let asked: Risk = request.options()?;
    let gates = asked.gates.iter().map(|text| text.parse::<Gate>());
    let table = asked.population.map(Population::Table);
    let options = RiskOptions {
        original: asked.original,
        population: table.or(asked.population_size.map(Population::Size)),
        threshold: asked.threshold,
        gates: gates.collect::<Result<_, _>>()?,
    };
    Ok(Box::new(move |control| {
        Ok(json(&incrowd_job::risk(&job, &options, control)?))
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Advise {
    r#use: Option<String>,
    quality: Option<String>,
    generalization: Option<String>,
    may_suppress: Option<bool>,
    properties: Vec<String>,
    tries: usize,
}

const GENERALIZATIONS: [(&str, Generalization); 4] = [
    ("full-domain", Generalization::FullDomain),
    ("cuts", Generalization::Cuts),
    ("partitions", Generalization::Partitions),
    ("regions", Generalization::Regions),
];

fn advise(job: Job, request: &Request) -> Result<Work, Failure> {
    let asked: Advise = request.options()?;
    let generalization = asked.generalization.as_deref();
    let options = AdviseOptions {
        usage: word("use", &Use::ALL, asked.r#use.as_deref())?,
        quality: word("quality", &Quality::ALL, asked.quality.as_deref())?,
        generalization: word("generalization", &GENERALIZATIONS, generalization)?,
        may_suppress: asked.may_suppress,
        properties: asked.properties,
        tries: asked.tries,
    };
    Ok(Box::new(move |control| {
        Ok(json(&incrowd_job::advise(&job, &options, control)?))
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Simulate {
    attributes: Option<u64>,
    values: Option<u64>,
    domain: Option<Vec<u64>>,
    whole_rows: bool,
    levels: Option<Vec<u8>>,
    rows: Option<u64>,
    rows_needed: Option<String>,
    repeats: Option<u64>,
    plot: Option<PathBuf>,
}

fn simulate(job: Job, request: &Request) -> Result<Work, Failure> {
    let asked: Simulate = request.options()?;
    let options = SimulateOptions {
        attributes: asked.attributes,
        values: asked.values,
        domain: asked.domain,
        whole_rows: asked.whole_rows,
        levels: asked.levels,
        rows: asked.rows,
        repeats: asked.repeats,
        rows_needed: asked.rows_needed.as_deref().map(share).transpose()?,
        plot: asked.plot,
    };
    Ok(Box::new(move |control| {
        Ok(json(&incrowd_job::simulate(&job, &options, control)?))
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Levels {
    column: Option<String>,
    rule: Option<String>,
    /// A file to check, in place of levels to build.
    file: Option<PathBuf>,
    examples: usize,
}

#[derive(Serialize)]
struct Shown {
    report: LevelsReport,
    csv: String,
}

/// Levels, and how they look, under `csv` and `report`.
fn hierarchy(mut job: Job, request: &Request) -> Result<Work, Failure> {
    let asked: Levels = request.options()?;
    let column = asked.column.unwrap_or_default();
    if let Some(rule) = asked.rule {
        let source = HierarchySource::Built(rule);
        job.hierarchies.insert(column.clone(), source);
    }
    Ok(Box::new(move |control| {
        let (levels, against) = match &asked.file {
            None => (incrowd_job::build_levels(&job, &column, control)?, None),
            Some(file) => {
                let column = Some(column.as_str()).filter(|column| !column.is_empty());
                incrowd_job::check_levels(&job, file, column, control)?
            }
        };
        let mut report = LevelsReport::new(&column, &levels, asked.examples);
        report.against_data = against;
        let csv = levels.hierarchy.to_csv();
        Ok(json(&Shown { report, csv }))
    }))
}
