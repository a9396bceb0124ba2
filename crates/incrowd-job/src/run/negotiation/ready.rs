//! What is prepared once and read by every answer.

use crate::error::Error;
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{AnnotatedLattice, Negotiator};
use incrowd_core::privacy::PrivacyModel;
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use std::sync::Arc;

/// What was prepared for one model.
#[derive(Debug)]
pub(super) struct Ready {
    /// The model with the parameter 1.
    pub(super) measure: Arc<str>,
    pub(super) negotiator: Negotiator,
    pub(super) why: String,
}

impl Ready {
    /// The rows that a model suppresses at a node, if its histogram can tell.
    pub(super) fn rows_suppressed(
        &self,
        table: &CountedTable,
        model: &dyn PrivacyModel,
        node: &Node,
    ) -> Result<Option<u32>, Error> {
        let Some(lattice) = self.negotiator.lattice() else {
            return Ok(None);
        };
        let histogram = lattice.histogram(table, model, node)?;
        let rows = histogram.map(|histogram| histogram.rows(model.parameter()));
        Ok(rows
            .filter(|rows| rows.close == 0)
            .map(|rows| rows.suppressed))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.negotiator
            .lattice()
            .map_or(0, AnnotatedLattice::memory)
    }
}

/// Every metric that applies, starting with the one requested.
#[derive(Debug)]
pub(super) struct MetricsAsked {
    /// The one requested, as it is written.
    pub(super) asked: Arc<str>,
    pub(super) spec: MetricSpec,
    /// By the users' names for them.
    pub(super) names: Vec<String>,
    pub(super) metrics: Vec<Box<dyn UtilityMetric>>,
    /// What experts say, if they say anything.
    pub(super) research: Option<MetricSpec>,
}
