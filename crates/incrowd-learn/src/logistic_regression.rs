//! Logistic regression: the logarithms of the odds as weighted sums of the features.
//!
//! The negative log-likelihood plus half the sum of squared weights is least (penalty 1; constants are free). That has
//! one answer, found by Newton's method with conjugate gradients. Rows with the same features are one term of it. Two classes have one sum, of the odds of the second;
//! more classes have one each (softmax).

use crate::classify::{Classifier, Sample, most};
use crate::column::Column;
use crate::design::Design;
use crate::solve::{add_scaled, dot, solve};
use std::cmp::Ordering;

/// The weights that were learned.
#[derive(Debug, Clone)]
pub struct LogisticRegression {
    design: Design,
    /// The weights of the columns and the constant, one sum after the other.
    weights: Vec<f64>,
    sums: usize,
}

const PENALTY: f64 = 1.0;

/// The gradient at which the answer is good enough, for each row.
const TOLERANCE: f64 = 1e-6;

/// How exactly a step is found, as a share of the gradient: the next step makes up for it.
const STEP_TOLERANCE: f64 = 0.05;

const MOST_STEPS: usize = 100;

impl LogisticRegression {
    /// Learns the classes.
    pub fn learn(sample: &Sample<'_>) -> Self {
        let design = Design::new(sample.features, sample.rows);
        let sums = match sample.class_count {
            0..=2 => 1,
            more => more,
        };
        let terms = Terms::new(sample);
        let problem = Likelihood {
            features: sample.features,
            terms: &terms,
            design: &design,
            sums,
        };
        let weights = problem.minimize(TOLERANCE * sample.rows.len() as f64);
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

/// Rows with the same features, and the classes they have.
struct Terms {
    /// One of the rows of each term.
    rows: Vec<u32>,
    /// How many there are.
    sizes: Vec<f64>,
    /// How many of them have each class, of those that some have.
    classes: Vec<Vec<(u32, f64)>>,
}

impl Terms {
    fn new(sample: &Sample<'_>) -> Self {
        let class = |row: u32| sample.classes[row as usize];
        let compare = |one: u32, other: u32| {
            let mut codes = sample.features.iter().map(|feature| {
                let of_row = |row: u32| feature.codes[row as usize];
                of_row(one).cmp(&of_row(other))
            });
            codes.find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut rows = sample.rows.to_vec();
        rows.sort_unstable_by(|&one, &other| {
            let by_class = class(one).cmp(&class(other));
            compare(one, other).then(by_class).then(one.cmp(&other))
        });
        let mut terms = Terms {
            rows: Vec::new(),
            sizes: Vec::new(),
            classes: Vec::new(),
        };
        for same in rows.chunk_by(|&one, &other| compare(one, other).is_eq()) {
            let classes = same.chunk_by(|&one, &other| class(one) == class(other));
            terms.rows.push(same[0]);
            terms.sizes.push(same.len() as f64);
            terms.classes.push(
                classes
                    .map(|rows| (class(rows[0]), rows.len() as f64))
                    .collect(),
            );
        }
        terms
    }

    /// How many rows of a term have the second class.
    fn second(&self, term: usize) -> f64 {
        let second = self.classes[term].iter().find(|(class, _)| *class == 1);
        second.map_or(0.0, |(_, rows)| *rows)
    }
}

/// What is to be least.
struct Likelihood<'a> {
    features: &'a [Column],
    terms: &'a Terms,
    design: &'a Design,
    sums: usize,
}

impl Likelihood<'_> {
    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        scores(
            self.design,
            self.features,
            &self.terms.rows,
            weights,
            self.sums,
        )
    }

    /// What is to be least, from the sums of every term.
    fn cost(&self, weights: &[f64], scores: &[f64]) -> f64 {
        let mut cost = 0.0;
        let terms = scores.chunks_exact(self.sums).zip(&self.terms.sizes);
        for (term, (scores, size)) in terms.enumerate() {
            cost += match scores {
                // ln(1 + exp(x)), without overflow.
                [odds] => {
                    let all = odds.max(0.0) + (-odds.abs()).exp().ln_1p();
                    size * all - self.terms.second(term) * odds
                }
                scores => {
                    let greatest = scores.iter().copied().fold(f64::MIN, f64::max);
                    let sum: f64 = scores.iter().map(|score| (score - greatest).exp()).sum();
                    let classes = self.terms.classes[term].iter();
                    let of_classes = classes.map(|&(class, rows)| rows * scores[class as usize]);
                    size * (greatest + sum.ln()) - of_classes.sum::<f64>()
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

    /// The probabilities of the classes that have a sum, term by term.
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

    /// The transposed matrix times numbers for each term and sum, plus the penalty on some weights.
    fn gather(&self, of_terms: &[f64], penalized: &[f64]) -> Vec<f64> {
        let width = self.design.width();
        let mut gathered = Vec::with_capacity(penalized.len());
        for at in 0..self.sums {
            let of_sum = of_terms.iter().skip(at).step_by(self.sums);
            let of_sum: Vec<f64> = of_sum.copied().collect();
            let rows = &self.terms.rows;
            let product = self.design.transposed_times(self.features, rows, &of_sum);
            let penalized = &penalized[at * (width + 1)..][..width];
            let penalty = product.iter().zip(penalized);
            gathered.extend(penalty.map(|(product, weight)| product + PENALTY * weight));
            gathered.push(of_sum.iter().sum());
        }
        gathered
    }

    fn gradient(&self, weights: &[f64], probabilities: &[f64]) -> Vec<f64> {
        let mut errors = probabilities.to_vec();
        let terms = errors.chunks_exact_mut(self.sums).zip(&self.terms.sizes);
        for (term, (errors, size)) in terms.enumerate() {
            errors.iter_mut().for_each(|error| *error *= size);
            match errors {
                [error] => *error -= self.terms.second(term),
                errors => {
                    for &(class, rows) in &self.terms.classes[term] {
                        errors[class as usize] -= rows;
                    }
                }
            }
        }
        self.gather(&errors, weights)
    }

    /// The second derivative times a direction.
    fn bend(&self, probabilities: &[f64], direction: &[f64]) -> Vec<f64> {
        let mut changes = self.scores(direction);
        let terms = changes.chunks_exact_mut(self.sums);
        let terms = terms.zip(probabilities.chunks_exact(self.sums));
        for ((changes, probabilities), size) in terms.zip(&self.terms.sizes) {
            match (changes, probabilities) {
                ([change], [probability]) => *change *= size * probability * (1.0 - probability),
                (changes, probabilities) => {
                    let mean = dot(changes, probabilities);
                    for (change, probability) in changes.iter_mut().zip(probabilities) {
                        *change = size * probability * (*change - mean);
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
            let of_sum = of_sum.zip(&self.terms.sizes);
            let of_sum: Vec<f64> = of_sum.map(|(it, size)| size * it * (1.0 - it)).collect();
            let rows = &self.terms.rows;
            let squares = (self.design).transposed_squares_times(self.features, rows, &of_sum);
            diagonal.extend(squares.iter().map(|square| square + PENALTY));
            // A class that no row has still needs a scale.
            diagonal.push(of_sum.iter().sum::<f64>().max(1e-6));
        }
        diagonal
    }

    fn minimize(&self, tolerance: f64) -> Vec<f64> {
        let mut weights = vec![0.0; self.sums * (self.design.width() + 1)];
        let mut scores = self.scores(&weights);
        let mut cost = self.cost(&weights, &scores);
        for _ in 0..MOST_STEPS {
            let probabilities = self.probabilities(scores.clone());
            let gradient = self.gradient(&weights, &probabilities);
            let steepest = gradient
                .iter()
                .fold(0.0, |most: f64, it| most.max(it.abs()));
            if steepest <= tolerance {
                break;
            }
            let bend = |direction: &[f64]| self.bend(&probabilities, direction);
            let downhill: Vec<f64> = gradient.iter().map(|it| -it).collect();
            let diagonal = self.diagonal(&probabilities);
            let step = solve(bend, &diagonal, &downhill, STEP_TOLERANCE, 200);
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
