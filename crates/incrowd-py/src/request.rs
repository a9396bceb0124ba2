//! What a call asks: a job, as a file and flags say it, and what only one command takes.

use crate::errors::Failure;
use crate::table::take_over;
use incrowd_core::hierarchy::{Header, Options, parse};
use incrowd_job::{AttachedLevels, AttachedTable, Error, HierarchySource, Job};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A call, as the Python layer writes it down.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Request {
    /// A job file.
    file: Option<PathBuf>,
    /// The text of a job.
    text: Option<String>,
    /// A job that was described by keywords.
    base: Option<Job>,
    /// What keywords say; it wins over the job.
    flags: Job,
    /// Rules as the command line takes them, such as `age: 64|65 = 25`.
    rules: Vec<String>,
    /// By column, its levels.
    levels: BTreeMap<String, Levels>,
    /// What only one command takes.
    pub(crate) options: serde_json::Value,
}

/// Levels at hand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    /// A line for each value: the value, then its groups, from the finest up.
    csv: String,
    /// Whether the first line names the levels.
    has_names: bool,
}

impl Request {
    pub(crate) fn read(text: &str) -> Result<Request, Failure> {
        serde_json::from_str(text).map_err(|error| not_read(&error))
    }

    /// The job, with the tables at hand attached: the one called `table` is the job's own.
    pub(crate) fn job(&self, py: Python<'_>, tables: &Bound<'_, PyDict>) -> Result<Job, Failure> {
        let mut job = self.base_job()?.unwrap_or_default();
        let mut flags = self.flags.clone();
        self.add_at_hand(&mut flags)?;
        job.overlay(flags);
        for (name, producer) in tables.iter() {
            let table = AttachedTable::new(take_over(py, &producer)?);
            match name.extract::<String>()?.as_str() {
                "table" => job.data.table = Some(table),
                name => drop(job.data.tables.insert(name.to_owned(), table)),
            }
        }
        Ok(job)
    }

    /// The job that was given as such, without what keywords say beside it; none if keywords say everything.
    pub(crate) fn stated_job(&self) -> Result<Option<Job>, Failure> {
        let Some(mut job) = self.base_job()? else {
            return Ok(None);
        };
        let mut at_hand = Job::default();
        self.add_at_hand(&mut at_hand)?;
        job.overlay(at_hand);
        Ok(Some(job))
    }

    /// The job that was given as such, but for what cannot be said in a file.
    fn base_job(&self) -> Result<Option<Job>, Failure> {
        Ok(match (&self.file, &self.text) {
            (Some(path), _) => Some(Job::load(path)?),
            (None, Some(text)) => Some(Job::parse(text)?),
            (None, None) => self.base.clone(),
        })
    }

    /// Adds rules and levels, which are not said as a job file says them.
    fn add_at_hand(&self, job: &mut Job) -> Result<(), Failure> {
        for rule in &self.rules {
            job.add_rule(rule)?;
        }
        for (column, Levels { csv, has_names }) in &self.levels {
            let header = if *has_names { Header::Yes } else { Header::No };
            let options = Options::new(column).with_header(header);
            let hierarchy = parse(csv.as_bytes(), options.with_delimiter(b','));
            let hierarchy = hierarchy.map_err(Error::from)?;
            let levels = AttachedLevels {
                hierarchy: Arc::new(hierarchy),
                from: "levels given in Python".into(),
                reason: None,
            };
            let levels = HierarchySource::Attached(levels);
            job.hierarchies.insert(column.clone(), levels);
        }
        Ok(())
    }

    /// What only one command takes.
    pub(crate) fn options<T: Default + for<'a> Deserialize<'a>>(&self) -> Result<T, Failure> {
        match &self.options {
            serde_json::Value::Null => Ok(T::default()),
            options => T::deserialize(options).map_err(|error| not_read(&error)),
        }
    }
}

/// An argument is not of the kind it should be.
pub(crate) fn not_read(error: &serde_json::Error) -> Failure {
    let text = error.to_string();
    // A position in JSON means nothing to whoever wrote Python.
    let message = match text.rfind(" at line 1 column ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    };
    Failure::Python {
        code: "argument",
        message: format!("an argument cannot be read: {message}"),
        hint: "`help(incrowd.anonymize)` lists the arguments with what they take".into(),
    }
}

/// What a word of a list means.
pub(crate) fn word<T: Clone>(
    family: &'static str,
    words: &[(&'static str, T)],
    given: Option<&str>,
) -> Result<Option<T>, Error> {
    let Some(given) = given else {
        return Ok(None);
    };
    let found = words.iter().find(|(word, _)| *word == given);
    match found {
        Some((_, meaning)) => Ok(Some(meaning.clone())),
        None => Err(Error::UnknownName {
            family,
            name: given.to_owned(),
            known: words.iter().map(|(word, _)| *word).collect(),
        }),
    }
}
