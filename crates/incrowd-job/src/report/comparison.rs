//! Several algorithms on one job, as people and programs read it.

mod page;
mod plots;
mod tables;

pub(crate) use page::{Compared, ComparisonPage};
pub(crate) use plots::{AtStrength, ByStrength};

use crate::error::Error;
use crate::report::csv_text::CsvText;
use crate::report::outcome::{FileWritten, Guarantee, PrivacyReached};
use crate::report::picture::Picture;
use crate::report::research::ResearchValueReached;
use crate::report::stopped::Stopped;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The result of `compare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`VERSION`](crate::VERSION).
    pub version: u32,
    /// Rows of the table.
    pub rows_in: u64,
    /// Distinct combinations of quasi-identifiers, which all algorithms work on.
    pub tuples: u64,
    /// The metric minimized.
    pub metric: String,
    /// Rows that each algorithm may suppress.
    #[serde(default)]
    pub max_suppressed: u64,
    /// Whether the job named no budget, and algorithms that would have assumed a smaller one were given the greatest
    /// that any of them assumes, so that their losses can be compared.
    #[serde(default)]
    pub budget_is_assumed: bool,
    /// Seconds to read and count the table, once for all.
    pub seconds_read: f64,
    /// The result of every algorithm.
    pub runs: Vec<Run>,
    /// The page about the comparison, if one was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<FileWritten>,
}

/// One algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its name.
    pub algorithm: String,
    /// Rows it may suppress: the same for all.
    pub max_suppressed: u64,
    /// The metric it minimized: that of the job, or its own if the job names none.
    pub metric: String,
    /// What it reached; `null` if it has no result.
    pub reached: Option<RunReached>,
    /// Why it has no result.
    pub failed: Option<RunFailed>,
    /// Seconds of the search.
    pub seconds: f64,
    /// Peak memory of the process during the search, including the counted table; `null` where the system does not
    /// report it.
    pub peak_memory_bytes: Option<u64>,
}

/// What an algorithm reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReached {
    /// How good it is known to be.
    pub guarantee: Guarantee,
    /// How far below the loss the optimum could be, as a share of the loss.
    pub gap: Option<f64>,
    /// The kind of recoding.
    pub recoding: String,
    /// The level of each quasi-identifier; `null` when a column mixes levels.
    pub levels: Option<IndexMap<String, u8>>,
    /// Rows not published.
    pub rows_suppressed: u64,
    /// Classes published.
    pub classes: u64,
    /// Rows of the smallest class.
    pub smallest_class: u64,
    /// Average number of rows per class.
    pub average_class: f64,
    /// Every metric that applies.
    pub metrics: IndexMap<String, f64>,
    /// What the release is worth to experts, and which of their rules it keeps; only if they said anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research_value: Option<ResearchValueReached>,
    /// Every privacy model, as measured by the independent check.
    pub privacy: Vec<PrivacyReached>,
    /// What was examined: nodes of the lattice, value replacements, choices of partitions, or regions.
    pub checked: u64,
    /// Why the search stopped early, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

/// Why a search has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailed {
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl RunFailed {
    /// What an error says.
    pub(crate) fn of(error: &Error) -> Self {
        RunFailed {
            message: error.to_string(),
            hint: error.hint(),
        }
    }
}

impl Comparison {
    /// What each algorithm loses, as a plot; none if none has a result.
    pub fn draw(&self) -> Option<Picture> {
        Some(Picture {
            name: self.metric.clone(),
            svg: plots::losses(&self.runs, &self.metric)?,
        })
    }

    /// The names of all metrics and models that some algorithm reached, in order.
    pub fn names<'a, T>(&'a self, of_run: impl Fn(&'a RunReached) -> T) -> Vec<&'a str>
    where
        T: IntoIterator<Item = &'a str> + 'a,
    {
        let reached = self.runs.iter().filter_map(|run| run.reached.as_ref());
        let mut names: Vec<&str> = Vec::new();
        for name in reached.flat_map(of_run) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// A line for each algorithm.
    pub fn to_csv(&self) -> String {
        let metrics = self.names(|run| run.metrics.keys().map(String::as_str));
        let promises = self.names(|run| run.privacy.iter().map(|it| it.model.as_str()));
        let fixed = [
            "algorithm",
            "max_suppressed",
            "guarantee",
            "gap",
            "recoding",
            "levels",
            "rows_suppressed",
            "classes",
            "smallest_class",
            "average_class",
        ];
        let last = ["checked", "seconds", "peak_memory_bytes", "failed"];
        let head = fixed.iter().chain(&metrics).chain(&promises).chain(&last);
        let mut text = CsvText::new(head);
        for run in &self.runs {
            let mut line = vec![run.algorithm.clone(), run.max_suppressed.to_string()];
            match &run.reached {
                Some(reached) => reached.push_cells(&mut line, &metrics, &promises),
                None => line.resize(
                    fixed.len() + metrics.len() + promises.len() + 1,
                    String::new(),
                ),
            }
            line.push(run.seconds.to_string());
            line.push(or_empty(run.peak_memory_bytes));
            line.push(or_empty(run.failed.as_ref().map(|failed| &failed.message)));
            text.line(line);
        }
        text.finish()
    }
}

impl RunReached {
    fn push_cells(&self, line: &mut Vec<String>, metrics: &[&str], promises: &[&str]) {
        let levels = self.levels.as_ref().map(|levels| {
            let levels: Vec<String> = levels.values().map(u8::to_string).collect();
            levels.join(" ")
        });
        line.extend([
            self.guarantee.name().to_owned(),
            or_empty(self.gap),
            self.recoding.clone(),
            or_empty(levels),
            self.rows_suppressed.to_string(),
            self.classes.to_string(),
            self.smallest_class.to_string(),
            self.average_class.to_string(),
        ]);
        line.extend(metrics.iter().map(|name| or_empty(self.metrics.get(*name))));
        line.extend(promises.iter().map(|name| {
            let promise = self.privacy.iter().find(|it| it.model == *name);
            or_empty(promise.and_then(|promise| promise.reached))
        }));
        line.push(self.checked.to_string());
    }
}

fn or_empty(cell: Option<impl ToString>) -> String {
    cell.map(|cell| cell.to_string()).unwrap_or_default()
}
