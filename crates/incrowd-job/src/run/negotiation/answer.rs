//! The JSON of an answer. The fields are a contract; more may be added.

use super::Ground;
use crate::error::Error;
use crate::report::outcome::{Figure, Figure128};
use incrowd_core::negotiate::{Coverage, GivesWay, Negotiator, Offer, Outcome};
use incrowd_core::privacy::{Monotonicity, PrivacyModel};
use incrowd_core::utility::UtilityMetric;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// What `negotiate` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Negotiated {
    /// [`VERSION`](crate::VERSION).
    pub version: u32,
    /// What can be had.
    #[serde(flatten)]
    pub terms: Terms,
    /// What the answer rests on.
    pub lattice: NegotiationLattice,
    /// Nodes whose histogram was read or whose classes were counted.
    pub nodes_visited: u64,
    /// Whether a higher node never suppresses more rows under this model. If not, nothing was inferred from one
    /// node about another.
    pub monotone: bool,
    /// Where the time went.
    pub seconds: NegotiationSeconds,
}

/// The best release that meets every wish, or those that give way on one; none where even that does not help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one per question, and boxes would be in everybody's way"
)]
pub enum Terms {
    /// Every wish is met.
    Exact {
        /// The release.
        answer: Offered,
    },
    /// Every wish but one is met by each of these.
    Relaxed {
        /// Suppresses more rows.
        more_suppression: Option<Offered>,
        /// Uses levels beyond the acceptable.
        higher_levels: Option<Offered>,
        /// Promises less.
        weaker_privacy: Option<Offered>,
    },
}

impl Terms {
    /// Every offer there is.
    pub fn offers(&self) -> impl Iterator<Item = &Offered> {
        let offers = match self {
            Terms::Exact { answer } => [Some(answer), None, None],
            Terms::Relaxed {
                more_suppression,
                higher_levels,
                weaker_privacy,
            } => [
                more_suppression.as_ref(),
                higher_levels.as_ref(),
                weaker_privacy.as_ref(),
            ],
        };
        offers.into_iter().flatten()
    }
}

/// A release that can be had, and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    /// The level of every quasi-identifier, in their order.
    pub levels: Vec<u8>,
    /// The sum of the levels.
    pub height: u32,
    /// The parameter of the promise.
    pub parameter: Figure,
    /// Rows in classes that do not keep it.
    pub rows_suppressed: u64,
    /// Published classes.
    pub classes: u64,
    /// Rows of the smallest of them; 0 when there is none.
    pub smallest_class: u64,
    /// Every metric that applies, the one asked for first.
    pub metrics: IndexMap<String, f64>,
    /// Rows of the average published class; 0 when there is none.
    pub average_class: f64,
    /// The share of rows suppressed.
    pub share_suppressed: f64,
    /// The levels by name.
    pub levels_by_name: IndexMap<String, u8>,
    /// The promise with this parameter.
    pub model: String,
    /// The wish that is not met; `null` when all are.
    pub gives_way: Option<GaveWay>,
}

/// The wish that an offer does not meet, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "kebab-case")]
pub enum GaveWay {
    /// More rows are suppressed than allowed.
    Suppression {
        /// Rows beyond the budget.
        rows_beyond: u64,
    },
    /// Levels are above the acceptable.
    Levels {
        /// Steps beyond the acceptable level, of those quasi-identifiers that go beyond it.
        steps_beyond: IndexMap<String, u8>,
    },
    /// The promise is weaker.
    Privacy {
        /// The parameter asked for.
        asked: Figure,
    },
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NegotiationLattice {
    /// Nodes in all; a float beyond 2^64.
    pub nodes: Figure128,
    /// Nodes annotated in advance.
    pub annotated: u64,
    /// `full`, `partial`, `partial-top` or `lazy`.
    pub how: String,
    /// Whether nothing better can have been left unseen.
    pub complete: bool,
    /// Why it was done that way.
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
    /// Getting ready for this answer: reading, counting, annotating. Next to nothing once all is there.
    pub prepare: f64,
    /// Finding it.
    pub answer: f64,
}

/// Whether a higher node never suppresses more rows.
pub(super) fn is_monotone(model: &dyn PrivacyModel) -> bool {
    model.monotonicity() == Monotonicity::UnionWithAny
}

/// Puts prices on offers.
pub(super) struct Pricing<'a> {
    pub(super) ground: &'a Ground,
    pub(super) negotiator: &'a Negotiator,
    pub(super) model: &'a dyn PrivacyModel,
    pub(super) names: &'a [String],
    pub(super) metrics: &'a [Box<dyn UtilityMetric>],
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

    fn offered(&self, offer: &Offer) -> Result<Offered, Error> {
        let price = self.negotiator.price(self.model, offer, self.metrics)?;
        let names = || {
            let names = self.ground.quasi_identifiers();
            names.map(|(name, _)| name.to_owned())
        };
        let promise = self.model.with_parameter(offer.parameter)?;
        // The text stands alone, in a job file for one: it must say which column it is about.
        let column = promise.column().filter(|_| self.ground.sensitive.len() > 1);
        let column = column.map(|at| self.ground.table.columns[at].name.as_str());
        Ok(Offered {
            levels: offer.node.levels().collect(),
            height: offer.node.height(),
            parameter: Figure(offer.parameter.to_f64()),
            rows_suppressed: offer.rows_suppressed.into(),
            classes: price.classes as u64,
            smallest_class: price.smallest_class.into(),
            metrics: (self.names.iter().cloned())
                .zip(price.metrics.iter().map(|(_, loss)| loss.0))
                .collect(),
            average_class: price.average_class,
            share_suppressed: price.share_suppressed,
            levels_by_name: names().zip(offer.node.levels()).collect(),
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
