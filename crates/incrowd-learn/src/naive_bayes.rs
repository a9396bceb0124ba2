//! Naive Bayes: features are taken to be independent within a class.
//!
//! Numbers are normally distributed in every class; a billionth of the greatest variance is added to all, so that a
//! number that never varies is no certainty. Other values have the shares they have in the class, counted from one row
//! each (Laplace); a cell that stands for several values counts as a part of a row of each.

use crate::classify::{Classifier, Sample, most};
use crate::column::{Column, Meaning};

/// What was learned of every class.
#[derive(Debug, Clone)]
pub struct NaiveBayes {
    /// The logarithm of each class's share.
    priors: Vec<f64>,
    features: Vec<Likelihood>,
}

/// How likely the cells of a feature are in each class.
#[derive(Debug, Clone)]
enum Likelihood {
    /// The mean and variance of each class.
    Normal(Vec<(f64, f64)>),
    /// The logarithms of the shares of all values, class by class.
    Shares(Vec<Vec<f64>>),
}

/// What is added to variances, as a share of the greatest.
const SMOOTHING: f64 = 1e-9;

impl NaiveBayes {
    /// Learns the classes.
    pub fn learn(sample: &Sample<'_>) -> Self {
        let class_rows = sample.class_rows();
        let all = sample.rows.len() as f64;
        let features = sample.features.iter();
        let mut features: Vec<Likelihood> = features
            .map(|feature| match feature.domain.is_numeric() {
                true => Likelihood::Normal(moments(sample, feature)),
                false => Likelihood::Shares(shares(sample, feature)),
            })
            .collect();
        let numeric = (sample.features.iter()).filter(|feature| feature.domain.is_numeric());
        let variances = numeric.map(|feature| variance(sample, feature));
        let added = SMOOTHING * variances.fold(0.0, f64::max);
        for feature in &mut features {
            if let Likelihood::Normal(moments) = feature {
                moments.iter_mut().for_each(|moments| moments.1 += added);
            }
        }
        NaiveBayes {
            priors: (class_rows.iter())
                .map(|&rows| (f64::from(rows) / all).ln())
                .collect(),
            features,
        }
    }
}

impl Likelihood {
    /// The logarithm for each class.
    fn of(&self, meaning: &Meaning) -> Vec<f64> {
        match self {
            Likelihood::Normal(moments) => moments
                .iter()
                .map(|&(mean, variance)| match variance > 0.0 {
                    true => {
                        let distance = meaning.number() - mean;
                        -0.5 * (variance.ln() + distance * distance / variance)
                    }
                    // No number varies at all.
                    false => 0.0,
                })
                .collect(),
            Likelihood::Shares(shares) => shares
                .iter()
                .map(|shares| {
                    let values = meaning.values.iter();
                    let sum: f64 = values.map(|&value| shares[value as usize]).sum();
                    sum * meaning.share()
                })
                .collect(),
        }
    }
}

impl Classifier for NaiveBayes {
    fn predict(&self, features: &[Column], rows: &[u32]) -> Vec<u32> {
        let by_code: Vec<Vec<Vec<f64>>> = (features.iter().zip(&self.features))
            .map(|(feature, likelihood)| {
                let meanings = feature.meanings.iter();
                meanings.map(|meaning| likelihood.of(meaning)).collect()
            })
            .collect();
        let class = |&row: &u32| {
            let mut scores = self.priors.clone();
            for (feature, by_code) in features.iter().zip(&by_code) {
                let likelihood = &by_code[feature.codes[row as usize] as usize];
                for (score, likelihood) in scores.iter_mut().zip(likelihood) {
                    // A class without rows stays impossible.
                    *score += likelihood;
                }
            }
            most(&scores)
        };
        rows.iter().map(class).collect()
    }
}

/// The mean and variance of a numeric feature in each class.
fn moments(sample: &Sample<'_>, feature: &Column) -> Vec<(f64, f64)> {
    let class_rows = sample.class_rows();
    let mean_of = |of_row: &dyn Fn(u32, usize) -> f64| -> Vec<f64> {
        let mut sums = vec![0.0; sample.class_count];
        for &row in sample.rows {
            let class = sample.classes[row as usize] as usize;
            sums[class] += of_row(row, class);
        }
        let sums = sums.iter().zip(&class_rows);
        sums.map(|(sum, &rows)| sum / f64::from(rows.max(1)))
            .collect()
    };
    let means = mean_of(&|row, _| feature.meaning(row).number());
    let variances = mean_of(&|row, class| (feature.meaning(row).number() - means[class]).powi(2));
    means.into_iter().zip(variances).collect()
}

/// The variance of a numeric feature over all rows.
fn variance(sample: &Sample<'_>, feature: &Column) -> f64 {
    let rows = sample.rows.len().max(1) as f64;
    let numbers = || (sample.rows.iter()).map(|&row| feature.meaning(row).number());
    let mean = numbers().sum::<f64>() / rows;
    numbers().map(|number| (number - mean).powi(2)).sum::<f64>() / rows
}

/// The logarithms of the shares of all values in each class.
fn shares(sample: &Sample<'_>, feature: &Column) -> Vec<Vec<f64>> {
    let mut rows_of_codes = vec![vec![0u32; feature.meanings.len()]; sample.class_count];
    for &row in sample.rows {
        let class = sample.classes[row as usize] as usize;
        rows_of_codes[class][feature.codes[row as usize] as usize] += 1;
    }
    let of_class = |rows_of_codes: Vec<u32>| {
        let mut expected = vec![1.0; feature.domain.len()];
        for (meaning, rows) in feature.meanings.iter().zip(rows_of_codes) {
            for &value in &meaning.values {
                expected[value as usize] += f64::from(rows) * meaning.share();
            }
        }
        let all: f64 = expected.iter().sum();
        expected.iter().map(|rows| (rows / all).ln()).collect()
    };
    rows_of_codes.into_iter().map(of_class).collect()
}
