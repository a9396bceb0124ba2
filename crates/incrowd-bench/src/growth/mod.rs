//! How a pass over the rows grows with rows, and a search with the nodes of its lattice.
//!
//! Every point is a process of its own, so that its CPU time and peak memory are its own.

mod chart;
mod nodes;
mod rows;

pub(crate) use chart::{draw, has_growth};
pub(crate) use rows::{People, generate};

use crate::report::Report;
use anyhow::Result;

const BENCHMARK: &str = "growth";
const SUBJECT: &str = "incrowd";
const MEBIBYTE: f64 = (1 << 20) as f64;

/// Up to so many rows.
pub(crate) fn run(most_rows: u64, report: &mut Report) -> Result<()> {
    report.heading("Growth");
    rows::run(most_rows, report)?;
    nodes::run(report)
}
