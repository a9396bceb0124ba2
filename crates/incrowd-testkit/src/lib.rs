//! Shared code of incrowd's tests; never published.
//!
//! - [`oracle`] answers the same questions as the core, row by row and text by text, directly from the formulas. It
//!   shares no code with the core, and it is slow.
//! - [`random`] generates problems that are small enough for the oracle and unusual enough to be interesting.
//! - [`bridge`] converts a problem into the types of the core.
//! - [`decision_tree`] measures how useful a release still is.
//! - [`tiny`] turns a few lines of text into a problem.
//! - [`unchanged`](mod@unchanged) publishes rows as they are, for tests of writers.
//! - [`census`](mod@census) writes files of any length that look like a census, [`strangers`](mod@strangers) files in
//!   which hardly two rows are equal.

pub mod bridge;
pub mod census;
pub mod decision_tree;
pub mod oracle;
pub mod random;
pub mod strangers;
pub mod tiny;
pub mod unchanged;

pub use bridge::Prepared;
pub use census::census;
pub use random::random_problem;
pub use strangers::strangers;
pub use tiny::tiny_problem;
pub use unchanged::unchanged;
