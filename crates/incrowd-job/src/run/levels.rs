//! Building, checking and showing the levels of one column.

use crate::error::Error;
use crate::report::outcome::VERSION;
use crate::run::control::Control;
use crate::run::files;
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::input::{self, CountPass};
use crate::run::plan::find_column;
use crate::run::unchanged::ColumnCounter;
use crate::spec::{HierarchySource, Job, Unlisted};
use incrowd_core::counts::{CountEngine, RowCounter};
use incrowd_core::hierarchy::{Group, Hierarchy};
use incrowd_core::lattice::Level;
use incrowd_io::write_atomically;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The levels of a column, for people and programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelsReport {
    /// [`VERSION`].
    pub version: u32,
    /// The column, or a placeholder.
    pub column: String,
    /// The file, the rule, or the rule chosen.
    pub from: String,
    /// Why the rule was chosen.
    pub reason: Option<String>,
    /// Raw values listed.
    pub values: u64,
    /// Every level, raw values first.
    pub levels: Vec<LevelReport>,
    /// How the file fits the data, if it was compared with them.
    pub against_data: Option<AgainstData>,
}

/// One level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelReport {
    /// Its number.
    pub level: u8,
    /// Its name.
    pub name: String,
    /// How many groups it has.
    pub groups: u64,
    /// The first few groups.
    pub examples: Vec<String>,
}

/// How a hierarchy fits the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstData {
    /// Distinct values of the column.
    pub distinct: u64,
    /// Rows with a value that is not listed.
    pub rows_unlisted: u64,
    /// The values that are not listed, in byte order. The user asked for them.
    pub unlisted: Vec<String>,
    /// Values listed that no row has.
    pub unused: u64,
}

/// The values of one column of the job's table, with their rows.
fn values_of(job: &Job, column: &str, control: &Control) -> Result<Vec<(String, u32)>, Error> {
    let source = input::source(job, control)?;
    let reader = source.open()?;
    let at = find_column(
        &source.name(),
        reader.columns(),
        column,
        "the column asked for",
    )?;
    let mut counter = RowCounter::new(reader.columns(), &[at], &[]);
    let columns = ColumnCounter::default();
    CountPass::new(job, &*source, reader, columns, control).count(&mut counter)?;
    let values = counter.values(0, &input::missing(job)).into_iter();
    Ok(values.map(|(text, rows)| (text.to_owned(), rows)).collect())
}

fn borrowed(values: &[(String, u32)]) -> Vec<(&str, u32)> {
    values
        .iter()
        .map(|(text, rows)| (text.as_str(), *rows))
        .collect()
}

/// Builds the levels of a column of the job's table: as the job says, or as the data suggests.
pub fn build_levels(job: &Job, column: &str, control: &Control) -> Result<ColumnHierarchy, Error> {
    let values = values_of(job, column, control)?;
    hierarchies::of_column(job, column, &borrowed(&values))
}

/// Reads a hierarchy file, and compares it with a column of the job's table if one is named.
pub fn check_levels(
    job: &Job,
    path: &Path,
    column: Option<&str>,
    control: &Control,
) -> Result<(ColumnHierarchy, Option<AgainstData>), Error> {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let name = column.map(str::to_owned).or(stem).unwrap_or_default();
    let Some(column) = column.filter(|_| job.data.path.is_some() || job.data.table.is_some())
    else {
        let levels = ColumnHierarchy {
            hierarchy: hierarchies::load(&name, path, None)?,
            from: path.display().to_string(),
            reason: None,
        };
        return Ok((levels, None));
    };
    let values = values_of(job, column, control)?;
    let source = HierarchySource::File(path.to_owned());
    let values = borrowed(&values);
    let levels = hierarchies::resolve(column, &source, &values, Unlisted::Refuse)?;
    let is_listed = |text: &str| levels.hierarchy.leaf(text).is_some();
    let unlisted = values.iter().filter(|(text, _)| !is_listed(text));
    let rows_unlisted = unlisted.clone().map(|&(_, rows)| u64::from(rows)).sum();
    let mut unlisted: Vec<String> = unlisted.map(|&(text, _)| text.to_owned()).collect();
    unlisted.sort_unstable();
    let used = values.len() - unlisted.len();
    let against = AgainstData {
        distinct: values.len() as u64,
        rows_unlisted,
        unlisted,
        unused: (levels.hierarchy.leaves() - used) as u64,
    };
    Ok((levels, Some(against)))
}

/// Writes the hierarchy of a job as CSV; an existing file is overwritten only with `force`, and never one that the job
/// reads.
pub fn write_levels(
    job: &Job,
    levels: &ColumnHierarchy,
    path: &Path,
    force: bool,
) -> Result<(), Error> {
    let claims = files::claims(job);
    claims.check_write("the hierarchy", path)?;
    if !force && path.is_file() {
        let paths = vec![path.to_owned()];
        return Err(Error::AlreadyExists { paths });
    }
    let text = levels.hierarchy.to_csv();
    write_atomically(&claims, "the hierarchy", path, text.as_bytes())?;
    Ok(())
}

impl LevelsReport {
    /// Describes a hierarchy, with up to `examples` groups of each level.
    pub fn new(column: &str, levels: &ColumnHierarchy, examples: usize) -> Self {
        let hierarchy = &levels.hierarchy;
        LevelsReport {
            version: VERSION,
            column: column.to_owned(),
            from: levels.from.clone(),
            reason: levels.reason.clone(),
            values: hierarchy.leaves() as u64,
            levels: Level::up_to(hierarchy.height())
                .map(|level| level_report(hierarchy, level, examples))
                .collect(),
            against_data: None,
        }
    }
}

fn level_report(hierarchy: &Hierarchy, level: Level, examples: usize) -> LevelReport {
    let groups = hierarchy.groups(level);
    LevelReport {
        level: level.0,
        name: hierarchy.level_name(level).to_owned(),
        groups: groups as u64,
        examples: (0..groups.min(examples) as u32)
            .map(|group| hierarchy.label(level, Group(group)).to_owned())
            .collect(),
    }
}
