//! The cost of a class, and its lower bound wherever it ends up.
//!
//! Both costs are sums over rows. A published row costs the size of its class (DM), or what its values were merged with
//! (HDM); a suppressed row costs a fixed charge that no published row exceeds. Merging classes never makes a published
//! row cheaper. The bounds depend on nothing else.

use super::contents::{AllContents, Contents};
use crate::Error;
use crate::privacy::{ClassView, Monotonicity, PrivacyModel};
use crate::problem::Problem;
use crate::utility::ByRow;

/// Which of the two costs, with what it needs to know about the table.
#[derive(Debug, Clone)]
pub(super) struct Cost {
    pub(super) rows: u32,
    /// What a suppressed row costs.
    pub(super) charge: f64,
    /// The weight of every attribute, summing to 1; empty for DM.
    pub(super) weights: Vec<f64>,
}

impl Cost {
    pub(super) fn new(problem: &Problem<'_>) -> Result<Self, Error> {
        let rows = problem.table.rows;
        match problem.metric.by_row() {
            Some(ByRow::ClassSizes) => Ok(Cost {
                rows,
                charge: f64::from(rows),
                weights: Vec::new(),
            }),
            Some(ByRow::ValuesShared { weights }) => {
                let total: f64 = weights.iter().sum();
                Ok(Cost {
                    rows,
                    charge: 1.0,
                    weights: weights.iter().map(|weight| weight / total).collect(),
                })
            }
            None => Err(Error::PartitionMetric {
                metric: problem.metric.name(),
            }),
        }
    }

    /// Whether what values are merged with matters, and not only the sizes of classes.
    pub(super) fn reads_values(&self) -> bool {
        !self.weights.is_empty()
    }

    /// What a row pays for each row published like it, given how many rows have its raw value: 1 / (the others).
    pub(super) fn share(&self, same: u32) -> f64 {
        match self.rows - same {
            0 => 0.0,
            others => 1.0 / f64::from(others),
        }
    }
}

/// Decides which classes may be published.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    /// Each with the place of its column among those that models read.
    models: Vec<(&'a dyn PrivacyModel, Option<usize>)>,
    /// The counted columns whose values the models read.
    pub(super) columns: Vec<usize>,
    /// Whether a model reads the people of the population who match a class.
    pub(super) reads_people: bool,
    /// Whether a class that may be published, merged with any other, still may be.
    pub(super) stays_safe: bool,
    /// If no model reads a column: whether a class with a given number of rows may be published.
    is_safe_by_size: Vec<bool>,
    /// No smaller class may be published.
    pub(super) smallest: u32,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        let models: Vec<&dyn PrivacyModel> = problem.models.iter().map(|model| &**model).collect();
        let mut columns: Vec<usize> = models.iter().filter_map(|model| model.column()).collect();
        columns.sort_unstable();
        columns.dedup();
        let holds = |size| {
            models
                .iter()
                .all(|model| model.holds(&ClassView::of_size(size)))
        };
        let reads_people = models.iter().any(|model| model.reads_population());
        let is_safe_by_size = match columns.is_empty() && !reads_people {
            true => (0..=problem.table.rows).map(holds).collect(),
            false => Vec::new(),
        };
        let place = |column| {
            let place = columns.iter().position(|&other| other == column);
            place.expect("collected from the models")
        };
        let stays = |model: &&dyn PrivacyModel| model.monotonicity() == Monotonicity::UnionWithAny;
        Judge {
            smallest: problem.smallest_safe(),
            stays_safe: models.iter().all(stays),
            models: (models.iter())
                .map(|&model| (model, model.column().map(place)))
                .collect(),
            columns,
            reads_people,
            is_safe_by_size,
        }
    }

    /// Whether every class that is large enough may be published, whatever else it is.
    pub(super) fn is_by_size(&self) -> bool {
        let by_size = (1..).zip(self.is_safe_by_size.iter().skip(1));
        self.reads_sizes_only()
            && by_size
                .into_iter()
                .all(|(size, &is_safe)| is_safe == (size >= self.smallest))
    }

    /// Whether sizes alone decide.
    pub(super) fn reads_sizes_only(&self) -> bool {
        self.columns.is_empty() && !self.reads_people
    }

    #[inline]
    pub(super) fn is_safe(&self, size: u32, contents: Option<Contents<'_>>) -> bool {
        match contents {
            None => self.is_safe_by_size[size as usize],
            Some(contents) => size >= self.smallest && self.holds(size, contents),
        }
    }

    fn holds(&self, size: u32, contents: Contents<'_>) -> bool {
        let mut views = self.views(size, contents);
        views.all(|(model, view)| model.holds(&view))
    }

    /// A class as each model sees it.
    #[inline]
    fn views<'c>(
        &self,
        size: u32,
        contents: Contents<'c>,
    ) -> impl Iterator<Item = (&'a dyn PrivacyModel, ClassView<'c>)> {
        self.models.iter().map(move |&(model, column)| {
            let view = match column {
                None => ClassView::of_size(size).with_people(contents.people),
                Some(column) => ClassView::new(size, contents.histogram(column)),
            };
            (model, view)
        })
    }

    /// The most rows of a class with these contents that any division of it into classes keeps, or more. What is kept keeps
    /// every promise, so the promise that keeps least decides.
    pub(super) fn most_kept(&self, size: u32, contents: Contents<'_>) -> u32 {
        let mut most = size;
        for (model, view) in self.views(size, contents) {
            if !model.holds(&view) {
                most = most.min(model.most_kept_if_broken(&view, self.smallest));
                // A part that is too small is not kept either.
                if most < self.smallest {
                    return 0;
                }
            }
        }
        most
    }

    /// The contents of no class yet, if sizes alone do not decide.
    pub(super) fn no_contents(&self) -> Option<AllContents> {
        (!self.reads_sizes_only()).then(|| AllContents::new(self.columns.len()))
    }
}
