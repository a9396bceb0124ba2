//! Releases: the table, and everything that was made with it.

use crate::errors::Failure;
use crate::request::Request;
use crate::supervise::{Stop, Watched, Watchers, supervise};
use crate::table::Table;
use incrowd_job::{ArrowSink, AttachedSink, Control, Error, Job, Made, Show, make_release};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

/// A release and what was made with it, as JSON.
#[pyclass(frozen, module = "incrowd._native")]
pub(crate) struct Release {
    #[pyo3(get)]
    table: Option<Py<Table>>,
    /// What `--json` prints.
    #[pyo3(get)]
    outcome: String,
    #[pyo3(get)]
    certificate: Option<String>,
    /// The readable certificate.
    #[pyo3(get)]
    certificate_text: Option<String>,
    /// A list of objects with `name` and `svg`.
    #[pyo3(get)]
    pictures: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    sample: usize,
    pictures: bool,
}

/// Runs a job. Without a path for the release, it is kept in memory.
#[pyfunction]
#[pyo3(signature = (request, tables, progress = None, stop = None))]
pub(crate) fn anonymize(
    py: Python<'_>,
    request: &str,
    tables: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    stop: Option<Py<Stop>>,
) -> PyResult<Release> {
    let request = Request::read(request)?;
    let job = request.job(py, tables, stop.as_ref())?;
    let Options { sample, pictures } = request.options()?;
    let show = Show {
        sample,
        certificate: true,
        pictures,
    };
    let watchers = Watchers { progress, stop };
    let made = supervise(py, &Watched::new(), &watchers, |control| {
        release(job, show, control)
    });
    Ok(hand_over(py, made?)?)
}

/// The release of a job, in memory unless it goes to a file. There is a table only if the run ended well: the sink keeps
/// nothing that was not checked.
pub(crate) fn release(
    mut job: Job,
    show: Show,
    control: &Control,
) -> Result<(ArrowSink, Made), Error> {
    let sink = ArrowSink::default();
    if job.output.path.is_none() {
        job.output.sink = Some(AttachedSink::new(sink.clone()));
    }
    let made = make_release(&job, show, control)?;
    Ok((sink, made))
}

pub(crate) fn hand_over(py: Python<'_>, made: (ArrowSink, Made)) -> Result<Release, Failure> {
    let (sink, made) = made;
    let table = sink.release().map(|table| Py::new(py, Table(table)));
    Ok(Release {
        table: table.transpose()?,
        outcome: json(&made.outcome),
        certificate: made.certificate.as_ref().map(|stated| stated.to_json()),
        certificate_text: made.certificate.as_ref().map(|stated| stated.to_text()),
        pictures: json(&made.pictures),
    })
}

/// A result as JSON.
pub(crate) fn json(result: &impl serde::Serialize) -> String {
    serde_json::to_string(result).expect("plain data is always JSON")
}
