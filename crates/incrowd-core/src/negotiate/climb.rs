//! Counting every node of a lattice, each from a node next to it.
//!
//! Every node is rolled up from the node that is one level lower in one attribute, depth first, so that only the sets
//! on the way are in memory. The attributes with the fewest values rise last: the set they start from is then hardly
//! larger than the one they end in.

use super::annotated::{columns, step};
use super::histogram::{Annotator, Histograms};
use crate::counts::{CountedTable, FrequencySet, Scratch, roll_up};
use crate::error::Error;
use crate::lattice::Node;
use crate::privacy::PrivacyModel;
use crate::problem::Watch;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Parts of the lattice per thread, so that an uneven part keeps nobody waiting.
const PARTS_PER_THREAD: usize = 8;

/// Columns with up to this many values are carried along as a bit for each value where counts do not matter.
const MOST_BITS: usize = 512;

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
        node: &Node,
        classes: &FrequencySet,
        annotators: &mut [Annotator<'_>],
    ) -> Result<(), Error> {
        self.nodes.push(node.clone());
        for (annotator, histograms) in annotators.iter_mut().zip(&mut self.histograms) {
            annotator.annotate(classes, histograms)?;
        }
        Ok(())
    }
}

/// The way from the raw tuples to every node: a node's parent is one level lower in the last of its raised
/// attributes, in an order of its own.
pub(super) struct Tree<'a> {
    table: &'a CountedTable,
    models: &'a [&'a dyn PrivacyModel],
    /// Columns whose histograms are carried along.
    counted: Vec<usize>,
    /// Columns of which it suffices to know the values present.
    present: Vec<usize>,
    top: Node,
    /// The attributes, those with most values first.
    order: Vec<usize>,
    /// Subtrees to annotate, each by its root; their attributes up to `fixed` in the order stay as they are.
    pub(super) roots: Vec<Node>,
    fixed: usize,
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
            let levels = 0..=top.level(attribute);
            roots = roots
                .iter()
                .flat_map(|root| levels.clone().map(|level| root.with(attribute, level)))
                .collect();
            fixed += 1;
        }
        let needs_counts = |column: &usize| {
            let mut models = models
                .iter()
                .filter(|model| model.column() == Some(*column));
            table.columns[*column].values.len() > MOST_BITS
                || models.any(|model| model.reads_counts())
        };
        let (counted, present) = columns(models).into_iter().partition(needs_counts);
        Tree {
            table,
            models,
            counted,
            present,
            top,
            order,
            roots,
            fixed,
        }
    }

    pub(super) fn annotate(
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
            annotators: (self.models.iter())
                .map(|model| Annotator::new(*model))
                .collect(),
            part: Part::new(self.models),
        };
        climb.scratch.tracks_classes = !self.present.is_empty();
        let bottom = self.table.lattice().bottom();
        let tuples = &self.table.tuples;
        let present: Vec<Present> = (self.present.iter())
            .map(|&column| Present::of(self.table, column))
            .collect();
        let mut above = Counted::default();
        climb.roll_up((&bottom, tuples, &present), root, &mut above);
        climb.visit(root, &above, self.fixed)?;
        Ok(climb.part)
    }
}

/// A counted node.
#[derive(Default)]
struct Counted {
    classes: FrequencySet,
    /// One for each column of [`Tree::present`].
    present: Vec<Present>,
}

/// Which values of a column each class has, a bit for each.
#[derive(Default)]
struct Present {
    words: usize,
    bits: Vec<u64>,
}

impl Present {
    /// Of the raw tuples.
    fn of(table: &CountedTable, column: usize) -> Self {
        let words = table.columns[column].values.len().div_ceil(64).max(1);
        let mut bits = vec![0; words * table.tuples.len()];
        for (tuple, bits) in bits.chunks_exact_mut(words).enumerate() {
            for &value in table.tuples.histograms(column).class(tuple).values {
                bits[value as usize / 64] |= 1 << (value % 64);
            }
        }
        Present { words, bits }
    }

    /// Of unions of the lower classes.
    fn unite(&mut self, lower: &Present, class_of: &[u32], classes: usize) {
        self.words = lower.words;
        self.bits.clear();
        self.bits.resize(classes * self.words, 0);
        for (lower, &class) in lower.bits.chunks_exact(lower.words).zip(class_of) {
            let upper = &mut self.bits[class as usize * self.words..][..self.words];
            for (upper, lower) in upper.iter_mut().zip(lower) {
                *upper |= lower;
            }
        }
    }

    /// How many values each class has.
    fn distinct(&self) -> impl Iterator<Item = u32> + '_ {
        let classes = self.bits.chunks_exact(self.words.max(1));
        classes.map(|bits| bits.iter().map(|bits| bits.count_ones()).sum())
    }
}

/// One thread on its way through a subtree.
struct Climb<'a> {
    tree: &'a Tree<'a>,
    watch: &'a dyn Watch,
    counted: &'a AtomicUsize,
    scratch: Scratch,
    /// Sets whose memory is free to be reused.
    spare: Vec<Counted>,
    annotators: Vec<Annotator<'a>>,
    part: Part,
}

impl Climb<'_> {
    fn roll_up(
        &mut self,
        (from, lower, present): (&Node, &FrequencySet, &[Present]),
        to: &Node,
        upper: &mut Counted,
    ) {
        let Tree { table, counted, .. } = self.tree;
        let Counted {
            classes,
            present: united,
        } = upper;
        roll_up(
            table,
            (from, lower),
            to,
            counted,
            &mut self.scratch,
            classes,
        );
        united.resize_with(present.len(), Present::default);
        for (united, lower) in united.iter_mut().zip(present) {
            united.unite(lower, self.scratch.class_of(), classes.len());
        }
    }

    fn annotate(&mut self, node: &Node, counted: &Counted) -> Result<(), Error> {
        let Part { nodes, histograms } = &mut self.part;
        nodes.push(node.clone());
        let models = self.tree.models.iter().zip(&mut self.annotators);
        for ((model, annotator), histograms) in models.zip(histograms) {
            let present = self.tree.present.iter();
            let mut present = present.zip(&counted.present);
            let present = present.find(|(column, _)| model.column() == Some(**column));
            match present {
                None => annotator.annotate(&counted.classes, histograms)?,
                Some((_, present)) => {
                    let distinct = present.distinct();
                    annotator.annotate_distinct(&counted.classes, distinct, histograms)?;
                }
            }
        }
        Ok(())
    }

    /// Annotates a node and everything that rises from it by attributes from `first` on.
    fn visit(&mut self, node: &Node, counted: &Counted, first: usize) -> Result<(), Error> {
        step(self.watch, self.counted.fetch_add(1, Ordering::Relaxed))?;
        self.annotate(node, counted)?;
        for position in first..self.tree.order.len() {
            let attribute = self.tree.order[position];
            let level = node.level(attribute);
            if level == self.tree.top.level(attribute) {
                continue;
            }
            let to = node.with(attribute, level + 1);
            let mut above = self.spare.pop().unwrap_or_default();
            self.roll_up((node, &counted.classes, &counted.present), &to, &mut above);
            self.visit(&to, &above, position)?;
            self.spare.push(above);
        }
        Ok(())
    }
}
