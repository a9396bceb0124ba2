//! Poisson weights, accurate for small and for large numbers.

use std::f64::consts::TAU;

/// By how much the logarithm of `number!` exceeds Stirling's `n ln n - n + ln(2 pi n) / 2`.
pub(super) fn stirling_excess(number: f64) -> f64 {
    if number < 16.0 {
        let whole = number as u32;
        let factorial: f64 = (1..=whole).map(f64::from).product();
        return match whole {
            0 => 0.0, // not used: Stirling's formula has no value there
            _ => factorial.ln() - (number * number.ln() - number + 0.5 * (TAU * number).ln()),
        };
    }
    let inverse = 1.0 / number;
    let square = inverse * inverse;
    inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))
}

/// The logarithm of `number!`.
pub(super) fn ln_factorial(number: f64) -> f64 {
    match number < 1.0 {
        true => 0.0,
        false => {
            number * number.ln() - number + 0.5 * (TAU * number).ln() + stirling_excess(number)
        }
    }
}

/// The logarithm of the chance that a Poisson number of this mean is `number`.
///
/// C. Loader, Fast and Accurate Computation of Binomial Probabilities, 2000: the large terms cancel before they are
/// computed.
pub(super) fn ln_weight(number: f64, mean: f64) -> f64 {
    match number < 1.0 {
        true => -mean,
        false => -deviance(number, mean) - 0.5 * (TAU * number).ln() - stirling_excess(number),
    }
}

/// `n ln(n / mean) + mean - n`, without cancellation where both are alike.
pub(super) fn deviance(number: f64, mean: f64) -> f64 {
    let off = (mean - number) / number;
    if off.abs() > 0.1 {
        return number * (off - (mean / number).ln());
    }
    // off - ln(1 + off) = off^2/2 - off^3/3 + ...
    let mut power = off * off;
    let mut sum = power / 2.0;
    for at in 3..40 {
        power *= -off;
        let term = power / f64::from(at);
        sum += term;
        if term.abs() < 1e-18 * sum.abs() {
            break;
        }
    }
    number * sum
}

/// The chance that a Poisson number of this mean is below `k`, where the mean is at least `k`.
pub(super) fn lower_tail(k: u32, mean: f64) -> f64 {
    let mut weight = ln_weight(f64::from(k) - 1.0, mean).exp();
    let mut sum = 0.0;
    for number in (0..k).rev() {
        sum += weight;
        if weight < 1e-18 * sum {
            break;
        }
        weight *= f64::from(number) / mean;
    }
    sum
}
