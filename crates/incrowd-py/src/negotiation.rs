//! A table counted once, with many requests.

use crate::errors::Failure;
use crate::release::{Release, hand_over, json, release};
use crate::request::{Request, not_read, word};
use crate::supervise::{Stop, Watched, Watchers, supervise};
use incrowd_core::negotiate::{Estimator, Search};
use incrowd_job::{Error, Ground, Offered, Options, Preparation, Show, Wish, share};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Answers requests about one table, from any thread. Each question is watched by itself: whoever stops one stops no other.
#[pyclass(frozen, module = "incrowd._native")]
pub(crate) struct Negotiation {
    session: incrowd_job::Negotiation,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Preparing {
    how: Option<String>,
    partial: Option<String>,
    estimator: Option<String>,
    search: Option<String>,
    index: Option<PathBuf>,
}

impl Preparing {
    fn options(&self) -> Result<Options, Error> {
        let defaults = Options::default();
        let how = word("preparation", &Preparation::ALL, self.how.as_deref())?;
        let percent = self.partial.as_deref().map(share).transpose()?;
        let estimator = word("estimator", &Estimator::ALL, self.estimator.as_deref())?;
        let search = word("search", &Search::ALL, self.search.as_deref())?;
        Ok(Options {
            how: how.unwrap_or(defaults.how),
            percent: percent.unwrap_or(defaults.percent),
            estimator: estimator.unwrap_or(defaults.estimator),
            search: search.unwrap_or(defaults.search),
            index: self.index.clone(),
            many_questions: true,
        })
    }
}

#[pymethods]
impl Negotiation {
    #[new]
    #[pyo3(signature = (request, tables, progress = None, stop = None))]
    fn new(
        py: Python<'_>,
        request: &str,
        tables: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
        stop: Option<Py<Stop>>,
    ) -> PyResult<Self> {
        let request = Request::read(request)?;
        let job = request.job(py, tables, stop.as_ref())?;
        let options = request.options::<Preparing>()?.options();
        let options = options.map_err(Failure::from)?;
        let watchers = Watchers { progress, stop };
        let session = supervise(py, &Watched::new(), &watchers, |control| {
            let ground = Arc::new(Ground::count(&job, control)?);
            incrowd_job::Negotiation::new(ground, options, control)
        });
        Ok(Negotiation { session: session? })
    }

    /// Answers a request, which is JSON as `negotiate --batch` takes it, or that of the job.
    #[pyo3(signature = (wish = None, progress = None, stop = None))]
    fn ask(
        &self,
        py: Python<'_>,
        wish: Option<&str>,
        progress: Option<Py<PyAny>>,
        stop: Option<Py<Stop>>,
    ) -> PyResult<String> {
        let wish = self.wish(wish)?;
        let watched = Watched::new();
        // What is answered in microseconds needs nobody to watch over it.
        let is_ready = self.session.is_ready_for(&wish).map_err(Failure::from)?;
        if is_ready && stop.is_none() {
            let answer = py.detach(|| Ok(json(&self.session.ask(&wish, &watched.control)?)));
            return Ok(answer.map_err(|error: Error| Failure::from(error))?);
        }
        let answer = supervise(py, &watched, &Watchers { progress, stop }, |control| {
            Ok(json(&self.session.ask(&wish, control)?))
        });
        Ok(answer?)
    }

    /// The plots of a request: a list of objects with `name` and `svg`.
    #[pyo3(signature = (wish = None))]
    fn draw(&self, py: Python<'_>, wish: Option<&str>) -> PyResult<String> {
        let wish = self.wish(wish)?;
        let drawn = supervise(py, &Watched::new(), &Watchers::default(), |control| {
            Ok(json(&self.session.draw(&wish, control)?))
        });
        Ok(drawn?)
    }

    /// Makes the release of an offer, which is checked like any other.
    #[pyo3(signature = (wish, offer, request, progress = None, stop = None))]
    fn release(
        &self,
        py: Python<'_>,
        wish: Option<&str>,
        offer: &str,
        request: &str,
        progress: Option<Py<PyAny>>,
        stop: Option<Py<Stop>>,
    ) -> PyResult<Release> {
        let wish = self.wish(wish)?;
        let offer: Offered = serde_json::from_str(offer).map_err(|error| not_read(&error))?;
        let mut job = self.session.ground().agreed(&wish, &offer);
        // Only what concerns the output may be added.
        job.overlay(Request::read(request)?.without_tables()?);
        let show = Show {
            sample: 0,
            certificate: true,
            pictures: true,
        };
        let watchers = Watchers { progress, stop };
        let made = supervise(py, &Watched::new(), &watchers, |control| {
            release(job, show, control)
        });
        Ok(hand_over(py, made?)?)
    }

    /// The quasi-identifiers, each with its highest level.
    #[getter]
    fn quasi_identifiers(&self) -> Vec<(String, u8)> {
        let all = self.session.ground().quasi_identifiers();
        all.map(|(name, height)| (name.to_owned(), height))
            .collect()
    }

    /// The rows of the table.
    #[getter]
    fn rows(&self) -> u32 {
        self.session.ground().table().rows
    }
}

impl Negotiation {
    fn wish(&self, text: Option<&str>) -> Result<Wish, Failure> {
        Ok(match text {
            Some(text) => self.session.ground().read_wish(text)?,
            None => self.session.wish_of_job()?,
        })
    }
}
