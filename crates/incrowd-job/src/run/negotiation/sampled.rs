//! The first rows of a release that is only thought of.

use super::{Ground, Wish};
use crate::error::Error;
use crate::run::asked::Asked;
use crate::run::control::Control;
use crate::run::counted::max_levels;
use crate::run::second_pass::SecondPass;
use crate::run::unchanged::Measures;
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::utility::Height;
use incrowd_io::RowsSeal;
use serde::Serialize;
use std::sync::Arc;

/// Rows of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampledRelease {
    /// The published columns.
    pub columns: Vec<String>,
    /// The first rows, those suppressed left out.
    pub rows: Vec<Vec<String>>,
    /// Rows that the whole release suppresses.
    pub suppressed: u64,
}

impl Ground {
    /// The first rows of the release of these levels with the promise of a wish. Reads the table as far as necessary;
    /// the release is checked like any other.
    pub fn sampled(
        &self,
        wish: &Wish,
        levels: &[u8],
        rows: usize,
        control: &Control,
    ) -> Result<SampledRelease, Error> {
        let models = [self.model(&wish.spec()?)?];
        let node = max_levels(Some(levels), &self.table)?;
        let mut job = self.job.clone();
        job.privacy.models = Some(vec![wish.spec()?.to_string()]);
        let (asked, reader) = Asked::read(&job, "height", control)?;
        drop(reader);
        let problem = Problem::new(&self.table, &models, &Height).allow_suppressed(self.table.rows);
        let proposal = Proposal {
            recoding: Arc::new(ColumnRecoding::FullDomain(node)),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        };
        let release = publish(&problem, &proposal)?;
        let second_pass = SecondPass {
            job: &job,
            asked: &asked,
            input_seal: RowsSeal::Fingerprint(self.input_hash),
            input_hash: None,
            counted_rows: None,
            control,
            output: None,
            kept: Measures::default(),
        };
        let sample = second_pass.sample(release.map(), rows)?;
        Ok(SampledRelease {
            columns: sample.columns_after,
            rows: sample.after.into_iter().flatten().collect(),
            suppressed: release.rows_suppressed().into(),
        })
    }
}
