//! What people see: the real program, run on real files. One program: linking one for each file takes longer than running them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod advise;
mod anonymize;
mod bad_input;
mod blank_rows;
mod certificate;
mod classics;
mod compare;
#[cfg(all(unix, any(feature = "postgres", feature = "duckdb", feature = "spark")))]
mod engines;
mod error_codes;
mod evaluate;
mod exposed;
mod generated_docs;
mod given_away;
mod interrupt;
mod kept_columns;
mod look;
mod memory_limit;
mod nasty_input;
mod negotiate;
mod partition;
mod population;
mod reading;
mod readme;
mod regions;
mod release_report;
mod report;
mod research_value;
mod risk;
mod serve;
mod shown;
mod simulate;
mod study;
mod support;
mod survival;
mod threads;
mod verify;
mod whole_release;
mod writing;
