//! Counting every node of a lattice, each from a node next to it.
//!
//! Every node is rolled up from the node that is one level lower in one attribute, depth first, so that only the sets
//! on the way are in memory. The attributes with few values rise last: the set they start from is then hardly larger
//! than the one they end in.
//!
//! On several threads, whoever counts a node in which only the first attributes have risen leaves what rises further from
//! it to whoever is free, so that no node is counted twice.

use super::annotator::Annotator;
use super::histogram::Histograms;
use crate::counts::{CountedTable, FrequencySet, Scratch, roll_up};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::privacy::PrivacyModel;
use crate::problem::{Progress, Watch};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Parts of the lattice per thread, so that an uneven part keeps nobody waiting.
const PARTS_PER_THREAD: usize = 8;

/// Nodes that one thread annotated.
pub(super) struct Part {
    pub(super) nodes: Vec<Node>,
    /// One for each model.
    pub(super) histograms: Vec<Histograms>,
}

impl Part {
    pub(super) fn new(models: &[&dyn PrivacyModel]) -> Self {
        Part {
            nodes: Vec::new(),
            histograms: models.iter().map(|model| Histograms::new(*model)).collect(),
        }
    }

    pub(super) fn add(
        &mut self,
        table: &CountedTable,
        node: &Node,
        classes: &FrequencySet,
        annotators: &mut [Annotator<'_>],
    ) -> Result<(), Error> {
        self.nodes.push(node.clone());
        let among_people;
        let classes = match annotators.iter().any(Annotator::reads_people) {
            true => {
                among_people = table.among_people(node, classes);
                &among_people
            }
            false => classes,
        };
        for (annotator, histograms) in annotators.iter_mut().zip(&mut self.histograms) {
            annotator.annotate(classes, histograms)?;
        }
        Ok(())
    }
}

/// One way of counting nodes along a [`Tree`].
pub(super) trait Climber: Sync {
    /// The classes of a node.
    type Classes: Default + Send + Sync;
    /// What a thread needs, with memory that is used again.
    type Hand;
    /// So many attributes, the last in the order, rise within `annotate`.
    const OWN: usize;

    fn hand(&self) -> Self::Hand;

    /// The classes of the bottom of the lattice.
    fn bottom(&self) -> Self::Classes;

    /// Counts the classes of the node that an attribute leads `to`, one level above `from`.
    fn rise(
        &self,
        hand: &mut Self::Hand,
        from: (&Node, &Self::Classes),
        to: (usize, &Node),
        above: &mut Self::Classes,
    );

    /// Adds the histograms of a node to a part, and of all nodes above it that differ from it in the last
    /// [`OWN`](Self::OWN) attributes only.
    fn annotate(
        &self,
        hand: &mut Self::Hand,
        node: &Node,
        classes: &Self::Classes,
        part: &mut Part,
    ) -> Result<(), Error>;
}

/// The way from the raw tuples to every node: a node's parent is one level lower in the last of its raised
/// attributes, in an order of its own.
pub(super) struct Tree<'a> {
    pub(super) table: &'a CountedTable,
    pub(super) models: &'a [&'a dyn PrivacyModel],
    /// Columns that models read.
    columns: Vec<usize>,
    /// The attributes, those with most values first, as a rule.
    pub(super) order: Vec<usize>,
    /// So many attributes in the order rise by way of other threads.
    shared: usize,
    threads: usize,
    top: Node,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        table: &'a CountedTable,
        models: &'a [&'a dyn PrivacyModel],
        threads: usize,
    ) -> Self {
        let top = table.lattice().top().clone();
        let hierarchies = table
            .attributes
            .iter()
            .map(|attribute| &attribute.hierarchy);
        let order = order_of_rising(&hierarchies.collect::<Vec<_>>());
        let (mut parts, mut shared) = (1, 0);
        while threads > 1 && shared < order.len() && parts < PARTS_PER_THREAD * threads {
            parts *= usize::from(top.level(order[shared]).0) + 1;
            shared += 1;
        }
        Tree {
            table,
            models,
            columns: columns(models),
            order,
            shared,
            threads,
            top,
        }
    }

    pub(super) fn annotators(&self) -> Vec<Annotator<'a>> {
        let models = self.models.iter();
        models.map(|model| Annotator::new(*model)).collect()
    }

    /// The nodes next above a node that it is the parent of, when attributes from `first` on may rise, except for the
    /// last `own`: each with the position of the attribute that rises.
    fn above(&self, node: &Node, first: usize, own: usize) -> impl Iterator<Item = (usize, Node)> {
        let end = self.order.len().saturating_sub(own);
        (first..end).filter_map(move |position| {
            let attribute = self.order[position];
            let level = node.level(attribute);
            let rises = level < self.top.level(attribute);
            rises.then(|| (position, node.with(attribute, level.above())))
        })
    }
}

/// Attributes in the order in which they rise: those with most values first. Only the last one is of those with at most
/// twice the fewest values the one with most levels, since all its levels may be [counted at once](Climber::OWN).
fn order_of_rising(hierarchies: &[&Hierarchy]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..hierarchies.len()).collect();
    order.sort_by_key(|&attribute| std::cmp::Reverse(hierarchies[attribute].leaves()));
    let fewest = order.last().map_or(0, |&last| hierarchies[last].leaves());
    let few = order.partition_point(|&attribute| hierarchies[attribute].leaves() > 2 * fewest);
    // The first of several: they are the ones with more values, and fewer classes are left once they have risen.
    let most_levels = (few..order.len())
        .rev()
        .max_by_key(|&position| hierarchies[order[position]].height());
    if let Some(position) = most_levels {
        order[position..].rotate_left(1);
    }
    order
}

/// A node that rises from one that is counted.
struct Rising<C> {
    from: Node,
    classes: Arc<C>,
    /// The position of the attribute that rises.
    position: usize,
    to: Node,
}

/// What waits for a thread that is free.
struct Waiting<C> {
    rising: Vec<Rising<C>>,
    /// Threads that may still add something.
    busy: usize,
}

/// All nodes of a tree, annotated by a climber, in parts and in any order.
pub(super) fn annotate_all<C: Climber>(
    climber: &C,
    tree: &Tree<'_>,
    watch: &dyn Watch,
) -> Result<Vec<Part>, Error> {
    let shared = Shared {
        waiting: Mutex::new(Waiting {
            rising: Vec::new(),
            busy: 1,
        }),
        changed: Condvar::new(),
        counted: AtomicUsize::new(0),
    };
    let climb = || Climb {
        tree,
        climber,
        watch,
        shared: &shared,
        hand: climber.hand(),
        spare: Vec::new(),
        part: Part::new(tree.models),
    };
    let bottom = tree.table.lattice().bottom();
    if tree.threads <= 1 {
        let mut climb = climb();
        climb.visit(&bottom, &climber.bottom(), 0)?;
        return Ok(vec![climb.part]);
    }
    std::thread::scope(|scope| {
        let others = (1..tree.threads).map(|_| scope.spawn(|| climb().take_turns()));
        let others: Vec<_> = others.collect();
        let mut first = climb();
        let started = {
            let _busy = Busy(&shared);
            let visited = first.visit_shared(&bottom, Arc::new(climber.bottom()), 0);
            visited.inspect_err(|_| shared.stop())
        };
        let mut parts = vec![started.and_then(|()| first.take_turns())];
        for other in others {
            match other.join() {
                Ok(part) => parts.push(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        parts.into_iter().collect()
    })
}

/// What all threads share.
struct Shared<C> {
    waiting: Mutex<Waiting<C>>,
    changed: Condvar,
    /// Nodes counted so far, for the watch.
    counted: AtomicUsize,
}

impl<C> Shared<C> {
    /// A panic in another thread ends the run, so it does not matter what it left unfinished.
    fn waiting(&self) -> MutexGuard<'_, Waiting<C>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, rising: Vec<Rising<C>>) {
        self.waiting().rising.extend(rising);
        self.changed.notify_all();
    }

    /// Leaves the rest: an annotation is of no use unfinished.
    fn stop(&self) {
        self.waiting().rising.clear();
    }

    /// The next to be counted; none once everything is.
    fn next(&self) -> Option<(Rising<C>, Busy<'_, C>)> {
        let mut waiting = self.waiting();
        loop {
            if let Some(rising) = waiting.rising.pop() {
                waiting.busy += 1;
                return Some((rising, Busy(self)));
            }
            if waiting.busy == 0 {
                return None;
            }
            let woken = self.changed.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Someone who may still add something, until this is dropped.
struct Busy<'s, C>(&'s Shared<C>);

impl<C> Drop for Busy<'_, C> {
    fn drop(&mut self) {
        self.0.waiting().busy -= 1;
        self.0.changed.notify_all();
    }
}

/// One thread on its way.
struct Climb<'a, C: Climber> {
    tree: &'a Tree<'a>,
    climber: &'a C,
    watch: &'a dyn Watch,
    shared: &'a Shared<C::Classes>,
    hand: C::Hand,
    /// Sets whose memory is free to be reused.
    spare: Vec<C::Classes>,
    part: Part,
}

impl<C: Climber> Climb<'_, C> {
    /// Counts what waits until nothing does.
    fn take_turns(mut self) -> Result<Part, Error> {
        while let Some((rising, busy)) = self.shared.next() {
            let mut above = C::Classes::default();
            let Rising {
                from,
                classes,
                position,
                to,
            } = rising;
            let step = (self.tree.order[position], &to);
            (self.climber).rise(&mut self.hand, (&from, &classes), step, &mut above);
            drop(classes);
            let visited = self.visit_shared(&to, Arc::new(above), position);
            visited.inspect_err(|_| self.shared.stop())?;
            drop(busy);
        }
        Ok(self.part)
    }

    /// Annotates a node and everything that rises from it by attributes from `first` on, except by those that others may
    /// let rise.
    fn visit_shared(
        &mut self,
        node: &Node,
        classes: Arc<C::Classes>,
        first: usize,
    ) -> Result<(), Error> {
        self.annotate(node, &classes)?;
        let tree = self.tree;
        let (others, own): (Vec<_>, Vec<_>) =
            (tree.above(node, first, C::OWN)).partition(|(position, _)| *position < tree.shared);
        let rising = others.into_iter().map(|(position, to)| Rising {
            from: node.clone(),
            classes: Arc::clone(&classes),
            position,
            to,
        });
        self.shared.add(rising.collect());
        own.into_iter()
            .try_for_each(|(position, to)| self.rise(node, &classes, position, &to))
    }

    /// Annotates a node and everything that rises from it by attributes from `first` on.
    fn visit(&mut self, node: &Node, classes: &C::Classes, first: usize) -> Result<(), Error> {
        self.annotate(node, classes)?;
        let tree = self.tree;
        tree.above(node, first, C::OWN)
            .try_for_each(|(position, to)| self.rise(node, classes, position, &to))
    }

    fn annotate(&mut self, node: &Node, classes: &C::Classes) -> Result<(), Error> {
        step(self.watch, self.shared.counted.load(Ordering::Relaxed))?;
        let before = self.part.nodes.len();
        (self.climber).annotate(&mut self.hand, node, classes, &mut self.part)?;
        let counted = self.part.nodes.len() - before;
        self.shared.counted.fetch_add(counted, Ordering::Relaxed);
        Ok(())
    }

    fn rise(
        &mut self,
        node: &Node,
        classes: &C::Classes,
        position: usize,
        to: &Node,
    ) -> Result<(), Error> {
        let mut above = self.spare.pop().unwrap_or_default();
        let step = (self.tree.order[position], to);
        (self.climber).rise(&mut self.hand, (node, classes), step, &mut above);
        self.visit(to, &above, position)?;
        self.spare.push(above);
        Ok(())
    }
}

/// Counts by the same roll-up as searches do, whatever models read.
impl<'a> Climber for Tree<'a> {
    type Classes = FrequencySet;
    type Hand = (Scratch, Vec<Annotator<'a>>);
    const OWN: usize = 0;

    fn hand(&self) -> Self::Hand {
        (Scratch::default(), self.annotators())
    }

    fn bottom(&self) -> FrequencySet {
        self.table.tuples.clone()
    }

    fn rise(
        &self,
        (scratch, _): &mut Self::Hand,
        from: (&Node, &FrequencySet),
        (_, to): (usize, &Node),
        above: &mut FrequencySet,
    ) {
        roll_up(self.table, from, to, &self.columns, scratch, above);
    }

    fn annotate(
        &self,
        (_, annotators): &mut Self::Hand,
        node: &Node,
        classes: &FrequencySet,
        part: &mut Part,
    ) -> Result<(), Error> {
        part.add(self.table, node, classes, annotators)
    }
}

/// The counted columns that models read.
pub(super) fn columns(models: &[&dyn PrivacyModel]) -> Vec<usize> {
    let mut columns: Vec<usize> = models.iter().filter_map(|model| model.column()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Tells the watch how far the annotation is. An annotation is of no use unfinished.
pub(super) fn step(watch: &dyn Watch, counted: usize) -> Result<(), Error> {
    let nodes_checked = counted as u64;
    let progress = Progress {
        nodes_checked,
        ..Progress::default()
    };
    let step = watch.step(progress);
    step.map_err(|interruption| interruption.with_nothing_found(nodes_checked, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::{Options, parse};

    /// So many values with so many levels above them.
    fn hierarchy(values: usize, levels: usize) -> Hierarchy {
        let line = |value: usize| {
            let groups = (1..levels).map(|level| format!("{}.{level},", value >> level));
            format!("v{value},{}*", groups.collect::<String>())
        };
        let lines: Vec<String> = (0..values).map(line).collect();
        parse(lines.join("\n").as_bytes(), Options::new("column")).expect("a sound hierarchy")
    }

    #[test]
    fn most_values_rise_first_and_of_few_values_most_levels_last() {
        let order = |shapes: &[(usize, usize)]| {
            let hierarchies: Vec<Hierarchy> = shapes
                .iter()
                .map(|&(values, levels)| hierarchy(values, levels))
                .collect();
            order_of_rising(&hierarchies.iter().collect::<Vec<_>>())
        };
        assert!(order(&[]).is_empty());
        assert_eq!(order(&[(5, 2)]), [0]);
        assert_eq!(order(&[(5, 2), (9, 1), (70, 5)]), [2, 1, 0]);
        // Ten values are at most twice five, eleven are not.
        assert_eq!(order(&[(5, 2), (10, 3), (70, 5)]), [2, 0, 1]);
        assert_eq!(order(&[(5, 2), (11, 3), (70, 5)]), [2, 1, 0]);
        assert_eq!(order(&[(5, 2), (7, 3), (7, 3), (6, 3)]), [2, 3, 0, 1]);
    }
}
