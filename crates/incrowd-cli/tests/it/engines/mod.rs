//! Tables in databases: real engines, started for the tests.

mod engine;
mod hostile;
mod suite;

#[cfg(feature = "duckdb")]
mod duckdb_faults;
#[cfg(feature = "duckdb")]
mod duckdb_file;
#[cfg(feature = "postgres")]
mod postgres_faults;
#[cfg(feature = "postgres")]
mod postgres_server;
#[cfg(feature = "spark")]
mod proxy;
#[cfg(feature = "spark")]
mod spark_faults;
#[cfg(feature = "spark")]
mod spark_server;
