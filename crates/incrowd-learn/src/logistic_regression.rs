//! Logistic regression: the logarithms of the odds as weighted sums of the features.
//!
//! The negative log-likelihood plus half the sum of squared weights is least (penalty 1; constants are free). That has
//! one answer, found by Newton's method with conjugate gradients. Two classes have one sum, of the odds of the second;
//! more classes have one each (softmax).

use crate::classify::{Classifier, Sample, most};
use crate::column::Column;
use crate::design::Design;
use crate::solve::{add_scaled, dot, solve};

/// The weights that were learned.
#[derive(Debug, Clone)]
pub struct LogisticRegression {
    design: Design,
    /// The weights of the columns and the constant, one sum after the other.
    weights: Vec<f64>,
    sums: usize,
}

const PENALTY: f64 = 1.0;

/// The gradient at which the answer is good enough.
const TOLERANCE: f64 = 1e-4;

const MOST_STEPS: usize = 100;

impl LogisticRegression {
    /// Learns the classes.
    pub fn learn(sample: &Sample<'_>) -> Self {
        let design = Design::new(sample.features, sample.rows);
        let sums = match sample.class_count {
            0..=2 => 1,
            more => more,
        };
        let problem = Likelihood {
            sample,
            design: &design,
            sums,
        };
        let weights = problem.minimize();
        LogisticRegression {
            design,
            weights,
            sums,
        }
    }
}

impl Classifier for LogisticRegression {
    fn predict(&self, features: &[Column], rows: &[u32]) -> Vec<u32> {
        let scores = scores(&self.design, features, rows, &self.weights, self.sums);
        let class = |scores: &[f64]| match scores {
            [odds] => u32::from(*odds > 0.0),
            scores => most(scores),
        };
        scores.chunks_exact(self.sums).map(class).collect()
    }
}

/// The sums of every row, row by row.
fn scores(
    design: &Design,
    features: &[Column],
    rows: &[u32],
    weights: &[f64],
    sums: usize,
) -> Vec<f64> {
    let mut scores = vec![0.0; rows.len() * sums];
    for (at, weights) in weights.chunks_exact(design.width() + 1).enumerate() {
        let (constant, weights) = (weights[design.width()], &weights[..design.width()]);
        let products = design.times(features, rows, weights);
        for (row, product) in products.into_iter().enumerate() {
            scores[row * sums + at] = product + constant;
        }
    }
    scores
}

/// What is to be least.
struct Likelihood<'a> {
    sample: &'a Sample<'a>,
    design: &'a Design,
    sums: usize,
}

impl Likelihood<'_> {
    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let Sample { features, rows, .. } = *self.sample;
        scores(self.design, features, rows, weights, self.sums)
    }

    fn class(&self, row: usize) -> usize {
        self.sample.classes[self.sample.rows[row] as usize] as usize
    }

    /// What is to be least, from the sums of every row.
    fn cost(&self, weights: &[f64], scores: &[f64]) -> f64 {
        let mut cost = 0.0;
        for (row, scores) in scores.chunks_exact(self.sums).enumerate() {
            cost += match scores {
                [odds] => {
                    // ln(1 + exp(-x)), without overflow.
                    let against = if self.class(row) == 1 { -odds } else { *odds };
                    against.max(0.0) + (-against.abs()).exp().ln_1p()
                }
                scores => {
                    let greatest = scores.iter().copied().fold(f64::MIN, f64::max);
                    let sum: f64 = scores.iter().map(|score| (score - greatest).exp()).sum();
                    greatest + sum.ln() - scores[self.class(row)]
                }
            };
        }
        cost + 0.5 * PENALTY * self.squares(weights)
    }

    fn squares(&self, weights: &[f64]) -> f64 {
        let width = self.design.width();
        let sums = weights.chunks_exact(width + 1);
        sums.map(|weights| dot(&weights[..width], &weights[..width]))
            .sum()
    }

    /// The probabilities of the classes that have a sum, row by row.
    fn probabilities(&self, mut scores: Vec<f64>) -> Vec<f64> {
        for scores in scores.chunks_exact_mut(self.sums) {
            match scores {
                [odds] => *odds = 1.0 / (1.0 + (-*odds).exp()),
                scores => {
                    let greatest = scores.iter().copied().fold(f64::MIN, f64::max);
                    scores
                        .iter_mut()
                        .for_each(|score| *score = (*score - greatest).exp());
                    let sum: f64 = scores.iter().sum();
                    scores.iter_mut().for_each(|score| *score /= sum);
                }
            }
        }
        scores
    }

    /// The transposed matrix times numbers for each row and sum, plus the penalty on some weights.
    fn gather(&self, of_rows: &[f64], penalized: &[f64]) -> Vec<f64> {
        let width = self.design.width();
        let mut gathered = Vec::with_capacity(penalized.len());
        for at in 0..self.sums {
            let of_sum: Vec<f64> = of_rows
                .iter()
                .skip(at)
                .step_by(self.sums)
                .copied()
                .collect();
            let Sample { features, rows, .. } = *self.sample;
            let product = self.design.transposed_times(features, rows, &of_sum);
            let penalized = &penalized[at * (width + 1)..][..width];
            let penalty = product.iter().zip(penalized);
            gathered.extend(penalty.map(|(product, weight)| product + PENALTY * weight));
            gathered.push(of_sum.iter().sum());
        }
        gathered
    }

    fn gradient(&self, weights: &[f64], probabilities: &[f64]) -> Vec<f64> {
        let mut errors = probabilities.to_vec();
        for (row, errors) in errors.chunks_exact_mut(self.sums).enumerate() {
            match errors {
                [error] => *error -= self.class(row) as f64,
                errors => errors[self.class(row)] -= 1.0,
            }
        }
        self.gather(&errors, weights)
    }

    /// The second derivative times a direction.
    fn bend(&self, probabilities: &[f64], direction: &[f64]) -> Vec<f64> {
        let mut changes = self.scores(direction);
        let rows = changes.chunks_exact_mut(self.sums);
        for (changes, probabilities) in rows.zip(probabilities.chunks_exact(self.sums)) {
            match (changes, probabilities) {
                ([change], [probability]) => *change *= probability * (1.0 - probability),
                (changes, probabilities) => {
                    let mean = dot(changes, probabilities);
                    for (change, probability) in changes.iter_mut().zip(probabilities) {
                        *change = probability * (*change - mean);
                    }
                }
            }
        }
        self.gather(&changes, direction)
    }

    /// The diagonal of the second derivative.
    fn diagonal(&self, probabilities: &[f64]) -> Vec<f64> {
        let mut diagonal = Vec::new();
        for at in 0..self.sums {
            let of_sum = probabilities.iter().skip(at).step_by(self.sums);
            let of_sum: Vec<f64> = of_sum.map(|it| it * (1.0 - it)).collect();
            let Sample { features, rows, .. } = *self.sample;
            let squares = (self.design).transposed_squares_times(features, rows, &of_sum);
            diagonal.extend(squares.iter().map(|square| square + PENALTY));
            // A class that no row has still needs a scale.
            diagonal.push(of_sum.iter().sum::<f64>().max(1e-6));
        }
        diagonal
    }

    fn minimize(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.sums * (self.design.width() + 1)];
        let mut scores = self.scores(&weights);
        let mut cost = self.cost(&weights, &scores);
        for _ in 0..MOST_STEPS {
            let probabilities = self.probabilities(scores.clone());
            let gradient = self.gradient(&weights, &probabilities);
            let steepest = gradient
                .iter()
                .fold(0.0, |most: f64, it| most.max(it.abs()));
            if steepest <= TOLERANCE {
                break;
            }
            let bend = |direction: &[f64]| self.bend(&probabilities, direction);
            let downhill: Vec<f64> = gradient.iter().map(|it| -it).collect();
            let diagonal = self.diagonal(&probabilities);
            let step = solve(bend, &diagonal, &downhill, 1e-3, 200);
            let slope = dot(&gradient, &step);
            // The whole step, or half of it, and so on, until the cost falls as it should.
            let mut scale = 1.0;
            let found = loop {
                let mut tried = weights.clone();
                add_scaled(&mut tried, scale, &step);
                let tried_scores = self.scores(&tried);
                let tried_cost = self.cost(&tried, &tried_scores);
                if tried_cost <= cost + 1e-4 * scale * slope {
                    break Some((tried, tried_scores, tried_cost));
                }
                scale /= 2.0;
                if scale < 1e-10 {
                    break None;
                }
            };
            // Rounding is all that is left to improve.
            let Some(found) = found else {
                break;
            };
            (weights, scores, cost) = found;
        }
        weights
    }
}
