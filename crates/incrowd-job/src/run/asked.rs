//! What a job asks for, read and checked before any row is.

use crate::error::Error;
use crate::report::outcome::Origin;
use crate::run::control::Control;
use crate::run::counted::{FirstPass, max_levels, max_suppressed};
use crate::run::files;
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::input;
use crate::run::models;
use crate::run::plan::Plan;
use crate::spec::{Job, RESEARCH_VALUE};
use incrowd_core::algorithms::{self, ALGORITHMS, Algorithm};
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::{Problem, Settings};
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use incrowd_io::{RowReader, RowSource};
use std::sync::Arc;

/// A job's wishes that hold whatever algorithm is taken.
pub(crate) struct Asked {
    pub(crate) source: Arc<dyn RowSource>,
    pub(crate) plan: Plan,
    pub(crate) models: Vec<ModelSpec>,
    pub(crate) metric: MetricSpec,
    /// What experts say, if they say anything.
    pub(crate) research: Option<MetricSpec>,
    /// Why the algorithm was taken, if the job left that open.
    pub(crate) advised: Option<Vec<String>>,
    /// What separates the cells of the source, given or detected.
    pub(crate) delimiter: Option<u8>,
}

impl Asked {
    /// Reads the header and checks everything that can be checked without rows.
    ///
    /// `default_metric` is what is to be lost least when the job does not say.
    pub(crate) fn read(
        job: &Job,
        default_metric: &str,
        control: &Control,
    ) -> Result<(Asked, Box<dyn RowReader + Send>), Error> {
        let texts = job.privacy.models.as_deref().unwrap_or_default();
        if texts.is_empty() {
            return Err(Error::NoPrivacyModel);
        }
        let models = models::parse(texts)?;
        models::check_population(job, &models)?;
        if job.privacy.population.is_some() && models::about_population(&models).is_none() {
            return Err(Error::PopulationUnused);
        }
        let metric = job.search.metric.as_deref().unwrap_or(default_metric);
        let metric = job.metric(metric)?;
        let is_research_value = metric.name() == RESEARCH_VALUE;
        let research = asked_research_value(job)?;
        let research = research.or_else(|| is_research_value.then(|| metric.clone()));
        files::check_outputs(job)?;
        let source = input::source(job, control)?;
        hierarchies::check_folder(job)?;
        let reader = source.open()?;
        let plan = Plan::new(job, &source.name(), reader.columns())?;
        for column in job.hierarchies.keys() {
            let names = reader.columns();
            crate::run::plan::find_column(&source.name(), names, column, "the hierarchies")?;
        }
        check_columns_of_research(job, &source.name(), reader.columns(), &plan)?;
        let asked = Asked {
            source,
            models,
            metric: about_target(metric, &plan),
            plan,
            research,
            advised: None,
            delimiter: reader.delimiter(),
        };
        Ok((asked, reader))
    }

    /// What an algorithm is to minimize: the metric of the job, or its own if the job names none.
    pub(crate) fn metric_of(
        &self,
        job: &Job,
        algorithm: &dyn Algorithm,
    ) -> Result<MetricSpec, Error> {
        match job.search.metric {
            Some(_) => Ok(self.metric.clone()),
            None => Ok(about_target(
                job.metric(algorithm.default_metric())?,
                &self.plan,
            )),
        }
    }

    /// The promises, for a counted table that may be able to keep them.
    pub(crate) fn models(&self, table: &CountedTable) -> Result<Vec<Box<dyn PrivacyModel>>, Error> {
        let sensitive: Vec<usize> = (0..self.plan.sensitive.len()).collect();
        let models = models::build(&self.models, table, &sensitive)?;
        models::check_reach(&models, table)?;
        Ok(models)
    }

    /// The problem for an algorithm.
    pub(crate) fn problem<'a>(
        &self,
        job: &Job,
        first_pass: &'a FirstPass,
        models: &'a [Box<dyn PrivacyModel>],
        metric: &'a dyn UtilityMetric,
        algorithm: &dyn Algorithm,
    ) -> Result<Problem<'a>, Error> {
        let table = &first_pass.table;
        let default_budget = algorithm.entry().kind.default_budget;
        let rows_suppressed = match job.privacy.max_suppressed {
            None => default_budget.rows(models).min(table.rows),
            budget => max_suppressed(budget, table)?,
        };
        let settings = self.settings(job, algorithm, &first_pass.hierarchies)?;
        let max_levels = max_levels(job.privacy.max_levels.as_deref(), table)?;
        let problem = Problem::new(table, models, metric)
            .allow_suppressed(rows_suppressed)
            .limit_levels(max_levels)?
            .with_settings(settings);
        Ok(problem)
    }

    /// What the algorithm is told beside the problem.
    fn settings(
        &self,
        job: &Job,
        algorithm: &dyn Algorithm,
        hierarchies: &[ColumnHierarchy],
    ) -> Result<Settings, Error> {
        let counted = self.plan.counted();
        let position = |column| counted.iter().position(|other| other == column);
        let is_automatic = |levels: &ColumnHierarchy| levels.origin().kind == Origin::Automatic;
        let automatic = hierarchies.iter().enumerate();
        let automatic = automatic.filter(|(_, levels)| is_automatic(levels));
        Ok(Settings {
            own: job.search.settings.of(algorithm.entry())?,
            without_hierarchy: automatic.map(|(attribute, _)| attribute).collect(),
            targets: self.plan.target.iter().filter_map(position).collect(),
            research: self.research.clone(),
            seed: job.search.seed.unwrap_or(0),
            threads: job.threads(),
        })
    }
}

/// A metric that reads a column and does not say which is about the first target.
fn about_target(metric: MetricSpec, plan: &Plan) -> MetricSpec {
    let is_open = metric.entry().reads_column() && metric.column().is_none();
    match plan.names_of(&plan.target).first().filter(|_| is_open) {
        Some(target) => metric.with_column(Some(target)),
        None => metric,
    }
}

/// The research value that a job asks for, if it asks for it in any way.
pub(crate) fn asked_research_value(job: &Job) -> Result<Option<MetricSpec>, Error> {
    match job.asks_for_research_value() {
        true => Ok(Some(job.research_value()?)),
        false => Ok(None),
    }
}

/// Rules and weights must be about quasi-identifiers.
pub(crate) fn check_columns_of_research(
    job: &Job,
    source: &str,
    names: &[String],
    plan: &Plan,
) -> Result<(), Error> {
    let generalized = plan.names_of(&plan.quasi_identifiers);
    for (column, named_in) in job.columns_of_research() {
        crate::run::plan::find_column(source, names, column, named_in)?;
        if generalized.iter().any(|it| it == column) {
            continue;
        }
        let column = column.to_owned();
        return Err(Error::from(match job.rules.contains_key(&column) {
            true => incrowd_core::Error::RuleColumn { column },
            false => incrowd_core::Error::MetricColumnUnknown {
                metric: RESEARCH_VALUE,
                column,
            },
        }));
    }
    Ok(())
}

/// The algorithm a job names; none if it leaves that to the advisor.
pub(crate) fn algorithm(job: &Job) -> Result<Option<&'static dyn Algorithm>, Error> {
    match job.search.algorithm.as_deref() {
        Some("auto") => Ok(None),
        name => Ok(Some(named(name.unwrap_or("optimal"))?)),
    }
}

/// The algorithm of a name.
pub(crate) fn named(name: &str) -> Result<&'static dyn Algorithm, Error> {
    algorithms::find(name).ok_or_else(|| Error::UnknownName {
        family: "algorithm",
        name: name.to_owned(),
        known: ALGORITHMS.iter().map(|entry| entry.entry().name).collect(),
    })
}
