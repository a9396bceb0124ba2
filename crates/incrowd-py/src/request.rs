//! What a call asks: a job, as a file and flags say it, and what only one command takes.

use crate::errors::Failure;
use crate::supervise::Stop;
use crate::table::take_over;
use incrowd_core::hierarchy::{Header, Options, parse};
use incrowd_job::{AlgorithmSettings, AttachedLevels, AttachedTable, Error, HierarchySource, Job};
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
    /// Whether these say everything about the algorithm, so that no setting of the job is left.
    is_whole_algorithm: bool,
    /// The highest level of quasi-identifiers, by their name.
    max_levels: BTreeMap<String, u8>,
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
    pub(crate) fn job(
        &self,
        py: Python<'_>,
        tables: &Bound<'_, PyDict>,
        stop: Option<&Py<Stop>>,
    ) -> Result<Job, Failure> {
        let job = self.without_tables()?;
        let mut job = self.with_levels_by_name(job)?;
        for (name, producer) in tables.iter() {
            let table = take_over(py, &producer, stop.map(Py::get))?;
            let table = AttachedTable::new(table);
            match name.extract::<String>()?.as_str() {
                "table" => job.data.table = Some(table),
                name => drop(job.data.tables.insert(name.to_owned(), table)),
            }
        }
        Ok(job)
    }

    /// The job as far as it can be written down, but for levels by name.
    pub(crate) fn without_tables(&self) -> Result<Job, Failure> {
        let mut job = self.base_job()?.unwrap_or_default();
        let mut flags = self.flags.clone();
        self.add_at_hand(&mut flags)?;
        if self.is_whole_algorithm {
            job.search.settings = AlgorithmSettings::default();
        }
        job.overlay(flags);
        Ok(job)
    }

    /// The job as it can be written down: without tables, and without levels by name as long as no columns are named.
    pub(crate) fn written_job(&self) -> Result<Job, Failure> {
        let job = self.without_tables()?;
        match job.columns.quasi_identifiers {
            Some(_) => self.with_levels_by_name(job),
            None => Ok(job),
        }
    }

    /// Whether the call itself names a table by its path, whatever a job says.
    pub(crate) fn names_a_path(&self) -> bool {
        self.flags.data.path.is_some()
    }

    /// The job that was given as such, without what keywords say beside it; none if keywords say everything.
    pub(crate) fn stated_job(&self) -> Result<Option<Job>, Failure> {
        let Some(mut job) = self.base_job()? else {
            return Ok(None);
        };
        let mut at_hand = Job::default();
        self.add_at_hand(&mut at_hand)?;
        job.overlay(at_hand);
        Ok(Some(self.with_levels_by_name(job)?))
    }

    /// Puts levels by name into the order of the quasi-identifiers, wherever those are named. The job may say the others.
    fn with_levels_by_name(&self, mut job: Job) -> Result<Job, Failure> {
        if self.max_levels.is_empty() {
            return Ok(job);
        }
        let names = job.columns.quasi_identifiers.as_deref();
        let names = names.ok_or(Error::NoQuasiIdentifiers)?;
        if let Some(other) = self.max_levels.keys().find(|name| !names.contains(name)) {
            return Err(Error::from(incrowd_core::Error::NotAQuasiIdentifier {
                column: other.clone(),
                known: names.to_vec(),
            })
            .into());
        }
        let of_job = job.privacy.max_levels.as_deref();
        let of_job = of_job.filter(|levels| levels.len() == names.len());
        let mut levels = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let level = self.max_levels.get(name);
            match level.or(of_job.map(|levels| &levels[at])) {
                Some(&level) => levels.push(level),
                None => {
                    return Err(Failure::Python {
                        code: "level-count",
                        message: format!("`max_levels` says nothing of quasi-identifier `{name}`"),
                        hint: "give a level for every quasi-identifier, by name or in their order"
                            .into(),
                    });
                }
            }
        }
        job.privacy.max_levels = Some(levels);
        Ok(job)
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
