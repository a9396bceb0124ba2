//! Which table is worked on: one that the server was started with, one that was uploaded, or the bundled example.

use crate::data_folder::{DataFolder, create_file, create_private, remove, settle};
use crate::error::{Error, Failure};
use crate::table_folders::TableFolders;
use incrowd_job::{HierarchySource, Inspection, Job, Others, ProposedRole};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::{Path, PathBuf};

/// What is known of a table once it was inspected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableKnown {
    /// The name of its file.
    pub(crate) name: String,
    pub(crate) rows: u64,
    pub(crate) columns: Vec<ColumnKnown>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnKnown {
    pub(crate) name: String,
    /// `number`, `date` or `text`.
    pub(crate) kind: String,
    pub(crate) role: ColumnRole,
}

/// What the curator says a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ColumnRole {
    Identifying,
    QuasiIdentifying,
    Sensitive,
    Target,
    /// Published as it is.
    Keep,
    /// Not published.
    Drop,
}

impl TableKnown {
    /// What an inspection found. Roles of the job win over those proposed.
    pub(crate) fn of(name: String, inspection: &Inspection, job: &Job) -> Self {
        let columns = inspection.columns.iter().map(|column| ColumnKnown {
            name: column.name.clone(),
            kind: column.kind.clone(),
            role: role_in(job, &column.name).unwrap_or(match column.role {
                ProposedRole::Identifying => ColumnRole::Identifying,
                ProposedRole::QuasiIdentifying => ColumnRole::QuasiIdentifying,
                ProposedRole::Sensitive => ColumnRole::Sensitive,
                ProposedRole::Plain => match job.columns.others {
                    Some(Others::Keep) => ColumnRole::Keep,
                    _ => ColumnRole::Drop,
                },
            }),
        });
        TableKnown {
            name,
            rows: inspection.rows,
            columns: columns.collect(),
        }
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

fn role_in(job: &Job, column: &str) -> Option<ColumnRole> {
    let columns = &job.columns;
    let lists = [
        (&columns.identifying, ColumnRole::Identifying),
        (&columns.quasi_identifiers, ColumnRole::QuasiIdentifying),
        (&columns.sensitive, ColumnRole::Sensitive),
        (&columns.target, ColumnRole::Target),
        (&columns.keep, ColumnRole::Keep),
    ];
    let has = |list: &Option<Vec<String>>| list.iter().flatten().any(|name| name == column);
    let found = lists.iter().find(|(list, _)| has(list));
    // If the job names any quasi-identifiers, it has said what it has to say.
    let is_said = columns.quasi_identifiers.is_some();
    found.map(|(_, role)| *role).or(match columns.others {
        Some(Others::Drop) if is_said => Some(ColumnRole::Drop),
        Some(Others::Keep) if is_said => Some(ColumnRole::Keep),
        _ => None,
    })
}

/// Writes the roles of a table into its job. Quasi-identifiers are in the order given, then in that of the table.
pub(crate) fn say_roles(job: &mut Job, table: &TableKnown, order: &[String]) {
    let of_role = |role: ColumnRole| -> Option<Vec<String>> {
        let columns = table.columns.iter().filter(|column| column.role == role);
        let names: Vec<String> = columns.map(|column| column.name.clone()).collect();
        (!names.is_empty()).then_some(names)
    };
    let mut quasi_identifiers = of_role(ColumnRole::QuasiIdentifying).unwrap_or_default();
    let place = |name: &String| order.iter().position(|other| other == name);
    quasi_identifiers.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    job.columns.quasi_identifiers = Some(quasi_identifiers);
    job.columns.identifying = of_role(ColumnRole::Identifying);
    job.columns.sensitive = of_role(ColumnRole::Sensitive);
    job.columns.target = of_role(ColumnRole::Target);
    job.columns.keep = of_role(ColumnRole::Keep);
    job.columns.others = Some(Others::Drop);
}

/// The job of a table that a path names: a file, or a folder with one table and perhaps `hierarchies/`.
pub(crate) fn of_path(path: &Path) -> Result<Job, Error> {
    let mut job = Job::default();
    let path = std::path::absolute(path).map_err(|error| Error::folder("read", path, &error))?;
    let file = match path.is_dir() {
        false => path,
        true => {
            let hierarchies = path.join("hierarchies");
            job.columns.hierarchies = hierarchies.is_dir().then_some(hierarchies);
            only_table(&path)?
        }
    };
    job.data.path = Some(file.to_string_lossy().into_owned());
    Ok(job)
}

/// How names of tables end.
const ENDINGS: [&str; 4] = [".csv", ".csv.gz", ".tsv", ".parquet"];

fn only_table(folder: &Path) -> Result<PathBuf, Error> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| Error::folder("read", folder, &error))?;
    let is_table = |path: &PathBuf| {
        let name = path.to_string_lossy().to_lowercase();
        path.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    let mut tables: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    tables.retain(is_table);
    match tables.len() {
        1 => Ok(tables.remove(0)),
        found => Err(Error::TablesInFolder {
            path: folder.to_owned(),
            tables: found,
        }),
    }
}

/// A file name of our own making for a name that somebody else chose: letters, digits, `.`, `_`, `-`, and an ending that
/// says what it is.
pub(crate) fn safe_name(given: &str, is_parquet: bool) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut name: String = (last.chars())
        .map(|letter| match letter {
            letter if letter.is_ascii_alphanumeric() || "._-".contains(letter) => letter,
            _ => '_',
        })
        .take(100)
        .collect();
    let rest = name.trim_start_matches(['.', '-']).to_owned();
    name = if rest.is_empty() {
        "table".into()
    } else {
        rest
    };
    let lower = name.to_lowercase();
    let fits = match is_parquet {
        true => lower.ends_with(".parquet"),
        false => ENDINGS[..3].iter().any(|ending| lower.ends_with(ending)),
    };
    match (fits, is_parquet) {
        (true, _) => name,
        (false, true) => name + ".parquet",
        (false, false) => name + ".csv",
    }
}

/// A table that is being received. It is in no state until [`Incoming::keep`].
#[derive(Debug)]
pub(crate) struct Incoming {
    folder: PathBuf,
    part: PathBuf,
    pub(crate) file: File,
}

impl Incoming {
    /// Begins a folder for a table with this number.
    pub(crate) fn begin(data: &DataFolder, number: u64) -> Result<Self, Error> {
        let folder = data.tables().join(number.to_string());
        remove(&folder)?;
        create_private(&folder)?;
        let part = folder.join("incoming.part");
        let file = create_file(&part).map_err(|error| Error::folder("write", &part, &error))?;
        Ok(Incoming { folder, part, file })
    }

    /// Gives the table its name; the file is whole.
    pub(crate) fn keep(self, name: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(name);
        let kept = self.file.sync_all();
        let kept = kept.and_then(|()| std::fs::rename(&self.part, &path));
        kept.map_err(|error| Error::folder("write", &path, &error))?;
        settle(&self.folder)?;
        Ok(path)
    }

    /// Takes away what was received.
    pub(crate) fn drop_it(self) -> Result<(), Error> {
        remove(&self.folder)
    }
}

/// The greatest number of a folder that a table is or was in.
pub(crate) fn last_folder(data: &DataFolder) -> u64 {
    let entries = std::fs::read_dir(data.tables())
        .into_iter()
        .flatten()
        .flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.max().unwrap_or(0)
}

/// Removes uploaded tables and hierarchies that the job does not read, but none that is held. Only now that another table was
/// read whole.
pub(crate) fn forget_others(data: &DataFolder, job: &Job, folders: &TableFolders) {
    let table = job.data.path.as_deref().map(PathBuf::from);
    let hierarchies = job.hierarchies.values().filter_map(|source| match source {
        HierarchySource::File(path) => Some(path.clone()),
        _ => None,
    });
    let read: Vec<PathBuf> = table.into_iter().chain(hierarchies).collect();
    let Ok(entries) = std::fs::read_dir(data.tables()) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let number = path
            .file_name()
            .and_then(|name| name.to_str()?.parse().ok());
        let is_held = number.is_some_and(|number| folders.is_held(number));
        if !is_held && !read.iter().any(|read| read.starts_with(&path)) {
            // A folder that cannot be removed now is removed with the next table.
            let _ = remove(&path);
        }
    }
}

/// The files of the bundled example, below its folder.
const CLINIC: [(&str, &[u8]); 3] = [
    (
        "clinic.csv",
        include_bytes!("../../../data/clinic/clinic.csv"),
    ),
    (
        "hierarchies/age.csv",
        include_bytes!("../../../data/clinic/hierarchies/age.csv"),
    ),
    (
        "hierarchies/zip.csv",
        include_bytes!("../../../data/clinic/hierarchies/zip.csv"),
    ),
];

/// The name of the bundled example.
pub(crate) const EXAMPLE: &str = "clinic";

/// Writes the bundled example into the data folder; its job.
pub(crate) fn write_example(data: &DataFolder, number: u64) -> Result<Job, Error> {
    let folder = data.tables().join(number.to_string());
    remove(&folder)?;
    create_private(&folder.join("hierarchies"))?;
    for (name, bytes) in CLINIC {
        crate::data_folder::write_whole(&folder.join(name), bytes)?;
    }
    of_path(&folder)
}

/// The name under which people know a table: that of its file.
pub(crate) fn name_of(job: &Job) -> String {
    let path = Path::new(job.data.path.as_deref().unwrap_or_default());
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.unwrap_or_default().into_owned()
}

/// The text of a header that is percent-encoded.
pub(crate) fn percent_decoded(text: &str) -> Result<String, Failure> {
    let wrong = || Failure::bad_request("the header `x-file-name` is not percent-encoded UTF-8");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            let digit = rest.next().and_then(|byte| char::from(byte).to_digit(16));
            digit.ok_or_else(wrong)
        };
        let value = digit()? << 4 | digit()?;
        bytes.push(value as u8);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_folder_or_steers_anything() {
        let names = [
            ("adult.csv", "adult.csv"),
            ("../../etc/passwd", "passwd.csv"),
            ("..", "table.csv"),
            ("", "table.csv"),
            ("C:\\data\\patients 2024.CSV", "patients_2024.CSV"),
            (".bashrc", "bashrc.csv"),
            ("a\0b\n.csv.gz", "a_b_.csv.gz"),
            ("--output=x.tsv", "output_x.tsv"),
            ("données.csv", "donn_es.csv"),
        ];
        for (given, kept) in names {
            assert_eq!(safe_name(given, false), kept, "{given:?}");
        }
        assert_eq!(safe_name("t.csv", true), "t.csv.parquet");
        assert_eq!(safe_name(&"x".repeat(1000), true).len(), 108);
    }

    #[test]
    fn percent_signs_are_decoded_or_refused() {
        assert_eq!(percent_decoded("a%20%C3%A9.csv").unwrap(), "a é.csv");
        for wrong in ["%", "%4", "%zz", "%ff"] {
            assert!(percent_decoded(wrong).is_err(), "{wrong}");
        }
    }
}
