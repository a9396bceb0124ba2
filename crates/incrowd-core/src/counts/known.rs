//! A cache of frequency sets, so that the next count starts from the smallest suitable one.

use super::{
    CountedTable, FrequencySet, Scratch, Work, roll_up, roll_up_at_most, roll_up_classes,
    roll_up_columns,
};
use crate::lattice::Node;
use std::cmp::Reverse;
use std::sync::{Arc, Weak};

/// The most sets cached; picking the smallest that suits may examine all of them.
const MOST_SETS: usize = 512;

/// The fixed cost of counting a node: finding the set to start from, and preparing.
const WORK_PER_NODE: u64 = 1 << 8;

/// Sets up to this size are small.
const SMALL_SET_CLASSES: usize = 1 << 11;

/// Counts nodes on demand and caches the results, within a memory limit.
#[derive(Debug)]
pub struct KnownSets<'a> {
    table: &'a CountedTable,
    columns: Arc<[usize]>,
    bottom: Node,
    /// Those with the fewest classes first: the first that suits is the one to start from.
    sets: Vec<KnownSet>,
    memory: usize,
    most_memory: usize,
    uses: u64,
    scratch: Scratch,
}

#[derive(Debug)]
struct KnownSet {
    node: Node,
    set: Arc<FrequencySet>,
    /// Bytes of the set.
    memory: usize,
    last_used: u64,
}

/// A counted node, to count others above it from, on any thread.
#[derive(Debug, Clone)]
pub(crate) struct Start<'a> {
    table: &'a CountedTable,
    columns: Arc<[usize]>,
    node: Node,
    /// The tuples of the table if none.
    set: Option<Arc<FrequencySet>>,
}

/// A count that may have been given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) struct Counted {
    /// What it took.
    pub(crate) work: Work,
    /// Whether there are more classes than were asked for, so that not all were formed.
    pub(crate) are_too_many: bool,
}

impl Start<'_> {
    /// Where it is.
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// Whether it is this very set.
    pub(crate) fn is_set(&self, set: &Weak<FrequencySet>) -> bool {
        (self.set.as_ref()).is_some_and(|own| std::ptr::eq(Arc::as_ptr(own), set.as_ptr()))
    }

    /// Its classes.
    pub(crate) fn classes(&self) -> &FrequencySet {
        self.set.as_deref().unwrap_or(&self.table.tuples)
    }

    /// Counts the classes of a node at or above it into `classes`, whose memory is reused.
    pub(crate) fn count(
        &self,
        node: &Node,
        scratch: &mut Scratch,
        classes: &mut FrequencySet,
    ) -> Work {
        let from = (&self.node, self.classes());
        roll_up(self.table, from, node, &self.columns, scratch, classes);
        self.work()
    }

    /// [`Start::count`], unless there are more classes than `most` and this is found out before all are counted. If it
    /// `is_tracked`, `scratch` then knows the class above each class of this node.
    pub(crate) fn count_at_most(
        &self,
        most: usize,
        node: &Node,
        is_tracked: bool,
        scratch: &mut Scratch,
        classes: &mut FrequencySet,
    ) -> Counted {
        let from = (&self.node, self.classes());
        let wanted = (&*self.columns, is_tracked);
        let is_complete = roll_up_at_most(self.table, from, node, wanted, most, scratch, classes);
        Counted {
            work: self.work(),
            are_too_many: !is_complete,
        }
    }

    /// The first half of a tracked [`Start::count_at_most`]: without histograms, which may turn out to be of no interest.
    pub(crate) fn count_classes(
        &self,
        node: &Node,
        scratch: &mut Scratch,
        classes: &mut FrequencySet,
    ) -> Work {
        let from = (&self.node, self.classes());
        roll_up_classes(self.table, from, node, scratch, classes);
        Work(WORK_PER_NODE) + self.classes().work(&[])
    }

    /// The second half: the histograms, with the same scratch.
    pub(crate) fn count_columns(&self, scratch: &mut Scratch, classes: &mut FrequencySet) -> Work {
        let from = self.classes();
        roll_up_columns(self.table, from, &self.columns, scratch, classes);
        from.work_of_columns(&self.columns)
    }

    fn work(&self) -> Work {
        Work(WORK_PER_NODE) + self.classes().work(&self.columns)
    }
}

impl<'a> KnownSets<'a> {
    /// Nothing counted yet but the tuples of the table. `columns` are those whose histograms are needed; `most_memory`
    /// bounds the bytes cached.
    pub fn new(table: &'a CountedTable, columns: Vec<usize>, most_memory: usize) -> Self {
        KnownSets {
            bottom: table.lattice().bottom(),
            table,
            columns: columns.into(),
            sets: Vec::new(),
            memory: 0,
            most_memory,
            uses: 0,
            scratch: Scratch::of_table(table),
        }
    }

    /// Counts the classes of a node into `classes`, whose memory is reused, without caching them.
    pub fn count(&mut self, node: &Node, classes: &mut FrequencySet) -> Work {
        let start = self.start_for(node);
        start.count(node, &mut self.scratch, classes)
    }

    /// The smallest set cached that a node can be counted from.
    pub(crate) fn start_for(&mut self, node: &Node) -> Start<'a> {
        self.uses += 1;
        let mut sets = self.sets.iter_mut();
        let smallest = sets.find(|known| known.node.is_at_or_below(node));
        let (node, set) = match smallest {
            Some(known) => {
                known.last_used = self.uses;
                (known.node.clone(), Some(Arc::clone(&known.set)))
            }
            None => (self.bottom.clone(), None),
        };
        Start {
            table: self.table,
            columns: Arc::clone(&self.columns),
            node,
            set,
        }
    }

    /// The set of this very node, if it is cached.
    pub(crate) fn start_at(&mut self, node: &Node) -> Option<Start<'a>> {
        let known = self.sets.iter_mut().find(|known| known.node == *node)?;
        self.uses += 1;
        known.last_used = self.uses;
        Some(Start {
            table: self.table,
            columns: Arc::clone(&self.columns),
            node: known.node.clone(),
            set: Some(Arc::clone(&known.set)),
        })
    }

    /// Counts the classes of a node and caches them for later counts above it.
    pub fn count_and_remember(&mut self, node: &Node) -> (Arc<FrequencySet>, Work) {
        let mut set = FrequencySet::default();
        let work = self.count(node, &mut set);
        set.shrink();
        let set = Arc::new(set);
        self.remember(node.clone(), Arc::clone(&set));
        (set, work)
    }

    /// Caches the classes of a node if copying them is cheap compared with counting them.
    pub fn remember_if_small(&mut self, node: &Node, classes: &FrequencySet) {
        if classes.len() <= SMALL_SET_CLASSES {
            self.remember(node.clone(), Arc::new(classes.clone()));
        }
    }

    /// Caches the classes of a node for later counts above it. Returns the sets that there is no room for any more: to free their
    /// memory takes longer than all else here, so it may be left to another thread.
    pub fn remember(&mut self, node: Node, set: Arc<FrequencySet>) -> Vec<Arc<FrequencySet>> {
        let memory = set.memory();
        self.memory += memory;
        let is_before = |known: &KnownSet| known.set.len() <= set.len();
        let place = self.sets.partition_point(is_before);
        let known = KnownSet {
            node,
            set,
            memory,
            last_used: self.uses,
        };
        self.sets.insert(place, known);
        let mut forgotten = Vec::new();
        while self.sets.len() > MOST_SETS
            || (self.memory > self.most_memory && !self.sets.is_empty())
        {
            let sets = self.sets.iter().enumerate();
            // Of those used last at the same time, the largest: it frees the most memory, and others are counted faster from the rest.
            let oldest = sets.min_by_key(|&(at, known)| (known.last_used, Reverse(at)));
            let (oldest, _) = oldest.expect("the loop runs only while there are sets");
            let oldest = self.sets.remove(oldest);
            self.memory -= oldest.memory;
            forgotten.push(oldest.set);
        }
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Histograms, Missing, RowCounter};
    use crate::draw::Draw;
    use crate::hierarchy::HierarchySpec;
    use crate::table::RowBatch;

    /// Three columns of values and `*`, and two that are counted.
    fn table(draw: &mut Draw) -> CountedTable {
        let names = ["a", "b", "c", "s", "t"].map(str::to_owned);
        let mut counter = RowCounter::new(&names, &[0, 1, 2], &[3, 4]);
        let mut batch = RowBatch::new(names.len());
        for _ in 0..200 {
            let cells = [6, 4, 3, 5, 90].map(|values| draw.below(values).to_string());
            cells
                .iter()
                .for_each(|cell| batch.push_cell(cell.as_bytes()));
        }
        counter.add(&batch).unwrap();
        let missing = Missing::default();
        let hierarchies = (0..3).map(|at| {
            let values = counter.values(at, &missing);
            HierarchySpec::Suppress.build(&names[at], &values).unwrap()
        });
        let hierarchies = hierarchies.collect();
        counter.finish(hierarchies, vec![None; 2], missing).unwrap()
    }

    #[test]
    fn classes_counted_first_and_histograms_then_are_those_counted_at_once() {
        let draw = &mut Draw::new(8);
        let counted = table(draw);
        let present = counted.with_present_only(&[0], &[1]);
        for table in [&counted, &present] {
            let mut known = KnownSets::new(table, vec![0, 1], 1 << 20);
            let (mut at_once, mut halves) = (FrequencySet::default(), FrequencySet::default());
            let (mut scratch, mut other) = (Scratch::default(), Scratch::default());
            for _ in 0..50 {
                let levels = [0; 3].map(|_| draw.below(2) as u8);
                let node = Node::from_levels(levels);
                let start = known.start_for(&node);
                let most = usize::MAX;
                let counted = start.count_at_most(most, &node, true, &mut scratch, &mut at_once);
                let work = counted.work;
                assert!(!counted.are_too_many);
                let of_classes = start.count_classes(&node, &mut other, &mut halves);
                assert_eq!(halves.keys, at_once.keys);
                assert_eq!(halves.sizes, at_once.sizes);
                assert_eq!(other.class_of(), scratch.class_of());
                let readable = halves.histograms.iter().flatten();
                assert!(
                    readable.clone().all(Histograms::have_no_class),
                    "histograms of other classes are left behind"
                );
                if draw.below(3) > 0 {
                    let of_columns = start.count_columns(&mut other, &mut halves);
                    assert_eq!(halves, at_once);
                    assert_eq!(of_classes + of_columns, work);
                    known.remember_if_small(&node, &halves);
                }
            }
        }
    }
}
