//! Any text is a job file or refused with a hint.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| incrowd_fuzz_laws::job(bytes));

#[path = "../laws.rs"]
mod incrowd_fuzz_laws;
