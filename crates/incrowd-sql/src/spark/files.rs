//! Files of tables and paths: which there are, in which state, and how rows are written to a path.

use super::client::is_lost;
use super::connection::{MESSAGE, SparkConnection};
use super::messages::{
    Answered, Asked, FileSource, Kind, OfPlan, Order, ReadFiles, Relation, Rows, SaveMode,
    WriteFiles,
};
use super::plan::{order, rows_of, sql};
use super::said::{explained, is_path_free, is_without_rows};
use crate::address::{TableName, decoded};
use crate::connection::{DataFile, Found};
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::unique_name;
use std::collections::BTreeMap;

/// A path in one of the forms in which servers write it.
fn plain_path(name: &str) -> String {
    let name = decoded(name).unwrap_or_else(|| name.to_owned());
    name.replacen(":///", ":/", 1)
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtPath {
    Nothing,
    /// At most a directory without files that could be read: Sail does not tell it from nothing.
    NoRows,
    /// Files with rows.
    Rows,
    /// Something that cannot be read.
    Other,
}

impl SparkConnection {
    /// Writes rows to a directory, which the server refuses if there is anything at the path.
    pub(super) fn write_files(&self, query: &str, format: &str, path: &str) -> Result<(), Error> {
        let write = order(Order::Write(WriteFiles {
            input: Some(sql(query)),
            format: Some(format.to_owned()),
            path: path.to_owned(),
            mode: SaveMode::ErrorIfExists.into(),
        }));
        self.run(write, Doing::Publishing, &mut |_| Ok(()))
    }

    /// What is at a path; none only if the server is sure that nothing is.
    pub(super) fn find_path(&self, table: &TableName) -> Result<Option<Found>, Error> {
        Ok(match self.look_at_path(table, true)? {
            AtPath::Nothing => None,
            // Sail looks at the path itself when it writes.
            AtPath::NoRows if self.dialect.is_sail => None,
            AtPath::NoRows | AtPath::Other => Some(Found::Other),
            AtPath::Rows => Some(Found::Table),
        })
    }

    pub(super) fn look_at_path(&self, table: &TableName, can_stop: bool) -> Result<AtPath, Error> {
        let plan = Some(rows_of(&format!(
            "SELECT * FROM {}",
            self.dialect.table(table)
        )));
        let status = match self.analyze(Asked::Schema(OfPlan { plan }), can_stop) {
            Ok(Some(Answered::Schema(found))) => {
                return match found.schema.and_then(|it| it.kind) {
                    Some(Kind::Struct(row)) if !row.fields.is_empty() => Ok(AtPath::Rows),
                    // Sail finds no columns where it finds no files.
                    Some(Kind::Struct(_)) if self.dialect.is_sail => Ok(AtPath::NoRows),
                    Some(Kind::Struct(_)) => Ok(AtPath::Other),
                    _ => Err(self.unexpected(Doing::Preparing)),
                };
            }
            Ok(_) => return Err(self.unexpected(Doing::Preparing)),
            Err(status) => status,
        };
        if is_path_free(&status) {
            return Ok(AtPath::Nothing);
        }
        if is_without_rows(&status) {
            return Ok(AtPath::NoRows);
        }
        match explained(&status, Doing::Preparing, self.dialect.engine()) {
            // It is there, and nothing that could be read.
            Error::Refused { .. } => Ok(AtPath::Other),
            error => Err(error),
        }
    }

    /// The files that a query reads, in order; none if the server does not say.
    pub(super) fn list_files(&self, query: &str) -> Result<Option<Vec<DataFile>>, Error> {
        let plan = Some(rows_of(query));
        match self.analyze(Asked::InputFiles(OfPlan { plan }), true) {
            Ok(Some(Answered::InputFiles(mut found))) => {
                found.files.sort_unstable();
                found.files.dedup();
                let mut states = self.states_of(&found.files)?;
                let files = found.files.into_iter().map(|name| DataFile {
                    state: states.remove(&plain_path(&name)),
                    name,
                });
                Ok(Some(files.collect()))
            }
            Err(status) if is_lost(&status) => {
                Err(explained(&status, Doing::Preparing, self.dialect.engine()))
            }
            // Not every server and not every kind of table knows.
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// The size and the last change of files, by their paths, as far as the server tells. Spark tells it from the listing
    /// alone; Sail would read all bytes of every file for it, and is not asked.
    fn states_of(&self, files: &[String]) -> Result<BTreeMap<String, (u64, String)>, Error> {
        let paths: Vec<String> = files.iter().map(|it| plain_path(it)).collect();
        let bytes: usize = paths.iter().map(String::len).sum();
        let mut found = BTreeMap::new();
        if self.dialect.is_sail || paths.is_empty() || bytes > MESSAGE {
            return Ok(found);
        }
        let source = FileSource {
            format: Some("binaryFile".into()),
            paths,
        };
        let source = Some(source);
        let view = unique_name("files");
        let relation = Relation {
            rows: Some(Rows::Read(ReadFiles { source })),
        };
        let asked = (self.create_view_of(&view, relation, Doing::Preparing)).and_then(|()| {
            let name = self.dialect.quote(&view);
            let query = format!("SELECT path, length, modificationTime FROM {name}");
            self.texts::<3>(self.begin(rows_of(&query), Doing::Preparing, true))
        });
        let dropped = self.drop_view(&view);
        match asked {
            Ok(rows) => {
                for [path, length, changed] in rows {
                    if let Ok(length) = length.parse() {
                        found.insert(plain_path(&path), (length, changed));
                    }
                }
                dropped?;
            }
            Err(error @ (Error::ConnectionLost { .. } | Error::Stopped { .. })) => {
                return Err(error);
            }
            // It may know a name and nothing else, as of a file in a place of its own.
            Err(_) => {}
        }
        Ok(found)
    }
}
