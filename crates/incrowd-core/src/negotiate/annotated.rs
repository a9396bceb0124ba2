//! A lattice whose nodes carry histograms.

use super::annotation_work::check_nodes;
use super::annotator::Annotator;
use super::climb::{Part, Tree, annotate_all, columns, step};
use super::estimate::{Estimator, LevelTable};
use super::histogram::{Histogram, Histograms};
use super::request::check_negotiable;
use super::sorted;
use crate::counts::{CountedTable, KnownSets, MissingCells};
use crate::error::Error;
use crate::lattice::{Lattice, Node};
use crate::privacy::{Decimal, PrivacyModel};
use crate::problem::{DEFAULT_MEMORY_LIMIT, Watch};
use std::borrow::Cow;
use std::ops::Range;

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
    check_negotiable(model)?;
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
    /// The result does not depend on the number of threads.
    pub fn full(
        table: &CountedTable,
        models: &[&dyn PrivacyModel],
        threads: usize,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        check_crowds(table)?;
        models
            .iter()
            .try_for_each(|model| check_negotiable(*model))?;
        check_nodes(&table.lattice())?;
        let (present, counted): (Vec<usize>, Vec<usize>) =
            columns(models).into_iter().partition(|column| {
                let mut models = models.iter();
                table.can_be_present_only(*column)
                    && models.all(|model| model.column() != Some(*column) || !model.reads_counts())
            });
        let prepared = match present.is_empty() {
            true => Cow::Borrowed(table),
            false => Cow::Owned(table.with_present_only(&present, &counted)),
        };
        let tree = Tree::new(&prepared, models, threads);
        let parts = match sorted::annotate_all(&tree, &present, watch) {
            Some(parts) => parts?,
            None => annotate_all(&tree, &tree, watch)?,
        };
        Self::assemble(table, models, &parts, threads)
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
        models
            .iter()
            .try_for_each(|model| check_negotiable(*model))?;
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let mut known = KnownSets::new(table, columns(models), DEFAULT_MEMORY_LIMIT);
        let mut part = Part::new(models);
        let mut annotators: Vec<Annotator<'_>> =
            models.iter().map(|model| Annotator::new(*model)).collect();
        for (counted, node) in nodes.iter().enumerate() {
            step(watch, counted)?;
            let (classes, _) = known.count_and_remember(node);
            part.add(table, node, &classes, &mut annotators)?;
        }
        Self::assemble(table, models, &[part], 1)
    }

    /// Puts the nodes of all parts in lattice order.
    fn assemble(
        table: &CountedTable,
        models: &[&dyn PrivacyModel],
        parts: &[Part],
        threads: usize,
    ) -> Result<Self, Error> {
        let mut places: Vec<(usize, usize)> = parts
            .iter()
            .enumerate()
            .flat_map(|(part, Part { nodes, .. })| (0..nodes.len()).map(move |at| (part, at)))
            .collect();
        places.sort_unstable_by(|&(one, i), &(other, j)| {
            parts[one].nodes[i].cmp(&parts[other].nodes[j])
        });
        let of_models = models.iter().enumerate();
        let annotations = of_models.map(|(position, model)| {
            let of_place = |&(part, at): &(usize, usize)| {
                let part: &Part = &parts[part];
                part.histograms[position].node(at)
            };
            let histograms: Vec<_> = places.iter().map(of_place).collect();
            Ok(Annotation {
                measure: measure_name(table, *model)?,
                histograms: Histograms::gathered(*model, &histograms, threads)?,
            })
        });
        let annotations = annotations.collect::<Result<_, Error>>()?;
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
