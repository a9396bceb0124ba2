//! Which patterns of the raw table a release still shows.

use super::comparison::RunFailed;
use super::csv_text::CsvText;
use super::evaluation::RuleBucket;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The result of `study --research-value`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurvivalStudy {
    /// [`VERSION`](super::outcome::VERSION).
    pub version: u32,
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The column that the pattern is about.
    pub target: String,
    /// The pattern in the raw table: the rules that tell most about the target, and their rows.
    pub raw: Vec<RuleBucket>,
    /// One line for each k and algorithm.
    pub rows: Vec<SurvivalRow>,
    /// The plots written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<PathBuf>,
}

/// One release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurvivalRow {
    /// The class size requested.
    pub k: u32,
    /// The algorithm.
    pub algorithm: String,
    /// What became of the pattern; none of the fields is present if nothing was found.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub survived: Option<Survived>,
    /// Why nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<RunFailed>,
}

/// What a release still shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survived {
    /// Its research value.
    pub research_value: f64,
    /// Rules that it keeps.
    pub rules_kept: usize,
    /// Rules that there are.
    pub rules: usize,
    /// Its normalized certainty penalty.
    pub ncp: Option<f64>,
    /// Its classes.
    pub classes: u64,
    /// Rows that are not published.
    pub rows_suppressed: u64,
    /// Seconds of the search.
    pub seconds: f64,
    /// What can still be said of each bucket of the raw table, in their order.
    pub raw_buckets: Vec<BucketSurvived>,
    /// The rules that tell most about the target in the released rows.
    pub buckets: Vec<RuleBucket>,
}

/// What a release still says about a bucket of the raw table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BucketSurvived {
    /// Released rows that are in it whatever their published values stand for.
    pub certain: u64,
    /// Released rows that may be in it.
    pub possible: u64,
    /// Whether some row is in it for certain and of none it is open.
    pub kept: bool,
    /// Of the rows that are in it for certain, those whose target is published.
    pub known: u64,
    /// The share of those that have the class that most rows of the raw bucket have; `null` if there are none.
    pub share: Option<f64>,
}

impl SurvivalStudy {
    /// A line for each release.
    pub fn to_csv(&self) -> String {
        let mut head: Vec<String> = [
            "k",
            "algorithm",
            "research_value",
            "rules_kept",
            "rules",
            "ncp",
            "classes",
            "rows_suppressed",
            "seconds",
        ]
        .map(str::to_owned)
        .to_vec();
        for bucket in 1..=self.raw.len() {
            for figure in ["certain", "possible", "kept", "known", "share"] {
                head.push(format!("bucket_{bucket}_{figure}"));
            }
        }
        head.push("failed".to_owned());
        let columns = head.len();
        let mut text = CsvText::new(&head);
        for row in &self.rows {
            let mut cells = vec![row.k.to_string(), row.algorithm.clone()];
            if let Some(it) = &row.survived {
                cells.extend([
                    it.research_value.to_string(),
                    it.rules_kept.to_string(),
                    it.rules.to_string(),
                    it.ncp.map(|ncp| ncp.to_string()).unwrap_or_default(),
                    it.classes.to_string(),
                    it.rows_suppressed.to_string(),
                    format!("{:.6}", it.seconds),
                ]);
                for bucket in &it.raw_buckets {
                    cells.extend([
                        bucket.certain.to_string(),
                        bucket.possible.to_string(),
                        bucket.kept.to_string(),
                        bucket.known.to_string(),
                        bucket.share.map(|it| it.to_string()).unwrap_or_default(),
                    ]);
                }
            }
            cells.resize(columns - 1, String::new());
            cells.push(match &row.failed {
                Some(failed) => format!("none found: {}", failed.message),
                None => String::new(),
            });
            text.line(&cells);
        }
        text.finish()
    }
}
