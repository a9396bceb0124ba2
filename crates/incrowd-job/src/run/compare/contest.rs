//! One algorithm among others, on the same terms as all of them.

use crate::error::Error;
use crate::report::comparison::{Run, RunFailed, RunReached};
use crate::report::pictured::Pictured;
use crate::report::stopped::Stopped;
use crate::run::asked::Asked;
use crate::run::control::Control;
use crate::run::counted::{FirstPass, max_suppressed};
use crate::run::describe::Answer;
use crate::run::memory;
use crate::run::solve::{measured, solve};
use crate::spec::Job;
use incrowd_core::algorithms::{Algorithm, Solved};
use incrowd_core::privacy::PrivacyModel;
use incrowd_core::problem::Problem;
use incrowd_core::publish::Tally;
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use std::time::Instant;

/// The algorithms that are compared, and the table they are compared on.
#[derive(Clone, Copy)]
pub(super) struct Contest<'a> {
    pub(super) job: &'a Job,
    pub(super) asked: &'a Asked,
    pub(super) first_pass: &'a FirstPass,
    pub(super) algorithms: &'a [&'static dyn Algorithm],
    pub(super) control: &'a Control,
}

/// What all algorithms are given alike.
pub(super) struct Terms {
    pub(super) models: Vec<Box<dyn PrivacyModel>>,
    /// Rows that each may suppress.
    pub(super) max_suppressed: u32,
    /// Whether the job names no budget, and some algorithm would have assumed a smaller one.
    pub(super) is_assumed: bool,
}

impl Contest<'_> {
    /// The terms under these promises. If the job names no budget, all get the greatest that any of them assumes.
    pub(super) fn terms(&self, models: Vec<Box<dyn PrivacyModel>>) -> Result<Terms, Error> {
        let table = &self.first_pass.table;
        let budget = self.job.privacy.max_suppressed;
        let defaults = (self.algorithms.iter())
            .map(|algorithm| algorithm.entry().kind.default_budget.rows(&models));
        let greatest = defaults.clone().max().unwrap_or(0).min(table.rows);
        let is_assumed = budget.is_none() && defaults.clone().any(|it| it < greatest);
        Ok(Terms {
            max_suppressed: match budget {
                None => greatest,
                budget => max_suppressed(budget, table)?,
            },
            is_assumed,
            models,
        })
    }

    /// The metric that an algorithm minimizes: that of the job, or its own if the job names none.
    fn metric(&self, algorithm: &dyn Algorithm) -> Result<MetricSpec, Error> {
        self.asked.metric_of(self.job, algorithm)
    }

    fn problem<'p>(
        &'p self,
        algorithm: &dyn Algorithm,
        terms: &'p Terms,
        metric: &'p dyn UtilityMetric,
    ) -> Result<Problem<'p>, Error> {
        let models = &terms.models;
        let asked = self.asked;
        let problem = asked.problem(self.job, self.first_pass, models, metric, algorithm)?;
        Ok(problem.allow_suppressed(terms.max_suppressed))
    }

    fn solve(
        &self,
        algorithm: &'static dyn Algorithm,
        problem: &Problem<'_>,
    ) -> Result<Solved, Error> {
        match self.control.is_asked_for_best() {
            // A user who does not want to wait for one algorithm does not want to wait for the next either.
            true => Err(Error::NotTried),
            false => solve(self.job, algorithm, problem, None, self.control),
        }
    }

    /// What an algorithm reaches and, if a page needs it, what is drawn of its release.
    pub(super) fn run(
        &self,
        algorithm: &'static dyn Algorithm,
        terms: &Terms,
        is_pictured: bool,
    ) -> Result<(Run, Option<Pictured>), Error> {
        let is_measured = memory::forget_peak();
        let spec = self.metric(algorithm)?;
        let metric = spec.build(&self.first_pass.table)?;
        let problem = self.problem(algorithm, terms, &*metric)?;
        let solving = Instant::now();
        let solved = self.solve(algorithm, &problem);
        let seconds = solving.elapsed().as_secs_f64();
        let peak_memory_bytes = memory::peak().filter(|_| is_measured);
        self.control.check()?;
        let answered = solved.and_then(|solved| {
            measured((self.job, self.control), &problem, &solved, |release| {
                let answer = Answer {
                    job: self.job,
                    asked: self.asked,
                    first_pass: self.first_pass,
                    algorithm,
                    problem: &problem,
                    proposal: &solved.proposal,
                    account: solved.account.as_ref(),
                    stopped: Stopped::of(solved.stopped, solved.work),
                    release,
                    // No row is written, so none can be found to be blank.
                    seen: &release.seen(&Tally::default())?,
                    control: self.control,
                };
                let picture = match is_pictured {
                    true => Some(Pictured::of(release, self.control)?),
                    false => None,
                };
                Ok((reached(&answer)?, picture))
            })
        });
        self.control.check()?;
        let (reached, picture, failed) = match answered {
            Ok((reached, picture)) => (Some(reached), picture, None),
            Err(error) => (None, None, Some(RunFailed::of(&error))),
        };
        let run = Run {
            algorithm: algorithm.entry().name.to_owned(),
            metric: spec.public_name(),
            max_suppressed: problem.max_suppressed.into(),
            reached,
            failed,
            seconds,
            peak_memory_bytes,
        };
        Ok((run, picture))
    }

    /// The loss of what an algorithm finds, by the metric that all are compared by, and whether the search came to its
    /// end; none if it finds nothing.
    pub(super) fn loss(
        &self,
        algorithm: &'static dyn Algorithm,
        terms: &Terms,
    ) -> Result<Option<(f64, bool)>, Error> {
        let table = &self.first_pass.table;
        let metric = self.metric(algorithm)?.build(table)?;
        let problem = self.problem(algorithm, terms, &*metric)?;
        let compared_by = self.asked.metric.build(table)?;
        let found = self.solve(algorithm, &problem).and_then(|solved| {
            measured((self.job, self.control), &problem, &solved, |release| {
                Ok((release.loss(&*compared_by).0, solved.stopped.is_none()))
            })
        });
        self.control.check()?;
        Ok(found.ok())
    }
}

/// What an algorithm reached.
fn reached(answer: &Answer<'_>) -> Result<RunReached, Error> {
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
        research_value: outcome.research_value,
        privacy: outcome.privacy,
        checked: match &outcome.partition {
            Some(partition) => partition.nodes_visited,
            None => answer.proposal.nodes_checked,
        },
        stopped: outcome.stopped,
    })
}
