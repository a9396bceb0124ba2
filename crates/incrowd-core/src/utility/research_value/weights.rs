//! Weights that follow from the table: an attribute that others already tell counts little.

use crate::counts::{Attribute, CountedTable};

/// For each attribute a weight in proportion to 1 less its mean association with the others; their sum is 1.
///
/// Counted from the distinct tuples: |Pearson| for two columns of numbers, Cramér's V for two of text, the correlation
/// ratio for one of each. Rows whose number is missing do not take part where the number does.
pub fn automatic_weights(table: &CountedTable) -> Vec<f64> {
    Associations::of(table).weights(&vec![true; table.attributes.len()])
}

/// How much every two attributes tell of each other, from 0 to 1.
pub(super) struct Associations(Vec<Vec<f64>>);

impl Associations {
    pub(super) fn of(table: &CountedTable) -> Self {
        let numbers: Vec<_> = (table.attributes.iter())
            .map(Attribute::numbers_of_leaves)
            .collect();
        let count = numbers.len();
        let mut associations = vec![vec![0.0; count]; count];
        for one in 0..count {
            for other in one + 1..count {
                let pairs = Pairs::of(table, one, other);
                let association = match (&numbers[one], &numbers[other]) {
                    (Some(one), Some(other)) => pairs.pearson(one, other).abs(),
                    (None, None) => pairs.cramers_v(),
                    (None, Some(numbers)) => pairs.correlation_ratio(numbers),
                    (Some(numbers), None) => pairs.turned().correlation_ratio(numbers),
                };
                associations[one][other] = association;
                associations[other][one] = association;
            }
        }
        Associations(associations)
    }

    /// Which attributes are left when of those that tell each other at least so much only the first counts.
    pub(super) fn without_told(&self, threshold: f64) -> Vec<bool> {
        let mut counts: Vec<bool> = Vec::new();
        for of_attribute in &self.0 {
            let mut earlier = counts.iter().zip(of_attribute);
            let is_told = earlier.any(|(counts, association)| *counts && *association >= threshold);
            counts.push(!is_told);
        }
        counts
    }

    /// Weights of the attributes that count, by their associations with each other.
    pub(super) fn weights(&self, counts: &[bool]) -> Vec<f64> {
        let of = |at: usize| {
            let others = (self.0[at].iter().zip(counts).enumerate())
                .filter(|(other, (_, counts))| *other != at && **counts);
            let others: Vec<f64> = others.map(|(_, (association, _))| *association).collect();
            let mean = others.iter().sum::<f64>() / others.len().max(1) as f64;
            (1.0 - mean).max(0.0)
        };
        let free = counts.iter().enumerate();
        let free = free.map(|(at, &counts)| if counts { of(at) } else { 0.0 });
        let free: Vec<f64> = free.collect();
        let total: f64 = free.iter().sum();
        // Columns that all tell each other share what there is to tell.
        match total > 1e-12 {
            true => free.iter().map(|free| free / total).collect(),
            false => equal_weights(counts),
        }
    }
}

/// The same weight for all attributes that count.
pub(super) fn equal_weights(counts: &[bool]) -> Vec<f64> {
    let weight = 1.0 / counts.iter().filter(|counts| **counts).count().max(1) as f64;
    let weights = counts
        .iter()
        .map(|&counts| if counts { weight } else { 0.0 });
    weights.collect()
}

/// The pairs of leaves of two attributes that occur, with their rows, in their order.
struct Pairs(Vec<(u32, u32, f64)>);

impl Pairs {
    fn of(table: &CountedTable, one: usize, other: usize) -> Self {
        let sizes = table.tuples.sizes().iter().enumerate();
        let mut pairs: Vec<(u32, u32, u32)> = sizes
            .map(|(tuple, &rows)| (table.leaf(tuple, one).0, table.leaf(tuple, other).0, rows))
            .collect();
        pairs.sort_unstable();
        let same = pairs.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
        let rows = |same: &[(u32, u32, u32)]| same.iter().map(|it| f64::from(it.2)).sum();
        Pairs(
            same.map(|same| (same[0].0, same[0].1, rows(same)))
                .collect(),
        )
    }

    fn turned(mut self) -> Self {
        for pair in &mut self.0 {
            *pair = (pair.1, pair.0, pair.2);
        }
        self.0.sort_unstable_by_key(|&(one, other, _)| (one, other));
        self
    }

    fn rows(&self) -> f64 {
        self.0.iter().map(|pair| pair.2).sum()
    }

    fn pearson(&self, one: &[f64], other: &[f64]) -> f64 {
        let pairs: Vec<(f64, f64, f64)> = (self.0.iter())
            .map(|&(first, second, rows)| (one[first as usize], other[second as usize], rows))
            .filter(|(one, other, _)| !one.is_nan() && !other.is_nan())
            .collect();
        let rows: f64 = pairs.iter().map(|pair| pair.2).sum();
        let mean = |of: &dyn Fn(&(f64, f64, f64)) -> f64| -> f64 {
            pairs.iter().map(|pair| of(pair) * pair.2).sum::<f64>() / rows
        };
        let (first, second) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
        let together = mean(&|pair| (pair.0 - first) * (pair.1 - second));
        let alone =
            mean(&|pair| (pair.0 - first).powi(2)) * mean(&|pair| (pair.1 - second).powi(2));
        match alone.sqrt() {
            both if both > 0.0 => (together / both).clamp(-1.0, 1.0),
            _ => 0.0,
        }
    }

    /// The square root of chi squared, divided by the rows and by the number of values less one, of the column with
    /// fewer.
    fn cramers_v(&self) -> f64 {
        let total = |of: fn(&(u32, u32, f64)) -> u32| {
            let most = self
                .0
                .iter()
                .map(of)
                .max()
                .map_or(0, |most| most as usize + 1);
            let mut totals = vec![0.0; most];
            for pair in &self.0 {
                totals[of(pair) as usize] += pair.2;
            }
            totals
        };
        let (one, other) = (total(|pair| pair.0), total(|pair| pair.1));
        let values = |totals: &[f64]| totals.iter().filter(|&&rows| rows > 0.0).count();
        let fewer = values(&one).min(values(&other));
        if fewer < 2 {
            return 0.0;
        }
        let sum: f64 = (self.0.iter())
            .map(|&(first, second, rows)| {
                rows * rows / (one[first as usize] * other[second as usize])
            })
            .sum();
        ((sum - 1.0).max(0.0) / (fewer - 1) as f64).sqrt().min(1.0)
    }

    /// The square root of the share of a number's variance that a text explains; the text comes first.
    fn correlation_ratio(mut self, numbers: &[f64]) -> f64 {
        self.0
            .retain(|&(_, leaf, _)| !numbers[leaf as usize].is_nan());
        let rows = self.rows();
        let number = |leaf: u32| numbers[leaf as usize];
        let sum = |pairs: &[(u32, u32, f64)]| -> f64 {
            pairs
                .iter()
                .map(|&(_, leaf, rows)| number(leaf) * rows)
                .sum()
        };
        let mean = sum(&self.0) / rows;
        let all: f64 = (self.0.iter())
            .map(|&(_, leaf, rows)| (number(leaf) - mean).powi(2) * rows)
            .sum();
        let between: f64 = (self.0.chunk_by(|one, other| one.0 == other.0))
            .map(|text| {
                let rows: f64 = text.iter().map(|pair| pair.2).sum();
                (sum(text) / rows - mean).powi(2) * rows
            })
            .sum();
        match all > 0.0 {
            true => (between / all).sqrt().min(1.0),
            false => 0.0,
        }
    }
}
