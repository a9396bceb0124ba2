//! The largest part of a class that keeps a promise.
//!
//! Where kept classes stay kept when they merge, all that is kept of a class, however it is divided, is one such part:
//! so no division keeps more rows than the largest.

/// Rounds after which [`largest_fed`] gives up; what it has by then is still no less than the answer.
const ROUNDS: u32 = 64;

/// The greatest number up to `most` that is `possible`; if a number is, every smaller one must be.
pub(super) fn largest(most: u32, possible: impl Fn(u32) -> bool) -> u32 {
    let (mut at_least, mut above) = (0, u64::from(most) + 1);
    while above - u64::from(at_least) > 1 {
        let middle = (u64::from(at_least) + above) / 2;
        // At most `most`.
        match possible(middle as u32) {
            true => at_least = middle as u32,
            false => above = middle,
        }
    }
    at_least
}

/// The greatest number up to `most` that is at most `available` of itself: for parts of which every value may only have a
/// share, so that `available` rows could be in a part of so many. More must never be available for fewer rows.
pub(super) fn largest_fed(most: u32, available: impl Fn(u32) -> u64) -> u32 {
    let mut rows = most;
    for _ in 0..ROUNDS {
        // No part is larger than `rows`, so none larger than what is available for so many.
        let fewer = available(rows).min(rows.into()) as u32;
        if fewer == rows {
            break;
        }
        rows = fewer;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_greatest_of_all() {
        for most in 0..40 {
            for bound in 0..50 {
                assert_eq!(largest(most, |rows| rows <= bound), most.min(bound));
            }
        }
        assert_eq!(largest(u32::MAX, |_| true), u32::MAX);
    }

    #[test]
    fn what_is_available_for_a_number_is_enough_for_it() {
        for a in 0..12_u64 {
            for b in 0..12_u64 {
                for share in [2, 3, 4] {
                    let available = |rows: u32| {
                        let most = u64::from(rows) / share;
                        a.min(most) + b.min(most)
                    };
                    let all = (0..=30).filter(|&rows| available(rows) >= rows.into());
                    assert_eq!(largest_fed(30, available), all.max().unwrap());
                }
            }
        }
    }
}
