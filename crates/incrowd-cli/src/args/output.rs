//! Where the release goes.

use super::FlagPart;
use super::words::choice;
use clap::Args;
use incrowd_job::{Error, Job, Suppressed};
use std::path::PathBuf;

/// Where the release goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where the release goes")]
pub(crate) struct OutputArgs {
    /// The release: a .csv, .csv.gz, .tsv or .parquet file, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// The certificate, as JSON; a readable one is written beside it as .txt
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// What is published of suppressed rows: nothing, or a row of `*`
    #[arg(long, value_name = "HOW", value_parser = choice::<Suppressed>(&["drop", "star"]))]
    suppressed: Option<Suppressed>,
    /// Write rows in another order than they have in the table, drawn with --seed. Rows that stay in their order can
    /// tell who is who. Holds the release in memory
    #[arg(long)]
    shuffle: bool,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    /// Print the first N rows before and after: these are cells of your table
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) sample: usize,
    /// Also print the steps that led to the release, for algorithms that go step by step
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// Whether a release is made for spreadsheets.
#[derive(Debug, Args)]
pub(crate) struct SpreadsheetArgs {
    /// In CSV, an apostrophe stands before cells that a spreadsheet would take for formulas: those that begin with =, +,
    /// - or @ and are no numbers
    #[arg(long, help_heading = "Where the release goes")]
    spreadsheet_safe: bool,
}

impl FlagPart for OutputArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.output.path.clone_from(&self.output);
        job.output.certificate.clone_from(&self.certificate);
        job.output.suppressed = self.suppressed;
        job.output.shuffle = self.shuffle.then_some(true);
        self.spreadsheet.fill(job)
    }
}

impl FlagPart for SpreadsheetArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.output.spreadsheet_safe = self.spreadsheet_safe.then_some(true);
        Ok(())
    }
}
