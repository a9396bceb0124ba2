//! Linear regression: a number as a weighted sum of the features.
//!
//! The sum of squared errors plus the sum of squared weights is least (ridge regression with penalty 1). Without the
//! penalty there would be no one answer, since the shares of a feature's values always add up to 1.
//!
//! A. Hoerl and R. Kennard, Ridge Regression, Technometrics 12(1), 1970.

use crate::column::Column;
use crate::design::Design;
use crate::solve::solve;

/// The weights that were learned.
#[derive(Debug, Clone)]
pub struct LinearRegression {
    design: Design,
    /// Those of the columns, and then the constant.
    weights: Vec<f64>,
}

const PENALTY: f64 = 1.0;

impl LinearRegression {
    /// Learns numbers from rows; `numbers` has one for every row of the features.
    pub fn learn(features: &[Column], numbers: &[f64], rows: &[u32]) -> Self {
        let design = Design::new(features, rows);
        let width = design.width();
        let times = |weights: &[f64]| {
            let mut product = design.times(features, rows, weights);
            product.iter_mut().for_each(|it| *it += weights[width]);
            product
        };
        let transposed_times = |vector: &[f64]| {
            let mut product = design.transposed_times(features, rows, vector);
            product.push(vector.iter().sum());
            product
        };
        let wanted: Vec<f64> = rows.iter().map(|&row| numbers[row as usize]).collect();
        let matrix = |weights: &[f64]| {
            let mut product = transposed_times(&times(weights));
            for (product, weight) in product.iter_mut().zip(&weights[..width]) {
                *product += PENALTY * weight;
            }
            product
        };
        let ones = vec![1.0; rows.len()];
        let squares = design.transposed_squares_times(features, rows, &ones);
        let mut diagonal: Vec<f64> = squares.iter().map(|square| square + PENALTY).collect();
        diagonal.push(rows.len().max(1) as f64);
        let right = transposed_times(&wanted);
        let weights = solve(matrix, &diagonal, &right, 1e-10, 10 * (width + 1));
        LinearRegression { design, weights }
    }

    /// The number that is predicted for each of these rows.
    pub fn predict(&self, features: &[Column], rows: &[u32]) -> Vec<f64> {
        let mut numbers = self.design.times(features, rows, &self.weights);
        let constant = self.weights[self.design.width()];
        numbers.iter_mut().for_each(|number| *number += constant);
        numbers
    }
}
