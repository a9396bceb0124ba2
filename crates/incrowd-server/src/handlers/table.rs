//! The table, its roles and its levels.

use crate::analyst::{Mask, masked_tree};
use crate::call::{Call, Reply};
use crate::error::Failure;
use crate::table::{self, ColumnRole, Incoming};
use crate::table_folders::HeldFolder;
use crate::tokens::Role;
use incrowd_job::{HierarchySource, build_levels};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// More than this is not a hierarchy that a person edits.
const LONGEST_SOURCE: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    name: String,
}

pub(crate) fn example(call: &Call) -> Result<Reply, Failure> {
    let asked: Example = call.json()?;
    if asked.name != table::EXAMPLE {
        return Err(Failure::not_found("example"));
    }
    let folder = call.bench.folders.next();
    let job = table::write_example(&call.bench.data, folder.number)?;
    let loading = call.bench.load(job, Some(folder), Some(Role::Curator))?;
    Reply::json_with(202, &loading)
}

/// What an upload is, by its headers.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) incoming: Incoming,
    folder: HeldFolder,
}

impl Upload {
    /// Begins to receive a table.
    pub(crate) fn begin(
        call: &Call,
        content_type: &str,
        file_name: Option<&str>,
    ) -> Result<Self, Failure> {
        let given = match file_name {
            Some(name) => table::percent_decoded(name)?,
            None => String::new(),
        };
        let is_parquet = content_type == "application/vnd.apache.parquet"
            || (content_type == "application/octet-stream"
                && given.to_lowercase().ends_with(".parquet"));
        let folder = call.bench.folders.next();
        Ok(Upload {
            name: table::safe_name(&given, is_parquet),
            incoming: Incoming::begin(&call.bench.data, folder.number)?,
            folder,
        })
    }

    /// Everything was received.
    pub(crate) fn finish(self, call: &Call) -> Result<Reply, Failure> {
        let path = self.incoming.keep(&self.name)?;
        let job = table::of_path(&path)?;
        let loading = call
            .bench
            .load(job, Some(self.folder), Some(Role::Curator))?;
        Reply::json_with(202, &loading)
    }
}

pub(crate) fn inspection(call: &Call) -> Result<Reply, Failure> {
    let inspection = call.bench.read().inspection.clone();
    let missing = || {
        Failure::new(
            "not-now",
            "the table is not inspected yet",
            "wait until the job that reads it is done",
        )
    };
    Reply::json(&*inspection.ok_or_else(missing)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Roles {
    roles: IndexMap<String, ColumnRole>,
    #[serde(default)]
    order: Vec<String>,
}

pub(crate) fn set_roles(call: &Call) -> Result<Reply, Failure> {
    let asked: Roles = call.json()?;
    let roles: Vec<(String, ColumnRole)> = asked.roles.into_iter().collect();
    Reply::json_with(202, &call.bench.set_roles(&roles, &asked.order)?)
}

/// The quasi-identifier whose column the path names.
fn attribute(call: &Call) -> Result<usize, Failure> {
    let column = usize::try_from(call.number("column")?);
    let column = column.map_err(|_| Failure::not_found("column"))?;
    let counted = call.bench.counted()?;
    let found = counted.columns.iter().position(|at| *at == column);
    found.ok_or_else(|| Failure::not_found("quasi-identifier"))
}

pub(crate) fn levels(call: &Call) -> Result<Reply, Failure> {
    let role = call.role()?;
    let (counted, bounds) = {
        let board = call.bench.read();
        let counted = board.counted.clone().ok_or_else(Failure::not_counted)?;
        (counted, Arc::clone(board.bounds()))
    };
    if role == Role::Analyst {
        call.bench.questions.take()?;
        if !bounds.analyst_sees.hierarchies {
            return Err(crate::handlers::negotiation::not_shown());
        }
    }
    let levels = counted.ground().levels_shown(attribute(call)?);
    let levels = levels.ok_or_else(|| Failure::not_found("quasi-identifier"))?;
    match role {
        Role::Curator => Reply::json(&levels),
        Role::Analyst => {
            let mask = Mask::of_rows(&counted, bounds.mask);
            Reply::json(&masked_tree(&levels, &mask))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    source: Option<String>,
    csv: Option<String>,
}

/// Where levels are to come from.
enum Given {
    Rule(String),
    Csv(String),
}

fn given(call: &Call) -> Result<Given, Failure> {
    let asked: Levels = call.json()?;
    match (asked.source, asked.csv) {
        (Some(source), None) if source.len() <= LONGEST_SOURCE => {
            match HierarchySource::from(source) {
                HierarchySource::Built(rule) => Ok(Given::Rule(rule)),
                // A file of this machine is named on the command line, not over HTTP.
                _ => Err(Failure::bad_request(
                    "`source` must be a rule such as `interval:5,10`; send a file as `csv`",
                )),
            }
        }
        (None, Some(csv)) => Ok(Given::Csv(csv)),
        _ => Err(Failure::bad_request("either `source` or `csv` is needed")),
    }
}

/// The levels of a text, in a file that is gone when this is dropped.
fn in_file(csv: &str) -> Result<(tempfile::NamedTempFile, HierarchySource), Failure> {
    let write = || -> std::io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::Builder::new().suffix(".csv").tempfile()?;
        std::io::Write::write_all(&mut file, csv.as_bytes())?;
        Ok(file)
    };
    let file = write().map_err(|_| Failure::internal())?;
    let source = HierarchySource::File(file.path().to_owned());
    Ok((file, source))
}

pub(crate) fn try_levels(call: &Call) -> Result<Reply, Failure> {
    let given = given(call)?;
    let attribute = attribute(call)?;
    let counted = call.bench.counted()?;
    let (_file, source) = match &given {
        Given::Rule(rule) => (None, HierarchySource::Built(rule.clone())),
        Given::Csv(csv) => {
            let (file, source) = in_file(csv)?;
            (Some(file), source)
        }
    };
    let tried = counted.ground().levels_tried(attribute, &source)?;
    let mut tried = tried.ok_or_else(|| Failure::not_found("quasi-identifier"))?;
    if let Given::Csv(_) = given {
        tried.source = "csv".into();
    }
    Reply::json(&tried)
}

pub(crate) fn set_levels(call: &Call) -> Result<Reply, Failure> {
    let given = given(call)?;
    let (mut job, known) = call.bench.loaded()?;
    let at = usize::try_from(call.number("column")?).unwrap_or(usize::MAX);
    let column = known
        .columns
        .get(at)
        .ok_or_else(|| Failure::not_found("column"))?;
    if column.role != ColumnRole::QuasiIdentifying {
        return Err(Failure::not_found("quasi-identifier"));
    }
    let (kind, text) = match &given {
        Given::Rule(rule) => ("rule", rule),
        Given::Csv(csv) => ("csv", csv),
    };
    let hash: String = (Sha256::digest(text.as_bytes()).iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    // Levels that the table cannot have are refused at once, and not by a job that leaves the table uncounted.
    match call.bench.counted() {
        Ok(counted) if counted.columns.contains(&at) => {
            try_levels(call)?;
        }
        _ => {
            let (_file, source) = match &given {
                Given::Rule(rule) => (None, HierarchySource::Built(rule.clone())),
                Given::Csv(csv) => {
                    let (file, source) = in_file(csv)?;
                    (Some(file), source)
                }
            };
            job.hierarchies.insert(column.name.clone(), source);
            build_levels(&job, &column.name, &incrowd_job::Control::default())?;
        }
    }
    let source = match given {
        Given::Rule(rule) => HierarchySource::Built(rule),
        Given::Csv(csv) => {
            let folder = call.bench.data.tables().join("hierarchies");
            crate::data_folder::create_private(&folder)?;
            let path = folder.join(format!("{at}-{}.csv", &hash[..16]));
            crate::data_folder::write_whole(&path, csv.as_bytes())?;
            HierarchySource::File(path)
        }
    };
    call.bench.audit.grant(
        Some(Role::Curator),
        "hierarchy",
        json!({ "column": column.name, "kind": kind, "sha256": hash }),
    )?;
    Reply::json_with(202, &call.bench.set_levels(&column.name, source)?)
}
