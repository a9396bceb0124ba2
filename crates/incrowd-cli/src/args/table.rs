//! The table a command reads.

use super::FlagPart;
use super::words::choice;
use clap::Args;
use incrowd_job::{Error, Job, MissingCells};
use std::path::PathBuf;

/// The table to read.
#[derive(Debug, Args)]
pub(crate) struct TableArgs {
    /// Table to read: a .csv, .csv.gz, .tsv or .parquet file, a table or query in a database such as
    /// postgres://user@host/db?table=schema.name, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// Job file, as written by `incrowd init`; flags override it
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The format of the table.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input format")]
pub(crate) struct FormatArgs {
    /// Cell separator, such as `;` or `tab` [default: detected]
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<String>,
    /// Quote character around cells that contain delimiters [default: `"`]
    #[arg(long, value_name = "CHAR")]
    quote: Option<String>,
    /// The first line is a data row; columns are named column-1, column-2 and so on
    #[arg(long, conflicts_with = "header")]
    no_header: bool,
    /// The first line holds the column names, even if it looks like a data row
    #[arg(long)]
    header: bool,
    /// Remove whitespace around cells
    #[arg(long)]
    trim: bool,
    /// Texts that mean "no value", such as `?,NA` (besides the empty text)
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    missing_tokens: Option<Vec<String>>,
    /// How to treat missing cells: as a value of their own, as matching any value, or by excluding the row
    #[arg(long, value_name = "MEANING",
        value_parser = choice::<MissingCells>(&["own-value", "match-any", "exclude-row"]))]
    missing_cells: Option<MissingCells>,
}

impl FlagPart for TableArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.data.path.clone_from(&self.data);
        self.format.fill(job)
    }
}

impl FlagPart for FormatArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let parse = |text: &Option<String>| text.as_deref().map(str::parse).transpose();
        job.data.delimiter = parse(&self.delimiter)?;
        job.data.quote = parse(&self.quote)?;
        job.data.header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        job.data.trim = self.trim.then_some(true);
        job.data.missing_tokens.clone_from(&self.missing_tokens);
        job.data.missing_cells = self.missing_cells;
        Ok(())
    }
}
