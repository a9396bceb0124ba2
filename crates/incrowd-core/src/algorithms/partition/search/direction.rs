//! The direction of the search.

use super::super::ground::Ground;
use crate::algorithms::partition::settings::Direction;

/// Picks the direction, and says why.
pub(in super::super) fn choose(ground: &Ground<'_>, direction: Direction) -> (bool, &'static str) {
    let splits_at_most = |space: &super::super::scheme::Space| space.values() <= 20;
    match direction {
        Direction::BottomUp => (true, "as requested"),
        Direction::TopDown => (false, "as requested"),
        Direction::Auto if !ground.spaces.iter().all(splits_at_most) => (
            true,
            "bottom-up, since a column has too many values to try every split",
        ),
        Direction::Auto => {
            let smallest = ground.judge.smallest;
            let rows: u32 = (ground.finest.sizes.iter())
                .filter(|&&size| size < smallest)
                .sum();
            if rows <= ground.cost.rows / 2 {
                (
                    true,
                    "bottom-up, since most rows are in large enough classes without generalization",
                )
            } else {
                (
                    false,
                    "top-down, since most rows must be generalized to be in large enough classes",
                )
            }
        }
    }
}
