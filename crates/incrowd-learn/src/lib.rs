//! Learns from raw and released rows alike, to tell what a release is still worth.
//!
//! A [`Column`] holds what the cells of a column stand for; [`mod@column`] says how that becomes a feature, once and for
//! all learners. [`CLASSIFIERS`] predict a class, [`LinearRegression`] a number; [`partitioning`] finds the rules that
//! tell most about a class; [`distance()`] and [`association()`] compare columns before and after.
//!
//! ```
//! use incrowd_learn::{CLASSIFIERS, Column, Domain, Meaning, Sample};
//! use std::sync::Arc;
//! let ages = Arc::new(Domain::Numbers((20..60).map(f64::from).collect()));
//! let decades = (0..4).map(|decade| Meaning::of_values(&ages, (decade * 10..decade * 10 + 10).collect()));
//! let released = Column { meanings: decades.collect(), codes: (0..40).map(|row| row / 10).collect(), domain: ages.clone() };
//! let is_old: Vec<u32> = (0..40).map(|row| u32::from(row >= 20)).collect();
//! let rows: Vec<u32> = (0..40).collect();
//! let sample = Sample { features: &[released], classes: &is_old, class_count: 2, rows: &rows };
//! let tree = (CLASSIFIERS[0].learn)(&sample);
//! assert_eq!(tree.predict(&[Column::raw(ages, rows.clone())], &rows), is_old);
//! ```
//!
//! # Why no library
//! What is learned from is not a matrix of numbers: a released cell is a distribution over the values it stands for. A
//! tree must ask for the values that were published as one group as a whole, since it knows nothing about its parts; with a
//! tree that asks for single values, accuracy on raw rows fell from 81.8 % to 74.4 % on a release of Adult. Neither
//! smartcore nor linfa has such a tree, and both want a dense matrix with a column for each value, which a column of
//! postal codes makes tens of thousands wide; here all rows with the same text share one entry, so that time and memory
//! grow with rows and features only. They would also have added 16 and 74 crates. What remains are two convex
//! functions to minimize, in less code than the conversion would take; `benchmarks/evaluate` has the figures, and
//! the comparison with scikit-learn, which these learners agree with.
//!
//! Everything is deterministic: sums are added up in the order of rows, on one thread.
#![forbid(unsafe_code)]

pub mod association;
mod classify;
pub mod column;
pub mod decision_tree;
mod design;
pub mod distance;
mod entropy;
mod folds;
pub mod linear_regression;
pub mod logistic_regression;
pub mod naive_bayes;
pub mod partitioning;
mod solve;
#[cfg(test)]
mod tests;

pub use association::{AssociationMeasure, association};
pub use classify::{CLASSIFIERS, Classifier, Learner, Sample};
pub use column::{Column, Domain, Meaning};
pub use distance::{DistanceMeasure, distance};
pub use folds::folds;
pub use linear_regression::LinearRegression;
