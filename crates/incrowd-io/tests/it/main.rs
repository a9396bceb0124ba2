//! Files in and out. One program: linking one for each file takes longer than running them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arrow;
mod errors;
mod parquet;
mod parquet_pages;
mod parquet_threads;
mod parquet_types;
mod properties;
mod reading_csv;
mod release_text;
mod support;
mod writing;
