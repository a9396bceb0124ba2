//! How well targets are predicted: learned from raw and from released rows, tested on raw rows not seen before.

use super::meanings::{Judged, Released};
use crate::error::Error;
use crate::report::evaluation::{Accuracy, Classified, Regressed, Rmse};
use crate::run::control::Control;
use incrowd_learn::{CLASSIFIERS, Column, LinearRegression, Sample};

/// Numbers with at most so many values are classes too.
const MOST_NUMBERED_CLASSES: usize = 10;

/// The most classes that are learned.
const MOST_CLASSES: usize = 100;

/// Raw rows to learn from and to test on, and released rows to learn from.
pub(super) struct Fold<'a> {
    pub(super) trained: Vec<u32>,
    pub(super) tested: Vec<u32>,
    /// None if only the raw side is judged.
    pub(super) released: Option<(&'a Released, Vec<u32>)>,
}

/// A column to predict, and those to predict it from.
pub(super) struct Target<'a> {
    judged: &'a Judged,
    column: usize,
    features: Vec<usize>,
    /// The class of each value that occurs.
    class_of_value: Vec<Option<u32>>,
    /// The value of each class.
    values: Vec<u32>,
}

impl<'a> Target<'a> {
    pub(super) fn new(judged: &'a Judged, column: usize, features: &[usize]) -> Self {
        let raw = &judged.columns[column];
        let mut class_of_value = vec![None; raw.domain.len()];
        let mut occurs = vec![false; raw.domain.len()];
        for &value in &raw.codes {
            occurs[value as usize] = true;
        }
        let values: Vec<u32> = (0..).zip(occurs).filter(|it| it.1).map(|it| it.0).collect();
        for (class, &value) in (0..).zip(&values) {
            class_of_value[value as usize] = Some(class);
        }
        Target {
            judged,
            column,
            features: (features.iter().copied())
                .filter(|&feature| feature != column)
                .collect(),
            class_of_value,
            values,
        }
    }

    fn name(&self) -> &str {
        &self.judged.names[self.column]
    }

    fn is_numeric(&self) -> bool {
        self.judged.columns[self.column].domain.is_numeric()
    }

    /// Whether its values are classes.
    pub(super) fn has_classes(&self) -> bool {
        !self.is_numeric() || self.values.len() <= MOST_NUMBERED_CLASSES
    }

    pub(super) fn class_count(&self) -> usize {
        self.values.len()
    }

    /// The text of a class.
    pub(super) fn class_text(&self, class: u32) -> &str {
        self.judged.value(self.column, self.values[class as usize])
    }

    /// The positions of the features.
    pub(super) fn features(&self) -> &[usize] {
        &self.features
    }

    /// The features among some columns.
    pub(super) fn features_of(&self, columns: &[Column]) -> Vec<Column> {
        (self.features.iter())
            .map(|&feature| columns[feature].clone())
            .collect()
    }

    /// The class of every row; none where the cell does not tell.
    fn class_of_rows(&self, columns: &[Column]) -> Vec<Option<u32>> {
        let column = &columns[self.column];
        let of_code = column.meanings.iter().map(|meaning| match *meaning.values {
            [value] => self.class_of_value[value as usize],
            _ => None,
        });
        let of_code: Vec<Option<u32>> = of_code.collect();
        let codes = column.codes.iter();
        codes.map(|&code| of_code[code as usize]).collect()
    }

    /// The classes of some columns, and those of some rows that have one.
    pub(super) fn classes(&self, columns: &[Column], rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let classes = self.class_of_rows(columns);
        let has_class = |row: &u32| classes[*row as usize].is_some();
        let rows = rows.iter().copied().filter(has_class).collect();
        let classes = classes.iter().map(|class| class.unwrap_or(0));
        (classes.collect(), rows)
    }

    /// The number of every row; NaN where the cell does not tell.
    fn numbers(&self, columns: &[Column]) -> Vec<f64> {
        let column = &columns[self.column];
        let is_number = |values: &[u32]| match (&*column.domain, values) {
            (incrowd_learn::Domain::Numbers(numbers), [value]) => {
                !numbers[*value as usize].is_nan()
            }
            _ => false,
        };
        let of_code = column
            .meanings
            .iter()
            .map(|meaning| match is_number(&meaning.values) {
                true => meaning.number(),
                false => f64::NAN,
            });
        let of_code: Vec<f64> = of_code.collect();
        let codes = column.codes.iter();
        codes.map(|&code| of_code[code as usize]).collect()
    }

    /// How well its classes are predicted by every model.
    pub(super) fn classify(
        &self,
        folds: &[Fold<'_>],
        control: &Control,
    ) -> Result<Vec<Classified>, Error> {
        if self.class_count() > MOST_CLASSES {
            return Err(Error::TooManyClasses {
                target: self.name().to_owned(),
                classes: self.class_count() as u64,
                most: MOST_CLASSES as u64,
            });
        }
        let raw = self.features_of(&self.judged.columns);
        let all: Vec<u32> = folds.iter().flat_map(|fold| fold.tested.clone()).collect();
        let (classes, _) = self.classes(&self.judged.columns, &all);
        let is_right = |row: u32, class: u32| u64::from(classes[row as usize] == class);
        let mut majority = 0;
        let mut right = vec![(0, Some(0)); CLASSIFIERS.len()];
        for fold in folds {
            let sample = self.sample(&raw, &classes, &fold.trained);
            let guess = sample.majority();
            majority += (fold.tested.iter())
                .map(|&row| is_right(row, guess))
                .sum::<u64>();
            let released = fold.released.as_ref().map(|(released, rows)| {
                let (classes, rows) = self.classes(&released.columns, rows);
                (self.features_of(&released.columns), classes, rows)
            });
            for (learner, right) in CLASSIFIERS.iter().zip(&mut right) {
                control.check()?;
                let count = |learned: &dyn incrowd_learn::Classifier| -> u64 {
                    let predicted = learned.predict(&raw, &fold.tested);
                    let rows = fold.tested.iter().zip(predicted);
                    rows.map(|(&row, class)| is_right(row, class)).sum()
                };
                right.0 += count(&*(learner.learn)(&sample));
                let released = released.as_ref().filter(|(_, _, rows)| !rows.is_empty());
                right.1 = match (right.1, released) {
                    (Some(so_far), Some((features, classes, rows))) => {
                        let sample = self.sample(features, classes, rows);
                        Some(so_far + count(&*(learner.learn)(&sample)))
                    }
                    _ => None,
                };
            }
        }
        let share = |rows: u64| rows as f64 / all.len().max(1) as f64;
        let models = CLASSIFIERS.iter().zip(right);
        let models = models.map(|(learner, (raw, release))| Classified {
            target: self.name().to_owned(),
            model: learner.name.to_owned(),
            accuracy: Accuracy {
                majority: share(majority),
                raw: share(raw),
                release: release.map(share),
            },
        });
        Ok(models.collect())
    }

    fn sample<'b>(
        &self,
        features: &'b [Column],
        classes: &'b [u32],
        rows: &'b [u32],
    ) -> Sample<'b> {
        Sample {
            features,
            classes,
            class_count: self.class_count(),
            rows,
        }
    }

    /// How well its numbers are predicted; none if it has none.
    pub(super) fn regress(
        &self,
        folds: &[Fold<'_>],
        control: &Control,
    ) -> Result<Option<Regressed>, Error> {
        if !self.is_numeric() {
            return Ok(None);
        }
        let raw = self.features_of(&self.judged.columns);
        let numbers = self.numbers(&self.judged.columns);
        let with_number = |numbers: &[f64], rows: &[u32]| -> Vec<u32> {
            let rows = rows.iter().copied();
            rows.filter(|&row| !numbers[row as usize].is_nan())
                .collect()
        };
        let (mut tested_rows, mut of_mean, mut of_raw, mut of_release) = (0, 0.0, 0.0, Some(0.0));
        for fold in folds {
            control.check()?;
            let trained = with_number(&numbers, &fold.trained);
            let tested = with_number(&numbers, &fold.tested);
            tested_rows += tested.len();
            let squares = |predicted: &[f64]| -> f64 {
                let rows = tested.iter().zip(predicted);
                rows.map(|(&row, number)| (number - numbers[row as usize]).powi(2))
                    .sum()
            };
            let sum: f64 = trained.iter().map(|&row| numbers[row as usize]).sum();
            let mean = sum / trained.len().max(1) as f64;
            of_mean += squares(&vec![mean; tested.len()]);
            let learned = LinearRegression::learn(&raw, &numbers, &trained);
            of_raw += squares(&learned.predict(&raw, &tested));
            let released = fold.released.as_ref().map(|(released, rows)| {
                let numbers = self.numbers(&released.columns);
                let rows = with_number(&numbers, rows);
                (self.features_of(&released.columns), numbers, rows)
            });
            let released = released.filter(|(_, _, rows)| !rows.is_empty());
            of_release = match (of_release, released) {
                (Some(so_far), Some((features, numbers, rows))) => {
                    let learned = LinearRegression::learn(&features, &numbers, &rows);
                    Some(so_far + squares(&learned.predict(&raw, &tested)))
                }
                _ => None,
            };
        }
        let root = |squares: f64| (squares / tested_rows.max(1) as f64).sqrt();
        Ok(Some(Regressed {
            target: self.name().to_owned(),
            model: "linear".into(),
            rmse: Rmse {
                mean: root(of_mean),
                raw: root(of_raw),
                release: of_release.map(root),
            },
        }))
    }
}
