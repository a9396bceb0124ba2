//! Answers from histograms made in advance: of all nodes, or of some.

use super::annotated::AnnotatedLattice;
use super::counting::Counting;
use super::histogram::Histograms;
use super::lazy::Lazy;
use super::lookup::{Candidate, Lookup, Wanted, may_go_on};
use super::promise::{strongest_at, strongest_promise};
use super::request::Quality;
use crate::error::Error;
use crate::lattice::Node;
use crate::privacy::{Decimal, Direction, PrivacyModel};
use crate::problem::{Assessor, Interruption, Meter, Problem};
use crate::utility::{Loss, UtilityMetric};
use std::cmp::Ordering;

/// Reads histograms. Where only some nodes have one (figures 5.15 and 5.23 of the paper), the others do not exist.
pub(super) struct Ready<'a> {
    lattice: &'a AnnotatedLattice,
    histograms: &'a Histograms,
    counts_limit: bool,
    /// The rows suppressed at the node of the acceptable levels, when it was counted because it has no histogram.
    counted_limit: Option<Candidate>,
    counting: Counting<'a>,
    meter: &'a Meter<'a>,
    /// Numbers of suppressed rows are told apart in steps of so many.
    step: u32,
    /// The annotated nodes whose histogram was read, by position.
    is_read: Vec<bool>,
    complete: bool,
}

impl<'a> Ready<'a> {
    pub(super) fn new(
        lattice: &'a AnnotatedLattice,
        histograms: &'a Histograms,
        counts_limit: bool,
        counting: Counting<'a>,
        (meter, step): (&'a Meter<'a>, u32),
    ) -> Self {
        Ready {
            lattice,
            histograms,
            counts_limit,
            counted_limit: None,
            counting,
            meter,
            step,
            is_read: vec![false; lattice.nodes().len()],
            complete: lattice.is_full(),
        }
    }

    /// Whether there is time to look further. Once there is not, the answer is not complete.
    fn may_go_on(&mut self) -> Result<bool, Error> {
        let may = may_go_on(&mut self.counting, self.meter)?;
        self.complete &= may;
        Ok(may)
    }

    /// The rows that the model suppresses at an annotated node, by position, or the last number of its step; none
    /// when the histogram cannot tell and there is no time to count.
    fn rows_suppressed(
        &mut self,
        model: &dyn PrivacyModel,
        at: usize,
    ) -> Result<Option<u32>, Error> {
        self.is_read[at] = true;
        let rows = self.histograms.node(at).rows(model.parameter());
        let suppressed = if rows.close == 0 {
            rows.suppressed
        } else if self.may_go_on()? {
            let node = &self.lattice.nodes()[at];
            self.counting.rows_suppressed(model, node)?
        } else {
            return Ok(None);
        };
        // The last number of its step.
        let next = (suppressed / self.step + 1).saturating_mul(self.step);
        Ok(Some(next - 1))
    }

    /// Whether a node of this height meets the wishes; stops at the first.
    fn height_has_any(&mut self, wanted: &Wanted<'_>, height: u32) -> Result<bool, Error> {
        for at in self.lattice.at_height(height) {
            if self.lattice.nodes()[at].is_at_or_below(wanted.max_levels)
                && (self.rows_suppressed(wanted.model, at)?)
                    .is_some_and(|rows| rows <= wanted.max_suppressed)
            {
                return Ok(true);
            }
        }
        Ok(self.counted_at(wanted, height).is_some())
    }

    /// The counted node of the acceptable levels, if it is of this height and meets the wishes.
    fn counted_at(&self, wanted: &Wanted<'_>, height: u32) -> Option<&Candidate> {
        self.counted_limit.as_ref().filter(|limit| {
            limit.node.height() == height
                && limit.node.is_at_or_below(wanted.max_levels)
                && limit.rows_suppressed <= wanted.max_suppressed
        })
    }

    /// The node of a height that meets the wishes with the fewest suppressed rows.
    fn best_at_height(
        &mut self,
        wanted: &Wanted<'_>,
        height: u32,
    ) -> Result<Option<Candidate>, Error> {
        let mut best: Option<(u32, usize)> = None;
        for at in self.lattice.at_height(height) {
            if self.lattice.nodes()[at].is_at_or_below(wanted.max_levels) {
                let Some(rows) = self.rows_suppressed(wanted.model, at)? else {
                    continue;
                };
                if rows <= best.map_or(wanted.max_suppressed, |(fewest, _)| fewest)
                    && best.is_none_or(|(fewest, _)| rows < fewest)
                {
                    best = Some((rows, at));
                }
            }
        }
        let annotated = best.map(|(rows_suppressed, at)| Candidate {
            node: self.lattice.nodes()[at].clone(),
            rows_suppressed,
        });
        let counted = self.counted_at(wanted, height).cloned();
        let known = annotated.into_iter().chain(counted);
        Ok(known.min_by(|one, other| {
            let rows = one.rows_suppressed.cmp(&other.rows_suppressed);
            rows.then_with(|| one.node.cmp_levels(&other.node))
        }))
    }

    /// The least height first.
    fn lowest(&mut self, wanted: &Wanted<'_>) -> Result<Option<Candidate>, Error> {
        let most = wanted.max_levels.height();
        let (mut low, mut high) = (wanted.least_height, most + 1);
        if wanted.pruning_is_sound() && self.lattice.is_full() {
            // Above a node that meets the wishes there is one at every height, so heights can be halved.
            while low < high {
                let middle = low + (high - low) / 2;
                if self.height_has_any(wanted, middle)? {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
        }
        for height in low..=most {
            let best = self.best_at_height(wanted, height)?;
            if best.is_some() {
                return Ok(best);
            }
        }
        Ok(None)
    }

    /// The least loss first, among the nodes that are known.
    fn cheapest(
        &mut self,
        wanted: &Wanted<'_>,
        metric: &dyn UtilityMetric,
    ) -> Result<Option<Candidate>, Error> {
        let lattice = self.lattice;
        let mut candidates: Vec<Candidate> = Vec::new();
        for (at, node) in lattice.nodes().iter().enumerate() {
            if node.height() >= wanted.least_height && node.is_at_or_below(wanted.max_levels) {
                let rows_suppressed = self.rows_suppressed(wanted.model, at)?;
                candidates.extend(rows_suppressed.map(|rows_suppressed| Candidate {
                    node: node.clone(),
                    rows_suppressed,
                }));
            }
        }
        candidates.extend(self.counted_limit.clone());
        let models = [wanted.model.with_parameter(wanted.model.parameter())?];
        let problem = Problem::new(self.counting.table(), &models, metric)
            .allow_suppressed(wanted.max_suppressed)
            .limit_memory(self.counting.memory_limit())
            .limit_levels(wanted.max_levels.clone())?;
        let columns = problem.columns_read();
        let mut assessor = Assessor::new(&problem);
        let mut best: Option<(Loss, Candidate)> = None;
        let rank = |(loss, one): &(Loss, Candidate), (other_loss, other): &(Loss, Candidate)| {
            let by_loss = loss.cmp(other_loss);
            by_loss
                .then(one.rows_suppressed.cmp(&other.rows_suppressed))
                .then_with(|| one.node.cmp_levels(&other.node))
        };
        for candidate in candidates {
            if candidate.rows_suppressed > wanted.max_suppressed
                || candidate.node.height() < wanted.least_height
            {
                continue;
            }
            if !self.may_go_on()? {
                break;
            }
            let classes = self.counting.count(&candidate.node, &columns);
            let limit = best.as_ref().map(|(loss, _)| *loss);
            let assessed = assessor.assess_metered(&candidate.node, classes, limit, self.meter);
            let assessed = match assessed {
                Ok(assessed) => assessed,
                Err(Interruption::Cancelled) => return Err(Error::Cancelled),
                Err(_) => {
                    self.complete = false;
                    break;
                }
            };
            if let Some(loss) = assessed.loss {
                let found = (loss, candidate);
                if best
                    .as_ref()
                    .is_none_or(|best| rank(&found, best) == Ordering::Less)
                {
                    best = Some(found);
                }
            }
        }
        Ok(best.map(|(_, candidate)| candidate))
    }
}

impl Lookup for Ready<'_> {
    fn best(&mut self, wanted: &Wanted<'_>) -> Result<Option<Candidate>, Error> {
        match wanted.quality {
            Quality::Height => self.lowest(wanted),
            Quality::Metric(metric) if !self.lattice.is_full() => self.cheapest(wanted, metric),
            Quality::Metric(_) => {
                // Histograms do not say what a release costs; the search with bounds counts the fewest nodes.
                let (table, memory_limit) = (self.counting.table(), self.counting.memory_limit());
                let mut lazy = Lazy::new(table, memory_limit, 1, self.meter);
                let best = lazy.best(wanted)?;
                self.complete &= lazy.is_complete();
                self.counting.also_seen(lazy.into_seen());
                Ok(best)
            }
        }
    }

    fn fewest_suppressed(&mut self, wanted: &Wanted<'_>) -> Result<Option<u32>, Error> {
        let mut fewest = self
            .counted_limit
            .as_ref()
            .map(|limit| limit.rows_suppressed);
        for at in 0..self.lattice.nodes().len() {
            if self.lattice.nodes()[at].is_at_or_below(wanted.max_levels) {
                let rows = self.rows_suppressed(wanted.model, at)?;
                fewest = fewest.into_iter().chain(rows).min();
            }
        }
        Ok(fewest)
    }

    fn at_limit(&mut self, wanted: &Wanted<'_>) -> Result<Option<u32>, Error> {
        if let Some(at) = self.lattice.position(wanted.max_levels) {
            return self.rows_suppressed(wanted.model, at);
        }
        if !self.counts_limit {
            return Ok(None);
        }
        let node = wanted.max_levels.clone();
        let rows_suppressed = self.counting.rows_suppressed(wanted.model, &node)?;
        self.counted_limit = Some(Candidate {
            node,
            rows_suppressed,
        });
        Ok(Some(rows_suppressed))
    }

    fn strongest(&mut self, wanted: &Wanted<'_>) -> Result<Option<(Candidate, Decimal)>, Error> {
        if self.counted_limit.is_some() {
            return strongest_at(&mut self.counting, wanted);
        }
        // Only the node of the acceptable levels when it is known, else the best of those below it.
        let positions = match self.lattice.position(wanted.max_levels) {
            Some(at) => at..at + 1,
            None => 0..self.lattice.nodes().len(),
        };
        let mut best: Option<(Candidate, Decimal)> = None;
        for at in positions {
            let node = &self.lattice.nodes()[at];
            if !node.is_at_or_below(wanted.max_levels) {
                continue;
            }
            self.is_read[at] = true;
            let histogram = self.histograms.node(at);
            let counting = &mut self.counting;
            let found = strongest_promise(
                histogram,
                wanted.model,
                wanted.max_suppressed,
                |parameter| {
                    counting.rows_suppressed(&*wanted.model.with_parameter(parameter)?, node)
                },
            )?;
            if let Some((parameter, rows_suppressed)) = found {
                let found = Candidate {
                    node: node.clone(),
                    rows_suppressed,
                };
                let is_better = best.as_ref().is_none_or(|(best, strongest)| {
                    let by_parameter = match wanted.model.direction() {
                        Direction::AtLeast => strongest.cmp(&parameter),
                        Direction::AtMost | Direction::Below => parameter.cmp(strongest),
                    };
                    // Of equals the fewest rows, as in figure 5.18; then lattice order, in which nodes come.
                    let rows = rows_suppressed.cmp(&best.rows_suppressed);
                    by_parameter.then(rows).is_lt()
                });
                if is_better {
                    best = Some((found, parameter));
                }
            }
        }
        Ok(best)
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn visited(&self) -> u64 {
        let read = self.is_read.iter().filter(|is_read| **is_read).count() as u64;
        let is_new = |node: &Node| {
            let position = self.lattice.position(node);
            position.is_none_or(|at| !self.is_read[at])
        };
        read + self.counting.seen().count(is_new)
    }
}
