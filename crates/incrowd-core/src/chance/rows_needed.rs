//! How many rows are needed for a given chance.

use super::combinations::Combinations;
use super::formula::chance;
use super::poisson::lower_tail;

/// Numbers of rows beyond this are not looked for.
pub const MOST_ROWS: u64 = 1_000_000_000_000_000;

/// Up to here every number of rows is tried.
const FEW_ROWS: u64 = 512;

/// The least number of rows from which on the chance of [`chance`] stays at or above `share`; none beyond
/// [`MOST_ROWS`].
///
/// The chance is not monotone: few rows are often all alike, and a rare combination first spoils a table and then, with
/// many more rows, no longer does. So the answer is the number after which the chance never falls below `share` again.
/// `share` is below 1.
///
/// From the union bound over all combinations, which falls with every row, follows a number of rows that is certainly
/// enough. From there the search goes down, step by step if there are few rows, and by shares of a hundredth or less
/// otherwise. That no step leaps over a dip is not proven, but a combination needs a larger factor of its rows to become a
/// danger and to pass.
pub fn rows_needed<E>(
    combinations: &Combinations,
    k: u32,
    share: f64,
    check: &dyn Fn() -> Result<(), E>,
) -> Result<Option<u64>, E> {
    if k <= 1 {
        return Ok(Some(1));
    }
    if combinations.count() == 1 {
        return Ok(Some(k.into()));
    }
    let is_enough = |rows: u64| Ok(chance(combinations, k, rows, check)? >= share);
    let Some(mut enough) = certainly_enough(combinations, k, 1.0 - share, check)? else {
        return Ok(None);
    };
    let portion = (0.1 / f64::from(k).sqrt()).min(0.01);
    let mut too_few = loop {
        let step = match enough <= FEW_ROWS {
            true => 1,
            false => ((enough as f64 * portion) as u64).max(1),
        };
        let fewer = enough - step.min(enough);
        // So few rows are never enough, as k is at least 2.
        if fewer == 0 || !is_enough(fewer)? {
            break fewer;
        }
        enough = fewer;
    };
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        match is_enough(middle)? {
            true => enough = middle,
            false => too_few = middle,
        }
    }
    Ok(Some(enough))
}

/// The least number of rows for which the union bound says that the chance of failure is at most `failure`, for it and
/// for all that are larger.
fn certainly_enough<E>(
    combinations: &Combinations,
    k: u32,
    failure: f64,
    check: &dyn Fn() -> Result<(), E>,
) -> Result<Option<u64>, E> {
    let kinds = &combinations.kinds;
    let least = kinds.iter().map(|kind| kind.share).fold(1.0, f64::min);
    // From here on, Poisson tails are above binomial ones. T. Anderson and S. Samuels, Some Inequalities Among Binomial and
    // Poisson Probabilities, 1967.
    let first = (f64::from(k) / least).ceil();
    if first > MOST_ROWS as f64 {
        return Ok(None);
    }
    let is_enough = |rows: u64| {
        let tails = kinds
            .iter()
            .map(|kind| kind.cells * lower_tail(k, rows as f64 * kind.share));
        tails.sum::<f64>() <= failure
    };
    let (mut low, mut high) = (first as u64, first as u64);
    while !is_enough(high) {
        check()?;
        if high > MOST_ROWS {
            return Ok(None);
        }
        (low, high) = (high, high.saturating_mul(2));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match is_enough(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok((high <= MOST_ROWS).then_some(high))
}
