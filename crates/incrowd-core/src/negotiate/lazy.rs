//! Answers without any annotation: nodes are counted when the search needs them.

use super::counting::Counting;
use super::lookup::{Candidate, Lookup, Wanted, may_go_on};
use super::promise::strongest_at;
use super::request::Quality;
use crate::algorithms::{Goal, Ties, search};
use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::{Node, SeenNodes};
use crate::privacy::Decimal;
use crate::problem::{Guarantee, Meter, Problem, Settings};
use crate::utility::{Detail, Known, Loss, Published, UtilityMetric};

/// Searches boxes of the lattice as [`Optimal`](crate::algorithms::Optimal) does, so lattices of any size.
///
/// Whole boxes are dropped for the rows that their highest node loses in all nodes below it. Of some models it says little: then a
/// large lattice may have too many nodes to count, a limit ends the search, and the answer is not complete.
pub(super) struct Lazy<'a> {
    counting: Counting<'a>,
    /// The table for models that read no counts, made when first needed; with the columns kept in it.
    present: Option<(Vec<usize>, CountedTable)>,
    threads: usize,
    meter: &'a Meter<'a>,
    at_limit: Option<u32>,
    complete: bool,
}

impl<'a> Lazy<'a> {
    pub(super) fn new(
        table: &'a CountedTable,
        memory_limit: usize,
        threads: usize,
        meter: &'a Meter<'a>,
    ) -> Self {
        Lazy {
            counting: Counting::new(table, memory_limit),
            present: None,
            threads,
            meter,
            at_limit: None,
            complete: true,
        }
    }

    /// Makes the table smaller where the model and the metric allow it.
    fn prepare(&mut self, wanted: &Wanted<'_>, metric: &dyn UtilityMetric) {
        let table = self.counting.table();
        let kept: Vec<usize> = metric.column().into_iter().collect();
        if self.present.as_ref().is_some_and(|(of, _)| *of != kept) {
            self.present = None;
        }
        if let Some(column) = wanted.model.column()
            && self.present.is_none()
            && !wanted.model.reads_counts()
            && !kept.contains(&column)
            && table.can_be_present_only(column)
        {
            let present = table.with_present_only(&[column], &kept);
            self.present = Some((kept, present));
        }
    }

    /// The nodes counted.
    pub(super) fn into_seen(self) -> SeenNodes {
        self.counting.into_seen()
    }

    fn table(&self) -> &CountedTable {
        match &self.present {
            Some((_, table)) => table,
            None => self.counting.table(),
        }
    }

    fn search(
        &mut self,
        wanted: &Wanted<'_>,
        metric: &dyn UtilityMetric,
        ties: Ties,
    ) -> Result<Option<Candidate>, Error> {
        self.prepare(wanted, metric);
        let models = [wanted.model.with_parameter(wanted.model.parameter())?];
        let problem = Problem::new(self.table(), &models, metric)
            .allow_suppressed(wanted.max_suppressed)
            .limit_memory(self.counting.memory_limit())
            .with_settings(Settings {
                threads: self.threads,
                ..Settings::default()
            })
            .limit_levels(wanted.max_levels.clone())?;
        let goal = Goal {
            ties,
            least_height: wanted.least_height,
            is_height: ties == Ties::FewestSuppressed && matches!(wanted.quality, Quality::Height),
        };
        let found = search(&problem, goal, self.meter)?;
        self.counting.also_seen(found.seen);
        let is_complete = found.guarantee == Guarantee::Optimal;
        self.complete &= is_complete;
        let best = found.best.map(|best| Candidate {
            node: best.node,
            rows_suppressed: best.rows_suppressed,
        });
        match best {
            None if !is_complete => self.highest(wanted),
            best => Ok(best),
        }
    }

    /// What can be offered when a search was stopped before it found anything: the highest node, if it is wanted.
    fn highest(&mut self, wanted: &Wanted<'_>) -> Result<Option<Candidate>, Error> {
        let node = wanted.max_levels;
        let rows_suppressed = self.counting.rows_suppressed(wanted.model, node)?;
        may_go_on(&mut self.counting, self.meter)?;
        let is_wanted = rows_suppressed <= wanted.max_suppressed;
        Ok(is_wanted.then(|| Candidate {
            node: node.clone(),
            rows_suppressed,
        }))
    }
}

/// The best node by a search through the lattice, whatever is annotated.
impl Lookup for Lazy<'_> {
    fn best(&mut self, wanted: &Wanted<'_>) -> Result<Option<Candidate>, Error> {
        let height = HeightFrom(wanted.least_height);
        let metric: &dyn UtilityMetric = match wanted.quality {
            Quality::Height => &height,
            Quality::Metric(metric) => metric,
        };
        self.search(wanted, metric, Ties::FewestSuppressed)
    }

    fn fewest_suppressed(&mut self, wanted: &Wanted<'_>) -> Result<Option<u32>, Error> {
        let Some(max_suppressed) = self.at_limit else {
            return Ok(None);
        };
        let wanted = Wanted {
            max_suppressed,
            ..*wanted
        };
        let found = self.search(&wanted, &RowsSuppressed, Ties::LatticeOrder)?;
        // Should time be up before anything was found, the node of the acceptable levels is known at least.
        Ok(Some(
            found.map_or(max_suppressed, |found| found.rows_suppressed),
        ))
    }

    fn at_limit(&mut self, wanted: &Wanted<'_>) -> Result<Option<u32>, Error> {
        let rows = self
            .counting
            .rows_suppressed(wanted.model, wanted.max_levels)?;
        may_go_on(&mut self.counting, self.meter)?;
        self.at_limit = Some(rows);
        Ok(self.at_limit)
    }

    fn strongest(&mut self, wanted: &Wanted<'_>) -> Result<Option<(Candidate, Decimal)>, Error> {
        strongest_at(&mut self.counting, wanted)
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn visited(&self) -> u64 {
        self.counting.seen().len()
    }
}

/// The height, when no node below a height counts.
#[derive(Debug)]
struct HeightFrom(u32);

impl UtilityMetric for HeightFrom {
    fn name(&self) -> &'static str {
        "height"
    }

    fn detail(&self) -> Detail {
        Detail::Levels
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        crate::utility::Height.loss(published)
    }

    fn floor(&self, node: &Node, _known: Known<'_>) -> Loss {
        Loss(f64::from(node.height().max(self.0)))
    }
}

/// The rows suppressed.
#[derive(Debug)]
struct RowsSuppressed;

impl UtilityMetric for RowsSuppressed {
    fn name(&self) -> &'static str {
        "rows-suppressed"
    }

    fn detail(&self) -> Detail {
        Detail::Levels
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        Loss(f64::from(published.rows_suppressed))
    }

    fn floor(&self, _node: &Node, known: Known<'_>) -> Loss {
        Loss(f64::from(known.rows_suppressed))
    }
}
