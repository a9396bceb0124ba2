//! One number out of one number per attribute.

use super::Settings;
use super::floors::below;
use crate::counts::CountedTable;
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// How the losses of the attributes become one loss.
///
/// With weights w and losses x ≥ 0. Every aggregate rises with every x, which is what makes a floor per
/// attribute a floor of the whole. ARX multiplies weights into the factors of its geometric mean instead of
/// using them as exponents; with equal weights of 1 the numbers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// Π (1 + x)^(w / Σw) − 1.
    GeometricMean,
    /// Σ w·x / Σw.
    ArithmeticMean,
    /// Σ w·x.
    Sum,
    /// The greatest w·x.
    Maximum,
}

impl Aggregate {
    /// Every aggregate.
    pub const ALL: [Aggregate; 4] = [
        Aggregate::GeometricMean,
        Aggregate::ArithmeticMean,
        Aggregate::Sum,
        Aggregate::Maximum,
    ];

    /// The name in a metric's options.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::GeometricMean => "geometric-mean",
            Aggregate::ArithmeticMean => "arithmetic-mean",
            Aggregate::Sum => "sum",
            Aggregate::Maximum => "maximum",
        }
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Aggregate {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Aggregate::ALL
            .into_iter()
            .find(|aggregate| aggregate.name() == text)
            .ok_or(())
    }
}

/// An aggregate with the weights of a table's attributes.
#[derive(Debug, Clone)]
pub(super) struct Aggregation {
    aggregate: Aggregate,
    weights: Vec<f64>,
    total_weight: f64,
}

impl Aggregation {
    /// The settings' aggregate and weights; attributes without a weight have 1.
    pub(super) fn new(
        metric: &'static str,
        default: Aggregate,
        settings: &Settings,
        table: &CountedTable,
    ) -> Result<Self, Error> {
        let mut weights = vec![1.0; table.attributes.len()];
        for (column, weight) in &settings.weights {
            let attribute = table
                .attributes
                .iter()
                .position(|attribute| attribute.name == *column)
                .ok_or_else(|| Error::MetricColumnUnknown {
                    metric,
                    column: column.clone(),
                })?;
            weights[attribute] = *weight;
        }
        let total_weight: f64 = weights.iter().sum();
        let sound = weights.iter().all(|weight| *weight >= 0.0)
            && total_weight.is_finite()
            && (total_weight > 0.0 || weights.is_empty());
        if !sound {
            return Err(Error::MetricOptionInvalid {
                metric,
                option: "weights".into(),
                expected: "numbers of at least 0, not all of them 0",
            });
        }
        Ok(Aggregation {
            aggregate: settings.aggregate.unwrap_or(default),
            weights,
            total_weight,
        })
    }

    /// The weight of each attribute.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The aggregate of one floor per attribute.
    pub(super) fn floor_of(&self, floors: impl Iterator<Item = f64>) -> f64 {
        below(self.of(floors))
    }

    /// The aggregate of one floor per attribute, where each floor is the loss itself when nothing else is
    /// suppressed and no level raised, to the last bit.
    ///
    /// Rounded sums, products and quotients still rise with their terms, so equal losses need no slack between
    /// them; searches drop ties for it. Logarithms promise no such thing.
    pub(super) fn exact_floor_of(&self, floors: impl Iterator<Item = f64>) -> f64 {
        match self.aggregate {
            Aggregate::GeometricMean => self.floor_of(floors),
            _ => self.of(floors),
        }
    }

    /// The aggregate of one loss per attribute, each at least 0; 0 without attributes.
    pub(super) fn of(&self, losses: impl Iterator<Item = f64>) -> f64 {
        if self.weights.is_empty() {
            return 0.0;
        }
        let weighted = self.weights.iter().zip(losses);
        match self.aggregate {
            // By logarithms of 1 + x, which stay precise when x is tiny.
            Aggregate::GeometricMean => {
                let sum: f64 = weighted.map(|(weight, loss)| weight * loss.ln_1p()).sum();
                (sum / self.total_weight).exp_m1()
            }
            Aggregate::ArithmeticMean => {
                weighted.map(|(weight, loss)| weight * loss).sum::<f64>() / self.total_weight
            }
            Aggregate::Sum => weighted.map(|(weight, loss)| weight * loss).sum(),
            Aggregate::Maximum => weighted
                .map(|(weight, loss)| weight * loss)
                .fold(0.0, f64::max),
        }
    }
}
