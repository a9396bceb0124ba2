//! Tables in databases: real engines, started for the tests.

mod engine;
mod full_disk;
mod hostile;
mod one_form;
mod suite;

#[cfg(feature = "duckdb")]
mod duckdb_faults;
#[cfg(feature = "duckdb")]
mod duckdb_file;
#[cfg(feature = "postgres")]
mod postgres_commit;
#[cfg(feature = "postgres")]
mod postgres_faults;
#[cfg(feature = "postgres")]
mod postgres_limits;
#[cfg(feature = "postgres")]
mod postgres_places;
#[cfg(feature = "postgres")]
mod postgres_server;
#[cfg(any(feature = "postgres", feature = "spark"))]
mod proxy;
#[cfg(feature = "spark")]
mod spark_faults;
#[cfg(feature = "spark")]
mod spark_interrupted;
#[cfg(feature = "spark")]
mod spark_jobs;
#[cfg(feature = "spark")]
mod spark_last_step;
#[cfg(feature = "spark")]
mod spark_paths;
#[cfg(feature = "spark")]
mod spark_server;
