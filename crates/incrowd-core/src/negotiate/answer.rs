//! What can be had.

use crate::lattice::Node;
use crate::privacy::Decimal;
use crate::utility::Loss;

/// The best release that meets every wish, or those that give way on one.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What can be had.
    pub outcome: Outcome,
    /// What was looked at.
    pub coverage: Coverage,
    /// Nodes whose histogram was read or whose classes were counted, each once.
    pub nodes_visited: u64,
}

/// What can be had.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Every wish is met.
    Exact(Offer),
    /// Every wish but one is met by each of these.
    Relaxed(Relaxations),
}

/// Releases that each give way on one wish; none where even that does not help.
#[derive(Debug, Clone, PartialEq)]
pub struct Relaxations {
    /// Suppresses more rows.
    pub more_suppression: Option<Offer>,
    /// Uses levels beyond the acceptable.
    pub higher_levels: Option<Offer>,
    /// Promises less.
    pub weaker_privacy: Option<Offer>,
}

impl Outcome {
    /// Every offer there is, the exact one alone or the relaxations in their order.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        let offers = match self {
            Outcome::Exact(offer) => [Some(offer), None, None],
            Outcome::Relaxed(Relaxations {
                more_suppression,
                higher_levels,
                weaker_privacy,
            }) => [
                more_suppression.as_ref(),
                higher_levels.as_ref(),
                weaker_privacy.as_ref(),
            ],
        };
        offers.into_iter().flatten()
    }
}

/// A release that can be had.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The level of every quasi-identifier.
    pub node: Node,
    /// The parameter of the promise.
    pub parameter: Decimal,
    /// Rows in classes that do not keep it.
    pub rows_suppressed: u32,
    /// The wish that is not met.
    pub gives_way: GivesWay,
}

/// The wish that an offer does not meet, and by how much.
#[derive(Debug, Clone, PartialEq)]
pub enum GivesWay {
    /// None: all are met.
    Nothing,
    /// More rows are suppressed than allowed.
    Suppression {
        /// Rows beyond the budget.
        rows_beyond: u32,
    },
    /// Levels are above the acceptable.
    Levels {
        /// Steps beyond the acceptable level of each quasi-identifier; 0 where it is kept.
        steps_beyond: Vec<u8>,
    },
    /// The promise is weaker.
    Privacy {
        /// The parameter asked for.
        asked: Decimal,
    },
}

/// What an offer costs, from its classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Published classes.
    pub classes: usize,
    /// Rows of the smallest of them; 0 when there is none.
    pub smallest_class: u32,
    /// Rows of the average one; 0 when there is none.
    pub average_class: f64,
    /// The share of rows suppressed.
    pub share_suppressed: f64,
    /// Metrics by name.
    pub metrics: Vec<(&'static str, Loss)>,
}

impl Price {
    /// The price of so many published rows of a table, in so many classes, the smallest of which has so many rows, without metrics.
    pub(super) fn of_classes(
        table_rows: u32,
        rows: u32,
        (classes, smallest_class): (usize, u32),
    ) -> Self {
        let (table_rows, rows) = (f64::from(table_rows), f64::from(rows));
        Price {
            classes,
            smallest_class,
            average_class: match classes {
                0 => 0.0,
                classes => rows / classes as f64,
            },
            share_suppressed: (table_rows - rows) / table_rows.max(1.0),
            metrics: Vec::new(),
        }
    }
}

/// How the histograms come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    /// Every node is annotated in advance.
    Full,
    /// The most promising nodes are annotated in advance; others are not known.
    Partial,
    /// As partial, and the node of the acceptable levels is counted when asked.
    PartialTop,
    /// Nodes are counted when the search needs them.
    Lazy,
}

impl How {
    /// All of them, by the names users write.
    pub const ALL: [(&'static str, How); 4] = [
        ("full", How::Full),
        ("partial", How::Partial),
        ("partial-top", How::PartialTop),
        ("lazy", How::Lazy),
    ];

    /// The name users write.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, how)| *how == self);
        named.map_or("lazy", |(name, _)| name)
    }
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Nodes of the lattice.
    pub nodes: u128,
    /// Nodes annotated in advance.
    pub annotated: usize,
    /// How the histograms came about.
    pub how: How,
    /// Whether the answer is that of the whole lattice: nothing better was left unseen.
    pub complete: bool,
}
