//! How easily people in a table are found: what the sizes of its classes say.
//!
//! An attacker who knows somebody's quasi-identifiers and that the person is in the table (the *prosecutor*) picks one of
//! the rows of a class; one who knows a register of the whole population (the *journalist*) picks one of the people there
//! who match. [`Reidentification`] is about both. Who is alone in a table may still have a double in the population;
//! [`PopulationUniques`] estimates how many have none, by three models from the literature.
//!
//! Everything here runs on [`ClassSizes`], the number of classes of every size, so it does not matter how many rows
//! there are. Nothing is guessed: where a model has no answer, [`NoEstimate`] says why.
//!
//! ```
//! use incrowd_core::risk::{ClassSizes, PopulationUniques, Reidentification};
//! // Three people who are alone, and a class of three.
//! let sizes = ClassSizes::of([1, 1, 1, 3]);
//! let risk = Reidentification::of_prosecutor(&sizes, 0.5);
//! assert_eq!((risk.highest, risk.average, risk.rows_above), (1.0, 4.0 / 6.0, 3));
//! let uniques = PopulationUniques::estimate(&sizes, 60);
//! assert!(uniques.zayatz.unwrap() > 0.0);
//! ```

mod class_sizes;
mod estimate;
mod no_estimate;
mod pitman;
mod reidentification;
mod root;
mod slide_negative_binomial;
mod sums;
#[cfg(test)]
mod tests;
mod zayatz;

pub use class_sizes::ClassSizes;
pub use estimate::PopulationUniques;
pub use no_estimate::NoEstimate;
pub use reidentification::Reidentification;
