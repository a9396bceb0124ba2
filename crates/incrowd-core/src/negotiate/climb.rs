//! Counting every node of a lattice, each from a node next to it.
//!
//! Every node is rolled up from the node that is one level lower in one attribute, depth first, so that only the sets
//! on the way are in memory. The attributes with the fewest values rise last: the set they start from is then hardly
//! larger than the one they end in.

use super::histogram::{Annotator, Histograms};
use crate::counts::{CountedTable, FrequencySet, Scratch, roll_up};
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::privacy::PrivacyModel;
use crate::problem::{Progress, Watch};
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Annotates a part of the lattice.
pub(super) trait Climber: Sync {
    /// Annotates the subtree of one of the [roots](Tree::roots), telling the watch how many nodes are `counted`.
    fn annotate(
        &self,
        root: &Node,
        watch: &dyn Watch,
        counted: &AtomicUsize,
    ) -> Result<Part, Error>;
}

/// The way from the raw tuples to every node: a node's parent is one level lower in the last of its raised
/// attributes, in an order of its own.
pub(super) struct Tree<'a> {
    pub(super) table: &'a CountedTable,
    pub(super) models: &'a [&'a dyn PrivacyModel],
    /// Columns that models read.
    columns: Vec<usize>,
    /// The attributes, those with most values first.
    pub(super) order: Vec<usize>,
    /// Subtrees to annotate, each by its root; their attributes up to `fixed` in the order stay as they are.
    pub(super) roots: Vec<Node>,
    pub(super) fixed: usize,
    top: Node,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        table: &'a CountedTable,
        models: &'a [&'a dyn PrivacyModel],
        threads: usize,
    ) -> Self {
        let top = table.lattice().top().clone();
        let mut order: Vec<usize> = (0..top.len()).collect();
        order.sort_by_key(|&attribute| {
            std::cmp::Reverse(table.attributes[attribute].hierarchy.leaves())
        });
        let (mut roots, mut fixed) = (vec![table.lattice().bottom()], 0);
        while threads > 1 && fixed < order.len() && roots.len() < PARTS_PER_THREAD * threads {
            let attribute = order[fixed];
            let levels = Level::up_to(top.level(attribute));
            roots = roots
                .iter()
                .flat_map(|root| levels.clone().map(|level| root.with(attribute, level)))
                .collect();
            fixed += 1;
        }
        Tree {
            table,
            models,
            columns: columns(models),
            order,
            roots,
            fixed,
            top,
        }
    }

    pub(super) fn annotators(&self) -> Vec<Annotator<'a>> {
        let models = self.models.iter();
        models.map(|model| Annotator::new(*model)).collect()
    }

    /// The nodes next above a node that it is the parent of, when attributes from `first` on may rise: each with the
    /// position of the attribute that rises.
    pub(super) fn above(&self, node: &Node, first: usize) -> impl Iterator<Item = (usize, Node)> {
        (first..self.order.len()).filter_map(move |position| {
            let attribute = self.order[position];
            let level = node.level(attribute);
            let rises = level < self.top.level(attribute);
            rises.then(|| (position, node.with(attribute, level.above())))
        })
    }
}

impl Climber for Tree<'_> {
    fn annotate(
        &self,
        root: &Node,
        watch: &dyn Watch,
        counted: &AtomicUsize,
    ) -> Result<Part, Error> {
        let mut climb = Climb {
            tree: self,
            watch,
            counted,
            scratch: Scratch::default(),
            spare: Vec::new(),
            annotators: self.annotators(),
            part: Part::new(self.models),
        };
        let bottom = self.table.lattice().bottom();
        let mut above = FrequencySet::default();
        climb.roll_up((&bottom, &self.table.tuples), root, &mut above);
        climb.visit(root, &above, self.fixed)?;
        Ok(climb.part)
    }
}

/// One thread on its way through a subtree.
struct Climb<'a> {
    tree: &'a Tree<'a>,
    watch: &'a dyn Watch,
    counted: &'a AtomicUsize,
    scratch: Scratch,
    /// Sets whose memory is free to be reused.
    spare: Vec<FrequencySet>,
    annotators: Vec<Annotator<'a>>,
    part: Part,
}

impl Climb<'_> {
    fn roll_up(&mut self, from: (&Node, &FrequencySet), to: &Node, upper: &mut FrequencySet) {
        let Tree { table, columns, .. } = self.tree;
        roll_up(table, from, to, columns, &mut self.scratch, upper);
    }

    /// Annotates a node and everything that rises from it by attributes from `first` on.
    fn visit(&mut self, node: &Node, classes: &FrequencySet, first: usize) -> Result<(), Error> {
        step(self.watch, self.counted.fetch_add(1, Ordering::Relaxed))?;
        let tree = self.tree;
        (self.part).add(tree.table, node, classes, &mut self.annotators)?;
        for (position, to) in tree.above(node, first) {
            let mut above = self.spare.pop().unwrap_or_default();
            self.roll_up((node, classes), &to, &mut above);
            self.visit(&to, &above, position)?;
            self.spare.push(above);
        }
        Ok(())
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
