//! What the registry knows of a metric before it is built, and how it is built for a table.

use super::{METRICS, UtilityMetric};
use crate::counts::CountedTable;
use crate::error::Error;
use crate::registry::{Entry, Family, Given, Spec};

/// A line of [`METRICS`].
pub type MetricEntry = Entry<MetricKind>;

/// A metric and its settings, such as `loss(aggregate=sum,weights=age:2;sex:1)`.
pub type MetricSpec = Spec<MetricKind>;

/// What only metrics have.
#[derive(Debug)]
pub struct MetricKind {
    /// Whether it can be computed for a table; the flag tells whether there is a target column.
    pub applies: fn(&CountedTable, bool) -> bool,
    /// Builds it for a table.
    pub build: Build,
}

/// Makes a metric for a table.
type Build = fn(&Given, &CountedTable) -> Result<Box<dyn UtilityMetric>, Error>;

impl MetricKind {
    /// A metric of every table.
    pub(super) const fn new(build: Build) -> Self {
        MetricKind {
            applies: |_, _| true,
            build,
        }
    }
}

impl Family for MetricKind {
    const NOUN: &'static str = "metric";
    const EXAMPLES: &'static str = "`loss` or `loss(aggregate=sum,weights=age:2;sex:1)`";

    fn entries() -> impl Iterator<Item = &'static MetricEntry> {
        METRICS.iter()
    }
}

impl MetricSpec {
    /// The metric for a table.
    pub fn build(&self, table: &CountedTable) -> Result<Box<dyn UtilityMetric>, Error> {
        self.check_complete()?;
        (self.entry().kind.build)(self.given(), table)
    }
}
