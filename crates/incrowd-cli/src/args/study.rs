//! `incrowd study`.

use super::FlagPart;
use super::request::RequestArgs;
use super::research::ResearchArgs;
use super::search::ThreadArgs;
use clap::Args;
use incrowd_job::{Error, Job};
use std::path::PathBuf;

/// Study how suppression, height and privacy trade off, in tables and plots over all combinations of levels
///
/// For each parameter (such as k = 3, 10 and 25) and each height (the sum of the levels of all columns), shows the
/// minimum, average and maximum number of rows suppressed. Reads the table once and publishes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd study adult.csv -q age,race,sex
  incrowd study adult.csv -q age,race,sex --parameters 2,5,10,50 --importance
  incrowd study adult.csv -q age,race,sex -s salary-class --privacy distinct-l-diversity \\
      --parameters 2 --plot pictures/ --max-suppressed 1%
  incrowd study adult.csv --research-value -q age,education-num,capital-gain,salary-class \\
      --target salary-class --rule 'capital-gain: 7297|7298 = 45' --rule 'age: 27|28 = 25'")]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Parameters to study, such as 3,10,25. Models may then be named without one, as in --privacy k-anonymity
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Study"
    )]
    pub(crate) parameters: Option<Vec<String>>,
    /// Study generalization schemes instead: the time and cost of optimal partitions by scheme, k and number of
    /// columns, bottom-up versus top-down, and what each pruning rule saves
    #[arg(long, conflicts_with = "importance", help_heading = "Study")]
    pub(crate) schemes: bool,
    /// Study which patterns survive instead: finds the rules that tell most about --target in the raw rows, and shows for
    /// several algorithms and k = 3, 5, 10 what their releases still say about them. Needs --rule
    #[arg(long, conflicts_with_all = ["importance", "schemes"], help_heading = "Study")]
    research_value: bool,
    #[command(flatten)]
    pub(crate) research: ResearchArgs,
    /// With --schemes: round the numbers of a column to steps first, as in age=5@17 (steps of 5 from 17)
    #[arg(
        long,
        value_name = "STEPS",
        value_delimiter = ',',
        requires = "schemes",
        help_heading = "Study"
    )]
    coarse: Option<Vec<String>>,
    /// Time limit for reading the table, and again for the study. With --schemes, for each search [default: 5s]
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        help_heading = "Study"
    )]
    time_limit: Option<String>,
    /// Also show how strongly each level of each column merges rows
    #[arg(long, help_heading = "Study")]
    pub(crate) importance: bool,
    /// Write plots to this folder: suppression by height, the curve of one node (the one of --max-levels if given),
    /// and the lattice if it is small, each showing the budget (--max-suppressed, or 1%)
    #[arg(long, value_name = "FOLDER", help_heading = "Study")]
    pub(crate) plot: Option<PathBuf>,
    /// Print the tables as CSV
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl StudyArgs {
    /// Whether the research value is studied: whoever gives rules means that too.
    pub(crate) fn asks_what_survives(&self) -> bool {
        self.research_value || self.research.is_given()
    }

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
