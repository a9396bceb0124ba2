//! Merges clusters until every one of them is safe.

use super::axes::Axes;
use super::nearest::Index;
use super::seen::{Nearest, Seen};
use super::side::Side;
use crate::algorithms::cuts::{Judge, RowsOfValues};
use crate::algorithms::people::PeopleInBoxes;
use crate::counts::Work;
use crate::problem::{Interruption, Meter, Problem, Progress};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The first index knows nothing about distances, and is built anew after so many merges.
const MERGES_TO_LEARN: u64 = 500;

/// For so many clusters at once, at most, the nearest ones are looked for.
const MOST_AHEAD: usize = 256;

/// And at most for one in so many, since what is merged in between may spoil what was found.
const ONE_AHEAD_IN: usize = 64;

/// With fewer, a further thread is not worth its while.
const FEWEST_PER_THREAD: usize = 16;

/// A cluster that is not yet safe, after its rows.
type Waiting = Reverse<(u32, u32)>;

/// Those with the fewest rows first.
type Queue = BinaryHeap<Waiting>;

/// What is left of clusters.
pub(super) struct Merged {
    pub(super) alive: Vec<u32>,
    pub(super) suppressed: Vec<u32>,
}

/// What is done with a cluster that is not safe, and the one nearest to it.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Merged,
    Suppressed,
    OtherSuppressed,
}

/// Clusters of tuples. To begin with every tuple is one. Tuples are numbered in the order of their values.
pub(super) struct Clusters<'a> {
    axes: &'a Axes<'a>,
    judge: Judge<'a>,
    /// Who in the population matches a cluster, and the tuple of each number; if a model reads that.
    people: Option<(&'a PeopleInBoxes<'a>, &'a [u32])>,
    /// For each dimension, of each cluster.
    sides: Vec<Vec<Side>>,
    rows: Vec<u32>,
    is_safe: Vec<bool>,
    /// Of each cluster, for each column that the models read; nothing if they read none.
    values: Vec<Vec<RowsOfValues>>,
    /// Of each tuple the next one of its cluster, in a ring.
    next: Vec<u32>,
    /// The round in which each cluster was last changed, and the current one.
    changed: Vec<u32>,
    round: u32,
    /// How many rows may still be suppressed, if that is an alternative to merging.
    pub(super) may_suppress: u32,
    threads: usize,
    /// Merges made.
    pub(super) merges: u64,
    /// What was touched since it was last spent.
    work: u64,
}

impl<'a> Clusters<'a> {
    /// A cluster for each tuple, given in order.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        people: Option<&'a PeopleInBoxes<'a>>,
        axes: &'a Axes<'a>,
        order: &'a [u32],
        meter: &Meter<'_>,
    ) -> Result<Self, Interruption> {
        let tuples = &problem.table.tuples;
        let numbers = 0..order.len() as u32;
        let sides = |at| numbers.clone().map(|it| axes.side(at, it)).collect();
        let mut clusters = Clusters {
            axes,
            judge: Judge::of_boxes(problem, people),
            people: people.map(|people| (people, order)),
            sides: (0..axes.dimensions()).map(sides).collect(),
            rows: (order.iter().map(|&it| tuples.sizes()[it as usize])).collect(),
            is_safe: Vec::with_capacity(tuples.len()),
            values: Vec::new(),
            next: numbers.clone().collect(),
            changed: vec![0; order.len()],
            round: 0,
            may_suppress: 0,
            threads: problem.settings.threads.max(1),
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
        if !self.judge.size_is_safe(rows) {
            return false;
        }
        let people = match self.people {
            None => 0,
            Some((people, order)) => {
                let mut members = self.members(cluster);
                members.iter_mut().for_each(|it| *it = order[*it as usize]);
                self.work += people.visits(&members) as u64;
                people.matching(&members)
            }
        };
        let nothing = Vec::new();
        let values = self.values.get(cluster as usize).unwrap_or(&nothing);
        self.work += values.iter().map(Vec::len).sum::<usize>() as u64;
        self.judge.is_safe_with(rows, people, values)
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

    /// A cluster as the index sees it.
    fn seen<'s>(&self, cluster: u32, sides: &'s mut Vec<Side>) -> Seen<'s> {
        sides.clear();
        sides.extend(self.sides.iter().map(|sides| sides[cluster as usize]));
        Seen {
            number: cluster,
            sides,
            rows: self.rows[cluster as usize],
        }
    }

    /// Merges a cluster into another one, which keeps its number.
    fn merge(&mut self, cluster: u32, into: u32) {
        let (from, to) = (cluster as usize, into as usize);
        for (at, sides) in self.sides.iter_mut().enumerate() {
            sides[to] = self.axes.join(at, sides[to], sides[from]);
        }
        self.rows[to] += self.rows[from];
        self.rows[from] = 0;
        self.next.swap(from, to);
        if !self.values.is_empty() {
            let merged = std::mem::take(&mut self.values[from]);
            for (values, others) in self.values[to].iter_mut().zip(merged) {
                add_rows(values, &others);
            }
        }
        self.is_safe[to] = self.judged(into);
        (self.changed[from], self.changed[to]) = (self.round, self.round);
        self.merges += 1;
    }

    /// Merges the clusters that these tuples are until each is safe, which they are together. Returns what is left of them,
    /// and what is to be suppressed.
    ///
    /// The cluster with the fewest rows is merged first. For the next few, the nearest ones are looked for at once, in several
    /// threads. What was found holds as long as it stays as it is: all others only grow or vanish, so none of them
    /// gets nearer. Once the meter says to stop, clusters are merged in the order of their numbers, which takes no time.
    pub(super) fn merge_until_safe(
        &mut self,
        index: &mut Index<'_>,
        mut alive: Vec<u32>,
        meter: &Meter<'_>,
    ) -> Merged {
        let is_unsafe = |it: &u32| !self.is_safe[*it as usize];
        let waiting = alive.iter().copied().filter(is_unsafe);
        let waiting = waiting.map(|it| Reverse((self.rows[it as usize], it)));
        let mut queue: Queue = waiting.collect();
        let mut suppressed: Vec<(u32, u32)> = Vec::new();
        let mut is_indexed = false;
        let mut learns_at = index.learns().then_some(self.merges + MERGES_TO_LEARN);
        let mut left = alive.len();
        let mut sides = Vec::new();
        'rounds: loop {
            let has_learned = learns_at.is_some_and(|at| self.merges >= at);
            if !is_indexed || index.is_worn(left) || has_learned {
                alive.retain(|&it| self.rows[it as usize] > 0);
                let side = |at: usize, it: u32| self.sides[at][it as usize];
                let rows = |it: u32| self.rows[it as usize];
                index.rebuild(&alive, &side, &rows);
                is_indexed = true;
                learns_at = learns_at.filter(|_| !has_learned);
            }
            let batch = self.next_batch(&mut queue, (left / ONE_AHEAD_IN).clamp(1, MOST_AHEAD));
            if batch.is_empty() {
                break;
            }
            self.round += 1;
            let found = self.look_ahead(index, &batch);
            found.iter().for_each(|&nearest| index.learn(nearest));
            for (at, (&waiting, found)) in batch.iter().zip(found).enumerate() {
                let Reverse((_, cluster)) = waiting;
                if self.is_outdated(waiting) {
                    continue;
                }
                // One that grew in the meantime may still be smaller.
                if queue.peek().is_some_and(|next| *next > waiting) {
                    queue.extend(&batch[at..]);
                    break;
                }
                let is_spoiled = |it: u32| self.changed[it as usize] == self.round;
                let nearest = match found.number.is_some_and(is_spoiled) {
                    true => {
                        let nearest = self.look_ahead(index, &[waiting])[0];
                        index.learn(nearest);
                        nearest
                    }
                    false => found,
                };
                let Some(other) = nearest.number else {
                    break 'rounds;
                };
                left -= 1;
                match self.fate(cluster, other) {
                    Fate::Merged => {
                        self.merge(cluster, other);
                        index.remove(cluster);
                        index.replace(self.seen(other, &mut sides));
                        if !self.is_safe[other as usize] {
                            queue.push(Reverse((self.rows[other as usize], other)));
                        }
                    }
                    Fate::Suppressed => self.suppress(cluster, index, &mut suppressed),
                    Fate::OtherSuppressed => {
                        self.suppress(other, index, &mut suppressed);
                        queue.push(waiting);
                    }
                }
                self.work += index.take_work();
                if self.spend(meter).is_err() {
                    break 'rounds;
                }
            }
        }
        alive.retain(|&it| self.rows[it as usize] > 0);
        self.merge_in_order(&mut alive);
        // What is left of them may not be safe without those that were to be suppressed.
        if let [last] = alive[..]
            && !self.is_safe[last as usize]
        {
            for (cluster, rows) in suppressed.drain(..) {
                self.may_suppress += rows;
                self.rows[cluster as usize] = rows;
                self.merge(cluster, last);
            }
        }
        Merged {
            alive,
            suppressed: suppressed.into_iter().map(|(it, _)| it).collect(),
        }
    }

    /// Whether a cluster was merged with others, or is no longer waiting.
    fn is_outdated(&self, Reverse((rows, cluster)): Waiting) -> bool {
        self.rows[cluster as usize] != rows || self.is_safe[cluster as usize]
    }

    /// The next clusters that are to be merged.
    fn next_batch(&self, queue: &mut Queue, most: usize) -> Vec<Waiting> {
        let mut batch = Vec::new();
        while batch.len() < most
            && let Some(waiting) = queue.pop()
        {
            if !self.is_outdated(waiting) {
                batch.push(waiting);
            }
        }
        batch
    }

    /// The nearest cluster of each.
    fn look_ahead(&self, index: &Index<'_>, batch: &[Waiting]) -> Vec<Nearest> {
        let look = |batch: &[Waiting]| -> Vec<Nearest> {
            let mut sides = vec![Vec::new(); batch.len()];
            let seen = batch.iter().zip(&mut sides);
            let seen = seen.map(|(&Reverse((_, it)), sides)| self.seen(it, sides));
            index.nearest(&seen.collect::<Vec<_>>())
        };
        let threads = self.threads.min(batch.len() / FEWEST_PER_THREAD).max(1);
        let mut shares = batch.chunks(batch.len().div_ceil(threads));
        let own = shares.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let others: Vec<_> = shares.map(|it| scope.spawn(move || look(it))).collect();
            let mut found = look(own);
            for other in others {
                found.extend(other.join().expect("nothing panics here"));
            }
            found
        })
    }

    /// What is best done with a cluster and the nearest other. Nothing is suppressed for the sake of detail alone.
    fn fate(&self, cluster: u32, other: u32) -> Fate {
        if self.may_suppress == 0 {
            return Fate::Merged;
        }
        let axes = self.axes;
        let (mut sides, mut other_sides) = (Vec::new(), Vec::new());
        let one = self.seen(cluster, &mut sides);
        let two = self.seen(other, &mut other_sides);
        let lost = |extent: u32, rows: u32| axes.of_rows(extent, rows.into());
        let joint = axes.joint_extent(one.sides, two.sides.iter().copied());
        let (own, others) = (axes.extent(one.sides), axes.extent(two.sides));
        let breaks = |extent: u32| extent / axes.suppressed.step;
        if breaks(joint) <= breaks(own).max(breaks(others)) {
            return Fate::Merged;
        }
        let left_of = |(extent, kept): (u32, Seen<'_>), suppressed: Seen<'_>| {
            let of_suppressed = u64::from(axes.suppressed.row) * u64::from(suppressed.rows);
            lost(extent, kept.rows) + of_suppressed
        };
        let may_suppress =
            |seen: Seen<'_>| seen.rows <= self.may_suppress && !self.is_safe[seen.number as usize];
        let ways = [
            (lost(joint, one.rows + two.rows), Fate::Merged, true),
            (
                left_of((others, two), one),
                Fate::Suppressed,
                may_suppress(one),
            ),
            (
                left_of((own, one), two),
                Fate::OtherSuppressed,
                may_suppress(two),
            ),
        ];
        let ways = ways.into_iter().filter(|(_, _, is_possible)| *is_possible);
        let best = ways.min_by_key(|(lost, _, _)| *lost);
        best.map_or(Fate::Merged, |(_, fate, _)| fate)
    }

    /// Puts a cluster aside with its rows, to be suppressed.
    fn suppress(&mut self, cluster: u32, index: &mut Index<'_>, suppressed: &mut Vec<(u32, u32)>) {
        let rows = std::mem::take(&mut self.rows[cluster as usize]);
        self.may_suppress -= rows;
        self.changed[cluster as usize] = self.round;
        index.remove(cluster);
        suppressed.push((cluster, rows));
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
