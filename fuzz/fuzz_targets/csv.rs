//! Any bytes are read or refused, and what is read is what the csv crate reads.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| incrowd_fuzz_laws::csv(bytes));

#[path = "../laws.rs"]
mod incrowd_fuzz_laws;
