//! What every column is for: what is held in memory, what is learned from, what is predicted.

use super::EvaluateOptions;
use super::held::Held;
use super::meanings;
use crate::error::Error;
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::plan::{Plan, find_column};
use crate::run::population::People;
use crate::spec::{Job, Others};
use incrowd_core::counts::Missing;

/// What every column is for.
pub(super) struct Roles {
    /// The columns of the table that are held in memory, by position there.
    pub(super) held: Vec<usize>,
    /// Quasi-identifiers, sensitive columns, targets and judged columns, by position among the columns held: where rows
    /// with missing cells are excluded, they are those with a missing cell in one of these.
    pub(super) counted: Vec<usize>,
    /// The columns that are judged: features, then targets.
    pub(super) judged: Vec<usize>,
    /// Whether each column held has levels between its values and `*`.
    pub(super) is_generalized: Vec<bool>,
    /// The features and targets, by position among the judged columns.
    pub(super) features: Vec<usize>,
    pub(super) targets: Vec<usize>,
    /// What a job would be asked to publish although it has no role, or could be refused.
    pub(super) kept: Vec<String>,
    pub(super) side: Side,
}

/// What is judged beside the raw rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    File,
    Job,
    Nothing,
}

/// A published file.
#[derive(Clone, Copy)]
pub(super) struct Released<'a> {
    pub(super) input: &'a str,
    pub(super) columns: &'a [String],
}

const LEARNED_FROM: &str = "the columns to learn from";
const TARGETS: &str = "the targets";
const QUASI: &str = "the quasi-identifiers";

impl Roles {
    pub(super) fn new(
        job: &Job,
        options: &EvaluateOptions,
        input: &str,
        names: &[String],
        released: Option<Released<'_>>,
    ) -> Result<Self, Error> {
        let has_models = job.privacy.models.as_ref().is_some_and(|it| !it.is_empty());
        let has_quasi = (job.columns.quasi_identifiers.as_ref()).is_some_and(|it| !it.is_empty());
        let side = match (released, has_models || has_quasi) {
            (Some(_), _) => Side::File,
            (None, true) => Side::Job,
            (None, false) => Side::Nothing,
        };
        if side == Side::Job && !has_models {
            return Err(Error::NoPrivacyModel);
        }
        let plan = match has_quasi || side == Side::Job {
            true => Some(Plan::of_question(job, input, names)?),
            false => None,
        };
        let find = |list: &Option<Vec<String>>, role| -> Result<Vec<usize>, Error> {
            let columns = list.iter().flatten();
            columns
                .map(|column| find_column(input, names, column, role))
                .collect()
        };
        let columns = &job.columns;
        let quasi = find(&columns.quasi_identifiers, QUASI)?;
        let targets = find(&columns.target, TARGETS)?;
        let identifying = find(&columns.identifying, "the identifying columns")?;
        let sensitive = find(&columns.sensitive, "the sensitive columns")?;
        let mut named = find(&columns.keep, "the columns to keep")?;
        named.extend(quasi.iter().chain(&sensitive).chain(&targets));
        let is_published = |at: &usize| match (&plan, columns.others) {
            (_, Some(Others::Keep)) | (None, _) => !identifying.contains(at),
            _ => named.contains(at),
        };
        let given = match &options.columns {
            Some(_) => Some(find(&options.columns, LEARNED_FROM)?),
            None => None,
        };
        let mut features = given.clone().unwrap_or_else(|| {
            let all = (0..names.len()).filter(is_published);
            all.filter(|at| !targets.contains(at)).collect()
        });
        if let Some(released) = released {
            for (list, role) in [
                (given.as_ref(), LEARNED_FROM),
                (Some(&targets), TARGETS),
                (Some(&quasi), QUASI),
            ] {
                for &at in list.into_iter().flatten() {
                    find_column(released.input, released.columns, &names[at], role)?;
                }
            }
            features.retain(|&at| released.columns.contains(&names[at]));
        }
        let held: Vec<usize> = (0..names.len())
            .filter(|at| {
                let is_needed = side == Side::Job && is_published(at);
                is_needed || features.contains(at) || targets.contains(at)
            })
            .collect();
        let place = |at: &usize| held.iter().position(|other| other == at);
        let places = |list: &[usize]| -> Vec<usize> { list.iter().filter_map(place).collect() };
        let mut judged = features.clone();
        judged.extend(targets.iter().filter(|at| !features.contains(at)));
        let judged = distinct(judged);
        if judged.is_empty() {
            return Err(Error::NothingToJudge);
        }
        let of_judged = |list: &[usize]| -> Vec<usize> {
            let position = |at: &usize| judged.iter().position(|other| other == at);
            distinct(list.iter().filter_map(position).collect())
        };
        let is_generalized = |at: &usize| match has_quasi {
            true => quasi.contains(at),
            // Whoever names no roles may still say where levels come from.
            false => side == Side::File && hierarchies::source_of(job, &names[*at]).is_some(),
        };
        let counted: Vec<usize> = [&quasi, &sensitive, &targets, &judged]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let kept = held.iter().filter(|at| !quasi.contains(at));
        Ok(Roles {
            counted: places(&counted),
            judged: places(&judged),
            is_generalized: held.iter().map(is_generalized).collect(),
            features: of_judged(&features),
            targets: of_judged(&targets),
            kept: kept.map(|&at| names[at].clone()).collect(),
            held,
            side,
        })
    }

    /// The levels of every column held; those of a quasi-identifier also list what only people of a population have.
    pub(super) fn levels(
        &self,
        job: &Job,
        held: &Held,
        people: Option<&People>,
        missing: &Missing,
    ) -> Result<Vec<ColumnHierarchy>, Error> {
        let columns = held.columns.iter().zip(&self.is_generalized);
        columns
            .map(|(column, &is_generalized)| match is_generalized {
                true => meanings::levels(job, column, people, missing),
                false => meanings::flat(job, column, missing),
            })
            .collect()
    }
}

/// Each position once, where it comes first.
fn distinct(mut positions: Vec<usize>) -> Vec<usize> {
    let mut seen = Vec::new();
    positions.retain(|at| {
        let is_new = !seen.contains(at);
        seen.push(*at);
        is_new
    });
    positions
}
