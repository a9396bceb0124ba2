//! How much harder it becomes to learn a target.

use super::{ClassSum, Detail, Known, Loss, MetricEntry, MetricKind, Published, UtilityMetric};
use crate::counts::{CountedTable, Histograms};
use crate::error::Error;
use crate::lattice::Node;
use crate::registry::{Given, Setting};

crate::documented! {
    /// Share of rows that are suppressed or outside the majority of their class (CM).
    ///
    /// The rows that are suppressed or whose target value is not the most frequent one of their class, divided by
    /// all rows: the error of guessing the majority of each class.
    ///
    /// # Range
    /// 0 to 1.
    /// # Paper
    /// V. S. Iyengar, Transforming Data to Satisfy Privacy Constraints, KDD 2002.
    #[derive(Debug, Clone)]
    pub struct ClassificationMetric {
        rows: u32,
        column: usize,
        /// Rows in the minority of their raw tuple.
        always_wrong: u32,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "classification-metric",
    card: ClassificationMetric::CARD,
    settings: &[Setting::column(
        "the target column; the one of `--target` when not given",
    )],
    kind: MetricKind {
        applies: |_, has_target| has_target,
        build: |given, table| Ok(Box::new(ClassificationMetric::new(given, table)?)),
    },
};

impl ClassificationMetric {
    /// The metric for a table; `column` is the target.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let metric = ENTRY.name;
        let Some(name) = given.text(Setting::COLUMN) else {
            return Err(Error::MetricTargetMissing { metric });
        };
        let column = table
            .column(name)
            .ok_or_else(|| Error::MetricColumnUnknown {
                metric,
                column: name.to_owned(),
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

/// The rows of published classes that are not of the majority.
struct Minorities<'a> {
    metric: &'a ClassificationMetric,
    target: &'a Histograms,
    published: u32,
}

impl ClassSum for Minorities<'_> {
    fn publish(&mut self, class: usize) {
        self.published += minorities(self.target, class..class + 1);
    }

    fn loss(&self, rows_suppressed: u32) -> Loss {
        self.metric.share(rows_suppressed + self.published)
    }
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

    fn class_sum<'a>(&'a self, classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        Some(Box::new(Minorities {
            metric: self,
            target: classes.target?,
            published: 0,
        }))
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
