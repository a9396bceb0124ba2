//! Which patterns of the raw table releases still show.

use super::page::Page;
use incrowd_job::{BucketSurvived, RuleBucket, SurvivalRow, SurvivalStudy};

/// The report of `study --research-value`.
pub(crate) fn text(study: &SurvivalStudy) -> String {
    let mut page = Page::default();
    page.line(format!(
        "quasi-identifiers {}; target {}",
        study.quasi_identifiers.join(", "),
        study.target
    ));
    page.line("");
    page.line("the pattern in the raw table");
    for (at, bucket) in study.raw.iter().enumerate() {
        page.entry(&format!("bucket {}", at + 1), told(bucket));
    }
    let mut ks: Vec<u32> = study.rows.iter().map(|row| row.k).collect();
    ks.dedup();
    for k in ks {
        page.line("");
        page.line(format!(
            "k = {k}: rows that are certainly in each bucket, and the share of its class (~: for others it is open)"
        ));
        let mut header: Vec<String> = ["algorithm", "value", "rules kept", "ncp", "classes", "ms"]
            .map(str::to_owned)
            .to_vec();
        header.extend((1..=study.raw.len()).map(|at| format!("bucket {at}")));
        let of_k = study.rows.iter().filter(|row| row.k == k);
        let rows: Vec<Vec<String>> = of_k.map(|row| cells(row, study.raw.len())).collect();
        page.table(&header, &rows);
    }
    page.line("");
    page.line("(`--json` also has the rules that tell most in each release)");
    let mut reasons: Vec<&str> = (study.rows.iter())
        .filter_map(|row| Some(row.failed.as_ref()?.message.as_str()))
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    for (at, reason) in reasons.into_iter().enumerate() {
        page.entry(if at == 0 { "reasons" } else { "" }, reason);
    }
    for (at, path) in study.plots.iter().enumerate() {
        page.entry(
            if at == 0 { "plots" } else { "" },
            path.display().to_string(),
        );
    }
    page.0
}

fn told(bucket: &RuleBucket) -> String {
    format!(
        "{}: {} rows, {:.1} % {}",
        bucket.rule,
        bucket.rows,
        100.0 * bucket.share,
        bucket.majority
    )
}

fn cells(row: &SurvivalRow, buckets: usize) -> Vec<String> {
    let Some(it) = &row.survived else {
        let mut cells = vec![row.algorithm.clone(), "none found".to_owned()];
        cells.resize(6 + buckets, String::new());
        return cells;
    };
    let mut cells = vec![
        row.algorithm.clone(),
        format!("{:.4}", it.research_value),
        format!("{} of {}", it.rules_kept, it.rules),
        it.ncp.map(|ncp| format!("{ncp:.4}")).unwrap_or_default(),
        it.classes.to_string(),
        format!("{:.0}", 1e3 * it.seconds),
    ];
    cells.extend(it.raw_buckets.iter().map(survived));
    cells
}

fn survived(bucket: &BucketSurvived) -> String {
    let share = match bucket.share {
        Some(share) if bucket.known == bucket.certain => format!(" {:.1} %", 100.0 * share),
        Some(share) => format!(" {:.1} % of {}", 100.0 * share, bucket.known),
        None => String::new(),
    };
    let open = match bucket.possible - bucket.certain {
        0 => String::new(),
        open => format!(" ~{open}"),
    };
    format!("{}{share}{open}", bucket.certain)
}
