//! The levels of every column: from a file, by a rule, or chosen from the data.

use crate::error::{Error, nearest_names};
use crate::report::outcome::{LevelsFrom, Origin};
use crate::spec::{HierarchySource, Job, Unlisted};
use incrowd_core::hierarchy::{ExtraLeaf, Hierarchy, HierarchySpec, Options, automatic, parse};
use incrowd_core::registry::{Rule, RuleSides};
use incrowd_core::table::{Decimal, Kind};
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::Path;

/// A hierarchy and where it comes from.
#[derive(Debug, Clone)]
pub struct ColumnHierarchy {
    /// The levels.
    pub hierarchy: Hierarchy,
    /// The file, the rule, or the rule chosen.
    pub from: String,
    /// Why the rule was chosen; none if the user gave a file or rule.
    pub reason: Option<String>,
}

impl ColumnHierarchy {
    /// Where the levels come from, for people and programs.
    pub fn origin(&self) -> LevelsFrom {
        LevelsFrom {
            kind: match &self.reason {
                Some(_) => Origin::Automatic,
                None if HierarchySpec::is_meant_by(&self.from) => Origin::Rule,
                None => Origin::File,
            },
            from: self.from.clone(),
            reason: self.reason.clone(),
        }
    }

    /// The same with leaves for values that have none: a missing cell (the empty text) always gets one, other values
    /// that a file does not list only if the job suppresses them. Otherwise counting refuses them with their number and row.
    fn with_leaves_for(mut self, values: &[(&str, u32)], unlisted: Unlisted) -> Self {
        for &(text, _) in values {
            if self.hierarchy.leaf(text).is_some() {
                continue;
            }
            self.hierarchy = match (text.is_empty(), unlisted) {
                (true, _) => self.hierarchy.with_extra_leaf(text, ExtraLeaf::OwnBranch),
                (false, Unlisted::Suppress) => {
                    self.hierarchy.with_extra_leaf(text, ExtraLeaf::Suppressed)
                }
                (false, Unlisted::Refuse) => self.hierarchy,
            };
        }
        self
    }
}

/// The source of a column's levels in the job; none if the job has none.
pub(crate) fn source_of(job: &Job, column: &str) -> Option<HierarchySource> {
    if let Some(source) = job.hierarchies.get(column) {
        return Some(source.clone());
    }
    let path = job
        .columns
        .hierarchies
        .as_ref()?
        .join(format!("{column}.csv"));
    path.is_file().then_some(HierarchySource::File(path))
}

/// Refuses a folder of hierarchies that does not exist; otherwise every column would get levels that the user did not
/// ask for.
pub(crate) fn check_folder(job: &Job) -> Result<(), Error> {
    match &job.columns.hierarchies {
        Some(path) if !path.is_dir() => Err(Error::NoHierarchyFolder { path: path.clone() }),
        _ => Ok(()),
    }
}

/// The levels of a quasi-identifier with these distinct values and their rows.
pub(crate) fn of_column(
    job: &Job,
    column: &str,
    values: &[(&str, u32)],
) -> Result<ColumnHierarchy, Error> {
    check_folder(job)?;
    let unlisted = job.columns.unlisted.unwrap_or_default();
    match source_of(job, column) {
        Some(source) => resolve(column, &source, values, unlisted),
        None => {
            let chosen = chosen(column, values, bounds_of_rules(job, column)?)?;
            Ok(chosen.with_leaves_for(values, unlisted))
        }
    }
}

/// Where rules want the numbers of a column told apart, ascending. Levels chosen from the data are cut there.
fn bounds_of_rules(job: &Job, column: &str) -> Result<Vec<Decimal>, Error> {
    let rules = job.all_rules()?;
    let own = rules.iter().filter(|rule| rule.column == column);
    let bound = |rule: &Rule| match &rule.sides {
        RuleSides::Boundary(_, from) => Decimal::with_sign(from).ok().or_else(|| {
            // Such as 1e3.
            let number: f64 = from.parse().ok()?;
            Decimal::with_sign(&number.to_string()).ok()
        }),
        RuleSides::Values(..) => None,
    };
    let mut bounds: Vec<Decimal> = own.filter_map(bound).collect();
    bounds.sort_unstable();
    bounds.dedup();
    Ok(bounds)
}

/// The levels chosen from the data, cut at the bounds.
fn chosen(
    column: &str,
    values: &[(&str, u32)],
    bounds: Vec<Decimal>,
) -> Result<ColumnHierarchy, Error> {
    let present = values.iter().map(|&(text, _)| text);
    let kind = Kind::of(present.filter(|text| !text.is_empty()));
    let bounds = match kind {
        Kind::Number => bounds,
        _ => Vec::new(),
    };
    let chosen = automatic(column, values, kind)
        .and_then(|chosen| chosen.cut_at(column, values, bounds))
        .map_err(|error| wrong(column, "chosen from the data", error))?;
    Ok(ColumnHierarchy {
        hierarchy: chosen.hierarchy,
        from: chosen.spec.to_string(),
        reason: Some(chosen.reason),
    })
}

/// The levels that `source` gives a column with these distinct values.
pub(crate) fn resolve(
    column: &str,
    source: &HierarchySource,
    values: &[(&str, u32)],
    unlisted: Unlisted,
) -> Result<ColumnHierarchy, Error> {
    let (hierarchy, from, reason) = match source {
        HierarchySource::File(path) => (
            load(column, path, Some(values))?,
            path.display().to_string(),
            None,
        ),
        HierarchySource::Built(text) => {
            let spec: HierarchySpec = text.parse().map_err(|error| wrong(column, text, error))?;
            let built = spec.build(column, values);
            (
                built.map_err(|error| wrong(column, text, error))?,
                text.clone(),
                None,
            )
        }
        HierarchySource::Attached(levels) => (
            Hierarchy::clone(&levels.hierarchy),
            levels.from.clone(),
            levels.reason.clone(),
        ),
    };
    let resolved = ColumnHierarchy {
        hierarchy,
        from,
        reason,
    };
    Ok(resolved.with_leaves_for(values, unlisted))
}

/// The rules that build levels.
const RULES: &[&str] = &HierarchySpec::NAMES;

/// The rule that a file name resembles, as in `intervall:5`.
fn meant_rule(path: &Path) -> Option<String> {
    let (name, parameters) = path.file_name()?.to_str()?.split_once(':')?;
    let rule = nearest_names(name, RULES.iter().copied())
        .into_iter()
        .next()?;
    Some(format!("{rule}:{parameters}"))
}

/// Reads a hierarchy file. The values of the data, if known, distinguish a header from a value.
pub(crate) fn load(
    column: &str,
    path: &Path,
    values: Option<&[(&str, u32)]>,
) -> Result<Hierarchy, Error> {
    let bytes = std::fs::read(path).map_err(|error| match meant_rule(path) {
        Some(rule) if error.kind() == ErrorKind::NotFound => Error::MisspeltRule {
            path: path.to_owned(),
            rule,
        },
        _ => Error::read(path, &error),
    })?;
    let known: Option<HashSet<&str>> =
        values.map(|values| values.iter().map(|&(text, _)| text).collect());
    let is_value = |text: &str| known.as_ref().is_some_and(|known| known.contains(text));
    let mut options = Options::new(column);
    if known.is_some() {
        options = options.with_values(&is_value);
    }
    parse(&bytes, options).map_err(|error| wrong(column, &path.display().to_string(), error))
}

fn wrong(column: &str, from: &str, source: incrowd_core::Error) -> Error {
    Error::Hierarchy {
        column: column.to_owned(),
        from: from.to_owned(),
        source: Box::new(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_rule_is_recognized_and_a_file_is_not_taken_for_one() {
        let meant = |text: &str| meant_rule(Path::new(text));
        assert_eq!(meant("intervall:5,10").unwrap(), "interval:5,10");
        assert_eq!(meant("jobs/maks:2").unwrap(), "mask:2");
        assert_eq!(meant("zip.csv"), None);
        assert_eq!(meant("C:zip.csv"), None);
        assert!(RULES.iter().all(|rule| HierarchySpec::is_meant_by(rule)));
    }
}
