//! A cache of frequency sets, so that the next count starts from the smallest suitable one.

use super::{CountedTable, FrequencySet, Scratch, Work, roll_up};
use crate::lattice::Node;
use std::sync::Arc;

/// The most sets cached; picking the smallest examines all of them.
const MOST_SETS: usize = 512;

/// The fixed cost of counting a node: finding the set to start from, and preparing.
const WORK_PER_NODE: u64 = 1 << 8;

/// Sets up to this size are small.
const SMALL_SET_CLASSES: usize = 1 << 11;

/// Counts nodes on demand and caches the results, within a memory limit.
#[derive(Debug)]
pub struct KnownSets<'a> {
    table: &'a CountedTable,
    columns: Vec<usize>,
    bottom: Node,
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
    last_used: u64,
}

impl<'a> KnownSets<'a> {
    /// Nothing counted yet but the tuples of the table. `columns` are those whose histograms are needed; `most_memory`
    /// bounds the bytes cached.
    pub fn new(table: &'a CountedTable, columns: Vec<usize>, most_memory: usize) -> Self {
        KnownSets {
            bottom: table.lattice().bottom(),
            table,
            columns,
            sets: Vec::new(),
            memory: 0,
            most_memory,
            uses: 0,
            scratch: Scratch::default(),
        }
    }

    /// Counts the classes of a node into `classes`, whose memory is reused, without caching them.
    pub fn count(&mut self, node: &Node, classes: &mut FrequencySet) -> Work {
        self.uses += 1;
        let smallest = self
            .sets
            .iter_mut()
            .filter(|known| known.node.is_at_or_below(node))
            .min_by_key(|known| known.set.len());
        let (from, lower) = match smallest {
            Some(known) => {
                known.last_used = self.uses;
                (&known.node, &*known.set)
            }
            None => (&self.bottom, &self.table.tuples),
        };
        roll_up(
            self.table,
            (from, lower),
            node,
            &self.columns,
            &mut self.scratch,
            classes,
        );
        Work(WORK_PER_NODE) + lower.work(&self.columns)
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

    /// Caches the classes of a node for later counts above it.
    pub fn remember(&mut self, node: Node, set: Arc<FrequencySet>) {
        self.memory += set.memory();
        self.sets.push(KnownSet {
            node,
            set,
            last_used: self.uses,
        });
        while self.sets.len() > MOST_SETS
            || (self.memory > self.most_memory && !self.sets.is_empty())
        {
            let oldest = (0..self.sets.len())
                .min_by_key(|&at| self.sets[at].last_used)
                .expect("the loop runs only while there are sets");
            self.memory -= self.sets.swap_remove(oldest).set.memory();
        }
    }
}
