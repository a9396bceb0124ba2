//! From which end to search.

use super::super::ground::Ground;
use crate::algorithms::partition::settings::Direction;

/// Picks the direction, and says why.
pub(in super::super) fn choose(ground: &Ground<'_>, direction: Direction) -> (bool, &'static str) {
    let splits_at_most = |space: &super::super::scheme::Space| space.values() <= 20;
    match direction {
        Direction::BottomUp => (true, "asked for"),
        Direction::TopDown => (false, "asked for"),
        Direction::Auto if !ground.spaces.iter().all(splits_at_most) => (
            true,
            "bottom-up, as some column has too many values to split them in every way",
        ),
        Direction::Auto => {
            let smallest = ground.judge.smallest;
            let rows: u32 = (ground.finest.sizes.iter())
                .filter(|&&size| size < smallest)
                .sum();
            if rows <= ground.cost.rows / 2 {
                (
                    true,
                    "bottom-up, as most rows need no generalization to be in a large enough class",
                )
            } else {
                (
                    false,
                    "top-down, as most rows must be generalized to be in a large enough class",
                )
            }
        }
    }
}
