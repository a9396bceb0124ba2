//! The chance that a table can be published as it is, before it exists.
//!
//! Rows are drawn independently of each other, every column by itself or whole combinations at once. The chance asked for
//! is that of k-anonymity without any recoding: every combination that occurs at all occurs at least k times.
//! [`chance`] computes it, [`rows_needed`] turns the question round, and [`Sampler`] tries it out. The last shares nothing
//! with the other two but the distribution and a few elementary functions, so they can be compared.
//!
//! S. Morton, An Improved Utility Driven Approach Towards K-Anonymity Using Data Constraint Rules, simulates binary columns
//! (table 12). The formula is not in the paper.
//!
//! ```
//! use incrowd_core::chance::{Column, Combinations, chance};
//! let three_binary_columns = Combinations::of(&vec![Column::Even(2); 3]).unwrap();
//! let never_stop = || Ok::<(), ()>(());
//! let found = chance(&three_binary_columns, 3, 50, &never_stop).unwrap();
//! assert!((found - 0.702).abs() < 0.001);
//! ```

mod binomial;
mod cell;
mod combinations;
mod complex;
mod formula;
mod poisson;
mod rows_needed;
mod sample;
#[cfg(test)]
mod tests;

pub use combinations::{Column, Combinations};
pub use formula::chance;
pub use rows_needed::{MOST_ROWS, rows_needed};
pub use sample::{Sampler, Tried};
