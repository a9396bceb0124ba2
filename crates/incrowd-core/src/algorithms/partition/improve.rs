//! Finds good partitions quickly: optimizes one attribute at a time until none improves.
//!
//! Every step is the [program](super::program) of one attribute with the others as they are. At a local optimum, some
//! attributes are moved at random, and it starts again; the same seed gives the same results.

use super::blocks::Partition;
use super::ground::{Ground, Solution, below};
use crate::draw::Draw;
use crate::lattice::Node;
use crate::problem::Interruption;

/// Optimizes one attribute after the other, in `best`. If interrupted, the result so far stays there. `note` is called
/// before each.
pub(super) fn descend(
    ground: &Ground<'_>,
    best: &mut Solution,
    mut note: impl FnMut(&Solution),
) -> Result<(), Interruption> {
    let finest = ground.all_finest();
    let mut unchanged = 0;
    let mut attribute = 0;
    while unchanged < ground.attributes() {
        note(best);
        let mut others = best.partitions.clone();
        others[attribute] = finest[attribute].clone();
        let classes = ground.merge(&ground.finest, &finest, &others)?;
        unchanged += 1;
        if let Some(finished) = ground.finish(&classes, &others, attribute, below(best.cost))? {
            let mut partitions = best.partitions.clone();
            partitions[attribute] = finished.partition;
            // The program sums in another order than an evaluation: an improvement that only the program sees is not
            // one.
            let found = ground.evaluate(partitions)?;
            if found.is_better_than(Some(&*best)) {
                *best = found;
                unchanged = 1;
            }
        }
        attribute = (attribute + 1) % ground.attributes();
    }
    Ok(())
}

/// Two extreme starts: everything in one block, and every value alone.
pub(super) fn first_starts(ground: &Ground<'_>) -> [Vec<Partition>; 2] {
    let coarsest = ground.spaces.iter().map(|space| space.coarsest()).collect();
    [coarsest, ground.all_finest()]
}

/// The levels of full-domain recodings as a start, where the spaces have them.
pub(super) fn start_of_levels(ground: &Ground<'_>, node: &Node) -> Vec<Partition> {
    let partitions = (node.levels().enumerate()).map(|(attribute, level)| {
        let space = &ground.spaces[attribute];
        let groups = &ground.values[attribute].levels;
        let groups = &groups[level.index().min(groups.len() - 1)];
        let partition =
            Partition::from_numbers(space.order.iter().map(|&value| groups[value as usize]));
        if space.contains(&partition) {
            partition
        } else {
            space.coarsest()
        }
    });
    partitions.collect()
}

/// The best so far with one or two attributes moved at random.
pub(super) fn shaken(
    ground: &Ground<'_>,
    best: &Solution,
    draw: &mut Draw,
) -> Result<Solution, Interruption> {
    let mut partitions = best.partitions.clone();
    for _ in 0..1 + draw.below(2) {
        let attribute = draw.below(ground.attributes());
        let space = &ground.spaces[attribute];
        partitions[attribute] = match draw.below(4) {
            0 => space.coarsest(),
            1 => space.finest(),
            _ => {
                let levels = &ground.values[attribute].levels;
                let groups = &levels[draw.below(levels.len())];
                let numbers = space.order.iter().map(|&value| groups[value as usize]);
                let partition = Partition::from_numbers(numbers);
                if space.contains(&partition) {
                    partition
                } else {
                    space.coarsest()
                }
            }
        };
    }
    ground.evaluate(partitions)
}
