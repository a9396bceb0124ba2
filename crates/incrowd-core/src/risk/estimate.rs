//! All estimates of population uniques, each or the reason why there is none.

use super::{ClassSizes, NoEstimate, pitman, slide_negative_binomial, zayatz};

/// How many people of a population are unique in it, judging by a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationUniques {
    /// People in the population.
    pub size: u64,
    /// By Pitman's sampling formula.
    pub pitman: Result<f64, NoEstimate>,
    /// By the sizes of classes in the sample.
    pub zayatz: Result<f64, NoEstimate>,
    /// By the slide negative binomial distribution.
    pub snb: Result<f64, NoEstimate>,
}

impl PopulationUniques {
    /// From a sample drawn at random from a population of this size, which is at least that of the sample.
    ///
    /// A sample without uniques gives no sign of any: all estimates are 0 then.
    pub fn estimate(sample: &ClassSizes, population: u64) -> Self {
        let all = |estimate| PopulationUniques {
            size: population,
            pitman: estimate,
            zayatz: estimate,
            snb: estimate,
        };
        if sample.rows() == 0 {
            return all(Err(NoEstimate::NoRows));
        }
        if population <= sample.rows() {
            return all(Err(NoEstimate::WholePopulation));
        }
        if sample.uniques() == 0 {
            return all(Ok(0.0));
        }
        let within = |estimate: f64| match estimate <= population as f64 * (1.0 + 1e-9) {
            true if estimate >= 0.0 => Ok(estimate.min(population as f64)),
            _ => Err(NoEstimate::TooSmall),
        };
        PopulationUniques {
            size: population,
            pitman: pitman::uniques(sample, population).and_then(within),
            zayatz: within(zayatz::uniques(sample, population)),
            snb: slide_negative_binomial::uniques(sample, population).and_then(within),
        }
    }
}
