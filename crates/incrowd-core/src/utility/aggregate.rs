//! One number out of one number per attribute.

use super::floors::below;
use crate::counts::CountedTable;
use crate::error::Error;
use crate::registry::{Given, Kind, Setting};
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

    /// Their names, in the same order.
    const NAMES: [&str; 4] = ["geometric-mean", "arithmetic-mean", "sum", "maximum"];

    /// The name in a metric's settings.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
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

/// How the quasi-identifiers are combined.
pub(super) const AGGREGATE: Setting = Setting::optional(
    "aggregate",
    Kind::Choice(&Aggregate::NAMES),
    "how the losses of the quasi-identifiers are combined",
);

/// How much each quasi-identifier counts.
pub(super) const WEIGHTS: Setting = Setting::optional(
    "weights",
    Kind::Weights,
    "how much each quasi-identifier counts; 1 for those not named",
);

/// An aggregate with the weights of a table's attributes.
#[derive(Debug, Clone)]
pub(super) struct Aggregation {
    aggregate: Aggregate,
    weights: Vec<f64>,
    total_weight: f64,
}

impl Aggregation {
    /// The aggregate and the weights of a metric that declares [`WEIGHTS`], and perhaps [`AGGREGATE`]; attributes
    /// without a weight have 1, metrics without an aggregate the arithmetic mean.
    pub(super) fn new(
        metric: &'static str,
        given: &Given,
        table: &CountedTable,
    ) -> Result<Self, Error> {
        let mut weights = vec![1.0; table.attributes.len()];
        for (column, weight) in given.weights(WEIGHTS.name) {
            let attribute = table
                .attributes
                .iter()
                .position(|attribute| attribute.name == *column)
                .ok_or_else(|| Error::MetricColumnUnknown {
                    metric,
                    column: column.to_owned(),
                })?;
            weights[attribute] = weight;
        }
        let named = given
            .has(AGGREGATE.name)
            .then(|| given.text(AGGREGATE.name));
        let named = named.flatten().and_then(|name| name.parse().ok());
        let aggregate = named.unwrap_or(Aggregate::ArithmeticMean);
        let total_weight: f64 = weights.iter().sum();
        let sound = weights.iter().all(|weight| *weight >= 0.0)
            && total_weight.is_finite()
            && (total_weight > 0.0 || weights.is_empty());
        if !sound {
            return Err(Error::WeightsAllZero { metric });
        }
        Ok(Aggregation {
            aggregate,
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
