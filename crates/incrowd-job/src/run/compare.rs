//! Several algorithms on one job: what each reaches, what it costs, how long it takes.
//!
//! The table is counted once. Every result passes the same check as a release; nothing is written.

use crate::error::Error;
use crate::report::csv_text::CsvText;
use crate::report::outcome::{Guarantee, PrivacyReached, VERSION};
use crate::report::stopped::Stopped;
use crate::run::anonymize::solve;
use crate::run::asked::{Asked, named};
use crate::run::control::{Control, Phase, PhaseWatch};
use crate::run::counted::first_pass;
use crate::run::describe::Answer;
use crate::run::memory;
use crate::spec::{Job, TimeLimit};
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::publish::{Tally, publish_watched};
use incrowd_core::utility::MetricSpec;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The time limit of one algorithm if the job has none.
const TIME_LIMIT: &str = "10s";

/// The result of `compare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`VERSION`].
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

/// Runs several algorithms on a job; all of them if none is named.
pub fn compare(
    job: &Job,
    algorithms: Option<&[String]>,
    control: &Control,
) -> Result<Comparison, Error> {
    let algorithms = match algorithms {
        Some(names) => (names.iter().map(|name| named(name))).collect::<Result<Vec<_>, _>>()?,
        None => ALGORITHMS.to_vec(),
    };
    let entries: Vec<_> = algorithms
        .iter()
        .map(|algorithm| algorithm.entry())
        .collect();
    job.search.settings.check_read_by(&entries)?;
    let started = Instant::now();
    let (asked, reader) = Asked::read(job, "loss")?;
    let limit = job.search.time_limit;
    let first_pass = first_pass(job, &*asked.source, &asked.plan, reader, limit, control)?;
    let table = &first_pass.table;
    let seconds_read = started.elapsed().as_secs_f64();
    let models = asked.models(table)?;
    let mut job = job.clone();
    if job.search.time_limit.is_none() {
        job.search.time_limit = Some(TIME_LIMIT.parse::<TimeLimit>()?);
    }
    let job = &job;
    let defaults = || {
        entries
            .iter()
            .map(|entry| entry.kind.default_budget.rows(&models))
    };
    let greatest = defaults().max().unwrap_or(0).min(table.rows);
    let budget_is_assumed =
        job.privacy.max_suppressed.is_none() && defaults().any(|it| it < greatest);
    let mut max_suppressed = greatest;
    let mut runs = Vec::new();
    for algorithm in algorithms {
        let is_measured = memory::forget_peak();
        let spec = match job.search.metric {
            Some(_) => asked.metric.clone(),
            None => MetricSpec::named(algorithm.default_metric())?,
        };
        let metric = spec.build(table)?;
        let mut problem = asked.problem(job, &first_pass, &models, &*metric, algorithm)?;
        if budget_is_assumed {
            problem = problem.allow_suppressed(greatest);
        }
        max_suppressed = problem.max_suppressed;
        let solving = Instant::now();
        let solved = match control.is_asked_for_best() {
            // A user who does not want to wait for one algorithm does not want to wait for the next either.
            true => Err(Error::NotTried),
            false => solve(job, algorithm, &problem, None, control),
        };
        let seconds = solving.elapsed().as_secs_f64();
        let peak_memory_bytes = memory::peak().filter(|_| is_measured);
        control.check()?;
        let reached = solved.and_then(|solved| {
            control.within(job.search.time_limit, Phase::Write, || {
                let release = publish_watched(&problem, &solved.proposal, &PhaseWatch(control))?;
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
                    // No row is written, so none can be found to be blank.
                    seen: &release.seen(&Tally::default())?,
                    control,
                };
                RunReached::of(&answer)
            })
        });
        control.check()?;
        let (reached, failed) = match reached {
            Ok(reached) => (Some(reached), None),
            Err(error) => (None, Some(RunFailed::of(&error))),
        };
        runs.push(Run {
            algorithm: algorithm.entry().name.to_owned(),
            metric: spec.to_string(),
            max_suppressed: problem.max_suppressed.into(),
            reached,
            failed,
            seconds,
            peak_memory_bytes,
        });
    }
    Ok(Comparison {
        version: VERSION,
        rows_in: u64::from(table.rows) + u64::from(table.rows_excluded),
        tuples: table.tuples.len() as u64,
        metric: asked.metric.to_string(),
        max_suppressed: max_suppressed.into(),
        budget_is_assumed,
        seconds_read,
        runs,
    })
}

impl RunReached {
    fn of(answer: &Answer<'_>) -> Result<Self, Error> {
        let outcome = answer.outcome()?;
        Ok(RunReached {
            guarantee: outcome.guarantee,
            gap: outcome.gap,
            recoding: outcome.recoding,
            levels: outcome.levels,
            rows_suppressed: outcome.rows_suppressed,
            classes: outcome.classes,
            smallest_class: outcome.smallest_class,
            average_class: outcome.average_class,
            metrics: outcome.metrics,
            privacy: outcome.privacy,
            checked: match &outcome.partition {
                Some(partition) => partition.nodes_visited,
                None => answer.proposal.nodes_checked,
            },
            stopped: outcome.stopped,
        })
    }
}

impl Comparison {
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
