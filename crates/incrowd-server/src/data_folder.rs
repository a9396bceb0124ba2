//! What is kept between runs: a folder that only its owner can read, whose files appear whole or not at all.

use crate::error::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The folder of one server.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    /// Held as long as the server runs.
    _lock: File,
}

impl DataFolder {
    /// Opens or makes the folder, and removes what a killed server left half-done.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        create_private(path)?;
        let lock_path = path.join("lock");
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(|error| Error::folder("write", &lock_path, &error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(Error::InUse { path });
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::folder("lock", &lock_path, &error));
            }
        }
        let folder = DataFolder {
            path: std::path::absolute(path).map_err(|error| Error::folder("read", path, &error))?,
            _lock: lock,
        };
        for inner in [folder.tables(), folder.proposals(), folder.deals()] {
            create_private(&inner)?;
            remove_leftovers(&inner)?;
        }
        remove_leftovers(&folder.path)?;
        Ok(folder)
    }

    pub(crate) fn tokens(&self) -> PathBuf {
        self.path.join("tokens.json")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path.join("state.json")
    }

    pub(crate) fn audit(&self) -> PathBuf {
        audit_log(&self.path)
    }

    pub(crate) fn tables(&self) -> PathBuf {
        self.path.join("table")
    }

    pub(crate) fn proposals(&self) -> PathBuf {
        self.path.join("proposals")
    }

    pub(crate) fn deals(&self) -> PathBuf {
        self.path.join("deals")
    }
}

/// The audit log of a data folder.
pub(crate) fn audit_log(folder: &Path) -> PathBuf {
    folder.join("audit.jsonl")
}

/// What is not finished ends with this.
pub(crate) const UNFINISHED: &str = ".part";

/// Makes a folder that only its owner can read.
pub(crate) fn create_private(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder
        .create(path)
        .map_err(|error| Error::folder("create", path, &error))
}

/// Makes a file that only its owner can read.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn remove_leftovers(folder: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(folder).map_err(|error| Error::folder("read", folder, &error))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.to_string_lossy().ends_with(UNFINISHED) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Removes a file or folder with everything in it; one that is not there is fine.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::folder("remove", path, &error))
        }
        _ => Ok(()),
    }
}

/// What was renamed stays renamed, even if the power fails.
pub(crate) fn settle(folder: &Path) -> Result<(), Error> {
    // Not every system can synchronize a folder; those that cannot do not need it.
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Error::folder("read", folder, &error))
        }
        _ => Ok(()),
    }
}

/// Writes a file whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    let part = PathBuf::from(name);
    let write = || -> io::Result<()> {
        let mut file = create_file(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(|error| Error::folder("write", path, &error))?;
    settle(path.parent().unwrap_or(Path::new(".")))
}

/// Writes JSON whole or not at all.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value).expect("plain data is always JSON");
    write_whole(path, &text)
}

/// Reads JSON; none if there is no file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::folder("read", path, &error)),
    };
    let value = serde_json::from_slice(&bytes).map_err(|_| Error::Damaged {
        path: path.to_owned(),
    })?;
    Ok(Some(value))
}
