//! How many nodes were examined, each counted once.

use super::Node;
use hashbrown::HashSet;

/// The most nodes remembered. In a larger lattice, a node examined again may count again.
const MOST_NODES: usize = 1 << 22;

/// Nodes examined. Never more than there are, as long as the lattice has no more than four million.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenNodes {
    nodes: HashSet<Node>,
    /// Examinations of nodes that were not remembered.
    beyond: u64,
}

impl SeenNodes {
    /// Records a node.
    pub(crate) fn see(&mut self, node: &Node) {
        if self.nodes.contains(node) {
            return;
        }
        if self.nodes.len() < MOST_NODES {
            self.nodes.insert(node.clone());
        } else {
            self.beyond += 1;
        }
    }

    /// Adds the nodes that another search examined.
    pub(crate) fn absorb(&mut self, other: SeenNodes) {
        if self.nodes.len() < other.nodes.len() {
            let ours = std::mem::replace(self, other);
            return self.absorb(ours);
        }
        self.nodes.extend(other.nodes);
        self.beyond += other.beyond;
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.nodes.len() as u64 + self.beyond
    }

    /// How many of them satisfy a condition.
    pub(crate) fn count(&self, is_meant: impl Fn(&Node) -> bool) -> u64 {
        self.nodes.iter().filter(|node| is_meant(node)).count() as u64 + self.beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_looked_at_twice_counts_once() {
        let node = |level| Node::from_levels([level, 0]);
        let (mut one, mut other) = (SeenNodes::default(), SeenNodes::default());
        for level in [0, 1, 0] {
            one.see(&node(level));
        }
        for level in [1, 2, 3] {
            other.see(&node(level));
        }
        assert_eq!((one.len(), other.len()), (2, 3));
        one.absorb(other);
        assert_eq!(one.len(), 4);
        assert_eq!(one.count(|node| node.height() > 1), 2);
    }
}
