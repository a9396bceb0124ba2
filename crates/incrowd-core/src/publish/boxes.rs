//! Which tuples are in a box: one set of leaves for each attribute.
//!
//! A tree over the tuples, each node with the bounds of its part, so that a small box is found without looking at
//! all of them.

use crate::counts::{CountedTable, LeafOrder, LeafSet};

/// The tuples of a table, to be asked for those in a box.
#[derive(Debug)]
pub(super) struct Boxes {
    /// The order of the leaves of each attribute.
    orders: Vec<LeafOrder>,
    /// The positions of the leaves of each tuple, attribute by attribute.
    positions: Vec<u32>,
    /// The tuples, those of a node next to each other.
    tuples: Vec<u32>,
    /// The root first.
    nodes: Vec<Node>,
    /// The least and greatest position of each node, attribute by attribute.
    bounds: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct Node {
    start: usize,
    end: usize,
    /// The two parts; none if it is small.
    parts: Option<(usize, usize)>,
}

/// A node with no more tuples is not divided.
const SMALL: usize = 16;

impl Boxes {
    pub(super) fn new(table: &CountedTable) -> Self {
        let orders: Vec<LeafOrder> = table.attributes.iter().map(LeafOrder::new).collect();
        let cells =
            (0..table.tuples.len()).flat_map(|tuple| (0..orders.len()).map(move |at| (tuple, at)));
        let mut boxes = Boxes {
            positions: (cells.map(|(tuple, at)| orders[at].position(table.leaf(tuple, at))))
                .collect(),
            tuples: (0..table.tuples.len() as u32).collect(),
            nodes: Vec::new(),
            bounds: Vec::new(),
            orders,
        };
        boxes.divide(0, table.tuples.len());
        boxes
    }

    fn position(&self, tuple: u32, attribute: usize) -> u32 {
        self.positions[tuple as usize * self.orders.len() + attribute]
    }

    /// Makes a node of some tuples, and of its parts. Returns its number.
    fn divide(&mut self, start: usize, end: usize) -> usize {
        let attributes = self.orders.len();
        let node = self.nodes.len();
        let parts = None;
        self.nodes.push(Node { start, end, parts });
        for attribute in 0..attributes {
            let positions = self.tuples[start..end].iter();
            let positions = positions.map(|&tuple| self.position(tuple, attribute));
            let bounds = positions.fold((u32::MAX, 0), |(least, greatest), position| {
                (least.min(position), greatest.max(position))
            });
            self.bounds.push(bounds);
        }
        let share = |attribute: &usize| {
            let (least, greatest) = self.bounds[node * attributes + attribute];
            let leaves = u64::from(self.orders[*attribute].len()).max(1);
            u64::from(greatest.saturating_sub(least)) * (1 << 20) / leaves
        };
        let widest = (0..attributes).max_by_key(share);
        if let Some(attribute) = widest.filter(|at| end - start > SMALL && share(at) > 0) {
            let mut tuples = std::mem::take(&mut self.tuples);
            let middle = (end - start) / 2;
            tuples[start..end].select_nth_unstable_by_key(middle, |&tuple| {
                (self.position(tuple, attribute), tuple)
            });
            self.tuples = tuples;
            let low = self.divide(start, start + middle);
            let high = self.divide(start + middle, end);
            self.nodes[node].parts = Some((low, high));
        }
        node
    }

    /// The tuples in a box, in no particular order.
    pub(super) fn inside(&self, sides: &[&LeafSet]) -> Vec<u32> {
        let mut inside = Vec::new();
        let mut to_do = vec![0];
        while let Some(node) = to_do.pop() {
            let bounds = &self.bounds[node * sides.len()..][..sides.len()];
            let may_meet = |(side, &(least, greatest)): (&&LeafSet, &(u32, u32))| {
                let ends = side.ends_from(least);
                ends.is_some_and(|(first, _)| first <= greatest)
            };
            if !sides.iter().zip(bounds).all(may_meet) {
                continue;
            }
            let Node { start, end, parts } = self.nodes[node];
            if let Some((low, high)) = parts {
                to_do.extend([low, high]);
                continue;
            }
            let is_inside = |tuple: &&u32| {
                let mut sides = sides.iter().enumerate();
                sides.all(|(at, side)| side.contains(self.position(**tuple, at)))
            };
            inside.extend(self.tuples[start..end].iter().filter(is_inside));
        }
        inside
    }
}
