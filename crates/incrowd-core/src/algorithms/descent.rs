//! Finds a good node quickly: from a safe node downward, one level at a time, as long as it stays safe.

use crate::lattice::Node;
use crate::problem::Interruption;
use crate::utility::Loss;

/// Lowers one attribute at a time by a level, the most promising first, and leaves an attribute alone once lowering it
/// is not safe. If safety survives merging, no node one level below the result is safe. Checks at most as many nodes as
/// the start is high, and one for each attribute.
pub(super) fn descend(
    start: Node,
    floor: impl Fn(&Node) -> Loss,
    mut is_safe: impl FnMut(&Node) -> Result<bool, Interruption>,
) -> Result<Node, Interruption> {
    let mut node = start;
    let mut may_go: Vec<bool> = vec![true; node.len()];
    loop {
        let lower = |attribute: usize| {
            let lowered = node.with(attribute, node.level(attribute).below()?);
            Some((floor(&lowered), attribute, lowered))
        };
        let next = (0..node.len())
            .filter(|&attribute| may_go[attribute])
            .filter_map(lower)
            .min_by_key(|(floor, attribute, _)| (*floor, *attribute));
        let Some((_, attribute, lowered)) = next else {
            return Ok(node);
        };
        match is_safe(&lowered)? {
            true => node = lowered,
            false => may_go[attribute] = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_at_a_node_below_which_nothing_is_safe() {
        // A node is safe if its levels add up to at least this.
        for least in 0..=7 {
            let start = Node::from_levels([2, 1, 4]);
            let mut checked = 0;
            let low = descend(
                start,
                |node| Loss(f64::from(node.level(0).0)),
                |node| {
                    checked += 1;
                    Ok(node.height() >= least)
                },
            )
            .unwrap();
            assert_eq!(low.height(), least);
            assert!(checked <= 7 + 3);
        }
    }
}
