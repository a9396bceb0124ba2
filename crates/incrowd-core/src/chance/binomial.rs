//! Binomial numbers: how many of some rows have a value.

use super::poisson::{deviance, stirling_excess};
use crate::draw::Draw;
use std::f64::consts::TAU;

/// Up to this mean, chances are added up from 0.
const SMALL: f64 = 10.0;

/// Chances smaller than this, compared with those before, are left out.
const NEGLIGIBLE: f64 = 1e-18;

/// A number from 0 (included) to 1 (excluded).
pub(super) fn fraction(draw: &mut Draw) -> f64 {
    (draw.next_number() >> 11) as f64 / (1_u64 << 53) as f64
}

/// How many of `rows` rows have a value, if each has it with the chance `share`.
pub(super) fn binomial(draw: &mut Draw, rows: u64, share: f64) -> u64 {
    if share >= 1.0 {
        return rows;
    }
    if share > 0.5 {
        return rows - binomial(draw, rows, 1.0 - share);
    }
    match rows as f64 * share < SMALL {
        true => by_inversion(draw, rows, share),
        false => by_rejection(draw, rows, share),
    }
}

fn by_inversion(draw: &mut Draw, rows: u64, share: f64) -> u64 {
    let odds = share / (1.0 - share);
    let none = (rows as f64 * (-share).ln_1p()).exp();
    let (mut left, mut chance, mut found) = (fraction(draw), none, 0);
    while left >= chance && found < rows {
        left -= chance;
        found += 1;
        chance *= odds * (rows - found + 1) as f64 / found as f64;
        // What is left by then is rounding.
        if chance < f64::MIN_POSITIVE {
            break;
        }
    }
    found
}

/// W. Hörmann, The Generation of Binomial Random Variates, Journal of Statistical Computation and Simulation 46, 1993:
/// algorithm BTRS.
fn by_rejection(draw: &mut Draw, rows: u64, share: f64) -> u64 {
    let n = rows as f64;
    let deviation = (n * share * (1.0 - share)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * share;
    let c = n * share + 0.5;
    let quick = 0.92 - 4.2 / b;
    let odds = share / (1.0 - share);
    let alpha = (2.83 + 5.1 / b) * deviation;
    let mode = ((n + 1.0) * share).floor();
    // The paper writes ln k! by Stirling's formula for (k + 1)!, less ln(k + 1).
    let excess = |number: f64| stirling_excess(number + 1.0);
    loop {
        let u = fraction(draw) - 0.5;
        let v = fraction(draw);
        let us = 0.5 - u.abs();
        let found = ((2.0 * a / us + b) * u + c).floor();
        if us >= 0.07 && v <= quick {
            return found as u64;
        }
        if !(0.0..=n).contains(&found) {
            continue;
        }
        let v = (v * alpha / (a / (us * us) + b)).ln();
        let most = (mode + 0.5) * ((mode + 1.0) / (odds * (n - mode + 1.0))).ln()
            + (n + 1.0) * ((n - mode + 1.0) / (n - found + 1.0)).ln()
            + (found + 0.5) * (odds * (n - found + 1.0) / (found + 1.0)).ln()
            + excess(mode)
            + excess(n - mode)
            - excess(found)
            - excess(n - found);
        if v <= most {
            return found as u64;
        }
    }
}

/// The chances that k - 1, k - 2, and so on down to 1 of `rows` rows have a value, as far as they matter; `rows` is at
/// least k, and k at most the mean.
pub(super) fn weights_below(k: u64, rows: u64, share: f64) -> Vec<f64> {
    if k < 2 {
        return Vec::new();
    }
    let (n, first) = (rows as f64, (k - 1) as f64);
    // C. Loader, as for Poisson weights.
    let ln_first = stirling_excess(n)
        - stirling_excess(first)
        - stirling_excess(n - first)
        - deviance(first, n * share)
        - deviance(n - first, n * (1.0 - share))
        + 0.5 * (n / (TAU * first * (n - first))).ln();
    let mut weight = ln_first.exp();
    let (mut weights, mut number, mut sum) = (Vec::new(), first, 0.0);
    while number >= 1.0 && weight > NEGLIGIBLE * sum {
        weights.push(weight);
        sum += weight;
        weight *= number / (n - number + 1.0) * (1.0 - share) / share;
        number -= 1.0;
    }
    weights
}
