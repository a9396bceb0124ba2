//! Long sums and quotients of gamma functions, without cancellation.

/// From here on, a few terms of an asymptotic series are exact.
const LARGE: f64 = 24.0;

/// `1/first + 1/(first + 1) + ...`, so many terms; `first` is positive.
///
/// Euler and Maclaurin's formula, in which the difference of logarithms and of each correction is taken before it is
/// rounded: sums of few small terms stay exact.
pub(super) fn reciprocals(first: f64, terms: u64) -> f64 {
    let (mut first, mut terms, mut sum) = (first, terms, 0.0);
    while terms > 0 && first < LARGE {
        sum += 1.0 / first;
        first += 1.0;
        terms -= 1;
    }
    if terms == 0 {
        return sum;
    }
    let (count, end) = (terms as f64, first + terms as f64);
    // 1/first^2 - 1/end^2 and so on, as products.
    let quotient = first / end;
    let drop = |power: i32| (1.0 - quotient.powi(power)) / first.powi(power);
    sum + (count / first).ln_1p() + 0.5 * count / (first * end) + drop(2) / 12.0 - drop(4) / 120.0
        + drop(6) / 252.0
        - drop(8) / 240.0
}

/// The logarithm of gamma(number + step) / gamma(number); `number` is positive, `step` from 0 to 1.
pub(super) fn ln_gamma_step(number: f64, step: f64) -> f64 {
    let (mut number, mut shifted) = (number, 0.0);
    while number < LARGE {
        shifted += (step / number).ln_1p();
        number += 1.0;
    }
    // Stirling's formula, taken apart in the same way.
    let end = number + step;
    let correction = |number: f64| {
        let square = 1.0 / (number * number);
        (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / number
    };
    (number - 0.5) * (step / number).ln_1p() + step * end.ln() - step + correction(end)
        - correction(number)
        - shifted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_those_added_one_by_one() {
        for first in [1e-9, 0.3, 1.0, 17.5, 23.9999, 24.0, 1e3, 1e12] {
            for terms in [0, 1, 2, 7, 30, 5000] {
                // From the smallest term to the greatest.
                let exact: f64 = (0..terms).rev().map(|at| 1.0 / (first + at as f64)).sum();
                let found = reciprocals(first, terms);
                let error = (found - exact).abs();
                assert!(error <= 1e-13 * exact, "{first} {terms}: {found} {exact}");
            }
        }
        // H(10^6), by the series of Euler.
        assert!((reciprocals(1.0, 1_000_000) - 14.392_726_722_865_723).abs() < 1e-13);
    }

    #[test]
    fn quotients_of_gamma_functions_are_exact_where_they_are_known() {
        // gamma(n + 1) / gamma(n) = n, and gamma(1) / gamma(1/2) = 1 / sqrt(pi).
        for number in [0.01, 1.0, 5.5, 100.0, 1e12] {
            let found = ln_gamma_step(number, 1.0);
            assert!((found - number.ln()).abs() <= 1e-13, "{number}");
            assert!(ln_gamma_step(number, 0.0).abs() <= 1e-14);
            // Half a step twice is one step.
            let halves = ln_gamma_step(number, 0.5) + ln_gamma_step(number + 0.5, 0.5);
            assert!((halves - number.ln()).abs() <= 1e-13, "{number}");
        }
        let half = -0.5 * std::f64::consts::PI.ln();
        assert!((ln_gamma_step(0.5, 0.5) - half).abs() < 1e-14);
    }
}
