//! What ARX 3.9.2 did on the bundled Adult table, and how long its makers' set takes it.

use crate::adult;
use anyhow::Result;

/// The peer of the search.
pub(crate) const NAME: &str = "ARX 3.9.2";

/// What ARX answered for one problem on the bundled table with the bundled hierarchies.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    quasi_identifiers: String,
    privacy: String,
    max_suppressed_share: f64,
    metric: String,
    pub(crate) loss: f64,
    pub(crate) rows_suppressed: u32,
    pub(crate) nodes_checked: u64,
}

/// Everything ARX was asked.
#[derive(Debug)]
pub(crate) struct Answers(Vec<Answer>);

impl Answers {
    pub(crate) fn read() -> Result<Self> {
        let path = adult::folder().join("reference/arx_on_adult.csv");
        let mut reader = csv::Reader::from_path(path)?;
        let header = reader.headers()?.clone();
        let mut answers = Vec::new();
        for row in reader.records() {
            let row = row?;
            let cell = |name: &str| {
                let at = header.iter().position(|column| column == name);
                at.and_then(|at| row.get(at)).unwrap_or_default()
            };
            if !cell("sensitive").is_empty() || cell("solution") != "yes" {
                continue;
            }
            answers.push(Answer {
                quasi_identifiers: cell("quasi_identifiers").to_owned(),
                privacy: cell("privacy").to_owned(),
                max_suppressed_share: cell("max_suppressed_share").parse()?,
                metric: cell("metric").to_owned(),
                loss: cell("loss").parse()?,
                rows_suppressed: cell("rows_suppressed").parse()?,
                nodes_checked: cell("nodes_checked").parse()?,
            });
        }
        Ok(Answers(answers))
    }

    pub(crate) fn find(
        &self,
        quasi_identifiers: &[&str],
        privacy: &str,
        max_suppressed_share: f64,
        metric: &str,
    ) -> Option<&Answer> {
        let quasi_identifiers = quasi_identifiers.join(" ");
        self.0.iter().find(|answer| {
            answer.quasi_identifiers == quasi_identifiers
                && answer.privacy == privacy
                && answer.max_suppressed_share == max_suppressed_share
                && answer.metric == metric
        })
    }
}

/// The CPU time ARX needs for its own nine-column Adult table (12960 nodes, k = 5, warm, one thread) at a share of
/// suppressed rows, in milliseconds: from the fastest to the slowest metric. Another machine, another lattice.
pub(crate) fn published_cpu_ms(max_suppressed_share: f64) -> Option<(f64, f64)> {
    match max_suppressed_share {
        0.0 => Some((37.0, 37.0)),
        0.05 => Some((1200.0, 1600.0)),
        1.0 => Some((4600.0, 8000.0)),
        _ => None,
    }
}

/// The CPU time ARX needs per node it checks there, in milliseconds.
pub(crate) const PUBLISHED_CPU_MS_PER_NODE: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_by_what_was_asked() {
        let answers = Answers::read().unwrap();
        let six = &adult::QUASI_IDENTIFIERS[..6];
        let answer = answers.find(six, "k-anonymity(k=5)", 0.01, "loss").unwrap();
        assert_eq!(answer.nodes_checked, 337);
        assert_eq!(answer.rows_suppressed, 186);
        assert!(answers.find(six, "k-anonymity(k=5)", 1.0, "loss").is_none());
    }
}
