//! Agreeing on a release by asking what can be had.
//!
//! A curator wants privacy, an analyst wants detail and rows. A [`Request`] states their wishes: a promise with its
//! parameter, the rows that may be suppressed, the highest acceptable levels. The [`Answer`] is the best release that
//! meets all of them, or up to three releases that each give way on one.
//!
//! What makes this fast is a lattice whose nodes carry [histograms](Histogram): how many rows every parameter
//! suppresses there. They are rolled up once, for all nodes ([`AnnotatedLattice::full`]) or for the most promising
//! ([`AnnotatedLattice::partial`]), or nodes are counted only when a question needs them ([`Negotiator::lazy`]). An
//! annotated lattice can be kept as bytes ([`AnnotatedLattice::to_bytes`]). The first and the last way are exact; every answer says what it rests on ([`Coverage`]).
//! A [`Negotiator`] borrows nothing and can be shared between threads.
//!
//! An offer is not a release: [`publish`](crate::publish) checks it like any other proposal.
//!
//! # Models that do not survive merging
//! For k and distinct l, what a node suppresses bounds what every node below it does, and most nodes need not be
//! looked at. For entropy l, t-closeness and others a higher node may suppress *more*. Then nothing is inferred: a
//! request is met exactly if any acceptable node meets it, though the highest may not, and the offer of more
//! suppression is the acceptable node that suppresses least.
//!
//! ```
//! use incrowd_core::counts::{Missing, RowCounter};
//! use incrowd_core::hierarchy::{self, Options};
//! use incrowd_core::negotiate::{Negotiator, Outcome, Request, acceptable_levels};
//! use incrowd_core::privacy::KAnonymity;
//! use incrowd_core::problem::Unwatched;
//! use incrowd_core::table::RowBatch;
//!
//! let mut counter = RowCounter::new(&["age".into()], &[0], &[]);
//! let mut batch = RowBatch::new(1);
//! for age in ["31", "34", "38", "52", "52"] {
//!     batch.push_cell(age.as_bytes());
//! }
//! counter.add(&batch)?;
//! let decades = b"31,30s,*\n34,30s,*\n38,30s,*\n52,50s,*\n";
//! let age = hierarchy::parse(decades, Options::new("age"))?;
//! let table = counter.finish(vec![age], vec![], Missing::default())?;
//!
//! // Every class of two rows or more, nothing suppressed, decades at most.
//! let decades = acceptable_levels(&table, &[1])?;
//! let model = KAnonymity { k: 2 };
//! let request = Request::new(&model).max_suppressed(0).max_levels(&decades);
//! let answer = Negotiator::lazy(table.clone())?.answer(&request, &Unwatched)?;
//! assert!(matches!(answer.outcome, Outcome::Exact(offer) if offer.node == decades));
//!
//! // Three rows: two are too few in their fifties, but k = 2 could be had.
//! let model = KAnonymity { k: 3 };
//! let request = Request::new(&model).max_suppressed(0).max_levels(&decades);
//! let answer = Negotiator::lazy(table.clone())?.answer(&request, &Unwatched)?;
//! let Outcome::Relaxed(offers) = answer.outcome else { panic!("not all wishes can be met") };
//! assert_eq!(offers.more_suppression.map(|offer| offer.rows_suppressed), Some(2));
//! assert_eq!(offers.higher_levels.map(|offer| offer.node.height()), Some(2));
//! assert_eq!(offers.weaker_privacy.map(|offer| offer.parameter), Some(2.into()));
//! # Ok::<(), incrowd_core::Error>(())
//! ```

mod annotated;
mod annotation_work;
mod annotator;
mod answer;
mod climb;
mod counting;
mod estimate;
mod histogram;
mod index;
mod lazy;
mod lookup;
mod negotiator;
mod node_prices;
mod promise;
mod ready;
mod request;
mod sorted;
mod study;

pub use annotated::AnnotatedLattice;
pub use annotation_work::{MOST_NODES, annotation_work};
pub use answer::{Answer, Coverage, GivesWay, How, Offer, Outcome, Price, Relaxations};
pub use estimate::{Estimator, LevelImportance, LevelTable};
pub use histogram::{Histogram, Rows};
pub use index::IndexKey;
pub use negotiator::Negotiator;
pub use node_prices::NodePrices;
pub use request::{Quality, Request, Search, acceptable_levels, budget};
pub use study::{HeightSummary, suppression_by_height, suppression_by_node};
