//! DuckDB, by its own library as an ADBC driver.
//!
//! A transaction of DuckDB sees one state of the file from its first statement to its COMMIT, and everything that is created
//! disappears with it. The library is found by name; it is not part of this program.

mod connection;
mod dialect;
mod file;

pub(crate) use file::{Access, connect, place};
