//! Temporary files next to an output, and their cleanup after a run is killed.
//!
//! A run holds a lock on each of its temporary files while it is alive; the system releases the lock when the process
//! ends, however that happens. So a file that can be locked belongs to no run, and the next run that writes into the
//! folder removes it. Nothing depends on clocks or process numbers.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::NamedTempFile;

const PREFIX: &str = ".incrowd-";
const SUFFIX: &str = ".part";

/// Another run's cleanup may remove a new file before it is locked. This many in a row are not to be expected.
const MOST_TRIES: usize = 64;

/// A temporary file in a folder, held by this process until it is closed. Stale ones are removed.
pub(crate) fn create(folder: &Path) -> io::Result<NamedTempFile> {
    remove_stale(folder);
    for _ in 0..MOST_TRIES {
        let part = named(folder)?;
        match part.as_file().try_lock() {
            Ok(()) => {}
            // Without locks, no file can be mistaken for stale.
            Err(TryLockError::Error(_)) => return Ok(part),
            Err(TryLockError::WouldBlock) => continue,
        }
        if part.path().exists() {
            return Ok(part);
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn named(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        // A release is meant to be shared: the user's umask decides who may read it, as for any file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Removes the temporary files of dead runs. Those that cannot be removed stay; they do no harm.
fn remove_stale(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        // A link or a folder of that name is not ours.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_stale(&entry.path());
        }
    }
}

fn remove_if_stale(path: &Path) {
    // A lock needs an open file; writing is not needed, but some systems only lock writable files.
    let Ok(file) = File::options().read(true).write(true).open(path) else {
        return;
    };
    // Held while the file is removed, so that no run starts writing to it.
    if file.try_lock().is_ok() {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn files_that_nobody_holds_are_removed_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        // As a killed run leaves them.
        std::fs::write(path.join(".incrowd-Ab3dEf.part"), "half a release").unwrap();
        std::fs::write(path.join("mine.part"), "not ours").unwrap();
        std::fs::write(path.join(".incrowd-notes.txt"), "not ours").unwrap();
        std::fs::create_dir(path.join(".incrowd-folder.part")).unwrap();
        let alive = create(path).unwrap();
        let second = create(path).unwrap();
        let name = |part: &NamedTempFile| part.path().file_name().unwrap().to_owned();
        let mut expected = vec![
            ".incrowd-folder.part".to_owned(),
            ".incrowd-notes.txt".to_owned(),
            "mine.part".to_owned(),
            name(&alive).into_string().unwrap(),
            name(&second).into_string().unwrap(),
        ];
        expected.sort();
        assert_eq!(parts(path), expected);
        // Closed, but not removed: as good as killed.
        let (file, kept) = alive.keep().unwrap();
        drop(file);
        assert!(kept.exists());
        drop(create(path).unwrap());
        assert!(!kept.exists());
        assert!(second.path().exists());
    }

    #[test]
    fn many_at_once_leave_each_other_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let part = create(folder.path()).unwrap();
                        assert!(part.path().exists());
                        drop(part);
                    }
                });
            }
        });
        assert_eq!(parts(folder.path()), [""; 0]);
    }
}
