//! Which classes keep what was promised, and what the promises have come to.
//!
//! A class is asked about its own rows, or about everyone they could be where missing cells match any value.

use super::classes::{Class, Classes};
use super::crowds::{Crowd, crowds};
use crate::counts::{Histogram, Work, pieces};
use crate::privacy::{ClassView, PrivacyModel, ReleaseView};
use crate::problem::{Interruption, Meter, side_by_side};

/// What a promise has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The promise, such as `k-anonymity(k=5)`.
    pub model: String,
    /// The worst value over all published classes, or the value of all of them together; `None` when nothing is published.
    pub worst: Option<f64>,
    /// Whether every published class keeps the promise, and all of them together.
    pub holds: bool,
}

impl Classes {
    /// Suppresses unsafe classes until every class left is safe.
    ///
    /// One round is enough unless missing cells match any value: then a suppressed class may have been part of
    /// another's crowd.
    pub(super) fn suppress_unsafe(
        &mut self,
        models: &[Box<dyn PrivacyModel>],
        meter: &Meter<'_>,
    ) -> Result<(), Interruption> {
        loop {
            let unsafe_now = self.unsafe_classes(models, meter)?;
            if unsafe_now.is_empty() {
                return Ok(());
            }
            for class in unsafe_now {
                self.suppress(class);
            }
        }
    }

    /// The published classes whose crowd breaks a promise.
    fn unsafe_classes(
        &self,
        models: &[Box<dyn PrivacyModel>],
        meter: &Meter<'_>,
    ) -> Result<Vec<usize>, Interruption> {
        let crowds = crowds(self, models, meter)?;
        let ranges = pieces(self.sizes().len(), self.threads());
        let found = side_by_side(meter, self.threads(), ranges, |range, meter| {
            let mut unsafe_classes = Vec::new();
            for class in self.published_of(range) {
                let crowd = crowds.as_ref().map(|crowds| &crowds[class.at()]);
                let holds =
                    |model: &dyn PrivacyModel| ask(class, crowd, model, |it| model.holds(it));
                meter.spend(work_of(class, models))?;
                if !models.iter().all(|model| holds(&**model)) {
                    unsafe_classes.push(class.at());
                }
            }
            Ok(unsafe_classes)
        })?;
        Ok(found.concat())
    }

    /// What every promise has come to over the published classes.
    pub(super) fn reached(
        &self,
        models: &[Box<dyn PrivacyModel>],
        meter: &Meter<'_>,
    ) -> Result<Vec<Reached>, Interruption> {
        let crowds = crowds(self, models, meter)?;
        let nothing_yet: Vec<Reached> = (models.iter())
            .map(|model| Reached {
                model: model.describe(None),
                worst: None,
                holds: true,
            })
            .collect();
        let worse = |model: &dyn PrivacyModel, reached: &mut Reached, measure: f64| {
            reached.worst = Some(match reached.worst {
                Some(worst) => model.direction().worse(worst, measure),
                None => measure,
            });
        };
        let ranges = pieces(self.sizes().len(), self.threads());
        let found = side_by_side(meter, self.threads(), ranges, |range, meter| {
            let mut reached = nothing_yet.clone();
            for class in self.published_of(range) {
                let crowd = crowds.as_ref().map(|crowds| &crowds[class.at()]);
                meter.spend(work_of(class, models))?;
                for (model, reached) in models.iter().zip(&mut reached) {
                    let measure = ask(class, crowd, &**model, |view| model.measure(view));
                    worse(&**model, reached, measure);
                    reached.holds &= ask(class, crowd, &**model, |view| model.holds(view));
                }
            }
            Ok(reached)
        })?;
        let mut reached = nothing_yet;
        for part in found {
            for ((model, reached), part) in models.iter().zip(&mut reached).zip(part) {
                if let Some(measure) = part.worst {
                    worse(&**model, reached, measure);
                }
                reached.holds &= part.holds;
            }
        }
        let release = self.as_a_whole();
        for (model, reached) in models.iter().zip(&mut reached) {
            if model.is_about_release() {
                reached.worst = model.measure_release(release);
                reached.holds = model.holds_in_release(release);
            }
        }
        Ok(reached)
    }

    /// The published classes, counted for models about the whole release.
    fn as_a_whole(&self) -> ReleaseView {
        let mut sizes: Vec<u32> = self.published().map(Class::size).collect();
        sizes.sort_unstable();
        ReleaseView {
            rows: sizes.iter().sum(),
            classes: sizes.len() as u32,
            rows_alone: sizes.partition_point(|&size| size <= 1) as u32,
        }
    }
}

/// What it takes to ask the models about a class.
fn work_of(class: Class<'_>, models: &[Box<dyn PrivacyModel>]) -> Work {
    let columns = models.iter().filter_map(|model| model.column());
    let values: usize = columns
        .map(|column| class.histogram(column).values.len())
        .sum();
    Work::of(models.len() + values)
}

/// Asks a model about the rows of the class, or about a crowd that reaches beyond it.
fn ask<T>(
    class: Class<'_>,
    crowd: Option<&Crowd>,
    model: &dyn PrivacyModel,
    question: impl Fn(&ClassView<'_>) -> T,
) -> T {
    const NOTHING: Histogram<'_> = Histogram {
        values: &[],
        counts: &[],
    };
    if let Some(crowd) = crowd {
        return crowd.ask(model, question);
    }
    let histogram = model.column().map(|column| class.histogram(column));
    let view = ClassView::new(class.size(), histogram.unwrap_or(NOTHING));
    let view = view.with_people(class.people());
    question(&view.with_rows_among_people(class.rows_among_people()))
}
