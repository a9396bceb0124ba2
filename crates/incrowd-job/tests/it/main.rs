//! Jobs as callers of the library run them. One program: linking one for each file takes longer than running them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_table;
mod architecture;
mod arrow;
mod certificates;
mod every_release_verifies;
mod fuzz_corpus;
mod input_changed;
mod parquet_threads;
mod parquet_types;
mod research_value;
mod same_bytes;
mod writing_is_guarded;
