//! The hierarchy of a column's values as a tree, or a tree without levels if there is none to follow.
//!
//! The values are ordered so that every node of the tree contains adjacent values. A group with a single group below it
//! is not a node: it does not distinguish values.

use super::blocks::Partition;

/// A forest over values; partitions never join values of different trees.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    /// In preorder: a node before its children, these from left to right.
    nodes: Vec<Node>,
    /// The node of each value.
    leaves: Vec<usize>,
    roots: Vec<usize>,
}

/// A node of the tree and the values below it.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The first value.
    pub(super) first: u32,
    /// The one after the last.
    pub(super) end: u32,
    /// Two or more, or none if this is a value.
    pub(super) children: Vec<usize>,
    pub(super) parent: Option<usize>,
}

impl Node {
    pub(super) fn values(&self) -> std::ops::Range<u32> {
        self.first..self.end
    }

    pub(super) fn is_value(&self) -> bool {
        self.children.is_empty()
    }
}

impl Tree {
    /// The tree of levels given as the group of each value, level by level from the finest, where every value is
    /// alone; groups of the last are the trees of the forest. Also returns the values in the order of the leaves.
    pub(super) fn of_levels(levels: &[Vec<u32>]) -> (Tree, Vec<u32>) {
        let mut building = Building::default();
        let values: Vec<u32> = (0..levels[0].len() as u32).collect();
        for root in groups(&values, &levels[levels.len() - 1]) {
            let root = building.add(levels, &root, levels.len() - 1, None);
            building.tree.roots.push(root);
        }
        (building.tree, building.order)
    }

    /// The partition whose blocks are the nodes so many steps below a root, and the values above; none when no node is
    /// that deep.
    pub(super) fn at_depth(&self, depth: usize) -> Option<Partition> {
        // Parents come before their children.
        let mut depths = vec![0; self.nodes.len()];
        let mut blocks = vec![0; self.values()];
        let mut is_deep = false;
        for (at, node) in self.nodes.iter().enumerate() {
            depths[at] = node.parent.map_or(0, |parent| depths[parent] + 1);
            is_deep |= depths[at] == depth;
            if depths[at] <= depth {
                for value in node.values() {
                    blocks[value as usize] = at as u32;
                }
            }
        }
        is_deep.then(|| Partition::from_numbers(blocks))
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// The number of values.
    pub(super) fn values(&self) -> usize {
        self.leaves.len()
    }

    /// The lowest node that contains all values from `first` to `last`.
    pub(super) fn lowest_above(&self, first: u32, last: u32) -> Option<usize> {
        let mut node = self.leaves[first as usize];
        while self.nodes[node].end <= last {
            node = self.nodes[node].parent?;
        }
        Some(node)
    }
}

#[derive(Default)]
struct Building {
    tree: Tree,
    order: Vec<u32>,
}

impl Building {
    fn add(
        &mut self,
        levels: &[Vec<u32>],
        values: &[u32],
        level: usize,
        parent: Option<usize>,
    ) -> usize {
        let mut level = level;
        let parts = loop {
            if values.len() == 1 {
                break Vec::new();
            }
            level -= 1; // at the finest level every value is alone, so this ends there
            let parts = groups(values, &levels[level]);
            if parts.len() > 1 {
                break parts;
            }
        };
        let first = self.order.len() as u32;
        let node = self.tree.nodes.len();
        self.tree.nodes.push(Node {
            first,
            end: first + values.len() as u32,
            children: Vec::new(),
            parent,
        });
        if parts.is_empty() {
            self.tree.leaves.push(node);
            self.order.push(values[0]);
        }
        for part in parts {
            let child = self.add(levels, &part, level, Some(node));
            self.tree.nodes[node].children.push(child);
        }
        node
    }
}

/// The values by group, groups in the order of their first value.
fn groups(values: &[u32], groups_of_values: &[u32]) -> Vec<Vec<u32>> {
    let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for &value in values {
        let group = groups_of_values[value as usize];
        let place = *places.entry(group).or_insert_with(|| {
            found.push((group, Vec::new()));
            found.len() - 1
        });
        found[place].1.push(value);
    }
    found.into_iter().map(|(_, values)| values).collect()
}
