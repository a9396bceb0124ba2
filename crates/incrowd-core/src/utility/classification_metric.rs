//! How much harder it becomes to learn a target.

use super::{Detail, Known, Loss, MetricEntry, Published, Settings, UtilityMetric};
use crate::counts::{CountedTable, Histograms};
use crate::error::Error;
use crate::lattice::Node;

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "classification-metric",
    summary: "share of rows suppressed or outside their class's majority of the target (CM)",
    documentation: "\
The rows that are suppressed or whose target value is not the most frequent one of their class, divided by all rows: the error of guessing each class's majority.
Range: 0 to 1.
Options: column, the target.
Source: V. S. Iyengar, Transforming Data to Satisfy Privacy Constraints, KDD 2002.",
    options: &["column"],
    applies: |_, has_target| has_target,
    build: |settings, table| Ok(Box::new(ClassificationMetric::new(settings, table)?)),
};

/// The share of rows suppressed or in the minority of their class.
#[derive(Debug, Clone)]
pub struct ClassificationMetric {
    rows: u32,
    column: usize,
    /// Rows in the minority of their raw tuple.
    always_wrong: u32,
}

impl ClassificationMetric {
    /// The metric for a table; the settings name the target.
    pub fn new(settings: &Settings, table: &CountedTable) -> Result<Self, Error> {
        let metric = ENTRY.name;
        let Some(name) = &settings.column else {
            return Err(Error::MetricTargetMissing { metric });
        };
        let column = table
            .column(name)
            .ok_or_else(|| Error::MetricColumnUnknown {
                metric,
                column: name.clone(),
            })?;
        Ok(ClassificationMetric {
            rows: table.rows,
            column,
            always_wrong: minorities(table.tuples.histograms(column), 0..table.tuples.len()),
        })
    }

    fn share(&self, rows: u32) -> Loss {
        Loss(f64::from(rows) / f64::from(self.rows.max(1)))
    }
}

/// Rows that are not of their class's most frequent value.
fn minorities(target: &Histograms, classes: impl Iterator<Item = usize>) -> u32 {
    let minority = |class| {
        let counts = target.class(class).counts;
        counts.iter().sum::<u32>() - counts.iter().max().copied().unwrap_or(0)
    };
    classes.map(minority).sum()
}

impl UtilityMetric for ClassificationMetric {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Classes
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let target = (published.target).expect("a metric with a column is given its histograms");
        let safe = (published.is_safe.iter().enumerate())
            .filter(|(_, safe)| **safe)
            .map(|(class, _)| class);
        self.share(published.rows_suppressed + minorities(target, safe))
    }

    fn floor(&self, _node: &Node, known: Known<'_>) -> Loss {
        // Raw tuples are the purest classes; a suppressed row counts whether it was in a minority or not.
        self.share(self.always_wrong.max(known.rows_suppressed.min(self.rows)))
    }

    fn floor_above(&self, sizes: &[u32], target: Option<&Histograms>, known: Known<'_>) -> Loss {
        // The majority of a union is at most the union of the majorities.
        let wrong = target.map_or(0, |target| minorities(target, 0..sizes.len()));
        let known = known.rows_suppressed.min(self.rows);
        self.share(wrong.max(self.always_wrong).max(known))
    }
}
