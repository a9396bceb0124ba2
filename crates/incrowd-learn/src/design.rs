//! Features as the columns of a matrix that is never written down.
//!
//! A numeric feature is one column: its number, less the mean of the rows learned from, in standard deviations; a number
//! that does not vary there says nothing, and is 0 everywhere. Any other feature is a column for each of its values:
//! the shares of the cell. Since all rows with the same text have the same entries, a product with the matrix takes one
//! step for each row and feature, however many values there are.

use crate::column::Column;

/// How features become columns; the same for whoever is learned from and whoever is predicted.
#[derive(Debug, Clone)]
pub(crate) struct Design {
    features: Vec<Encoded>,
    width: usize,
}

#[derive(Debug, Clone)]
enum Encoded {
    Number {
        column: usize,
        mean: f64,
        /// The inverse of the standard deviation, or 0.
        scale: f64,
    },
    Shares {
        first: usize,
    },
}

impl Design {
    /// For these rows to learn from.
    pub(crate) fn new(features: &[Column], rows: &[u32]) -> Self {
        let count = rows.len().max(1) as f64;
        let mut width = 0;
        let encoded = features.iter().map(|feature| {
            let first = width;
            if !feature.domain.is_numeric() {
                width += feature.domain.len();
                return Encoded::Shares { first };
            }
            width += 1;
            let numbers = || rows.iter().map(|&row| feature.meaning(row).number());
            let mean = numbers().sum::<f64>() / count;
            let squares: f64 = numbers().map(|number| (number - mean).powi(2)).sum();
            let deviation = (squares / count).sqrt();
            // What rounding leaves of a number that does not vary is not a deviation.
            let varies = deviation > 1e-12 * mean.abs();
            Encoded::Number {
                column: first,
                mean,
                scale: if varies { 1.0 / deviation } else { 0.0 },
            }
        });
        Design {
            features: encoded.collect(),
            width,
        }
    }

    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The matrix times a vector: one number for each of the rows.
    pub(crate) fn times(&self, features: &[Column], rows: &[u32], vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; rows.len()];
        for (feature, encoded) in features.iter().zip(&self.features) {
            let of_code: Vec<f64> = (feature.meanings.iter())
                .map(|meaning| match *encoded {
                    Encoded::Number {
                        column,
                        mean,
                        scale,
                    } => (meaning.number() - mean) * scale * vector[column],
                    Encoded::Shares { first } => {
                        let values = meaning.values.iter();
                        let sum: f64 = values.map(|&value| vector[first + value as usize]).sum();
                        sum * meaning.share()
                    }
                })
                .collect();
            for (product, &row) in product.iter_mut().zip(rows) {
                *product += of_code[feature.codes[row as usize] as usize];
            }
        }
        product
    }

    /// The transposed matrix times a vector with one number for each of the rows.
    pub(crate) fn transposed_times(
        &self,
        features: &[Column],
        rows: &[u32],
        vector: &[f64],
    ) -> Vec<f64> {
        self.gathered(features, rows, vector, |entry| entry)
    }

    /// The same with the square of every entry of the matrix.
    pub(crate) fn transposed_squares_times(
        &self,
        features: &[Column],
        rows: &[u32],
        vector: &[f64],
    ) -> Vec<f64> {
        self.gathered(features, rows, vector, |entry| entry * entry)
    }

    fn gathered(
        &self,
        features: &[Column],
        rows: &[u32],
        vector: &[f64],
        of_entry: impl Fn(f64) -> f64,
    ) -> Vec<f64> {
        let mut product = vec![0.0; self.width];
        for (feature, encoded) in features.iter().zip(&self.features) {
            let mut of_code = vec![0.0; feature.meanings.len()];
            for (number, &row) in vector.iter().zip(rows) {
                of_code[feature.codes[row as usize] as usize] += number;
            }
            for (meaning, sum) in feature.meanings.iter().zip(of_code) {
                match *encoded {
                    Encoded::Number {
                        column,
                        mean,
                        scale,
                    } => product[column] += of_entry((meaning.number() - mean) * scale) * sum,
                    Encoded::Shares { first } => {
                        let each = of_entry(meaning.share()) * sum;
                        for &value in &meaning.values {
                            product[first + value as usize] += each;
                        }
                    }
                }
            }
        }
        product
    }
}
