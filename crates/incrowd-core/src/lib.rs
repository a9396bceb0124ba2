//! Decides how a table about people may be published.
//!
//! The core opens no files, prints nothing and uses no thread pool. Rows reach it as [`table::RowBatch`]es and leave as
//! counts ([`counts::CountedTable`]); everything after that runs on the distinct tuples, never on rows. An algorithm
//! proposes a recoding; [`publish`] checks the proposal with independent code, and only then is there a release that a
//! writer accepts.
//!
//! Modules may use only what stands beside or left of them:
//! `card draw error numbers | chance risk table hierarchy registry | lattice | counts | privacy utility | recode | problem | algorithms | publish |
//! advisor negotiate`.
#![forbid(unsafe_code)]

pub mod advisor;
pub mod algorithms;
pub mod card;
pub mod chance;
pub mod counts;
pub mod draw;
pub mod error;
pub mod hierarchy;
pub mod lattice;
pub mod negotiate;
mod numbers;
pub mod privacy;
pub mod problem;
pub mod publish;
pub mod recode;
pub mod registry;
pub mod risk;
pub mod table;
pub mod utility;

pub use error::Error;
