//! What it takes to publish a table whose combinations do not fit in the memory they may take.

use super::{MEBIBYTE, strangers_release_job};
use crate::census::SEED;
use crate::job;
use crate::report::{Report, Table, grouped, short};
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::BufWriter;

/// As shares of what the finished table takes; none for no limit.
const SHARES: [Option<f64>; 4] = [None, Some(1.0), Some(0.5), Some(0.125)];

/// The finished table takes so many bytes for each combination.
const BYTES_EACH: f64 = 12.0;

const THREADS: [usize; 2] = [1, 2];

pub(super) fn run(rows: u64, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir().context("making a folder for the tables")?;
    let path = folder.path().join("strangers.csv");
    let mut file = BufWriter::new(File::create(&path)?);
    incrowd_testkit::strangers(rows, SEED, &mut file)?;
    drop(file);
    report.paragraph(&format!(
        "A whole job on the *strangers*: {} rows, 7 columns, k = 5, CSV of {:.0} MiB, in the page cache, by the memory that combinations may \
         take. Temporary files are in the folder of the system. *Own memory* is what the system cannot drop; the rest of the peak is files that are mapped.",
        grouped(rows),
        std::fs::metadata(&path)?.len() as f64 / MEBIBYTE,
    ));
    let output = folder.path().join("release.csv");
    let mut table = Table::new([
        "limit", "threads", "read s", "solve s", "write s", "CPU s", "own MiB", "peak MiB", "found",
    ]);
    let mut releases = Vec::new();
    for share in SHARES {
        for threads in THREADS {
            let mut job = strangers_release_job(&path, &output, threads);
            let limit = share.map(|share| (share * BYTES_EACH * rows as f64 / 1e6).ceil());
            let limit = limit.map(|megabytes| format!("{megabytes}M"));
            job.search.memory_limit = limit.as_deref().map(str::parse).transpose()?;
            let (outcome, usage) = job::anonymize(&job)?;
            std::fs::remove_file(&output)?;
            let (seconds, checked) = (&outcome.seconds, outcome.lattice.checked);
            let hash = outcome
                .output
                .map(|output| output.sha256)
                .unwrap_or_default();
            let own = usage.peak_own_memory;
            let limit = limit.unwrap_or_else(|| "none".to_owned());
            table.row([
                limit.clone(),
                threads.to_string(),
                short(seconds.read),
                short(seconds.solve),
                short(seconds.write),
                short(usage.cpu.as_secs_f64()),
                own.map_or_else(
                    || "?".to_owned(),
                    |own| format!("{:.0}", own as f64 / MEBIBYTE),
                ),
                format!("{:.0}", usage.peak_memory as f64 / MEBIBYTE),
                format!(
                    "{} rows, {} nodes checked, SHA-256 {}...",
                    outcome.rows_out,
                    checked,
                    hash.get(..12).unwrap_or_default()
                ),
            ]);
            let case = format!("{rows} strangers, limit {limit}, {threads} threads");
            let key = ("rows", case.as_str(), "incrowd");
            report.fact(key, "cpu_s", usage.cpu.as_secs_f64());
            report.fact(key, "peak_bytes", usage.peak_memory);
            if let Some(own) = own {
                report.fact(key, "peak_own_bytes", own);
            }
            releases.push((hash, checked));
        }
    }
    ensure!(
        releases.windows(2).all(|pair| pair[0] == pair[1]),
        "not all releases are the same: {releases:?}"
    );
    report.table(&table);
    Ok(())
}
