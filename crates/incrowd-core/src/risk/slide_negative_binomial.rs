//! G. Chen and S. Keller-McNulty, Estimation of Identification Disclosure Risk in Microdata, Journal of Official Statistics
//! 14(1), 1998.
//!
//! The size of a class of the population is 1 more than a negative binomial number, so none is empty. How many classes
//! there are is estimated first; then the two parameters are those for which the sample would have as many classes of one
//! and of two rows as it has.

use super::root::root;
use super::{ClassSizes, NoEstimate};

/// Where the logarithm of the odds of `1 - beta` is looked for: beyond, the distribution is Poisson's, or has no mean.
const ODDS: (f64, f64) = (-25.0, 60.0);

/// How far the equation may be from zero.
const ACCURACY: f64 = 1e-9;

/// The parameters of the distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parameters {
    pub(super) alpha: f64,
    /// The logarithm of beta.
    pub(super) ln_beta: f64,
}

/// The expected number of population uniques. There are sample uniques.
pub(super) fn uniques(sample: &ClassSizes, population: u64) -> Result<f64, NoEstimate> {
    let fraction = sample.rows() as f64 / population as f64;
    let classes = classes_of_population(sample, fraction);
    let (ones, twos) = (f64::from(sample.of_size(1)), f64::from(sample.of_size(2)));
    if sample.classes() == sample.rows() {
        // Beta is 1, and every class of the population has one row; both equations hold.
        return Ok(classes);
    }
    let fitted = fit(classes, fraction, ones, twos)?;
    Ok(classes * (fitted.alpha * fitted.ln_beta).exp())
}

/// The number of classes of the population: the modified estimator of Shlosser in P. Haas and L. Stokes, Estimating the
/// Number of Classes in a Finite Population, Journal of the American Statistical Association 93(444), 1998.
pub(super) fn classes_of_population(sample: &ClassSizes, fraction: f64) -> f64 {
    let ln_absent = (-fraction).ln_1p();
    let square = fraction * fraction;
    let (mut twice, mut once, mut absent, mut single) = (0.0, 0.0, 0.0, 0.0);
    for (size, classes) in sample.iter() {
        let (size, classes) = (f64::from(size), f64::from(classes));
        let none = (size * ln_absent).exp();
        let growth = size * fraction.ln_1p();
        twice += classes * size * square * ((size - 1.0) * (-square).ln_1p()).exp();
        // (1 - q)^i ((1 + q)^i - 1): small sizes without cancellation, large ones without overflow.
        once += classes
            * match growth < 1.0 {
                true => none * growth.exp_m1(),
                false => (size * (-square).ln_1p()).exp() - none,
            };
        absent += classes * none;
        single += classes * size * fraction * ((size - 1.0) * ln_absent).exp();
    }
    let uniques = sample.uniques() as f64;
    sample.classes() as f64 + uniques * (twice / once) * (absent / single).powi(2)
}

/// The parameters for which a sample of this fraction has so many classes of one and of two rows.
///
/// With q = 1 - beta, t = q (1 - fraction) and D = 1 - t, derivatives of the generating function z (beta / (1 - q z))^alpha
/// at 1 - fraction give
///
/// - ones = classes f (beta/D)^alpha (1 + alpha t/D),
/// - twos = classes f^2/2 alpha q beta^alpha D^-(alpha + 2) (2 - (1 - alpha) t).
///
/// Their quotient is free of powers, and for every q a quadratic equation for alpha with one positive solution. What is left
/// is one equation in q. Where parameters fit, tests find no second solution.
pub(super) fn fit(
    classes: f64,
    fraction: f64,
    ones: f64,
    twos: f64,
) -> Result<Parameters, NoEstimate> {
    if twos <= 0.0 {
        return Err(NoEstimate::NoParameters);
    }
    let quotient = 2.0 * twos / (fraction * ones);
    let wanted = (ones / (classes * fraction)).ln();
    let excess = |odds: f64| excess(odds, fraction, quotient) - wanted;
    let (low, high) = ODDS;
    if excess(low) <= 0.0 || excess(high) > 0.0 {
        return Err(NoEstimate::NoParameters);
    }
    let odds = root(low, high, |odds| excess(odds) > 0.0);
    let side = Side::new(odds, fraction);
    match excess(odds).abs() <= ACCURACY * (1.0 + wanted.abs()) {
        true => Ok(Parameters {
            alpha: side.alpha(quotient),
            ln_beta: side.beta.ln(),
        }),
        false => Err(NoEstimate::Inaccurate),
    }
}

/// The logarithm of (beta/D)^alpha (1 + alpha t/D).
pub(super) fn excess(odds: f64, fraction: f64, quotient: f64) -> f64 {
    let side = Side::new(odds, fraction);
    let alpha = side.alpha(quotient);
    // D - beta = q f.
    let missing = side.q * fraction / side.d;
    let ln_ratio = match missing < 0.5 {
        true => (-missing).ln_1p(),
        false => side.beta.ln() - side.d.ln(),
    };
    alpha * ln_ratio + (alpha * side.t / side.d).ln_1p()
}

/// What q gives.
struct Side {
    q: f64,
    beta: f64,
    t: f64,
    d: f64,
}

impl Side {
    /// For the logarithm of q/(1 - q).
    fn new(odds: f64, fraction: f64) -> Self {
        let (q, beta) = (1.0 / (1.0 + (-odds).exp()), 1.0 / (1.0 + odds.exp()));
        Side {
            q,
            beta,
            t: q * (1.0 - fraction),
            d: beta + q * fraction,
        }
    }

    /// The positive solution of alpha q (2 - (1 - alpha) t) = quotient D (D + alpha t).
    fn alpha(&self, quotient: f64) -> f64 {
        let Side { q, t, d, .. } = *self;
        let square = q * t;
        let linear = q * (2.0 - t) - quotient * d * t;
        let constant = quotient * d * d;
        let root = (linear * linear + 4.0 * square * constant).sqrt();
        match linear > 0.0 {
            true => 2.0 * constant / (linear + root),
            false => (root - linear) / (2.0 * square),
        }
    }
}
