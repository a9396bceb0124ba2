//! Merges clusters until every one of them is safe.

use super::axes::{Axes, Side};
use super::nearest::{Index, Seen};
use crate::algorithms::cuts::{Judge, RowsOfValues};
use crate::counts::Work;
use crate::problem::{Interruption, Meter, Problem, Progress};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An index is built anew once only so many percent of its clusters are left.
const FEW_LEFT: usize = 70;

/// The first index knows nothing about distances, and is built anew after so many merges.
const MERGES_TO_LEARN: u64 = 500;

/// Clusters of tuples. To begin with every tuple is one. Tuples are numbered in the order of their values.
pub(super) struct Clusters<'a> {
    axes: &'a Axes<'a>,
    judge: Judge<'a>,
    /// For each dimension, of each cluster.
    sides: Vec<Vec<Side>>,
    rows: Vec<u32>,
    is_safe: Vec<bool>,
    /// Of each cluster, for each column that the models read; nothing if they read none.
    values: Vec<Vec<RowsOfValues>>,
    /// Of each tuple the next one of its cluster, in a ring.
    next: Vec<u32>,
    /// Merges made.
    pub(super) merges: u64,
    /// What was touched since it was last spent.
    work: u64,
}

impl<'a> Clusters<'a> {
    /// A cluster for each tuple, given in order.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        axes: &'a Axes<'a>,
        order: &[u32],
        meter: &Meter<'_>,
    ) -> Result<Self, Interruption> {
        let tuples = &problem.table.tuples;
        let numbers = 0..order.len() as u32;
        let sides = |at| numbers.clone().map(|it| axes.side(at, it)).collect();
        let mut clusters = Clusters {
            axes,
            judge: Judge::new(problem),
            sides: (0..axes.dimensions()).map(sides).collect(),
            rows: (order.iter().map(|&it| tuples.sizes()[it as usize])).collect(),
            is_safe: Vec::with_capacity(tuples.len()),
            values: Vec::new(),
            next: numbers.clone().collect(),
            merges: 0,
            work: 0,
        };
        for (number, &tuple) in numbers.zip(order) {
            let columns = clusters.judge.columns();
            if !columns.is_empty() {
                let values = columns.iter().map(|&column| {
                    let histogram = tuples.histograms(column).class(tuple as usize);
                    let values = histogram.values.iter().zip(histogram.counts);
                    values.map(|(&value, &rows)| (value, rows)).collect()
                });
                clusters.values.push(values.collect());
            }
            let is_safe = clusters.judged(number);
            clusters.is_safe.push(is_safe);
            clusters.spend(meter)?;
        }
        Ok(clusters)
    }

    fn spend(&mut self, meter: &Meter<'_>) -> Result<(), Interruption> {
        meter.note(Progress {
            nodes_checked: self.merges,
            ..Progress::default()
        });
        meter.spend(Work(std::mem::take(&mut self.work)))
    }

    fn judged(&mut self, cluster: u32) -> bool {
        self.work += 1;
        let rows = self.rows[cluster as usize];
        match self.values.get(cluster as usize) {
            None => self.judge.size_is_safe(rows),
            Some(values) => {
                self.work += values.iter().map(Vec::len).sum::<usize>() as u64;
                self.judge.is_safe_with(rows, values)
            }
        }
    }

    /// The tuples of a cluster, in no order.
    pub(super) fn members(&self, cluster: u32) -> Vec<u32> {
        let mut members = vec![cluster];
        let mut at = self.next[cluster as usize];
        while at != cluster {
            members.push(at);
            at = self.next[at as usize];
        }
        members
    }

    /// Merges a cluster into another one, which keeps its number.
    fn merge(&mut self, cluster: u32, into: u32) {
        let (from, to) = (cluster as usize, into as usize);
        for (at, sides) in self.sides.iter_mut().enumerate() {
            sides[to] = self.axes.join(at, sides[to], sides[from]);
        }
        self.rows[to] += self.rows[from];
        self.next.swap(from, to);
        if !self.values.is_empty() {
            let merged = std::mem::take(&mut self.values[from]);
            for (values, others) in self.values[to].iter_mut().zip(merged) {
                add_rows(values, &others);
            }
        }
        self.is_safe[to] = self.judged(into);
        self.merges += 1;
    }

    /// Merges the clusters that these tuples are until each is safe, which they are together. Returns what is left of them.
    ///
    /// The cluster with the fewest rows is merged first. Once the meter says to stop, clusters are merged in the order of
    /// their numbers, which takes no time.
    pub(super) fn merge_until_safe(
        &mut self,
        index: &mut Index<'_>,
        mut alive: Vec<u32>,
        meter: &Meter<'_>,
    ) -> Vec<u32> {
        let is_unsafe = |it: &u32| !self.is_safe[*it as usize];
        let waiting = alive.iter().copied().filter(is_unsafe);
        let waiting = waiting.map(|it| Reverse((self.rows[it as usize], it)));
        let mut queue: BinaryHeap<_> = waiting.collect();
        let mut indexed = 0;
        let learned_at = self.merges + MERGES_TO_LEARN;
        let mut left = alive.len();
        let mut sides = Vec::new();
        while let Some(Reverse((rows, cluster))) = queue.pop() {
            // Merged into another one, which leaves it without rows, or with others since.
            if self.rows[cluster as usize] != rows || self.is_safe[cluster as usize] {
                continue;
            }
            if indexed == 0 || 100 * left <= FEW_LEFT * indexed || self.merges == learned_at {
                alive.retain(|&it| self.rows[it as usize] > 0);
                let side = |at: usize, it: u32| self.sides[at][it as usize];
                let rows = |it: u32| self.rows[it as usize];
                index.rebuild(alive.iter().copied(), &side, &rows);
                indexed = alive.len();
            }
            let own = |sides: &Vec<Side>| sides[cluster as usize];
            sides.clear();
            sides.extend(self.sides.iter().map(own));
            let seen = Seen {
                number: cluster,
                sides: &sides,
                rows,
            };
            let Some(into) = index.nearest(seen) else {
                break;
            };
            self.merge(cluster, into);
            self.rows[cluster as usize] = 0;
            left -= 1;
            sides.clear();
            sides.extend(self.sides.iter().map(|sides| sides[into as usize]));
            index.remove(cluster);
            index.replace(Seen {
                number: into,
                sides: &sides,
                rows: self.rows[into as usize],
            });
            if !self.is_safe[into as usize] {
                queue.push(Reverse((self.rows[into as usize], into)));
            }
            self.work += std::mem::take(&mut index.work);
            if self.spend(meter).is_err() {
                break;
            }
        }
        alive.retain(|&it| self.rows[it as usize] > 0);
        self.merge_in_order(&mut alive);
        alive
    }

    /// Merges unsafe clusters with the next unsafe one, and what is left with any.
    fn merge_in_order(&mut self, alive: &mut Vec<u32>) {
        let mut growing: Option<u32> = None;
        for &cluster in alive.iter() {
            if self.is_safe[cluster as usize] {
                continue;
            }
            if let Some(smaller) = growing {
                self.merge(smaller, cluster);
                self.rows[smaller as usize] = 0;
            }
            growing = (!self.is_safe[cluster as usize]).then_some(cluster);
        }
        if let Some(growing) = growing {
            for &cluster in alive.iter() {
                if self.is_safe[growing as usize] {
                    break;
                }
                if cluster != growing && self.rows[cluster as usize] > 0 {
                    self.merge(cluster, growing);
                    self.rows[cluster as usize] = 0;
                }
            }
        }
        alive.retain(|&it| self.rows[it as usize] > 0);
    }
}

/// Adds rows of values to others.
fn add_rows(values: &mut RowsOfValues, others: &RowsOfValues) {
    let mut sum = RowsOfValues::with_capacity(values.len() + others.len());
    let (mut one, mut other) = (values.iter().peekable(), others.iter().peekable());
    loop {
        match (one.peek(), other.peek()) {
            (Some(&&(value, rows)), Some(&&(same, more))) if value == same => {
                sum.push((value, rows + more));
                one.next();
                other.next();
            }
            (Some(&&it), Some(&&next)) if it.0 < next.0 => {
                sum.push(it);
                one.next();
            }
            (Some(&&it), None) => {
                sum.push(it);
                one.next();
            }
            (_, Some(&&it)) => {
                sum.push(it);
                other.next();
            }
            (None, None) => break,
        }
    }
    *values = sum;
}
