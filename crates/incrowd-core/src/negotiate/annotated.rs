//! A lattice whose nodes carry histograms.

use super::estimate::{Estimator, LevelTable};
use super::histogram::{Annotator, Histogram, Histograms};
use crate::counts::{CountedTable, FrequencySet, KnownSets, MissingCells, Scratch, roll_up};
use crate::error::Error;
use crate::lattice::{Lattice, Node};
use crate::privacy::{Decimal, PrivacyModel};
use crate::problem::{DEFAULT_MEMORY_LIMIT, Interruption, Progress, Watch};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most nodes that are annotated.
pub const MOST_NODES: u128 = 1 << 22;

/// Parts of the lattice per thread, so that an uneven part keeps nobody waiting.
const PARTS_PER_THREAD: usize = 8;

/// A lattice, some or all of whose nodes carry histograms of one or more models.
///
/// Tied to one table: the histograms of another are of no use, and [`Negotiator`](super::Negotiator) refuses what it
/// can tell is another's.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatedLattice {
    pub(super) lattice: Lattice,
    /// Rows of the table.
    pub(super) rows: u32,
    /// The annotated nodes in lattice order.
    pub(super) nodes: Vec<Node>,
    /// Where each height starts among the nodes, and after the last height the end.
    pub(super) heights: Vec<u32>,
    pub(super) annotations: Vec<Annotation>,
}

/// The histograms of one model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Annotation {
    /// What [`measure_name`] says of the model.
    pub(super) measure: String,
    pub(super) histograms: Histograms,
}

/// Names what a model measures, whatever its parameter: the model with the parameter 1, which all of them take.
pub(super) fn measure_name(
    table: &CountedTable,
    model: &dyn PrivacyModel,
) -> Result<String, Error> {
    let column = model.column().map(|at| table.columns[at].name.as_str());
    Ok(model.with_parameter(Decimal::ONE)?.describe(column))
}

/// Refuses tables where a class is more than the rows in it.
pub(super) fn check_crowds(table: &CountedTable) -> Result<(), Error> {
    let mut attributes = table.attributes.iter();
    if table.missing.cells == MissingCells::MatchAny
        && attributes.any(|attribute| attribute.missing.is_some())
    {
        return Err(Error::CrowdsOverlap);
    }
    Ok(())
}

impl AnnotatedLattice {
    /// Annotates every node for the models; their parameters do not matter.
    ///
    /// Every node is rolled up from the node that is one level lower in one attribute, depth first, so that only
    /// the sets on the way are in memory. The attributes with the fewest values rise last: the set they start
    /// from is then hardly larger than the one they end in.
    pub fn full(
        table: &CountedTable,
        models: &[&dyn PrivacyModel],
        threads: usize,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        check_crowds(table)?;
        check_nodes(&table.lattice())?;
        let tree = Tree::new(table, models, threads);
        let next = AtomicUsize::new(0);
        let counted = AtomicUsize::new(0);
        let work = || -> Result<Vec<Part>, Error> {
            let mut parts = Vec::new();
            while let Some(root) = tree.roots.get(next.fetch_add(1, Ordering::Relaxed)) {
                parts.push(tree.annotate(root, watch, &counted)?);
            }
            Ok(parts)
        };
        let parts: Vec<Part> = if threads <= 1 {
            work()?
        } else {
            let done: Result<Vec<Vec<Part>>, Error> = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                workers
                    .into_iter()
                    .map(|worker| match worker.join() {
                        Ok(parts) => parts,
                        Err(panic) => std::panic::resume_unwind(panic),
                    })
                    .collect()
            });
            done?.into_iter().flatten().collect()
        };
        Self::assemble(table, models, parts)
    }

    /// Annotates the most promising nodes of every height: so many percent, and at least two.
    pub fn partial(
        table: &CountedTable,
        models: &[&dyn PrivacyModel],
        percent: f64,
        estimator: Estimator,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        check_crowds(table)?;
        check_nodes(&table.lattice())?;
        let chosen = LevelTable::of(table).best_nodes(estimator, percent)?;
        Self::of_nodes(table, models, &chosen, watch)
    }

    /// Annotates these nodes only.
    pub fn of_nodes(
        table: &CountedTable,
        models: &[&dyn PrivacyModel],
        nodes: &[Node],
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        check_crowds(table)?;
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let mut known = KnownSets::new(table, columns(models), DEFAULT_MEMORY_LIMIT);
        let mut part = Part::new(models);
        let mut annotators: Vec<Annotator<'_>> =
            models.iter().map(|model| Annotator::new(*model)).collect();
        for (counted, node) in nodes.iter().enumerate() {
            step(watch, counted)?;
            let classes = known.count_and_remember(node);
            part.add(node, &classes, &mut annotators)?;
        }
        Self::assemble(table, models, vec![part])
    }

    /// Puts the nodes of all parts in lattice order.
    fn assemble(
        table: &CountedTable,
        models: &[&dyn PrivacyModel],
        parts: Vec<Part>,
    ) -> Result<Self, Error> {
        let mut places: Vec<(usize, usize)> = parts
            .iter()
            .enumerate()
            .flat_map(|(part, Part { nodes, .. })| (0..nodes.len()).map(move |at| (part, at)))
            .collect();
        places.sort_unstable_by(|&(one, i), &(other, j)| {
            parts[one].nodes[i].cmp(&parts[other].nodes[j])
        });
        let annotations = models
            .iter()
            .enumerate()
            .map(|(position, model)| {
                let mut histograms = Histograms::new(*model);
                for &(part, at) in &places {
                    histograms.push(parts[part].histograms[position].node(at))?;
                }
                histograms.shrink();
                let measure = measure_name(table, *model)?;
                Ok(Annotation {
                    measure,
                    histograms,
                })
            })
            .collect::<Result<_, Error>>()?;
        let nodes: Vec<Node> = places
            .iter()
            .map(|&(part, at)| parts[part].nodes[at].clone())
            .collect();
        let lattice = table.lattice();
        Ok(AnnotatedLattice {
            heights: starts_of_heights(&lattice, &nodes),
            lattice,
            rows: table.rows,
            nodes,
            annotations,
        })
    }

    /// The same with the histograms of another annotation of the same nodes of the same table; histograms that
    /// both have are kept once.
    pub fn merge(mut self, other: Self) -> Result<Self, Error> {
        if self.lattice != other.lattice || self.rows != other.rows || self.nodes != other.nodes {
            let what = "set of nodes";
            return Err(Error::IndexStale { what });
        }
        for annotation in other.annotations {
            let mut known = self.annotations.iter();
            if known.all(|of| of.measure != annotation.measure) {
                self.annotations.push(annotation);
            }
        }
        Ok(self)
    }

    /// All nodes there are, annotated or not.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The annotated nodes, in lattice order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Rows of the table.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Whether every node is annotated.
    pub fn is_full(&self) -> bool {
        self.nodes.len() as u128 == self.lattice.nodes()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let annotations = self.annotations.iter();
        let histograms: usize = annotations.map(|of| of.histograms.memory()).sum();
        self.nodes.len() * size_of::<Node>() + 4 * self.heights.len() + histograms
    }

    /// The annotated nodes of a height, by position.
    pub(super) fn at_height(&self, height: u32) -> Range<usize> {
        let height = height as usize;
        match self.heights.get(height + 1) {
            Some(&end) => self.heights[height] as usize..end as usize,
            None => 0..0,
        }
    }

    /// Where a node stands among the annotated.
    pub(super) fn position(&self, node: &Node) -> Option<usize> {
        let range = self.at_height(node.height());
        let start = range.start;
        let found = self.nodes[range].binary_search(node);
        found.ok().map(|at| start + at)
    }

    /// The histograms of a model, by its measure.
    pub(super) fn annotation(
        &self,
        table: &CountedTable,
        model: &dyn PrivacyModel,
    ) -> Result<&Histograms, Error> {
        let measure = measure_name(table, model)?;
        let found = self.annotations.iter().find(|of| of.measure == measure);
        match found {
            Some(annotation) => Ok(&annotation.histograms),
            None => Err(Error::ModelNotAnnotated {
                model: model.name().to_owned(),
                annotated: (self.annotations.iter())
                    .map(|of| of.measure.clone())
                    .collect(),
            }),
        }
    }

    /// The histogram of a node for a model, if the node is annotated.
    pub fn histogram(
        &self,
        table: &CountedTable,
        model: &dyn PrivacyModel,
        node: &Node,
    ) -> Result<Option<Histogram<'_>>, Error> {
        let histograms = self.annotation(table, model)?;
        Ok(self.position(node).map(|at| histograms.node(at)))
    }
}

/// Where each height starts among nodes in lattice order.
pub(super) fn starts_of_heights(lattice: &Lattice, nodes: &[Node]) -> Vec<u32> {
    (0..=lattice.top().height() + 1)
        .map(|height| nodes.partition_point(|node| node.height() < height) as u32)
        .collect()
}

/// Refuses lattices that nobody could annotate.
pub(super) fn check_nodes(lattice: &Lattice) -> Result<(), Error> {
    let nodes = lattice.nodes();
    if nodes > MOST_NODES {
        return Err(Error::LatticeTooLarge {
            nodes,
            limit: MOST_NODES,
        });
    }
    Ok(())
}

/// The counted columns that models read.
pub(super) fn columns(models: &[&dyn PrivacyModel]) -> Vec<usize> {
    let mut columns: Vec<usize> = models.iter().filter_map(|model| model.column()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Tells the watch how far the annotation is. An annotation is of no use unfinished.
fn step(watch: &dyn Watch, counted: usize) -> Result<(), Error> {
    let nodes_checked = counted as u64;
    let progress = Progress {
        nodes_checked,
        best: None,
        lower_bound: None,
    };
    watch
        .step(progress)
        .map_err(|interruption| match interruption {
            Interruption::Cancelled => Error::Cancelled,
            Interruption::TimeUp => Error::TimeUp { nodes_checked },
        })
}

/// Nodes that one thread annotated.
struct Part {
    nodes: Vec<Node>,
    /// One for each model.
    histograms: Vec<Histograms>,
}

impl Part {
    fn new(models: &[&dyn PrivacyModel]) -> Self {
        Part {
            nodes: Vec::new(),
            histograms: models.iter().map(|model| Histograms::new(*model)).collect(),
        }
    }

    fn add(
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
struct Tree<'a> {
    table: &'a CountedTable,
    models: &'a [&'a dyn PrivacyModel],
    columns: Vec<usize>,
    top: Node,
    /// The attributes, those with most values first.
    order: Vec<usize>,
    /// Subtrees to annotate, each by its root; their attributes up to `fixed` in the order stay as they are.
    roots: Vec<Node>,
    fixed: usize,
}

impl<'a> Tree<'a> {
    fn new(table: &'a CountedTable, models: &'a [&'a dyn PrivacyModel], threads: usize) -> Self {
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
        Tree {
            table,
            models,
            columns: columns(models),
            top,
            order,
            roots,
            fixed,
        }
    }

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
            annotators: (self.models.iter())
                .map(|model| Annotator::new(*model))
                .collect(),
            part: Part::new(self.models),
        };
        let bottom = self.table.lattice().bottom();
        let mut classes = FrequencySet::default();
        climb.roll_up((&bottom, &self.table.tuples), root, &mut classes);
        climb.visit(root, &classes, self.fixed)?;
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
    fn roll_up(&mut self, lower: (&Node, &FrequencySet), to: &Node, upper: &mut FrequencySet) {
        let Tree { table, columns, .. } = self.tree;
        roll_up(table, lower, to, columns, &mut self.scratch, upper);
    }

    /// Annotates a node and everything that rises from it by attributes from `first` on.
    fn visit(&mut self, node: &Node, classes: &FrequencySet, first: usize) -> Result<(), Error> {
        step(self.watch, self.counted.fetch_add(1, Ordering::Relaxed))?;
        self.part.add(node, classes, &mut self.annotators)?;
        for position in first..self.tree.order.len() {
            let attribute = self.tree.order[position];
            let level = node.level(attribute);
            if level == self.tree.top.level(attribute) {
                continue;
            }
            let above = node.with(attribute, level + 1);
            let mut upper = self.spare.pop().unwrap_or_default();
            self.roll_up((node, classes), &above, &mut upper);
            self.visit(&above, &upper, position)?;
            self.spare.push(upper);
        }
        Ok(())
    }
}
