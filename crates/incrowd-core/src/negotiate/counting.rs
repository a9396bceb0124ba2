//! Counting single nodes at question time.

use super::annotator::Annotator;
use super::histogram::Histograms;
use crate::counts::{CountedTable, FrequencySet, KnownSets, Work};
use crate::error::Error;
use crate::lattice::{Node, SeenNodes};
use crate::privacy::PrivacyModel;

/// Counts the classes of single nodes and asks models about them.
#[derive(Debug)]
pub(super) struct Counting<'a> {
    table: &'a CountedTable,
    memory_limit: usize,
    known: Option<KnownSets<'a>>,
    columns: Vec<usize>,
    classes: FrequencySet,
    seen: SeenNodes,
    /// Done and not spent yet.
    work: Work,
}

impl<'a> Counting<'a> {
    pub(super) fn new(table: &'a CountedTable, memory_limit: usize) -> Self {
        Counting {
            table,
            memory_limit,
            known: None,
            columns: Vec::new(),
            classes: FrequencySet::default(),
            seen: SeenNodes::default(),
            work: Work::default(),
        }
    }

    /// What was done since this was asked last.
    pub(super) fn take_work(&mut self) -> Work {
        std::mem::take(&mut self.work)
    }

    pub(super) fn table(&self) -> &'a CountedTable {
        self.table
    }

    pub(super) fn memory_limit(&self) -> usize {
        self.memory_limit
    }

    /// The nodes counted.
    pub(super) fn seen(&self) -> &SeenNodes {
        &self.seen
    }

    /// The nodes counted, once nothing else is asked.
    pub(super) fn into_seen(self) -> SeenNodes {
        self.seen
    }

    /// Adds nodes that were counted elsewhere for the same question.
    pub(super) fn also_seen(&mut self, seen: SeenNodes) {
        self.seen.absorb(seen);
    }

    /// The classes of a node, with the histograms of a column.
    pub(super) fn count(&mut self, node: &Node, columns: &[usize]) -> &FrequencySet {
        if self.known.is_none() || self.columns != columns {
            self.columns = columns.to_vec();
            self.known = None;
        }
        let (table, memory_limit) = (self.table, self.memory_limit);
        let columns = &self.columns;
        let known = self
            .known
            .get_or_insert_with(|| KnownSets::new(table, columns.clone(), memory_limit));
        self.work += known.count(node, &mut self.classes);
        self.seen.see(node);
        &self.classes
    }

    /// The classes of a node, with everything that a model reads.
    fn count_for(&mut self, model: &dyn PrivacyModel, node: &Node) -> &FrequencySet {
        let columns: Vec<usize> = model.column().into_iter().collect();
        self.count(node, &columns);
        if let Some(population) = self.table.population.as_ref()
            && model.reads_population()
        {
            self.work += Work::of(self.classes.len() + population.tuples.len());
            self.classes = self.table.among_people(node, &self.classes);
        }
        &self.classes
    }

    /// The rows that a model suppresses at a node: its own judgement of every class.
    pub(super) fn rows_suppressed(
        &mut self,
        model: &dyn PrivacyModel,
        node: &Node,
    ) -> Result<u32, Error> {
        let classes = self.count_for(model, node);
        let mut is_safe = vec![true; classes.len()];
        model.judge(classes, &mut is_safe);
        let rows = classes.sizes().iter().zip(&is_safe);
        Ok(rows.map(|(&size, &safe)| if safe { 0 } else { size }).sum())
    }

    /// The histogram of one node.
    pub(super) fn histogram(
        &mut self,
        model: &dyn PrivacyModel,
        node: &Node,
    ) -> Result<Histograms, Error> {
        let classes = self.count_for(model, node);
        let mut histograms = Histograms::new(model);
        Annotator::new(model).annotate(classes, &mut histograms)?;
        Ok(histograms)
    }
}
