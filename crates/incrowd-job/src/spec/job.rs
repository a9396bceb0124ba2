//! The file a user writes.
//!
//! A [`Job`] says what is to be read, what every column is, what must be promised and where the release goes.
//! Nothing in it is required: a front end fills a second `Job` from its flags and lays it over the first with
//! [`Job::overlay`], and only then is the whole checked. Keys are the long flags with `_` for `-`.
//!
//! ```
//! use incrowd_job::Job;
//! let job = Job::parse(
//!     r#"
//!     [data]
//!     path = "adult.csv"
//!     [columns]
//!     quasi_identifiers = ["age", "sex"]
//!     others = "drop"
//!     [privacy]
//!     models = ["k-anonymity(k=5)"]
//!     max_suppressed = "1%"
//!     "#,
//! )?;
//! assert_eq!(job.columns.quasi_identifiers.unwrap(), ["age", "sex"]);
//! # Ok::<(), incrowd_job::Error>(())
//! ```

use super::settings;
use super::{
    AlgorithmSettings, AttachedSink, AttachedTable, Budget, HierarchySource, MemoryLimit,
    RuleTexts, TimeLimit, Weighting, WorkLimit,
};
use crate::error::Error;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Everything a run can be asked, all of it optional until the run is planned.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Job {
    /// The file it was read from; not part of what is asked, yet a file nothing may overwrite.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// Files that the command reads beside those named below; nothing may overwrite them either.
    #[serde(skip)]
    pub reads: Vec<PathBuf>,
    /// What to read.
    pub data: Data,
    /// What the columns are.
    pub columns: Columns,
    /// Where the levels of single columns come from; wins over [`Columns::hierarchies`].
    pub hierarchies: IndexMap<String, HierarchySource>,
    /// What to promise, and what may be given up for it.
    pub privacy: Privacy,
    /// By column, values that must stay apart, each with its importance.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub rules: IndexMap<String, RuleTexts>,
    /// How much each quasi-identifier counts in the research value; all together 1.
    #[serde(
        deserialize_with = "super::rules::weights",
        skip_serializing_if = "IndexMap::is_empty"
    )]
    pub weights: IndexMap<String, f64>,
    /// By column, the research value of each level, in place of the one computed.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub level_values: IndexMap<String, Vec<f64>>,
    /// How to look for the best recoding.
    pub search: Search,
    /// Where the release goes.
    pub output: Output,
}

/// What to read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Data {
    /// A file, the address of a table in a database, or `-` for standard input.
    pub path: Option<String>,
    /// A table to read in place of a file.
    #[serde(skip)]
    pub table: Option<AttachedTable>,
    /// Tables at hand, by the names that stand for them wherever a path to a table may be given.
    #[serde(skip)]
    pub tables: IndexMap<String, AttachedTable>,
    /// What separates cells; detected when not given.
    pub delimiter: Option<Delimiter>,
    /// What surrounds cells that hold delimiters; `"` when not given.
    pub quote: Option<Delimiter>,
    /// Whether white space around cells is dropped; no when not given.
    pub trim: Option<bool>,
    /// Whether the first line names the columns; when not given it does, and is refused if it looks like a row.
    pub header: Option<bool>,
    /// Texts that mean "no value", beside the empty text.
    pub missing_tokens: Option<Vec<String>>,
    /// What such cells mean; a value of their own when not given.
    pub missing_cells: Option<MissingCells>,
    /// Whether it is a release with apostrophes before formulas ([`Output::spreadsheet_safe`]), to be taken away.
    #[serde(skip)]
    pub spreadsheet_safe: bool,
}

/// What a missing cell means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingCells {
    /// It is a value like any other.
    #[default]
    OwnValue,
    /// It could be any value: the row stands in the crowd of every class it might belong to.
    MatchAny,
    /// The row is left out of the release.
    ExcludeRow,
}

/// What the columns are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Columns {
    /// Known to others and joined by them; published generalized. Their order is the order of levels.
    pub quasi_identifiers: Option<Vec<String>>,
    /// Must not be linked to a person; published as they are.
    pub sensitive: Option<Vec<String>>,
    /// Name a person; dropped.
    pub identifying: Option<Vec<String>>,
    /// What analysts predict; published as they are.
    pub target: Option<Vec<String>>,
    /// Published as they are, whatever they give away.
    pub keep: Option<Vec<String>>,
    /// What happens to columns named nowhere; refused when not given.
    pub others: Option<Others>,
    /// A folder with a file `<column>.csv` for each hierarchy.
    pub hierarchies: Option<PathBuf>,
    /// What happens to values that their hierarchy does not list; refused when not given.
    pub unlisted: Option<Unlisted>,
}

/// What happens to values of the data that their hierarchy does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unlisted {
    /// The job is refused.
    #[default]
    Refuse,
    /// They are published as `*`.
    Suppress,
}

/// What happens to columns that have no role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Others {
    /// Published as they are.
    Keep,
    /// Not published.
    Drop,
}

/// What to promise, and what may be given up for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Privacy {
    /// Models with their parameters, such as `k-anonymity(k=5)`; all must hold.
    pub models: Option<Vec<String>>,
    /// Rows that may be left out; none when not given.
    pub max_suppressed: Option<Budget>,
    /// The highest level allowed for each quasi-identifier, in their order.
    pub max_levels: Option<Vec<u8>>,
    /// The table of everyone whom the rows could be about, for models about them.
    pub population: Option<String>,
}

/// How to look for the best recoding.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Search {
    /// What is to be lost least; `loss` when not given.
    pub metric: Option<String>,
    /// The algorithm; `optimal` when not given.
    pub algorithm: Option<String>,
    /// For algorithms that draw numbers, and for the order of shuffled rows.
    pub seed: Option<u64>,
    /// Threads to use; all processors when not given. The result does not depend on it.
    pub threads: Option<usize>,
    /// When to stop searching and take the best found.
    pub time_limit: Option<TimeLimit>,
    /// After how much work to stop searching and take the best found; when not given, [`WorkLimit::DEFAULT`], or none if
    /// there is a time limit.
    pub work_limit: Option<WorkLimit>,
    /// The memory that combinations of values may take; all there is when not given. The result does not depend on it.
    pub memory_limit: Option<MemoryLimit>,
    /// How the weights of the research value are chosen if none is given; all alike when not given.
    pub weights: Option<Weighting>,
    /// Of quasi-identifiers whose association is at least this, only the first counts; all count when not given.
    pub drop_associated: Option<f64>,
    /// What is added to the importance of all rules and of those kept; 0 when not given.
    pub rule_base: Option<f64>,
    /// Exponent of the granularity in the research value; 1 when not given.
    pub granularity_exponent: Option<f64>,
    /// Exponent of the ratio of rules kept in the research value; 1 when not given.
    pub rule_exponent: Option<f64>,
    /// What only some algorithms have; keys that none of them has are refused.
    #[serde(flatten)]
    pub settings: AlgorithmSettings,
}

/// Where the release goes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// A file, the address of a new table in a database, or `-` for standard output.
    pub path: Option<String>,
    /// Whether a table in a database may be replaced; no when not given. Files are replaced anyway.
    pub replace: Option<bool>,
    /// Takes the release in place of a file.
    #[serde(skip)]
    pub sink: Option<AttachedSink>,
    /// The certificate, as JSON; the readable one is written beside it.
    pub certificate: Option<PathBuf>,
    /// A page of HTML about the release.
    pub report: Option<PathBuf>,
    /// Whether that page is for people who may know nothing but the release: without what else was possible, and without
    /// risks of the raw table.
    #[serde(skip)]
    pub report_is_for_readers: bool,
    /// What is published of suppressed rows.
    pub suppressed: Option<Suppressed>,
    /// Whether rows are written in another order than they have in the table; no when not given.
    pub shuffle: Option<bool>,
    /// Whether an apostrophe is put before cells that a spreadsheet would take for formulas; no when not given.
    pub spreadsheet_safe: Option<bool>,
}

impl Output {
    /// Whether a release is to be written at all, to a file or elsewhere.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.path.is_some() || self.sink.is_some()
    }
}

/// What is published of suppressed rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suppressed {
    /// Nothing.
    #[default]
    Drop,
    /// A row of `*`, so that the number of rows stays.
    Star,
}

/// A single byte between or around cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Delimiter(pub u8);

impl std::str::FromStr for Delimiter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "tab" | "\\t" => Ok(Delimiter(b'\t')),
            _ => match text.as_bytes() {
                [byte] if byte.is_ascii() && !b"\r\n".contains(byte) => Ok(Delimiter(*byte)),
                _ => Err(Error::Delimiter { text: text.into() }),
            },
        }
    }
}

impl TryFrom<String> for Delimiter {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Delimiter> for String {
    fn from(delimiter: Delimiter) -> String {
        char::from(delimiter.0).to_string()
    }
}

impl Job {
    /// Reads the text of a job file. Paths in it stay as they are.
    pub fn parse(text: &str) -> Result<Job, Error> {
        Self::parse_named(text, None)
    }

    fn parse_named(text: &str, path: Option<&Path>) -> Result<Job, Error> {
        let refused = |at: usize, message: &str| {
            let (line, column) = position(text, at);
            Error::JobFile {
                path: path.map(Path::to_path_buf),
                line,
                column,
                message: one_line(message),
            }
        };
        let job: Job = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            refused(start, error.message())
        })?;
        match job.search.settings.unknown() {
            None => Ok(job),
            Some(name) => {
                let key = settings::key(name);
                let message = format!("unknown field `{key}`: no algorithm has such a setting");
                Err(refused(position_of_key(text, "search", &key), &message))
            }
        }
    }

    /// Reads a job file. Paths in it are relative to the folder it is in.
    pub fn load(path: &Path) -> Result<Job, Error> {
        let bytes = std::fs::read(path).map_err(|error| Error::read(path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let start = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let (line, column) = position(&start, valid);
            Error::JobFile {
                path: Some(path.to_path_buf()),
                line,
                column,
                message: "the file is not UTF-8 text".into(),
            }
        })?;
        let mut job = Self::parse_named(&text, Some(path))?;
        job.file = Some(path.to_path_buf());
        job.resolve_paths(path.parent().unwrap_or(Path::new("")));
        Ok(job)
    }

    /// Makes every relative path start at `folder`.
    fn resolve_paths(&mut self, folder: &Path) {
        if folder.as_os_str().is_empty() {
            return;
        }
        for table in self.tables_mut() {
            *table = incrowd_sql::resolved(table, |path| folder.join(path));
        }
        let paths = [
            &mut self.columns.hierarchies,
            &mut self.output.certificate,
            &mut self.output.report,
        ];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
        for source in self.hierarchies.values_mut() {
            if let HierarchySource::File(path) = source {
                *path = folder.join(&*path);
            }
        }
    }

    /// The tables that this job names: paths, or addresses in databases.
    pub(crate) fn tables_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let tables = [
            &mut self.data.path,
            &mut self.output.path,
            &mut self.privacy.population,
        ];
        tables.into_iter().flatten()
    }

    /// Lays `flags` over this job: whatever they say wins.
    ///
    /// A column that the flags give a role loses the role the job file gave it, so `-s age` over a file with
    /// `age` among its quasi-identifiers is no contradiction. Models replace models as a whole, and so do rules and
    /// weights.
    pub fn overlay(&mut self, flags: Job) {
        let named: Vec<String> = flags.columns.lists().flatten().cloned().collect();
        for list in self.columns.lists_mut().into_iter().flatten() {
            list.retain(|column| !named.contains(column));
        }
        let Job {
            file: _,
            reads,
            data,
            columns,
            hierarchies,
            privacy,
            rules,
            weights,
            level_values,
            search,
            output,
        } = flags;
        self.reads.extend(reads);
        replace(&mut self.data.path, data.path);
        replace(&mut self.data.table, data.table);
        self.data.tables.extend(data.tables);
        replace(&mut self.data.delimiter, data.delimiter);
        replace(&mut self.data.quote, data.quote);
        replace(&mut self.data.trim, data.trim);
        replace(&mut self.data.header, data.header);
        replace(&mut self.data.missing_tokens, data.missing_tokens);
        replace(&mut self.data.missing_cells, data.missing_cells);
        self.data.spreadsheet_safe |= data.spreadsheet_safe;
        replace(
            &mut self.columns.quasi_identifiers,
            columns.quasi_identifiers,
        );
        replace(&mut self.columns.sensitive, columns.sensitive);
        replace(&mut self.columns.identifying, columns.identifying);
        replace(&mut self.columns.target, columns.target);
        replace(&mut self.columns.keep, columns.keep);
        replace(&mut self.columns.others, columns.others);
        replace(&mut self.columns.hierarchies, columns.hierarchies);
        replace(&mut self.columns.unlisted, columns.unlisted);
        self.hierarchies.extend(hierarchies);
        replace(&mut self.privacy.models, privacy.models);
        replace(&mut self.privacy.max_suppressed, privacy.max_suppressed);
        replace(&mut self.privacy.max_levels, privacy.max_levels);
        replace(&mut self.privacy.population, privacy.population);
        replace_all(&mut self.rules, rules);
        // Weights are given one by one or chosen by a word; whichever the flags say wins.
        if search.weights.is_some() || search.drop_associated.is_some() {
            self.weights.clear();
        }
        if !weights.is_empty() {
            self.search.weights = None;
            self.search.drop_associated = None;
        }
        replace_all(&mut self.weights, weights);
        replace_all(&mut self.level_values, level_values);
        replace(&mut self.search.weights, search.weights);
        replace(&mut self.search.drop_associated, search.drop_associated);
        replace(&mut self.search.rule_base, search.rule_base);
        replace(
            &mut self.search.granularity_exponent,
            search.granularity_exponent,
        );
        replace(&mut self.search.rule_exponent, search.rule_exponent);
        replace(&mut self.search.metric, search.metric);
        replace(&mut self.search.algorithm, search.algorithm);
        self.search.settings.extend(search.settings);
        replace(&mut self.search.seed, search.seed);
        replace(&mut self.search.threads, search.threads);
        replace(&mut self.search.time_limit, search.time_limit);
        replace(&mut self.search.work_limit, search.work_limit);
        replace(&mut self.search.memory_limit, search.memory_limit);
        replace(&mut self.output.path, output.path);
        replace(&mut self.output.replace, output.replace);
        replace(&mut self.output.sink, output.sink);
        replace(&mut self.output.certificate, output.certificate);
        replace(&mut self.output.report, output.report);
        self.output.report_is_for_readers |= output.report_is_for_readers;
        replace(&mut self.output.suppressed, output.suppressed);
        replace(&mut self.output.shuffle, output.shuffle);
        replace(&mut self.output.spreadsheet_safe, output.spreadsheet_safe);
    }

    /// The same job with less work for each search.
    pub(crate) fn with_work_at_most(&self, most: WorkLimit) -> Job {
        let mut job = self.clone();
        job.search.work_limit = Some(self.search.work_limit().at_most(most));
        job
    }

    /// The number of threads to use, of which there are never more than [`Job::MOST_THREADS`].
    pub fn threads(&self) -> usize {
        let threads = match self.search.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        threads.clamp(1, Job::MOST_THREADS)
    }

    /// More threads than this are not started: each has memory of its own, and the result does not depend on how many there
    /// are.
    pub const MOST_THREADS: usize = 256;
}

impl Search {
    /// After how much work a search ends. Whoever says how long it may take wants that time to be used.
    pub(crate) fn work_limit(&self) -> WorkLimit {
        match (self.work_limit, self.time_limit) {
            (Some(limit), _) => limit,
            (None, Some(_)) => WorkLimit::NONE,
            (None, None) => WorkLimit::DEFAULT,
        }
    }
}

impl Columns {
    /// The columns of each role.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &Vec<String>> {
        [
            &self.quasi_identifiers,
            &self.sensitive,
            &self.identifying,
            &self.target,
            &self.keep,
        ]
        .into_iter()
        .flatten()
    }

    fn lists_mut(&mut self) -> [&mut Option<Vec<String>>; 5] {
        [
            &mut self.quasi_identifiers,
            &mut self.sensitive,
            &mut self.identifying,
            &mut self.target,
            &mut self.keep,
        ]
    }
}

fn replace<T>(old: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *old = new;
    }
}

fn replace_all<T>(old: &mut IndexMap<String, T>, new: IndexMap<String, T>) {
    if !new.is_empty() {
        *old = new;
    }
}

/// Where a key of a table stands in a text that parses.
fn position_of_key(text: &str, table: &str, key: &str) -> usize {
    let parsed = toml::de::DeTable::parse(text).ok();
    let within = parsed
        .as_ref()
        .and_then(|all| all.get_ref().get(table)?.get_ref().as_table());
    let mut keys = within.into_iter().flat_map(|within| within.keys());
    let found = keys.find(|other| other.get_ref() == key);
    found.map_or(0, |key| key.span().start)
}

/// Line and column, both from 1, of a byte of `text`.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&before[line_start..])
        .chars()
        .count()
        + 1;
    (line, column)
}

/// Messages of the TOML reader may have several lines; an error's first line is one.
fn one_line(message: &str) -> String {
    message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_takes_the_place_of_the_default_work_limit() {
        let limit = |search: &str| {
            let job = Job::parse(&format!("[search]\n{search}\n")).unwrap();
            job.search.work_limit().steps()
        };
        assert_eq!(limit(""), WorkLimit::DEFAULT.steps());
        assert_eq!(limit("time_limit = \"60s\""), None);
        let both = "time_limit = \"60s\"\nwork_limit = \"5M\"";
        assert_eq!(limit(both), Some(5_000_000));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error = Job::parse("[data]\npath = \"a.csv\"\n[privacy]\nmodel = []\n").unwrap_err();
        assert!(
            matches!(
                error,
                Error::JobFile {
                    line: 4,
                    column: 1,
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(error.to_string().contains("model"), "{error}");
    }

    #[test]
    fn paths_are_relative_to_the_job_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("incrowd.toml");
        std::fs::write(
            &path,
            "[data]\npath = \"adult.csv\"\n[hierarchies]\nage = \"h/age.csv\"\nzip = \"mask:2\"\n",
        )
        .unwrap();
        let job = Job::load(&path).unwrap();
        assert_eq!(
            job.data.path.unwrap(),
            folder.path().join("adult.csv").to_string_lossy()
        );
        assert_eq!(
            job.hierarchies["age"],
            HierarchySource::File(folder.path().join("h/age.csv"))
        );
        assert_eq!(
            job.hierarchies["zip"],
            HierarchySource::Built("mask:2".into())
        );
    }

    #[test]
    fn a_role_given_by_a_flag_wins_over_the_role_in_the_file() {
        let mut job =
            Job::parse("[columns]\nquasi_identifiers = [\"age\", \"sex\"]\nidentifying = [\"id\"]")
                .unwrap();
        let mut flags = Job::default();
        flags.columns.sensitive = Some(vec!["age".into()]);
        job.overlay(flags);
        assert_eq!(job.columns.quasi_identifiers.unwrap(), ["sex"]);
        assert_eq!(job.columns.sensitive.unwrap(), ["age"]);
        assert_eq!(job.columns.identifying.unwrap(), ["id"]);
    }

    #[test]
    fn threads_are_at_least_one_and_not_without_end() {
        let mut job = Job::default();
        for (given, used) in [(0, 1), (3, 3), (256, 256), (257, 256), (usize::MAX, 256)] {
            job.search.threads = Some(given);
            assert_eq!(job.threads(), used);
        }
    }

    #[test]
    fn a_budget_out_of_range_is_refused_where_it_stands() {
        let error = Job::parse("[privacy]\nmax_suppressed = \"101%\"\n").unwrap_err();
        assert!(matches!(error, Error::JobFile { line: 2, .. }), "{error:?}");
        Job::parse("[privacy]\nmax_suppressed = 321\n").unwrap();
        Job::parse("[privacy]\nmax_suppressed = -1\n").unwrap_err();
    }
}
