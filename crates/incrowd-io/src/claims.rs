//! Which files a run reads and writes: none it reads is written, and none is written twice.
//!
//! Nothing in this crate creates a file without [`Claims`], so a writer must first state what is read. Files are
//! distinguished by identity, not by name: links are followed, and a file with two names is one file.

use crate::Error;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files of a run.
///
/// ```
/// use incrowd_io::{Claims, write_atomically};
/// let folder = tempfile::tempdir()?;
/// let table = folder.path().join("table.csv");
/// std::fs::write(&table, "a\n1\n")?;
/// let claims = Claims::default();
/// claims.read("the table", &table);
/// assert!(write_atomically(&claims, "the hierarchy", &table, b"").is_err());
/// assert_eq!(std::fs::read(&table)?, b"a\n1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Claims(Mutex<Vec<Claim>>);

#[derive(Debug)]
struct Claim {
    /// What the file is called in messages, such as `the table`.
    what: &'static str,
    file: Identity,
    is_written: bool,
}

impl Claims {
    /// The file at `path` is read: it must not be written.
    pub fn read(&self, what: &'static str, path: impl AsRef<Path>) {
        if let Some(file) = Identity::of_input(path.as_ref()) {
            self.lock().push(Claim {
                what,
                file,
                is_written: false,
            });
        }
    }

    /// The file at `path` is about to be written; refused if it is also read, or already written.
    pub fn check_write(&self, what: &'static str, path: impl AsRef<Path>) -> Result<(), Error> {
        self.try_write(what, path.as_ref()).map(|_| ())
    }

    /// Claims the file at `path` to write it.
    pub(crate) fn write(&self, what: &'static str, path: &Path) -> Result<(), Error> {
        if let Some(file) = self.try_write(what, path)? {
            self.lock().push(Claim {
                what,
                file,
                is_written: true,
            });
        }
        Ok(())
    }

    fn try_write(&self, what: &'static str, path: &Path) -> Result<Option<Identity>, Error> {
        let Some(file) = Identity::of(path) else {
            return Ok(None);
        };
        let claims = self.lock();
        let path = path.to_owned();
        match claims.iter().find(|claim| claim.file == file) {
            None => Ok(Some(file)),
            Some(claim) if claim.is_written => Err(Error::SameOutput {
                first: claim.what,
                second: what,
                path,
            }),
            Some(claim) => Err(Error::OverwritesInput {
                what,
                input: claim.what,
                path,
            }),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Claim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which file a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Identity {
    /// Standard output.
    Output,
    /// An existing file, by its identity on the disk, which all its names share.
    #[cfg(unix)]
    Stored { device: u64, number: u64 },
    /// A file that does not exist yet, or is on a system that does not number files.
    Named(PathBuf),
}

impl Identity {
    /// None for what cannot be overwritten, such as a pipe or a device.
    fn of(path: &Path) -> Option<Identity> {
        if path == Path::new("-") {
            return Some(Identity::Output);
        }
        Self::of_input(path)
    }

    /// None for standard input too.
    fn of_input(path: &Path) -> Option<Identity> {
        if path == Path::new("-") {
            return None;
        }
        let Ok(found) = path.canonicalize() else {
            return Some(Identity::Named(resolved(path)));
        };
        let metadata = std::fs::metadata(&found).ok()?;
        if !metadata.is_file() {
            return None;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Identity::Stored {
                device: metadata.dev(),
                number: metadata.ino(),
            })
        }
        #[cfg(not(unix))]
        Some(Identity::Named(found))
    }
}

/// The path of a file that does not exist, with links followed as far as folders exist.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut missing: Vec<OsString> = Vec::new();
    let mut there: &Path = &path;
    let mut resolved = loop {
        if let Ok(found) = there.canonicalize() {
            break found;
        }
        let (Some(parent), Some(last)) = (there.parent(), there.components().next_back()) else {
            break there.to_owned();
        };
        missing.push(last.as_os_str().to_owned());
        there = parent;
    };
    for part in missing.iter().rev() {
        // Folders that do not exist yet are not links.
        match Path::new(part).components().next() {
            Some(Component::ParentDir) => {
                resolved.pop();
            }
            _ => resolved.push(part),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_there_yet_are_known_by_where_they_will_be() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        std::fs::create_dir(&real).unwrap();
        let claims = Claims::default();
        let is_free = |path: PathBuf| claims.check_write("it", path).is_ok();
        claims.write("first", &real.join("new/out.csv")).unwrap();
        assert!(!is_free(real.join("new/out.csv")));
        assert!(!is_free(real.join("new/./out.csv")));
        assert!(!is_free(real.join("new/deeper/../out.csv")));
        assert!(!is_free(folder.path().join("real/../real/new/out.csv")));
        assert!(is_free(real.join("out.csv")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&real, folder.path().join("link")).unwrap();
            assert!(!is_free(folder.path().join("link/new/out.csv")));
        }
    }

    #[test]
    #[cfg(unix)]
    fn every_name_of_a_file_is_that_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("table.csv"), "a\n1\n").unwrap();
        std::os::unix::fs::symlink(path("table.csv"), path("link.csv")).unwrap();
        std::fs::hard_link(path("table.csv"), path("twin.csv")).unwrap();
        let claims = Claims::default();
        claims.read("the table", path("link.csv"));
        for name in ["table.csv", "link.csv", "twin.csv"] {
            let refused = claims.check_write("the release", path(name));
            assert!(
                matches!(
                    refused,
                    Err(Error::OverwritesInput {
                        input: "the table",
                        ..
                    })
                ),
                "{name}"
            );
        }
        std::fs::copy(path("table.csv"), path("copy.csv")).unwrap();
        claims.check_write("the release", path("copy.csv")).unwrap();
    }

    #[test]
    fn standard_output_takes_one_file_and_standard_input_is_no_file() {
        let claims = Claims::default();
        claims.read("the table", "-");
        claims.write("the release", Path::new("-")).unwrap();
        assert!(matches!(
            claims.write("the certificate", Path::new("-")),
            Err(Error::SameOutput { .. })
        ));
    }

    #[test]
    #[cfg(unix)]
    fn devices_are_not_overwritten_by_writing_to_them() {
        let claims = Claims::default();
        claims.read("the table", "/dev/null");
        claims.write("the release", Path::new("/dev/null")).unwrap();
        claims.write("the other", Path::new("/dev/null")).unwrap();
    }
}
