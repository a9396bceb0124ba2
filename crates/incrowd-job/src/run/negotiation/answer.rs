//! The JSON of an answer. The fields are a contract; more may be added.

use super::Ground;
use super::prices::{Kept, Priced, Prices};
use super::ready::{MetricsAsked, Ready};
use crate::error::Error;
use crate::report::outcome::{Figure, Figure128};
use crate::report::research::ResearchValueReached;
use crate::run::describe::reached_research_value;
use incrowd_core::negotiate::{Coverage, GivesWay, Offer, Outcome};
use incrowd_core::privacy::{Monotonicity, PrivacyModel};
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The result of `negotiate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Negotiated {
    /// [`VERSION`](crate::VERSION).
    pub version: u32,
    /// The offers.
    #[serde(flatten)]
    pub terms: Terms,
    /// What the answer is based on.
    pub lattice: NegotiationLattice,
    /// Nodes whose histogram was read or whose classes were counted.
    pub nodes_visited: u64,
    /// Whether a higher node never suppresses more rows with this model. If not, nothing was inferred from one node
    /// about another.
    pub monotone: bool,
    /// Where the time went.
    pub seconds: NegotiationSeconds,
}

/// The best release that meets the request, or those that relax one part of it; none if even that is not enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one per question, and boxes would be in everybody's way"
)]
pub enum Terms {
    /// The request is met.
    Exact {
        /// The release.
        answer: Offered,
    },
    /// Each of these meets all parts of the request but one.
    Relaxed {
        /// Suppresses more rows.
        more_suppression: Option<Offered>,
        /// Uses levels above the acceptable ones.
        higher_levels: Option<Offered>,
        /// Weakens privacy.
        weaker_privacy: Option<Offered>,
    },
}

/// A possible release and its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    /// The level of every quasi-identifier, in their order.
    pub levels: Vec<u8>,
    /// The sum of the levels.
    pub height: u32,
    /// The parameter of the model.
    pub parameter: Figure,
    /// Rows in classes that do not satisfy it.
    pub rows_suppressed: u64,
    /// Published classes.
    pub classes: u64,
    /// Rows of the smallest class; 0 if there is none.
    pub smallest_class: u64,
    /// Every metric that applies, starting with the one requested.
    pub metrics: IndexMap<String, f64>,
    /// What the release is worth to experts, and which of their rules it keeps; only if they said anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research_value: Option<ResearchValueReached>,
    /// Rows of the average published class; 0 if there is none.
    pub average_class: f64,
    /// The share of rows suppressed.
    pub share_suppressed: f64,
    /// The levels by name.
    pub levels_by_name: IndexMap<String, u8>,
    /// The model with this parameter.
    pub model: String,
    /// The part of the request that is relaxed; `null` if all are met.
    pub gives_way: Option<GaveWay>,
}

/// The part of the request that an offer relaxes, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "kebab-case")]
pub enum GaveWay {
    /// More rows are suppressed than allowed.
    Suppression {
        /// Rows beyond the budget.
        rows_beyond: u64,
    },
    /// Levels are above the acceptable ones.
    Levels {
        /// Levels above the acceptable one, for each quasi-identifier that exceeds it.
        steps_beyond: IndexMap<String, u8>,
    },
    /// Privacy is weaker.
    Privacy {
        /// The parameter requested.
        asked: Figure,
    },
}

/// What an answer is based on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NegotiationLattice {
    /// All nodes; a float beyond 2^64.
    pub nodes: Figure128,
    /// Nodes annotated in advance.
    pub annotated: u64,
    /// `full`, `partial`, `partial-top` or `lazy`.
    pub how: String,
    /// Whether no better answer can exist.
    pub complete: bool,
    /// Why this preparation was chosen.
    pub why: String,
}

impl NegotiationLattice {
    pub(super) fn new(coverage: &Coverage, why: &str) -> Self {
        NegotiationLattice {
            nodes: Figure128(coverage.nodes),
            annotated: coverage.annotated as u64,
            how: coverage.how.name().to_owned(),
            complete: coverage.complete,
            why: why.to_owned(),
        }
    }
}

/// Where the time went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NegotiationSeconds {
    /// Preparing this answer: reading, counting, annotating. Almost nothing once that is done.
    pub prepare: f64,
    /// Finding it.
    pub answer: f64,
}

/// Whether a higher node never suppresses more rows.
pub(super) fn is_monotone(model: &dyn PrivacyModel) -> bool {
    model.monotonicity() == Monotonicity::UnionWithAny
}

/// Computes the cost of offers.
pub(super) struct Pricing<'a> {
    pub(super) ground: &'a Ground,
    pub(super) ready: &'a Ready,
    pub(super) prices: &'a Prices,
    pub(super) model: &'a dyn PrivacyModel,
    pub(super) metrics: &'a MetricsAsked,
    /// Whether many requests follow, so that preparing for them pays off.
    pub(super) is_asked_often: bool,
}

impl Pricing<'_> {
    pub(super) fn terms(&self, outcome: &Outcome) -> Result<Terms, Error> {
        let some = |offer: &Option<Offer>| match offer {
            Some(offer) => self.offered(offer).map(Some),
            None => Ok(None),
        };
        Ok(match outcome {
            Outcome::Exact(offer) => Terms::Exact {
                answer: self.offered(offer)?,
            },
            Outcome::Relaxed(offers) => Terms::Relaxed {
                more_suppression: some(&offers.more_suppression)?,
                higher_levels: some(&offers.higher_levels)?,
                weaker_privacy: some(&offers.weaker_privacy)?,
            },
        })
    }

    /// What experts would say about the release of an offer.
    fn research_value(
        &self,
        offer: &Offer,
        promise: &dyn PrivacyModel,
    ) -> Result<Option<ResearchValueReached>, Error> {
        let Some(spec) = &self.metrics.research else {
            return Ok(None);
        };
        let table = &*self.ground.table;
        let metric = spec.build(table)?;
        let models = [promise.with_parameter(offer.parameter)?];
        let problem = Problem::new(table, &models, &*metric).allow_suppressed(table.rows);
        let proposal = Proposal {
            recoding: Arc::new(ColumnRecoding::FullDomain(offer.node.clone())),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        };
        let release = publish(&problem, &proposal)?;
        reached_research_value(spec, &release).map(Some)
    }

    /// Which classes an offer keeps, if the histogram of its node can tell.
    fn kept(&self, offer: &Offer) -> Result<Kept, Error> {
        let promise = self.model.with_parameter(offer.parameter)?;
        let rows = (self.ready).rows_suppressed(&self.ground.table, &*promise, &offer.node)?;
        Ok(match rows {
            Some(rows) => Kept::ButRows(rows),
            None => Kept::ByParameter(offer.parameter),
        })
    }

    /// What a release costs, computed once.
    fn price(&self, offer: &Offer) -> Result<Arc<Priced>, Error> {
        let (negotiator, metrics) = (&self.ready.negotiator, &self.metrics.metrics);
        let node = (
            Arc::clone(&self.ready.measure),
            offer.node.clone(),
            Arc::clone(&self.metrics.asked),
        );
        let kept = self.kept(offer)?;
        // Whoever asks once is answered sooner without the other releases of the node.
        if let (Kept::ButRows(rows), true, None) =
            (kept, self.is_asked_often, &self.metrics.research)
        {
            let prices = self.prices.of_node(node.clone(), || {
                negotiator.prices(self.model, &offer.node, metrics)
            })?;
            let prices = prices.as_ref().as_ref();
            if let Some(price) = prices.and_then(|prices| prices.of_rows_suppressed(rows)) {
                return Ok(Arc::new(Priced {
                    price,
                    research_value: None,
                }));
            }
        }
        self.prices.of((node, kept), || {
            let promise = self.model.with_parameter(offer.parameter)?;
            Ok(Priced {
                price: negotiator.price(self.model, offer, metrics)?,
                research_value: self.research_value(offer, &*promise)?,
            })
        })
    }

    pub(super) fn offered(&self, offer: &Offer) -> Result<Offered, Error> {
        let priced = self.price(offer)?;
        let price = &priced.price;
        let names = || {
            let names = self.ground.quasi_identifiers();
            names.map(|(name, _)| name.to_owned())
        };
        let promise = self.model.with_parameter(offer.parameter)?;
        // The text is also used alone, for example in a job file, so it must name its column.
        let column = promise.column().filter(|_| self.ground.sensitive.len() > 1);
        let column = column.map(|at| self.ground.table.columns[at].name.as_str());
        Ok(Offered {
            levels: offer.node.levels().map(|level| level.0).collect(),
            height: offer.node.height(),
            parameter: Figure(offer.parameter.to_f64()),
            rows_suppressed: offer.rows_suppressed.into(),
            classes: price.classes as u64,
            smallest_class: price.smallest_class.into(),
            metrics: (self.metrics.names.iter().cloned())
                .zip(price.metrics.iter().map(|(_, loss)| loss.0))
                .collect(),
            research_value: priced.research_value.clone(),
            average_class: price.average_class,
            share_suppressed: price.share_suppressed,
            levels_by_name: names()
                .zip(offer.node.levels().map(|level| level.0))
                .collect(),
            model: promise.describe(column),
            gives_way: match &offer.gives_way {
                GivesWay::Nothing => None,
                GivesWay::Suppression { rows_beyond } => Some(GaveWay::Suppression {
                    rows_beyond: u64::from(*rows_beyond),
                }),
                GivesWay::Levels { steps_beyond } => Some(GaveWay::Levels {
                    steps_beyond: names()
                        .zip(steps_beyond.iter().copied())
                        .filter(|(_, steps)| *steps > 0)
                        .collect(),
                }),
                GivesWay::Privacy { asked } => Some(GaveWay::Privacy {
                    asked: Figure(asked.to_f64()),
                }),
            },
        })
    }
}
