//! Any bytes are a hierarchy or refused, and a hierarchy survives being written and read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| incrowd_fuzz_laws::hierarchy(bytes));

#[path = "../laws.rs"]
mod incrowd_fuzz_laws;
