//! The chance by formula.
//!
//! Let the number of rows itself be random, Poisson with any mean: the combinations then get independent Poisson numbers
//! of rows, and the chance that all of them are 0 or at least k is a product. What remains is that there must be
//! exactly n rows in the end. By Bayes, `P(all right | n rows) = P(all right) P(n rows | all right) / P(n rows)`; the first
//! and the last factor are known, and the middle one is the n-th coefficient of a product of generating functions, read
//! off by a discrete Fourier transform. Leaving it out treats combinations as independent, which is off by more than 20
//! points for few rows.
//!
//! Any mean will do. The one with which n rows are expected *if all is right* (the saddle point) makes the middle factor as
//! large as it can be, so that nothing is lost to rounding. The transform adds up the chances of n, n + M, n - M, ... rows; M is
//! chosen such that Chernoff's bound makes all but the first negligible.

use super::cell::Cell;
use super::combinations::{Combinations, Kind};
use super::complex::Complex;
use super::poisson::ln_weight;
use std::f64::consts::TAU;

/// Smaller chances are 0.
const LEAST: f64 = 1e-12;

/// The logarithm of what is negligible beside 1.
const LN_NEGLIGIBLE: f64 = -50.0;

/// Combinations and angles between two calls of `check`.
const BETWEEN_CHECKS: usize = 1 << 14;

/// The chance that every combination that occurs among `rows` rows occurs at least `k` times; below 1e-12, 0.
///
/// `check` is called now and then; its error ends the computation.
pub fn chance<E>(
    combinations: &Combinations,
    k: u32,
    rows: u64,
    check: &dyn Fn() -> Result<(), E>,
) -> Result<f64, E> {
    if k <= 1 || rows == 0 {
        return Ok(1.0);
    }
    if rows < u64::from(k) {
        return Ok(0.0);
    }
    let tilted = Tilted::expecting(&combinations.kinds, k, rows as f64, check)?;
    let ln_most = tilted.ln_chance() - ln_weight(rows as f64, tilted.mean);
    if ln_most < LEAST.ln() {
        return Ok(0.0);
    }
    let found = ln_most.exp() * tilted.chance_of(rows, check)?;
    Ok(match found < LEAST {
        true => 0.0,
        false => found.min(1.0),
    })
}

/// The combinations for a Poisson number of rows.
struct Tilted<'a> {
    kinds: &'a [Kind],
    k: u32,
    /// The mean number of rows without the demand for k.
    mean: f64,
    cells: Vec<Cell>,
}

impl<'a> Tilted<'a> {
    fn new(kinds: &'a [Kind], k: u32, mean: f64) -> Self {
        let cells = kinds.iter().map(|kind| Cell::new(k, mean * kind.share));
        Tilted {
            kinds,
            k,
            mean,
            cells: cells.collect(),
        }
    }

    /// With the mean for which so many rows are expected if every combination has 0 rows or at least k.
    fn expecting<E>(
        kinds: &'a [Kind],
        k: u32,
        rows: f64,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<Self, E> {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut ln_mean = rows.ln();
        // The number of rows expected grows with the mean: Newton's steps, kept between what was too low and too high.
        // Any mean gives the right chance, so it need not be met exactly.
        for _ in 0..200 {
            check()?;
            let tilted = Tilted::new(kinds, k, ln_mean.exp());
            let (expected, variance) = (tilted.rows(), tilted.variance());
            let off = rows - expected;
            if off.abs() <= 0.02 * variance.sqrt() {
                return Ok(tilted);
            }
            match off > 0.0 {
                true => low = ln_mean,
                false => high = ln_mean,
            }
            let step = ln_mean + (off / variance).clamp(-2.0, 2.0);
            ln_mean = match (low.is_finite(), high.is_finite()) {
                (true, true) if step > low && step < high => step,
                (true, true) => (low + high) / 2.0,
                _ if off > 0.0 => step.max(ln_mean + 1e-9),
                _ => step.min(ln_mean - 1e-9),
            };
        }
        Ok(Tilted::new(kinds, k, ln_mean.exp()))
    }

    fn sum(&self, figure: impl Fn(&Cell) -> f64) -> f64 {
        let pairs = self.kinds.iter().zip(&self.cells);
        pairs.map(|(kind, cell)| kind.cells * figure(cell)).sum()
    }

    /// The logarithm of the chance that every combination has 0 rows or at least k.
    fn ln_chance(&self) -> f64 {
        self.sum(|cell| cell.ln_chance)
    }

    fn rows(&self) -> f64 {
        self.sum(|cell| cell.rows)
    }

    fn variance(&self) -> f64 {
        self.sum(|cell| cell.variance)
    }

    /// The chance of exactly so many rows if every combination has 0 rows or at least k.
    fn chance_of<E>(&self, rows: u64, check: &dyn Fn() -> Result<(), E>) -> Result<f64, E> {
        let period = self.period(rows as f64, check)?;
        let rows_in_period = rows % period;
        let mut sum = 1.0;
        let mut next_look = 1.0;
        let mut since_check = 0;
        for at in 1..=period / 2 {
            since_check += self.cells.len();
            if since_check >= BETWEEN_CHECKS {
                check()?;
                since_check = 0;
            }
            let angle = TAU * at as f64 / period as f64;
            let mut ln = self.around(angle);
            if ln.re < LN_NEGLIGIBLE {
                // Rarely, since looking costs as much as another angle.
                if at as f64 >= next_look {
                    if self.sum(|cell| cell.most_beyond(angle)) < LN_NEGLIGIBLE {
                        break;
                    }
                    next_look = 1.2 * at as f64;
                }
                continue;
            }
            // The product of two numbers below the period fits.
            let turned = u128::from(rows_in_period) * u128::from(at) % u128::from(period);
            ln.im -= TAU * turned as f64 / period as f64;
            sum += 2.0 * ln.exp().re;
        }
        Ok((sum / period as f64).max(0.0))
    }

    /// The logarithm of the generating function of the number of rows, on the unit circle.
    fn around(&self, angle: f64) -> Complex {
        let turn = Complex::turn(angle);
        let pairs = self.kinds.iter().zip(&self.cells);
        pairs.fold(Complex::ZERO, |sum, (kind, cell)| {
            sum.plus(cell.around(angle, turn).scaled(kind.cells))
        })
    }

    /// An odd M such that M rows more or less than these are too unlikely to matter.
    fn period<E>(&self, rows: f64, check: &dyn Fn() -> Result<(), E>) -> Result<u64, E> {
        let variance = self.variance();
        let mut far = 12.0 * variance.sqrt() + 40.0;
        loop {
            check()?;
            let tilt = far / (variance + far);
            let is_far = self.ln_tail(tilt, rows + far) < LN_NEGLIGIBLE
                && (rows < far || self.ln_tail(-tilt, rows - far) < LN_NEGLIGIBLE);
            if is_far {
                return Ok(2 * (far / 2.0) as u64 + 3);
            }
            far *= 1.4;
        }
    }

    /// Chernoff: the chance of `rows` or more (or less, if `tilt` is negative) is at most `E e^(tilt X) / e^(tilt rows)`.
    fn ln_tail(&self, tilt: f64, rows: f64) -> f64 {
        let mean = self.mean * tilt.exp();
        let there = Tilted::new(self.kinds, self.k, mean);
        mean - self.mean + there.ln_chance() - self.ln_chance() - tilt * rows
    }
}
