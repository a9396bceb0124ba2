//! What the classes of low corners say about the nodes above them.

use crate::counts::{CountedTable, FrequencySet, Scratch, Start, Work, roll_up_tracked};
use crate::lattice::Node;
use hashbrown::{HashMap, HashSet};
use std::sync::{Arc, Weak};

/// The classes of a low corner, as far as they say anything about the nodes above it.
#[derive(Debug)]
pub(super) struct LowClasses {
    /// Keys and sizes, no histograms.
    classes: FrequencySet,
    /// The set that they are from.
    from: Weak<FrequencySet>,
    fewest_around: Vec<u32>,
    rows_suppressed: u32,
}

impl LowClasses {
    /// The classes of a node, the [fewest rows](crate::problem::Assessor::fewest_around) around each, and the rows of those that
    /// are not safe.
    pub(super) fn new(
        classes: &Arc<FrequencySet>,
        fewest_around: Vec<u32>,
        rows_suppressed: u32,
    ) -> Self {
        LowClasses {
            classes: classes.without_histograms(),
            from: Arc::downgrade(classes),
            fewest_around,
            rows_suppressed,
        }
    }

    pub(super) fn sizes(&self) -> &[u32] {
        self.classes.sizes()
    }

    pub(super) fn fewest_around(&self) -> &[u32] {
        &self.fewest_around
    }

    /// Rows that are suppressed here. No more are lost at all nodes below one that is above this: it is one of them.
    pub(super) fn rows_suppressed(&self) -> u32 {
        self.rows_suppressed
    }

    /// Whether a start has these classes in this order. A set of the same node may have another order if it was counted from
    /// other classes.
    pub(super) fn are_those_of(&self, start: &Start<'_>) -> bool {
        start.is_set(&self.from) || self.classes.keys == start.classes().keys
    }

    /// Lets `scratch` find the class of the high corner that each class of the low one is part of, by its place among
    /// `high_classes`. These may have been counted from another set, which may have put them in another order.
    pub(super) fn count_above(
        &self,
        table: &CountedTable,
        (low, high): (&Node, &Node),
        high_classes: &FrequencySet,
        (scratch, above): (&mut Scratch, &mut FrequencySet),
    ) -> Work {
        let from = (low, &self.classes);
        roll_up_tracked(table, from, high, &[], scratch, above);
        if above.keys != high_classes.keys {
            let places: HashMap<&[u64], u32> = (high_classes.keys().zip(0..)).collect();
            let place = |key| places.get(key).expect("they are classes of one node");
            let places: Vec<u32> = above.keys().map(|key| *place(key)).collect();
            scratch.renumber(&places);
        }
        Work::of(self.classes.len())
    }

    fn memory(&self) -> usize {
        self.classes.memory() + 4 * self.fewest_around.len()
    }
}

/// The classes of low corners, by their nodes, as far as there is memory for them.
#[derive(Debug)]
pub(super) struct LowCorners {
    corners: HashMap<Node, Arc<LowClasses>>,
    memory: usize,
    most_memory: usize,
    /// With so much memory in use, it is worth a look which corners are still needed.
    worth_a_look: usize,
}

impl LowCorners {
    /// None, and room for so many bytes.
    pub(super) fn new(most_memory: usize) -> Self {
        LowCorners {
            corners: HashMap::new(),
            memory: 0,
            most_memory,
            worth_a_look: most_memory / 2,
        }
    }

    /// The classes of a node, if they are known.
    pub(super) fn get(&self, node: &Node) -> Option<Arc<LowClasses>> {
        self.corners.get(node).cloned()
    }

    /// Adds a node. If there is no room, the others are forgotten: their boxes are divided without.
    pub(super) fn add(&mut self, node: &Node, classes: Arc<LowClasses>) {
        self.memory += classes.memory();
        if self.memory > self.most_memory {
            self.corners.clear();
            self.memory = classes.memory();
        }
        self.corners.insert(node.clone(), classes);
    }

    /// Forgets all nodes but these, if half of the room is used and an eighth more than after the last look.
    pub(super) fn keep_only<'n>(&mut self, needed: impl Iterator<Item = &'n Node>) {
        if self.memory <= self.worth_a_look {
            return;
        }
        let needed: HashSet<&Node> = needed.collect();
        self.corners.retain(|node, _| needed.contains(node));
        self.memory = self.corners.values().map(|one| one.memory()).sum();
        self.worth_a_look = (self.memory + self.most_memory / 8).max(self.most_memory / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::testutil::random_table;
    use crate::draw::Draw;
    use crate::lattice::Level;

    fn classes(of: usize) -> Arc<LowClasses> {
        let set = FrequencySet {
            keys: vec![0; of].into(),
            words: 1,
            sizes: vec![1; of].into(),
            ..FrequencySet::default()
        };
        Arc::new(LowClasses::new(&Arc::new(set), vec![1; of], 0))
    }

    #[test]
    fn corners_that_nobody_needs_are_forgotten_first_and_all_if_that_is_not_enough() {
        let node = |level| Node::from_levels([Level(level)]);
        let one = classes(10).memory();
        let mut corners = LowCorners::new(4 * one);
        let known = |corners: &LowCorners| -> Vec<u8> {
            let all = 0..10;
            all.filter(|&level| corners.get(&node(level)).is_some())
                .collect()
        };
        for level in 0..2 {
            corners.add(&node(level), classes(10));
        }
        corners.keep_only([].into_iter());
        assert_eq!(known(&corners), [0, 1], "there is room");
        corners.add(&node(2), classes(10));
        corners.keep_only([node(0), node(2)].iter());
        assert_eq!(known(&corners), [0, 2]);
        for level in 3..5 {
            corners.add(&node(level), classes(10));
        }
        assert_eq!(known(&corners), [0, 2, 3, 4]);
        corners.add(&node(5), classes(10));
        assert_eq!(known(&corners), [5]);
        corners.add(&node(6), classes(1000));
        assert_eq!(known(&corners), [6], "the last one is always known");
    }

    #[test]
    fn classes_find_those_around_them_whatever_set_these_were_counted_from() {
        let draw = &mut Draw::new(4);
        let mut in_other_order = 0;
        for _ in 0..20 {
            let table = random_table(3, draw);
            let nodes = table.lattice().walk();
            for _ in 0..40 {
                let high = &nodes[draw.below(nodes.len())];
                let levels = high
                    .levels()
                    .map(|level| draw.below(level.index() + 1) as u8);
                let low = Node::from_levels(levels.collect::<Vec<u8>>());
                let bottom = table.lattice().bottom();
                let raw = (&bottom, &table.tuples);
                let count = |from: (&Node, &FrequencySet), to: &Node| {
                    let (mut scratch, mut classes) = (Scratch::default(), FrequencySet::default());
                    roll_up_tracked(&table, from, to, &[], &mut scratch, &mut classes);
                    classes
                };
                let low_classes = Arc::new(count(raw, &low));
                let high_classes = count(raw, high);
                in_other_order +=
                    u32::from(count((&low, &low_classes), high).keys != high_classes.keys);
                let corner = LowClasses::new(&low_classes, vec![1; low_classes.len()], 0);
                let (mut scratch, mut above) = (Scratch::default(), FrequencySet::default());
                let memory = (&mut scratch, &mut above);
                let _ = corner.count_above(&table, (&low, high), &high_classes, memory);
                let mut sizes = vec![0; high_classes.len()];
                for (&class, &size) in scratch.class_of().iter().zip(low_classes.sizes()) {
                    sizes[class as usize] += size;
                }
                assert_eq!(sizes, high_classes.sizes());
            }
        }
        assert!(in_other_order > 50, "{in_other_order}");
    }
}
