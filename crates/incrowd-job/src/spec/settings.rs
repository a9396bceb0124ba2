//! Settings that only some algorithms have, as a job gives them.
//!
//! Their names, kinds and meanings are declared by the algorithms themselves; here they are texts by name until it is
//! known which algorithm is run.

use crate::error::Error;
use incrowd_core::algorithms::{ALGORITHMS, AlgorithmEntry};
use incrowd_core::registry::{Given, Kind, Setting};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Values of settings by name. In a job file and in JSON a name has `_` for `-`, and a setting that takes several values
/// is a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "IndexMap<String, Written>", into = "IndexMap<String, Written>")]
pub struct AlgorithmSettings(IndexMap<String, Vec<String>>);

/// A value as a job file or JSON has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a setting is a text, a number, true, false, or a list of texts"
)]
enum Written {
    Text(String),
    Whole(i64),
    Decimal(f64),
    Flag(bool),
    List(Vec<String>),
}

impl From<IndexMap<String, Written>> for AlgorithmSettings {
    fn from(written: IndexMap<String, Written>) -> Self {
        let read = |(key, value): (String, Written)| {
            let values = match value {
                Written::Text(text) => vec![text],
                Written::Whole(number) => vec![number.to_string()],
                Written::Decimal(number) => vec![number.to_string()],
                Written::Flag(flag) => vec![flag.to_string()],
                Written::List(texts) => texts,
            };
            (key.replace('_', "-"), values)
        };
        AlgorithmSettings(written.into_iter().map(read).collect())
    }
}

impl From<AlgorithmSettings> for IndexMap<String, Written> {
    fn from(settings: AlgorithmSettings) -> Self {
        let write = |(name, mut values): (String, Vec<String>)| {
            let kind = declared(&name).map(|setting| setting.kind);
            let is_list = kind.is_none_or(|kind| kind.is_list());
            let value = match values.len() {
                1 if kind == Some(Kind::Flag) => match values[0].parse() {
                    Ok(flag) => Written::Flag(flag),
                    Err(_) => Written::Text(values.remove(0)),
                },
                1 if !is_list => Written::Text(values.remove(0)),
                _ => Written::List(values),
            };
            (key(&name), value)
        };
        settings.0.into_iter().map(write).collect()
    }
}

/// The key of a setting in a job file and in JSON.
pub(crate) fn key(name: &str) -> String {
    name.replace('-', "_")
}

/// What the algorithms say about a setting.
fn declared(name: &str) -> Option<&'static Setting> {
    let entries = ALGORITHMS.iter().map(|algorithm| algorithm.entry());
    let mut settings = entries.flat_map(|entry| entry.settings);
    settings.find(|setting| setting.name == name)
}

impl AlgorithmSettings {
    /// What was given for a setting.
    pub fn get(&self, name: &str) -> Option<&[String]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// Sets a value; what it was before is forgotten.
    pub fn set(&mut self, name: impl Into<String>, values: Vec<String>) {
        self.0.insert(name.into(), values);
    }

    /// Lays others over these: whatever they say wins.
    pub(super) fn extend(&mut self, others: AlgorithmSettings) {
        self.0.extend(others.0);
    }

    /// Replaces the cells of the table that values name, as `size=small;large` does. The names of columns stay.
    pub(crate) fn replace_cells(&mut self, replacement: impl Fn(&str) -> String) {
        let holds_cells =
            |name: &str| declared(name).is_some_and(|setting| setting.kind.holds_cells());
        let texts = (self.0.iter_mut()).filter(|(name, _)| holds_cells(name));
        for text in texts.flat_map(|(_, texts)| texts) {
            *text = match text.rsplit_once('=') {
                Some((column, cells)) => format!("{}={}", column.trim(), replacement(cells)),
                None => replacement(text),
            };
        }
    }

    /// The settings with their values, in the order they were given.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        let all = self.0.iter();
        all.map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The first name that no algorithm has a setting of.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.iter()
            .map(|(name, _)| name)
            .find(|name| declared(name).is_none())
    }

    /// The values as an algorithm reads them, all of them in range. Settings of other algorithms are passed over.
    pub(crate) fn of(&self, entry: &'static AlgorithmEntry) -> Result<Given, Error> {
        let mut given = entry.defaults();
        for (name, values) in self.iter().filter(|(name, _)| entry.has_setting(name)) {
            given.set(name, values)?;
        }
        Ok(given)
    }

    /// Refuses settings that none of these algorithms has.
    pub(crate) fn check_read_by(&self, entries: &[&'static AlgorithmEntry]) -> Result<(), Error> {
        for (name, _) in self.iter() {
            if entries.iter().any(|entry| entry.has_setting(name)) {
                continue;
            }
            let all = ALGORITHMS.iter().map(|algorithm| algorithm.entry());
            let readers: Vec<_> = all.filter(|entry| entry.has_setting(name)).collect();
            return Err(Error::SettingNotRead {
                algorithms: entries.iter().map(|entry| entry.name).collect(),
                setting: name.to_owned(),
                readers: readers.iter().map(|entry| entry.name).collect(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Job;

    #[test]
    fn settings_are_read_and_written_under_the_names_that_the_algorithms_declare() {
        let text = "[search]\nalgorithm = \"partition\"\nscheme = [\"age=ops\", \"sps\"]\nsearch = \"top-down\"\n\
                    without_pruning = [\"all\"]\n";
        let job = Job::parse(text).unwrap();
        let settings = &job.search.settings;
        assert_eq!(
            settings.get("without-pruning"),
            Some(&["all".to_owned()][..])
        );
        assert_eq!(settings.get("scheme").map(<[_]>::len), Some(2));
        let again: Job = toml::from_str(&toml::to_string(&job).unwrap()).unwrap();
        assert_eq!(again.search, job.search);
        assert!(
            toml::to_string(&job)
                .unwrap()
                .contains("search = \"top-down\"")
        );
    }

    #[test]
    fn a_key_that_nobody_knows_is_refused_where_it_stands() {
        let error = Job::parse("[search]\nmetric = \"loss\"\nschemes = [\"ops\"]\n").unwrap_err();
        assert!(
            matches!(
                error,
                Error::JobFile {
                    line: 3,
                    column: 1,
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains("schemes"), "{error}");
    }

    #[test]
    fn a_setting_that_the_algorithm_does_not_have_is_refused() {
        let job = Job::parse("[search]\nscheme = [\"ops\"]\n").unwrap();
        let entries: Vec<_> = ALGORITHMS
            .iter()
            .map(|algorithm| algorithm.entry())
            .collect();
        for entry in entries {
            let refused = job.search.settings.check_read_by(&[entry]);
            assert_eq!(
                refused.is_ok(),
                entry.has_setting("scheme"),
                "{}",
                entry.name
            );
        }
    }
}
