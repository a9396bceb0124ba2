//! How long it takes to build, write and read a hierarchy of a million values:
//! `cargo run --release -p incrowd-core --example hierarchy_speed`.

use incrowd_core::hierarchy::{HierarchySpec, Options, parse};
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "the times are the result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts: Vec<String> = (0..1_000_000_u64)
        .map(|n| (n * 7_919 % 1_000_003 + 1_000_000).to_string())
        .collect();
    let values: Vec<(&str, u32)> = texts.iter().map(|text| (text.as_str(), 1)).collect();
    for rule in [
        "interval:5,10,100,1000,10000",
        "quantile:64,16,4",
        "mask:1",
        "order",
        "suppress",
    ] {
        let spec: HierarchySpec = rule.parse()?;
        let start = Instant::now();
        let hierarchy = spec.build("c", &values)?;
        let building = start.elapsed();
        let written = hierarchy.to_csv();
        let writing = start.elapsed() - building;
        let read = parse(written.as_bytes(), Options::new("c"))?;
        let reading = start.elapsed() - building - writing;
        let leaves = read.leaves();
        println!(
            "{rule}: {leaves} values built in {building:?}, written in {writing:?}, read in {reading:?}"
        );
    }
    Ok(())
}
