//! What single nodes say about all nodes above or below them.

use crate::lattice::Node;
use crate::utility::Loss;

/// The most nodes kept. What further ones would say is found out by counting.
const MOST_NODES: usize = 1 << 12;

/// Nodes at or below which none can be published. Of two nodes, only the higher is kept.
#[derive(Debug, Default)]
pub(super) struct RuledOut {
    highest: Vec<Node>,
}

impl RuledOut {
    /// Adds a node.
    pub(super) fn add(&mut self, node: &Node) {
        if self.covers(node) {
            return;
        }
        self.highest.retain(|known| !known.is_at_or_below(node));
        if self.highest.len() < MOST_NODES {
            self.highest.push(node.clone());
        }
    }

    /// The lowest node of a box of which no attribute can be lowered without all nodes of the box at that level being ruled out.
    ///
    /// Where the high corner is above a ruled-out node in one attribute alone, the levels of that attribute up to there are
    /// ruled out whatever the other attributes do.
    pub(super) fn lowest_left(&self, low: &Node, high: &Node) -> Node {
        let mut lowest = low.clone();
        for known in &self.highest {
            if let Some(attribute) = high.only_above(known) {
                let left = known.level(attribute).above();
                if left > lowest.level(attribute) {
                    lowest = lowest.with(attribute, left);
                }
            }
        }
        lowest
    }

    /// Whether a node is known to be at or below one of them.
    pub(super) fn covers(&self, node: &Node) -> bool {
        self.highest.iter().any(|known| node.is_at_or_below(known))
    }
}

/// Nodes that can be published, and so can all above them. Of two nodes, only the lower is kept.
#[derive(Debug, Default)]
pub(super) struct SafeAbove {
    lowest: Vec<Node>,
}

impl SafeAbove {
    /// Adds a node.
    pub(super) fn add(&mut self, node: &Node) {
        if self.covers(node) {
            return;
        }
        self.lowest.retain(|known| !node.is_at_or_below(known));
        if self.lowest.len() < MOST_NODES {
            self.lowest.push(node.clone());
        }
    }

    /// Whether a node is known to be at or above one of them.
    pub(super) fn covers(&self, node: &Node) -> bool {
        self.lowest.iter().any(|known| known.is_at_or_below(node))
    }
}

/// Lower bounds of the loss at and above single nodes, as far as they rule anything out.
#[derive(Debug, Default)]
pub(super) struct FloorsAbove {
    all: Vec<(Node, Loss)>,
    /// Those that are not below the best loss so far.
    hopeless: Vec<(Node, Loss)>,
}

impl FloorsAbove {
    /// No node at or above this one costs less than `floor`; `best` is the best loss so far.
    pub(super) fn add(&mut self, node: &Node, floor: Loss, best: Option<Loss>) {
        if self.all.len() < MOST_NODES << 4 {
            self.all.push((node.clone(), floor));
        }
        if best.is_some_and(|best| floor >= best) {
            self.add_hopeless(node, floor);
        }
    }

    fn add_hopeless(&mut self, node: &Node, floor: Loss) {
        let says_more = |(node, floor): (&Node, Loss), (than, of): (&Node, Loss)| {
            node.is_at_or_below(than) && floor >= of
        };
        let mut known = self.hopeless.iter();
        if known.any(|(known, of)| says_more((known, *of), (node, floor))) {
            return;
        }
        self.hopeless
            .retain(|(known, of)| !says_more((node, floor), (known, *of)));
        if self.hopeless.len() < MOST_NODES {
            self.hopeless.push((node.clone(), floor));
        }
    }

    /// The best loss so far is a better one.
    pub(super) fn improve(&mut self, best: Loss) {
        let all = std::mem::take(&mut self.all);
        for (node, floor) in all.iter().filter(|(_, floor)| *floor >= best) {
            self.add_hopeless(node, *floor);
        }
        self.all = all;
    }

    /// A lower bound of the loss at and above a node; none if nothing rules it out.
    pub(super) fn floor(&self, node: &Node) -> Option<Loss> {
        let below = self.hopeless.iter();
        let below = below.filter(|(known, _)| known.is_at_or_below(node));
        below.map(|(_, floor)| *floor).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Lattice;

    #[test]
    fn a_node_is_covered_if_one_at_or_above_it_is_ruled_out() {
        let mut ruled_out = RuledOut::default();
        let added = [[0, 2, 1], [1, 1, 1], [0, 1, 1], [1, 2, 0], [1, 0, 0]].map(Node::from_levels);
        for node in &added {
            ruled_out.add(node);
        }
        assert_eq!(ruled_out.highest.len(), 3);
        for node in Lattice::new(Node::from_levels([2, 3, 2])).walk() {
            let expected = added.iter().any(|above| node.is_at_or_below(above));
            assert_eq!(ruled_out.covers(&node), expected, "{node:?}");
        }
    }

    #[test]
    fn a_node_is_safe_if_one_at_or_below_it_is() {
        let mut safe = SafeAbove::default();
        let added = [[1, 1, 0], [0, 2, 1], [1, 2, 0], [0, 1, 1], [2, 0, 2]].map(Node::from_levels);
        for node in &added {
            safe.add(node);
        }
        assert_eq!(safe.lowest.len(), 3);
        for node in Lattice::new(Node::from_levels([2, 3, 2])).walk() {
            let expected = added.iter().any(|below| below.is_at_or_below(&node));
            assert_eq!(safe.covers(&node), expected, "{node:?}");
        }
    }

    #[test]
    fn levels_that_are_ruled_out_in_a_whole_box_are_left_below_it() {
        let node = |levels: [u8; 3]| Node::from_levels(levels);
        let mut ruled_out = RuledOut::default();
        for levels in [[0, 2, 1], [1, 1, 1], [1, 2, 0]] {
            ruled_out.add(&node(levels));
        }
        let top = [2u8, 3, 2];
        let corners = Lattice::new(node(top)).walk();
        for low in &corners {
            for high in corners.iter().filter(|high| low.is_at_or_below(high)) {
                if ruled_out.covers(high) {
                    continue;
                }
                let lowest = ruled_out.lowest_left(low, high);
                for attribute in 0..3 {
                    let levels = low.level(attribute).0..=high.level(attribute).0;
                    let mut left = levels
                        .filter(|&level| !ruled_out.covers(&high.with(attribute, level.into())));
                    assert_eq!(left.next(), Some(lowest.level(attribute).0));
                }
            }
        }
    }

    #[test]
    fn the_greatest_floor_below_a_node_is_found_once_it_matters() {
        let mut floors = FloorsAbove::default();
        let node = |levels: [u8; 2]| Node::from_levels(levels);
        let added = [([0, 1], 3.0), ([1, 1], 5.0), ([2, 0], 4.0), ([2, 2], 4.0)];
        for (at, (levels, floor)) in added.iter().enumerate() {
            let best = (at > 1).then_some(Loss(6.0));
            floors.add(&node(*levels), Loss(*floor), best);
        }
        assert_eq!(floors.floor(&node([3, 3])), None);
        floors.improve(Loss(4.0));
        for (levels, floor) in [
            ([3, 3], Some(5.0)),
            ([2, 0], Some(4.0)),
            ([1, 3], Some(5.0)),
            ([0, 3], None),
            ([1, 0], None),
        ] {
            assert_eq!(floors.floor(&node(levels)), floor.map(Loss), "{levels:?}");
        }
    }
}
