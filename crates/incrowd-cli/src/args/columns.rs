//! The roles of columns, and the hierarchies of their values.

use super::FlagPart;
use super::words::choice;
use clap::Args;
use incrowd_job::{Error, HierarchySource, Job, Others, Unlisted};
use std::path::PathBuf;

/// The roles of the columns.
#[derive(Debug, Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct RoleArgs {
    /// Columns that could be linked with outside knowledge; published generalized. Levels are listed in this order
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    quasi_identifiers: Option<Vec<String>>,
    /// Columns that must not be linked to a person; published unchanged
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Option<Vec<String>>,
    /// Columns that identify a person; dropped
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    identifying: Option<Vec<String>>,
    /// Columns that analysts want to predict; published unchanged
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    target: Option<Vec<String>>,
    /// Columns to publish unchanged, even if they are revealing
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    keep: Option<Vec<String>>,
    /// What to do with columns that have no role [default: refuse to run]. Even with `keep`, columns that identify
    /// people, single them out or reveal a protected column are refused unless --keep names them
    #[arg(long, value_name = "WHAT", value_parser = choice::<Others>(&["keep", "drop"]))]
    others: Option<Others>,
}

/// The hierarchies of values.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hierarchies")]
pub(crate) struct HierarchyArgs {
    /// Folder with a file `<column>.csv` for each hierarchy
    #[arg(long, value_name = "FOLDER")]
    hierarchies: Option<PathBuf>,
    /// Hierarchy of one column (repeatable): column=FILE, or column=RULE with a rule such as interval:5,10,20@17,
    /// quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1, date:month,year, order, countries,
    /// us-states, education, icd10, uk-postcode or suppress
    #[arg(long, value_name = "COLUMN=FILE|RULE")]
    hierarchy: Vec<String>,
    /// What to do with values that the hierarchy of their column does not list [default: refuse]
    #[arg(long, value_name = "WHAT", value_parser = choice::<Unlisted>(&["refuse", "suppress"]))]
    unlisted: Option<Unlisted>,
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
        job.columns.unlisted = self.unlisted;
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
