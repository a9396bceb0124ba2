//! What the registry knows of a model before it is built, and how it is built for a table.

use super::{Decimal, MODELS, PrivacyModel};
use crate::counts::CountedColumn;
use crate::error::Error;
use crate::registry::{Entry, Family, Given, Setting, Spec};

/// A line of [`MODELS`]. The first setting is the *parameter*, the number that a request varies.
pub type ModelEntry = Entry<ModelKind>;

/// A model and its settings, checked, not yet tied to a table.
///
/// `column=` may stand among the settings of models that read one.
///
/// ```
/// use incrowd_core::privacy::ModelSpec;
/// let spec: ModelSpec = "t-closeness(t=0.2,column=disease)".parse().unwrap();
/// assert_eq!(spec.column(), Some("disease"));
/// assert!("t-closeness(t=1.5)".parse::<ModelSpec>().is_err());
/// ```
pub type ModelSpec = Spec<ModelKind>;

/// What only models have.
#[derive(Debug)]
pub struct ModelKind {
    /// Whether the column must come with its hierarchy.
    pub needs_hierarchy: fn(&Given) -> bool,
    /// Whether the table must come with its population.
    pub needs_population: bool,
    /// Whether it is about all published classes together.
    pub is_about_release: bool,
    /// Makes the model.
    pub build: Build,
}

/// Which sensitive column a model is about.
pub(super) const SENSITIVE_COLUMN: Setting =
    Setting::column("the sensitive column it is about; every sensitive column when not given");

/// From settings and what they are about to a model.
pub type Build = fn(&Given, Subject<'_>) -> Result<Box<dyn PrivacyModel>, Error>;

/// What a model is about, beside the class it is shown. What else a promise may compare with belongs here.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The column whose values the model reads: its index in the counted table, and what was counted of it.
    pub column: Option<(usize, &'a CountedColumn)>,
}

impl<'a> Subject<'a> {
    /// A column: its index in the counted table, and what was counted of it.
    pub fn column(index: usize, column: &'a CountedColumn) -> Self {
        Subject {
            column: Some((index, column)),
        }
    }

    /// The column, for models that need one.
    pub(super) fn required_column(
        &self,
        model: &'static str,
    ) -> Result<(usize, &'a CountedColumn), Error> {
        self.column.ok_or(Error::ModelNeedsColumn { model })
    }
}

impl ModelKind {
    /// A model that needs no hierarchy.
    pub(super) const fn new(build: Build) -> Self {
        ModelKind {
            needs_hierarchy: |_| false,
            needs_population: false,
            is_about_release: false,
            build,
        }
    }

    /// A model about all published classes together.
    pub(super) const fn of_release(build: Build) -> Self {
        ModelKind {
            is_about_release: true,
            ..Self::new(build)
        }
    }

    /// A model about the rows of a population that match a class.
    pub(super) const fn of_population(build: Build) -> Self {
        ModelKind {
            needs_population: true,
            ..Self::new(build)
        }
    }
}

impl Family for ModelKind {
    const NOUN: &'static str = "privacy model";
    const EXAMPLES: &'static str = "`k-anonymity(k=5)` or `t-closeness(t=0.2,distance=equal)`";

    fn entries() -> impl Iterator<Item = &'static ModelEntry> {
        MODELS.iter()
    }
}

impl ModelEntry {
    /// Reads the parameter of a model, if the model may have it.
    pub fn read_parameter(&self, text: &str) -> Result<Decimal, Error> {
        let name = self.settings[0].name;
        let mut given = self.defaults();
        given.set(name, &[text.trim()])?;
        Ok(given.decimal(name))
    }
}

impl ModelSpec {
    /// Whether the column must come with its hierarchy.
    pub fn needs_hierarchy(&self) -> bool {
        (self.entry().kind.needs_hierarchy)(self.given())
    }

    /// Whether the table must come with its population.
    pub fn needs_population(&self) -> bool {
        self.entry().kind.needs_population
    }

    /// Whether it is about all published classes together.
    pub fn is_about_release(&self) -> bool {
        self.entry().kind.is_about_release
    }

    /// Makes the model.
    pub fn build(&self, subject: Subject<'_>) -> Result<Box<dyn PrivacyModel>, Error> {
        self.check_complete()?;
        (self.entry().kind.build)(self.given(), subject)
    }

    /// Makes the model for the column it names, or for each sensitive column, or once when it reads none.
    /// `sensitive` are indexes into `columns`.
    pub fn build_all(
        &self,
        columns: &[CountedColumn],
        sensitive: &[usize],
    ) -> Result<Vec<Box<dyn PrivacyModel>>, Error> {
        if !self.entry().reads_column() {
            return Ok(vec![self.build(Subject::default())?]);
        }
        let named = |&&index: &&usize| match self.column() {
            Some(name) => columns[index].name == *name,
            None => true,
        };
        let models: Vec<_> = sensitive
            .iter()
            .filter(named)
            .map(|&index| self.build(Subject::column(index, &columns[index])))
            .collect::<Result<_, _>>()?;
        let model = self.name();
        match (models.is_empty(), self.column()) {
            (false, _) => Ok(models),
            (true, None) => Err(Error::ModelNeedsColumn { model }),
            (true, Some(column)) => Err(Error::NotASensitiveColumn {
                model,
                column: column.to_owned(),
            }),
        }
    }
}
