//! Which search suits a problem.

use super::boundaries::{self, Board};
use super::ground::Ground;
use super::scheme::Space;
use super::settings::{Direction, PartitionSettings, PruningRules};

/// If all columns but one have no more choices of partitions than this, enumerating them is quicker: a program finds the
/// best partition of the last one.
const FEW_CHOICES: f64 = 1e4;

/// A search, and what it needs.
pub(super) enum Way {
    /// Over single boundaries.
    Boundaries(Box<Board>),
    /// Over the partitions of one column after the other.
    Partitions { is_bottom_up: bool },
}

impl Way {
    pub(super) fn direction(&self) -> Direction {
        match self {
            Way::Boundaries(_) => Direction::Boundaries,
            Way::Partitions { is_bottom_up: true } => Direction::BottomUp,
            Way::Partitions {
                is_bottom_up: false,
            } => Direction::TopDown,
        }
    }
}

/// A search that was chosen, and why.
pub(super) struct Chosen {
    pub(super) way: Way,
    pub(super) reason: &'static str,
}

/// Picks the search, and says why.
pub(super) fn choose(ground: &Ground<'_>, settings: &PartitionSettings) -> Chosen {
    let partitions = |is_bottom_up, reason| Chosen {
        way: Way::Partitions { is_bottom_up },
        reason,
    };
    let mut sizes: Vec<f64> = ground.spaces.iter().map(|space| space.size()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.pop();
    let choices: f64 = sizes.iter().product();
    let board = match settings.direction {
        Direction::BottomUp => return partitions(true, "as requested"),
        Direction::TopDown => return partitions(false, "as requested"),
        Direction::Boundaries => boundaries::board(ground).map(|board| (board, "as requested")),
        // Rules that are switched off are those of the other searches.
        Direction::Auto if choices <= FEW_CHOICES || settings.rules != PruningRules::ALL => None,
        Direction::Auto => boundaries::board(ground).map(|board| {
            let reason = "by boundaries, since there are too many partitions to enumerate those of each column";
            (board, reason)
        }),
    };
    if let Some((board, reason)) = board {
        let way = Way::Boundaries(Box::new(board));
        return Chosen { way, reason };
    }
    let splits_at_most = |space: &Space| space.values() <= 20;
    if !ground.spaces.iter().all(splits_at_most) {
        return partitions(
            true,
            "bottom-up, since a column has too many values to try every split",
        );
    }
    let smallest = ground.judge.smallest;
    let rows: u32 = (ground.finest.sizes.iter())
        .filter(|&&size| size < smallest)
        .sum();
    match rows <= ground.cost.rows / 2 {
        true => partitions(
            true,
            "bottom-up, since most rows are in large enough classes without generalization",
        ),
        false => partitions(
            false,
            "top-down, since most rows must be generalized to be in large enough classes",
        ),
    }
}
