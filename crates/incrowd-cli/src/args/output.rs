//! Where and how the release is written.

use super::FlagPart;
use super::words::choice;
use clap::Args;
use incrowd_job::{Error, Job, Suppressed};
use std::path::PathBuf;

/// Where and how the release is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the release to a .csv, .csv.gz, .tsv or .parquet file, to a new table such as
    /// postgres://user@host/db?table=schema.name, or to - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Replace the table in the database that has the name of the release; without it, such a table is left alone
    #[arg(long)]
    replace: bool,
    /// Write the certificate as JSON, and a readable copy next to it as .txt
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write a page about the release for people: what was asked and done, what is protected and against whom, what was
    /// lost, what else was possible, how to check it. One file that loads nothing and quotes no cell that the release does
    /// not hold. Takes longer, as neighboring requests are also tried
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// How to publish suppressed rows: not at all, or as rows of `*`
    #[arg(long, value_name = "HOW", value_parser = choice::<Suppressed>(&["drop", "star"]))]
    suppressed: Option<Suppressed>,
    /// Write the rows in random order (see --seed), since the original order can reveal who is who. Holds the release
    /// in memory
    #[arg(long)]
    shuffle: bool,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    /// Print the first N rows before and after; this prints cells of your table
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) sample: usize,
    /// Also print the steps that led to the release (algorithms that work step by step)
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// Whether a release must be safe to open in a spreadsheet.
#[derive(Debug, Args)]
pub(crate) struct SpreadsheetArgs {
    /// In CSV, put an apostrophe before cells that a spreadsheet would treat as formulas: those that begin with =, +, -
    /// or @ and are not numbers
    #[arg(long, help_heading = "Output")]
    spreadsheet_safe: bool,
}

impl FlagPart for OutputArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.output.path.clone_from(&self.output);
        job.output.replace = self.replace.then_some(true);
        job.output.certificate.clone_from(&self.certificate);
        job.output.report.clone_from(&self.report);
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
