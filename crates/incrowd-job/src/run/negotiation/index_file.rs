//! The histograms of a lattice, saved in a file between runs.

use super::Ground;
use crate::error::Error;
use crate::run::control::Control;
use crate::run::files;
use crate::run::hierarchies::ColumnHierarchy;
use crate::run::plan::Plan;
use crate::spec::Job;
use incrowd_core::counts::CountedTable;
use incrowd_core::negotiate::{AnnotatedLattice, IndexKey};
use incrowd_io::{Fingerprint, PendingFile};
use sha2::{Digest, Sha256};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Ties an index to what it is made from: every byte of the table, and of its population if there is one, how the bytes are read, the roles of columns,
/// and the levels of every hierarchy.
pub(super) fn key(
    job: &Job,
    plan: &Plan,
    (input, population): (Fingerprint, Option<Fingerprint>),
    hierarchies: &[&ColumnHierarchy],
    table: &CountedTable,
) -> IndexKey {
    let mut reading = job.data.clone();
    reading.path = None;
    let mut data = Hasher::new("incrowd index, data");
    data.add(&input.to_string());
    if let Some(population) = population {
        data.add("population");
        data.add(&population.to_string());
    }
    data.add(&serde_json::to_string(&reading).unwrap_or_default());
    for list in [&plan.quasi_identifiers, &plan.sensitive, &plan.target] {
        data.add(&plan.names_of(list).len().to_string());
        plan.names_of(list).iter().for_each(|name| data.add(name));
    }
    let mut levels = Hasher::new("incrowd index, hierarchies");
    for of in hierarchies {
        levels.add(&of.hierarchy.to_csv());
    }
    for column in &table.columns {
        let hierarchy = column.hierarchy.as_ref();
        levels.add(&hierarchy.map(|of| of.to_csv()).unwrap_or_default());
    }
    IndexKey {
        data: data.0.finalize().into(),
        hierarchies: levels.0.finalize().into(),
    }
}

/// Hashes texts one after another, so that no two lists of texts are the same.
struct Hasher(Sha256);

impl Hasher {
    fn new(purpose: &str) -> Self {
        let mut hasher = Hasher(Sha256::new());
        hasher.add(purpose);
        hasher
    }

    fn add(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }
}

/// An index file that was read, or will be written.
#[derive(Debug)]
pub(super) struct IndexFile {
    path: PathBuf,
    lattice: Option<AnnotatedLattice>,
}

impl IndexFile {
    /// Reads the file if it exists; one that is damaged or made for something else is refused. If it does not exist,
    /// checks before the long run that it can be written.
    pub(super) fn open(path: &Path, ground: &Ground, control: &Control) -> Result<Self, Error> {
        let claims = files::claims(&ground.job);
        claims.check_write("the index", path)?;
        control.check()?;
        let mut index = IndexFile {
            path: path.to_owned(),
            lattice: None,
        };
        match std::fs::read(path) {
            Ok(bytes) => {
                let lattice = AnnotatedLattice::from_bytes(&bytes, &ground.key);
                let lattice = lattice.map_err(|error| index.refusal(error))?;
                if *lattice.lattice() != ground.table.lattice()
                    || lattice.rows() != ground.table.rows
                {
                    return Err(index.refusal(incrowd_core::Error::IndexStale { what: "table" }));
                }
                index.lattice = Some(lattice);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Dropped at once: it only shows that the folder is writable.
                PendingFile::create(&claims, "the index", path)?;
            }
            Err(error) => return Err(Error::read(path, &error)),
        }
        Ok(index)
    }

    /// What the file holds.
    pub(super) fn lattice(&self) -> Option<&AnnotatedLattice> {
        self.lattice.as_ref()
    }

    /// Adds histograms to the file and returns everything it holds now.
    pub(super) fn add(
        &mut self,
        made: AnnotatedLattice,
        ground: &Ground,
    ) -> Result<AnnotatedLattice, Error> {
        let all = match self.lattice.take() {
            Some(known) => known.merge(made).map_err(|error| self.refusal(error))?,
            None => made,
        };
        let file = PendingFile::create(&files::claims(&ground.job), "the index", &self.path)?;
        file.publish(&all.to_bytes(&ground.key))?;
        self.lattice = Some(all.clone());
        Ok(all)
    }

    /// An error about the index, with its file.
    pub(super) fn refusal(&self, source: incrowd_core::Error) -> Error {
        Error::Index {
            path: self.path.clone(),
            source: Box::new(source),
        }
    }
}
