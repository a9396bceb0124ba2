//! Tables that live in a database: counted, recoded and published there.
//!
//! incrowd touches rows twice, once to count them and once to write them, and so asks an engine for two things: GROUP BY
//! for the first pass, and a join with mapping tables for the second. Rows do not leave the engine; what crosses the wire
//! are distinct combinations with their counts, and the mapping tables.
//!
//! ```text
//! Address ──> Session (Connection + Dialect) ──> SqlTable, a RowSource:  open, group          first pass
//!                                            └─> SqlSink, a RowSink:     recode, finish       second pass
//! ```
//!
//! A `Dialect` says how an engine writes SQL, a `Connection` runs it.
//! Values and labels never stand in SQL text: they are uploaded as relations. Only names do, quoted.
//!
//! What is written is a draft until it was counted again inside the engine and equals the release that was checked. It
//! becomes visible in the last step, a COMMIT, or a new name where there are no transactions; until then nothing is left
//! behind, whatever goes wrong.
//!
//! Without the feature of an engine, this crate only says which feature is missing.

mod address;
#[cfg(feature = "engine")]
mod column;
#[cfg(feature = "engine")]
mod connection;
#[cfg(feature = "engine")]
mod dialect;
#[cfg(feature = "duckdb")]
mod duckdb;
mod error;
#[cfg(feature = "engine")]
mod group_query;
#[cfg(feature = "engine")]
mod kept;
mod open;
#[cfg(feature = "engine")]
mod place;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "engine")]
mod query_text;
#[cfg(feature = "engine")]
mod recode;
#[cfg(feature = "engine")]
mod recount;
#[cfg(feature = "engine")]
mod relation;
#[cfg(feature = "engine")]
mod relations;
#[cfg(feature = "engine")]
mod session;
#[cfg(feature = "engine")]
mod sink;
#[cfg(feature = "spark")]
mod spark;
#[cfg(feature = "engine")]
mod table;
#[cfg(any(feature = "postgres", feature = "spark"))]
mod wire;

pub use address::{Address, database_file, is_address, resolved, shown, without_secrets};
pub use error::Error;
pub use open::{create, open};
