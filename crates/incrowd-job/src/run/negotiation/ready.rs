//! What is prepared once and read by every answer.

use super::prices::Prices;
use incrowd_core::negotiate::Negotiator;
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use std::sync::Arc;

/// What was prepared for one model.
#[derive(Debug)]
pub(super) struct Ready {
    /// The model with the parameter 1.
    pub(super) measure: String,
    pub(super) negotiator: Negotiator,
    pub(super) why: String,
    pub(super) prices: Prices,
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
