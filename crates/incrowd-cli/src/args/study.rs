//! `incrowd study`.

use super::FlagPart;
use super::request::RequestArgs;
use super::search::ThreadArgs;
use clap::Args;
use incrowd_job::{Error, Job};
use std::path::PathBuf;

/// How do suppression, height and privacy trade off? Tables and pictures over all choices of levels
///
/// For each parameter (such as k = 3, 10 and 25) and each height, which is the sum of the levels of all columns:
/// how many rows must be left out at least, on average and at most. Reads the table once and publishes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd study adult.csv -q age,race,sex
  incrowd study adult.csv -q age,race,sex --parameters 2,5,10,50 --importance
  incrowd study adult.csv -q age,race,sex -s salary-class --privacy distinct-l-diversity \\
      --parameters 2 --plot pictures/ --max-suppressed 1%")]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// The parameters to study, such as 3,10,25. Models may be named without one, as in --privacy k-anonymity
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "What to study"
    )]
    pub(crate) parameters: Option<Vec<String>>,
    /// Study generalization schemes instead: the time and cost of optimal partitions by scheme, k and number of
    /// columns, bottom-up against top-down, and what each way to search less saves
    #[arg(long, conflicts_with = "importance", help_heading = "What to study")]
    pub(crate) schemes: bool,
    /// With --schemes: put the numbers of a column in steps first, as in age=5@17
    #[arg(
        long,
        value_name = "STEPS",
        value_delimiter = ',',
        requires = "schemes",
        help_heading = "What to study"
    )]
    coarse: Option<Vec<String>>,
    /// How long reading the table may take, and how long the study after it. With --schemes it is each search that may
    /// take as long, 5s when not given
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        help_heading = "What to study"
    )]
    time_limit: Option<String>,
    /// Also tell how much each level of each column groups
    #[arg(long, help_heading = "What to study")]
    pub(crate) importance: bool,
    /// Write pictures to this folder: suppression by height, the curve of a node (that of --max-levels if
    /// given), and the lattice if it is small, each with the budget: --max-suppressed, or 1% when not given
    #[arg(long, value_name = "FOLDER", help_heading = "What to study")]
    pub(crate) plot: Option<PathBuf>,
    /// Print the tables as CSV
    #[arg(long, conflicts_with = "json", help_heading = "Answers")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl StudyArgs {
    /// The parameters as class sizes.
    pub(crate) fn class_sizes(&self) -> Result<Option<Vec<u32>>, Error> {
        let size = |text: &String| {
            let size = text.trim().parse::<u32>().ok().filter(|size| *size > 0);
            size.ok_or_else(|| Error::ClassSize { text: text.clone() })
        };
        let given = self.parameters.as_ref();
        given
            .map(|texts| texts.iter().map(size).collect())
            .transpose()
    }
}

impl FlagPart for StudyArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        if let Some(steps) = &self.coarse {
            job.search.settings.set("coarse", steps.clone());
        }
        let limit = self.time_limit.as_deref();
        job.search.time_limit = limit.map(str::parse).transpose()?;
        Ok(())
    }
}
