//! From wishes to what can be had.

use super::annotated::{AnnotatedLattice, check_crowds};
use super::answer::{Answer, Coverage, GivesWay, How, Offer, Outcome, Price, Relaxations};
use super::counting::Counting;
use super::lazy::Lazy;
use super::lookup::{Candidate, Lookup, Wanted};
use super::node_prices::NodePrices;
use super::ready::Ready;
use super::request::{Request, Search};
use crate::counts::{CountedTable, FrequencySet, KnownSets};
use crate::error::Error;
use crate::lattice::Node;
use crate::privacy::{Monotonicity, PrivacyModel};
use crate::problem::{Assessor, DEFAULT_MEMORY_LIMIT, Meter, Problem, Watch};
use crate::utility::{Detail, Loss, Published, UtilityMetric};
use std::sync::{Arc, Mutex, PoisonError};

/// Answers requests about one table.
#[derive(Debug)]
pub struct Negotiator {
    table: Arc<CountedTable>,
    how: How,
    annotated: Option<AnnotatedLattice>,
    memory_limit: usize,
    threads: usize,
}

impl Negotiator {
    /// Counts nodes when the search needs them.
    pub fn lazy(table: impl Into<Arc<CountedTable>>) -> Result<Self, Error> {
        let table = table.into();
        check_crowds(&table)?;
        Ok(Negotiator {
            table,
            how: How::Lazy,
            annotated: None,
            memory_limit: DEFAULT_MEMORY_LIMIT,
            threads: 1,
        })
    }

    /// Reads an annotated lattice of the table. A lattice with every node annotated is always [`How::Full`];
    /// otherwise `counts_limit` says whether the node of the acceptable levels is counted when asked.
    pub fn annotated(
        table: impl Into<Arc<CountedTable>>,
        lattice: AnnotatedLattice,
        counts_limit: bool,
    ) -> Result<Self, Error> {
        let table = table.into();
        check_crowds(&table)?;
        if *lattice.lattice() != table.lattice() {
            return Err(Error::IndexStale {
                what: "set of hierarchies",
            });
        }
        if lattice.rows() != table.rows {
            return Err(Error::IndexStale { what: "table" });
        }
        let how = match (lattice.is_full(), counts_limit) {
            (true, _) => How::Full,
            (false, true) => How::PartialTop,
            (false, false) => How::Partial,
        };
        Ok(Negotiator {
            table,
            how,
            annotated: Some(lattice),
            memory_limit: DEFAULT_MEMORY_LIMIT,
            threads: 1,
        })
    }

    /// The same with so many bytes for frequency sets at most.
    pub fn with_memory_limit(self, memory_limit: usize) -> Self {
        Negotiator {
            memory_limit,
            ..self
        }
    }

    /// The same, which counts nodes on so many threads. Answers do not depend on it.
    pub fn with_threads(self, threads: usize) -> Self {
        Negotiator { threads, ..self }
    }

    /// How the histograms come about.
    pub fn how(&self) -> How {
        self.how
    }

    /// The annotated lattice, if there is one.
    pub fn lattice(&self) -> Option<&AnnotatedLattice> {
        self.annotated.as_ref()
    }

    /// What can be had.
    ///
    /// When the watch says that it is enough, the answer is the best found so far and not complete.
    pub fn answer(&self, request: &Request<'_>, watch: &dyn Watch) -> Result<Answer, Error> {
        let max_levels = request.check(&self.table)?;
        let counting = Counting::new(&self.table, self.memory_limit);
        let meter = &Meter::new(watch);
        let mut lookup: Box<dyn Lookup + '_> = match &self.annotated {
            Some(lattice) => {
                let histograms = lattice.annotation(&self.table, request.model)?;
                let counts_limit = self.how == How::PartialTop;
                Box::new(Ready::new(
                    lattice,
                    histograms,
                    counts_limit,
                    counting,
                    (meter, request.step),
                ))
            }
            None => Box::new(Lazy::new(
                &self.table,
                self.memory_limit,
                self.threads,
                meter,
            )),
        };
        let outcome = negotiate(request, &max_levels, &self.table, &mut *lookup)?;
        Ok(Answer {
            outcome,
            coverage: Coverage {
                nodes: self.table.lattice().nodes(),
                annotated: self.annotated.as_ref().map_or(0, |of| of.nodes().len()),
                how: self.how,
                complete: lookup.is_complete(),
            },
            nodes_visited: lookup.visited(),
        })
    }

    /// What every release of a node costs, to be asked about often: little more work than [`price`](Self::price) for one
    /// of them, and the same numbers. None for models and metrics that do not add up.
    pub fn prices(
        &self,
        model: &dyn PrivacyModel,
        node: &Node,
        metrics: &[Box<dyn UtilityMetric>],
    ) -> Option<NodePrices> {
        NodePrices::new(&self.table, model, node, metrics)
    }

    /// What an offer costs. Counts the classes of its node; `metrics` are those of interest.
    pub fn price(
        &self,
        model: &dyn PrivacyModel,
        offer: &Offer,
        metrics: &[Box<dyn UtilityMetric>],
    ) -> Result<Price, Error> {
        let models = [model.with_parameter(offer.parameter)?];
        let height = crate::utility::Height;
        let problem = |metric| {
            Problem::new(&self.table, &models, metric)
                .allow_suppressed(u32::MAX)
                .limit_memory(self.memory_limit)
                .limit_levels(offer.node.clone())
                .expect("levels of the table")
        };
        let mut columns = problem(&height).columns_read();
        columns.extend(metrics.iter().filter_map(|metric| metric.column()));
        columns.sort_unstable();
        columns.dedup();
        let mut classes = FrequencySet::default();
        let _ = KnownSets::new(&self.table, columns, 0).count(&offer.node, &mut classes);
        if models[0].reads_population() {
            classes = self.table.among_people(&offer.node, &classes);
        }
        let mut is_safe = vec![true; classes.len()];
        models[0].judge(&classes, &mut is_safe);
        let published = || {
            let classes = classes.sizes().iter().zip(&is_safe);
            classes.filter(|(_, safe)| **safe).map(|(&size, _)| size)
        };
        let rows: u32 = published().sum();
        let published = (published().count(), published().min().unwrap_or(0));
        // Judged and prepared once for all metrics; those that read a column are shown its values one by one.
        let (reading, others): (Vec<_>, Vec<_>) =
            (metrics.iter().enumerate()).partition(|(_, metric)| metric.column().is_some());
        let mut losses = vec![None; metrics.len()];
        let together = Together::new(others.iter().map(|(_, metric)| &***metric));
        Assessor::new(&problem(&together)).assess(&offer.node, &classes, None);
        for ((at, _), loss) in others.iter().zip(together.losses()) {
            losses[*at] = Some(loss);
        }
        for (at, metric) in reading {
            let problem = problem(&**metric);
            let assessed = Assessor::new(&problem).assess(&offer.node, &classes, None);
            losses[at] = assessed.loss;
        }
        let names = metrics.iter().map(|metric| metric.name());
        let metrics = names
            .zip(losses)
            .filter_map(|(name, loss)| Some((name, loss?)));
        Ok(Price {
            metrics: metrics.collect(),
            ..Price::of_classes(self.table.rows, rows, published)
        })
    }
}

/// Several metrics as one, so that a node is judged once for all of them.
#[derive(Debug)]
struct Together<'a> {
    metrics: Vec<&'a dyn UtilityMetric>,
    losses: Mutex<Vec<Loss>>,
}

impl<'a> Together<'a> {
    fn new(metrics: impl Iterator<Item = &'a dyn UtilityMetric>) -> Self {
        Together {
            metrics: metrics.collect(),
            losses: Mutex::default(),
        }
    }

    /// The losses of the node that was assessed last.
    fn losses(&self) -> Vec<Loss> {
        self.losses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl UtilityMetric for Together<'_> {
    fn name(&self) -> &'static str {
        "together"
    }

    fn detail(&self) -> Detail {
        let details = self.metrics.iter().map(|metric| metric.detail());
        details.max().unwrap_or(Detail::Levels)
    }

    fn reads_suppressed_groups(&self) -> bool {
        self.metrics.iter().any(|of| of.reads_suppressed_groups())
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let losses = self.metrics.iter().map(|metric| metric.loss(published));
        *self.losses.lock().unwrap_or_else(PoisonError::into_inner) = losses.collect();
        Loss(0.0)
    }
}

/// The exact answer, or three relaxations.
fn negotiate(
    request: &Request<'_>,
    max_levels: &Node,
    table: &CountedTable,
    lookup: &mut dyn Lookup,
) -> Result<Outcome, Error> {
    let limit = request.limit();
    let wanted = Wanted {
        model: request.model,
        quality: request.quality,
        max_levels,
        least_height: 0,
        max_suppressed: limit.unwrap_or(0),
    };
    let parameter = request.model.parameter();
    let offer = |found: Candidate, gives_way| Offer {
        node: found.node,
        parameter,
        rows_suppressed: request.told(found.rows_suppressed),
        gives_way,
    };
    let at_limit = lookup.at_limit(&wanted)?;
    let is_hopeless = at_limit.is_some_and(|rows| rows > wanted.max_suppressed);
    if limit.is_some()
        && !(is_hopeless && wanted.pruning_is_sound())
        && let Some(found) = lookup.best(&wanted)?
    {
        return Ok(Outcome::Exact(offer(found, GivesWay::Nothing)));
    }

    let fewest = match at_limit {
        Some(rows) if request.model.monotonicity() == Monotonicity::UnionWithAny => Some(rows),
        _ => lookup.fewest_suppressed(&wanted)?,
    };
    let more_suppression = match fewest {
        Some(max_suppressed) => lookup.best(&Wanted {
            max_suppressed,
            ..wanted
        })?,
        None => None,
    };
    let top = table.lattice().top().clone();
    let higher = Wanted {
        max_levels: &top,
        least_height: match request.search {
            Search::Whole => 0,
            Search::FromLimit => max_levels.height(),
        },
        ..wanted
    };
    let (higher_levels, weaker_privacy) = match limit {
        Some(_) => (lookup.best(&higher)?, lookup.strongest(&wanted)?),
        None => (None, None),
    };
    Ok(Outcome::Relaxed(Relaxations {
        more_suppression: more_suppression.map(|found| {
            let rows = request.told(found.rows_suppressed);
            let rows_beyond = rows.saturating_sub(request.budget());
            offer(found, GivesWay::Suppression { rows_beyond })
        }),
        higher_levels: higher_levels.map(|found| {
            let levels = found.node.levels().zip(max_levels.levels());
            let steps_beyond = levels
                .map(|(level, most)| level.steps_above(most))
                .collect();
            offer(found, GivesWay::Levels { steps_beyond })
        }),
        weaker_privacy: weaker_privacy.map(|(found, weaker)| Offer {
            parameter: weaker,
            ..offer(found, GivesWay::Privacy { asked: parameter })
        }),
    }))
}
