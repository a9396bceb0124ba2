//! Where a function of one number changes its sign.

/// Halvings after which neither bound moves any more.
const MOST_STEPS: u32 = 2000;

/// Between `low`, where the function is positive, and `high`, where it is not: where it ceases to be positive, as exactly
/// as `f64` can say.
///
/// Only halves the distance, since the functions here are steep at one end and flat at the other; each step is cheap.
pub(super) fn root(mut low: f64, mut high: f64, is_positive: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..MOST_STEPS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        match is_positive(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low + (high - low) / 2.0
}
