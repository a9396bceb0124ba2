//! N. Hoshino, Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment, Journal of Official Statistics
//! 17(4), 2001.

use super::root::root;
use super::sums::{ln_gamma_step, reciprocals};
use super::{ClassSizes, NoEstimate};

/// How far the equations may be from zero, compared with the sums that they are differences of.
const ACCURACY: f64 = 1e-9;

/// The parameters of Pitman's sampling formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parameters {
    /// From 0 to 1: how quickly new classes become rare.
    pub(super) alpha: f64,
    /// Theta + alpha, which is positive.
    pub(super) theta_and_alpha: f64,
}

impl Parameters {
    pub(super) fn theta(self) -> f64 {
        self.theta_and_alpha - self.alpha
    }
}

/// The expected number of population uniques for the most likely parameters. There are sample uniques.
///
/// The paper's formula for large populations, gamma(theta + 1) / gamma(theta + alpha) N^alpha, as other programs have it.
pub(super) fn uniques(sample: &ClassSizes, population: u64) -> Result<f64, NoEstimate> {
    let fitted = fit(sample)?;
    let quotient = ln_gamma_step(fitted.theta_and_alpha, 1.0 - fitted.alpha);
    Ok((quotient + fitted.alpha * (population as f64).ln()).exp())
}

/// The most likely parameters.
///
/// For every alpha there is one theta at which the likelihood is greatest. Along these, its slope in alpha is positive at
/// first, if the model fits at all, and falls to minus infinity at 1.
pub(super) fn fit(sample: &ClassSizes) -> Result<Parameters, NoEstimate> {
    let slopes = Slopes { sample };
    if sample.classes() == sample.rows() {
        return Err(NoEstimate::AllUnique);
    }
    if sample.classes() < 2 || slopes.in_alpha_at_zero() <= 0.0 {
        return Err(NoEstimate::TooEven);
    }
    let slope = |alpha: f64| slopes.in_alpha(slopes.best_theta(alpha));
    let greatest = 1.0 - f64::EPSILON;
    let alpha = root(0.0, greatest, |alpha| {
        let (rising, falling) = slope(alpha);
        rising > falling
    });
    let fitted = slopes.best_theta(alpha);
    let is_solved = |(rising, falling): (f64, f64)| (rising - falling).abs() <= ACCURACY * falling;
    match is_solved(slopes.in_theta(fitted)) && is_solved(slopes.in_alpha(fitted)) {
        true => Ok(fitted),
        false => Err(NoEstimate::Inaccurate),
    }
}

/// The derivatives of the likelihood's logarithm, each as what it grows by and what it falls by.
struct Slopes<'s> {
    sample: &'s ClassSizes,
}

impl Slopes<'_> {
    /// Sum of 1/(theta + i alpha) over classes i but the last; sum of 1/(theta + i) over rows i but the last.
    fn in_theta(&self, at: Parameters) -> (f64, f64) {
        (
            self.of_classes(at),
            reciprocals(
                at.theta_and_alpha + (1.0 - at.alpha),
                self.sample.rows() - 1,
            ),
        )
    }

    fn of_classes(&self, at: Parameters) -> f64 {
        let others = self.sample.classes() - 1;
        match at.alpha > 0.0 {
            true => reciprocals(at.theta_and_alpha / at.alpha, others) / at.alpha,
            false => others as f64 / at.theta_and_alpha,
        }
    }

    /// Sum of i/(theta + i alpha) over classes i but the last; sum of 1/(i - alpha) over the rows i of every class but the
    /// last. Alpha is positive.
    fn in_alpha(&self, at: Parameters) -> (f64, f64) {
        let others = (self.sample.classes() - 1) as f64;
        let rising = (others - at.theta() * self.of_classes(at)) / at.alpha;
        (rising, self.of_rows(at.alpha))
    }

    fn of_rows(&self, alpha: f64) -> f64 {
        let sizes = self.sample.iter();
        let of_size = |(size, classes): (u32, u32)| {
            f64::from(classes) * reciprocals(1.0 - alpha, u64::from(size) - 1)
        };
        sizes.map(of_size).sum()
    }

    /// The slope in alpha where alpha is 0.
    fn in_alpha_at_zero(&self) -> f64 {
        let theta = self.best_theta(0.0).theta_and_alpha;
        let classes = self.sample.classes() as f64;
        classes * (classes - 1.0) / (2.0 * theta) - self.of_rows(0.0)
    }

    /// The most likely theta for an alpha.
    fn best_theta(&self, alpha: f64) -> Parameters {
        let at = |logarithm: f64| Parameters {
            alpha,
            theta_and_alpha: logarithm.exp(),
        };
        let logarithm = root(-700.0, 700.0, |logarithm| {
            let (rising, falling) = self.in_theta(at(logarithm));
            rising > falling
        });
        at(logarithm)
    }
}
