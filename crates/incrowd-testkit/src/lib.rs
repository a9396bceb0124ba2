//! What the tests of incrowd stand on; never published.
//!
//! - [`oracle`] answers the same questions as the core, row by row and text by text, as the formulas are written.
//!   It shares no code with the core, and it is slow.
//! - [`random`] makes problems that are small enough for the oracle and strange enough to be worth it.
//! - [`bridge`] says a problem in the words of the core.
//! - [`decision_tree`] measures what a release is still good for.
//! - [`tiny`] turns a few lines of text into a problem.
//! - [`unchanged`](mod@unchanged) publishes rows as they are, for tests of writers.
//! - [`census`](mod@census) writes files of any length that look like a census.

pub mod bridge;
pub mod census;
pub mod decision_tree;
pub mod oracle;
pub mod random;
pub mod tiny;
pub mod unchanged;

pub use bridge::Prepared;
pub use census::census;
pub use random::random_problem;
pub use tiny::tiny_problem;
pub use unchanged::unchanged;
