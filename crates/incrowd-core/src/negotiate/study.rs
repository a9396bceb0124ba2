//! How suppression falls with height.

use super::annotated::AnnotatedLattice;
use super::counting::Counting;
use crate::counts::CountedTable;
use crate::error::Error;
use crate::privacy::{Decimal, PrivacyModel};
use crate::problem::DEFAULT_MEMORY_LIMIT;

/// The rows that the annotated nodes of one height suppress.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightSummary {
    /// The parameter of the model.
    pub parameter: Decimal,
    /// The height.
    pub height: u32,
    /// Its annotated nodes, at least one.
    pub nodes: u64,
    /// The fewest rows that one of them suppresses.
    pub least: u32,
    /// The rows that all of them suppress together.
    pub sum: u64,
    /// The most rows that one of them suppresses.
    pub greatest: u32,
}

impl HeightSummary {
    /// The rows that the average node suppresses.
    pub fn average(&self) -> f64 {
        self.sum as f64 / self.nodes as f64
    }
}

/// For each parameter and height the fewest, average and most suppressed rows over the annotated nodes (chapter 3
/// of the paper). Parameters in the order given, heights ascending.
pub fn suppression_by_height(
    table: &CountedTable,
    lattice: &AnnotatedLattice,
    model: &dyn PrivacyModel,
    parameters: &[Decimal],
) -> Result<Vec<HeightSummary>, Error> {
    let histograms = lattice.annotation(table, model)?;
    let mut counting = Counting::new(table, DEFAULT_MEMORY_LIMIT);
    let mut summaries = Vec::new();
    for &parameter in parameters {
        let model = model.with_parameter(parameter)?;
        for height in 0..=lattice.lattice().top().height() {
            let mut summary = HeightSummary {
                parameter,
                height,
                nodes: 0,
                least: u32::MAX,
                sum: 0,
                greatest: 0,
            };
            for at in lattice.at_height(height) {
                let rows = histograms.node(at).rows(parameter);
                let suppressed = match rows.close {
                    0 => rows.suppressed,
                    _ => counting.rows_suppressed(&*model, &lattice.nodes()[at])?,
                };
                summary.nodes += 1;
                summary.least = summary.least.min(suppressed);
                summary.sum += u64::from(suppressed);
                summary.greatest = summary.greatest.max(suppressed);
            }
            if summary.nodes > 0 {
                summaries.push(summary);
            }
        }
    }
    Ok(summaries)
}

/// The rows that a model suppresses at each annotated node, in lattice order.
pub fn suppression_by_node(
    table: &CountedTable,
    lattice: &AnnotatedLattice,
    model: &dyn PrivacyModel,
) -> Result<Vec<u32>, Error> {
    let histograms = lattice.annotation(table, model)?;
    let mut counting = Counting::new(table, DEFAULT_MEMORY_LIMIT);
    let nodes = lattice.nodes().iter().enumerate();
    nodes
        .map(|(at, node)| {
            let rows = histograms.node(at).rows(model.parameter());
            match rows.close {
                0 => Ok(rows.suppressed),
                _ => counting.rows_suppressed(model, node),
            }
        })
        .collect()
}
