//! What the columns are, and which values may stand for which.

use super::FlagPart;
use super::words::choice;
use clap::Args;
use incrowd_job::{Error, HierarchySource, Job, Others, Unlisted};
use std::path::PathBuf;

/// What the columns are.
#[derive(Debug, Args)]
#[command(next_help_heading = "What the columns are")]
pub(crate) struct RoleArgs {
    /// Columns others could know and join; published generalized, in this order of levels
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    quasi_identifiers: Option<Vec<String>>,
    /// Columns that must not be linked to a person; published as they are
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Option<Vec<String>>,
    /// Columns that name a person; dropped
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    identifying: Option<Vec<String>>,
    /// Columns that analysts predict; published as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    target: Option<Vec<String>>,
    /// Columns to publish as they are, whatever they give away
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    keep: Option<Vec<String>>,
    /// What happens to columns named nowhere; refused when not given. Even with `keep`, columns that name people,
    /// single them out or tell a column to be protected are refused unless --keep names them
    #[arg(long, value_name = "WHAT", value_parser = choice::<Others>(&["keep", "drop"]))]
    others: Option<Others>,
}

/// Which values may stand for which.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which values may stand for which")]
pub(crate) struct HierarchyArgs {
    /// A folder with a file `<column>.csv` for each hierarchy
    #[arg(long, value_name = "FOLDER")]
    hierarchies: Option<PathBuf>,
    /// One hierarchy, repeatable: column=FILE, or column=RULE with a rule such as interval:5,10,20@17,
    /// quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1, date:month,year, order, countries,
    /// us-states, education, icd10, uk-postcode or suppress
    #[arg(long, value_name = "COLUMN=FILE|RULE")]
    hierarchy: Vec<String>,
    /// What happens to values that their hierarchy does not list
    #[arg(long, value_name = "WHAT", value_parser = choice::<Unlisted>(&["refuse", "suppress"]))]
    missing: Option<Unlisted>,
}

impl FlagPart for RoleArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let columns = &mut job.columns;
        columns
            .quasi_identifiers
            .clone_from(&self.quasi_identifiers);
        columns.sensitive.clone_from(&self.sensitive);
        columns.identifying.clone_from(&self.identifying);
        columns.target.clone_from(&self.target);
        columns.keep.clone_from(&self.keep);
        columns.others = self.others;
        Ok(())
    }
}

impl FlagPart for HierarchyArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.columns.hierarchies.clone_from(&self.hierarchies);
        job.columns.missing = self.missing;
        for text in &self.hierarchy {
            let (column, source) = text
                .split_once('=')
                .ok_or_else(|| Error::HierarchyFlag { text: text.clone() })?;
            let source = HierarchySource::from(source.to_owned());
            job.hierarchies.insert(column.to_owned(), source);
        }
        Ok(())
    }
}
