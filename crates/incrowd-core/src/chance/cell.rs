//! One combination: the numbers of rows that it may have.
//!
//! If a Poisson number of rows is drawn, the combinations get independent Poisson numbers of rows. Those of one
//! combination may be 0, or k and more. Everything the formula needs is the generating function of these numbers,
//! `G(z) = e^z - z - z^2/2! - ... - z^(k-1)/(k-1)!`, on a circle. It is computed from the terms that are left if the mean is
//! below k, and from those that are missing otherwise, so that no two large numbers cancel.

use super::complex::{Complex, polynomial};
use super::poisson::{ln_factorial, ln_weight};

/// Terms smaller than this, compared with the sum, are left out.
const NEGLIGIBLE: f64 = 1e-18;

/// Missing terms smaller than this are left out; there may be many combinations.
const NEVER: f64 = 1e-30;

/// Below this mean, terms need not be scaled by `e^-mean`.
const SMALL: f64 = 30.0;

/// What `weights` hold.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Terms {
    /// `mean^j / j!` from `j = k`; beside them, the term 1 of `j = 0`.
    Left,
    /// The same, scaled by `e^-mean`.
    LeftScaled,
    /// The scaled terms below `j = k`, except that of `j = 0`.
    Missing,
}

/// The rows of one combination if their mean would be `mean` without the demand for k.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    mean: f64,
    terms: Terms,
    /// The first `j` of the weights.
    first: f64,
    weights: Vec<f64>,
    /// The logarithm of the chance that the number of rows is 0 or at least k.
    pub(super) ln_chance: f64,
    /// The mean of such numbers.
    pub(super) rows: f64,
    /// Their variance.
    pub(super) variance: f64,
}

impl Cell {
    pub(super) fn new(k: u32, mean: f64) -> Cell {
        let (terms, first, weights) = match mean < f64::from(k) {
            true if mean <= SMALL => (Terms::Left, f64::from(k), upper(k, mean, 0.0)),
            true => (Terms::LeftScaled, f64::from(k), upper(k, mean, mean)),
            false => {
                let weights = lower(k, mean);
                (Terms::Missing, f64::from(k) - weights.len() as f64, weights)
            }
        };
        // Deviations from a number in the middle, so that squares do not cancel.
        let middle = match terms {
            Terms::Missing => mean,
            _ => 0.0,
        };
        let [mut sum, mut linear, mut square] = [0.0; 3];
        for (at, weight) in weights.iter().enumerate() {
            let off = first + at as f64 - middle;
            sum += weight;
            linear += off * weight;
            square += off * off * weight;
        }
        let (chance, ln_chance) = match terms {
            Terms::Left => (1.0 + sum, sum.ln_1p() - mean),
            Terms::LeftScaled => {
                let chance = (-mean).exp() + sum;
                (chance, chance.ln())
            }
            Terms::Missing => (1.0 - sum, (-sum).ln_1p()),
        };
        let (linear, square) = match terms {
            Terms::Missing => (-linear / chance, (mean - square) / chance),
            _ => (linear / chance, square / chance),
        };
        Cell {
            mean,
            terms,
            first,
            weights,
            ln_chance,
            rows: middle + linear,
            variance: (square - linear * linear).max(0.0),
        }
    }

    /// The logarithm of `G(mean e^(i angle)) / G(mean)`, up to whole turns. `turn` is `e^(i angle)`.
    pub(super) fn around(&self, angle: f64, turn: Complex) -> Complex {
        let sum = match self.weights.is_empty() {
            true => Complex::ZERO,
            false => polynomial(&self.weights, turn).times(Complex::turn(self.first * angle)),
        };
        let mut found = match self.terms {
            Terms::Left => {
                let mut ln = sum.ln_1p();
                ln.re -= self.mean;
                ln
            }
            Terms::LeftScaled => Complex {
                re: sum.re + (-self.mean).exp(),
                im: sum.im,
            }
            .ln(),
            Terms::Missing => {
                let whole = self.whole_around(angle);
                // ln |missing / whole|
                let share = sum.ln_size() - whole.re;
                match share < -0.7 {
                    true => {
                        let inverse = whole.scaled(-1.0).exp();
                        let missing = match inverse.re.is_finite() && inverse.im.is_finite() {
                            true => sum.times(inverse),
                            // `whole` is tiny, yet `sum` is smaller still.
                            false => Complex::ZERO,
                        };
                        missing.scaled(-1.0).ln_1p().plus(whole)
                    }
                    false => whole.exp().plus(sum.scaled(-1.0)).ln(),
                }
            }
        };
        found.re -= self.ln_chance;
        found
    }

    /// `mean (e^(i angle) - 1)`.
    fn whole_around(&self, angle: f64) -> Complex {
        let half = (angle / 2.0).sin();
        Complex {
            re: -2.0 * self.mean * half * half,
            im: self.mean * angle.sin(),
        }
    }

    /// The real part of [`Cell::around`] is at most this for every angle from here to half a turn.
    pub(super) fn most_beyond(&self, angle: f64) -> f64 {
        match self.terms {
            Terms::Missing => {
                let missing: f64 = self.weights.iter().sum();
                let most = (self.whole_around(angle).re.exp() + missing).ln();
                (most - self.ln_chance).min(0.0)
            }
            _ => 0.0,
        }
    }
}

/// The terms from `j = k` for a mean below k, scaled by `e^-scale`.
fn upper(k: u32, mean: f64, scale: f64) -> Vec<f64> {
    let first = f64::from(k);
    let ln_first = match scale == 0.0 {
        true => first * mean.ln() - ln_factorial(first),
        false => ln_weight(first, mean),
    };
    let mut weight = ln_first.exp();
    let (mut weights, mut sum, mut at) = (Vec::new(), 0.0, first);
    while weight > NEGLIGIBLE * sum && weight > 0.0 {
        weights.push(weight);
        sum += weight;
        at += 1.0;
        weight *= mean / at;
    }
    weights
}

/// The terms below k, except that of 0, for a mean of at least k, as far as they matter.
fn lower(k: u32, mean: f64) -> Vec<f64> {
    let mut weight = ln_weight(f64::from(k) - 1.0, mean).exp();
    let mut weights = Vec::new();
    for number in (1..k).rev() {
        if weight < NEVER {
            break;
        }
        weights.push(weight);
        weight *= f64::from(number) / mean;
    }
    weights.reverse();
    weights
}
