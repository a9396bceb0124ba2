//! All combinations of one level per quasi-identifier.
//!
//! A [`Node`] is one such combination; the [`Lattice`] is the box of all nodes between `0…0` and the top. It is never
//! materialized: nodes are created on demand. The fixed *lattice order* is height first, then the levels from left to
//! right; every tie in the product is broken by it.

mod node;
mod seen;

pub use crate::numbers::Level;
pub use node::Node;
pub(crate) use seen::SeenNodes;

/// The box of all nodes up to a top node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    top: Node,
}

impl Lattice {
    /// The lattice of all nodes at or below `top`.
    pub fn new(top: Node) -> Self {
        Lattice { top }
    }

    /// The node with every attribute at its highest level.
    pub fn top(&self) -> &Node {
        &self.top
    }

    /// The node with every attribute raw.
    pub fn bottom(&self) -> Node {
        Node::bottom(self.top.len())
    }

    /// How many nodes there are; `u128::MAX` if there are more.
    pub fn nodes(&self) -> u128 {
        self.top.levels().fold(1u128, |nodes, level| {
            nodes.saturating_mul(u128::from(level.0) + 1)
        })
    }

    /// The nodes with every attribute at level 1, 2 and so on, as far as each goes, without bottom and top: few, and
    /// below most others.
    pub fn diagonal(&self) -> impl Iterator<Item = Node> + '_ {
        let highest = self.top.levels().max().unwrap_or(Level::RAW);
        Level::under(highest)
            .skip(1)
            .map(|level| Node::from_levels(self.top.levels().map(|most| most.min(level))))
    }

    /// Every node, in lattice order within each height. Meant for small lattices.
    pub fn walk(&self) -> Vec<Node> {
        let mut nodes = vec![self.bottom()];
        for attribute in 0..self.top.len() {
            let below = std::mem::take(&mut nodes);
            for node in below {
                for level in Level::up_to(self.top.level(attribute)) {
                    nodes.push(node.with(attribute, level));
                }
            }
        }
        nodes.sort();
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_is_walked_by_height_then_from_left_to_right() {
        let lattice = Lattice::new(Node::from_levels([2, 1]));
        assert_eq!(lattice.nodes(), 6);
        let walked: Vec<Vec<u8>> = lattice
            .walk()
            .iter()
            .map(|node| node.levels().map(|level| level.0).collect())
            .collect();
        assert_eq!(walked, [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]);
    }
}
