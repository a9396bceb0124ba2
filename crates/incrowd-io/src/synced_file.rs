//! A file that the disk stores while it is written.
//!
//! A release appears only once the disk has all of it. A system may keep what is written in memory for half a minute before it
//! begins to store it, so that a large release would wait for the disk in the end. A run that is stopped meanwhile ends once the
//! disk has stored what it was last asked to store.

use std::fs::File;
use std::io::{self, Write};
use std::thread::JoinHandle;

/// How many bytes are stored at a time: so many that what each request costs does not matter.
const BYTES_AT_ONCE: u64 = 64 << 20;

/// A file being written.
#[derive(Debug)]
pub(crate) struct SyncedFile {
    file: File,
    bytes_at_once: u64,
    /// How many bytes were written since the disk was last asked to store them.
    unsynced: u64,
    /// Waits for the disk.
    storing: Option<JoinHandle<io::Result<()>>>,
}

impl SyncedFile {
    pub(crate) fn new(file: File) -> SyncedFile {
        Self::with_bytes_at_once(file, BYTES_AT_ONCE)
    }

    /// A file that the disk need not store.
    pub(crate) fn never_synced(file: File) -> SyncedFile {
        Self::with_bytes_at_once(file, u64::MAX)
    }

    fn with_bytes_at_once(file: File, bytes_at_once: u64) -> SyncedFile {
        SyncedFile {
            file,
            bytes_at_once,
            unsynced: 0,
            storing: None,
        }
    }

    /// The file, of which the disk may not have stored the end.
    pub(crate) fn into_file(mut self) -> io::Result<File> {
        self.end_storing()?;
        Ok(self.file)
    }

    /// Waits for the thread that stores. Its error must not be lost: the system reports a failure only once, and whoever asks next
    /// would take the file for stored.
    fn end_storing(&mut self) -> io::Result<()> {
        let Some(storing) = self.storing.take() else {
            return Ok(());
        };
        let lost = || Err(io::Error::other("the thread that stores the file panicked"));
        storing.join().unwrap_or_else(|_| lost())
    }

    /// Begins to store what was written so far, unless that goes on already.
    fn store(&mut self) -> io::Result<()> {
        if let Some(storing) = &self.storing
            && !storing.is_finished()
        {
            return Ok(());
        }
        self.end_storing()?;
        // Where the system has no room for that, all is stored in the end.
        if let Ok(file) = self.file.try_clone() {
            let thread = std::thread::Builder::new().name("storing".into());
            self.storing = thread.spawn(move || file.sync_data()).ok();
        }
        self.unsynced = 0;
        Ok(())
    }
}

impl Write for SyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // First, since an error says that none of these bytes were written.
        if self.unsynced >= self.bytes_at_once {
            self.store()?;
        }
        let count = self.file.write(bytes)?;
        self.unsynced += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(file: File, bytes_at_once: u64) -> io::Result<File> {
        let mut file = SyncedFile::with_bytes_at_once(file, bytes_at_once);
        for number in 0..1000 {
            writeln!(file, "row {number}")?;
        }
        file.into_file()
    }

    #[test]
    fn a_file_that_is_stored_meanwhile_holds_what_was_written() {
        let expected: String = (0..1000).map(|number| format!("row {number}\n")).collect();
        for bytes_at_once in [1, 100, u64::MAX] {
            let named = tempfile::NamedTempFile::new().unwrap();
            write_all(named.reopen().unwrap(), bytes_at_once).unwrap();
            assert_eq!(std::fs::read_to_string(named.path()).unwrap(), expected);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_could_not_be_stored_is_an_error() {
        // It takes bytes, but stores none.
        let null = || File::options().write(true).open("/dev/null").unwrap();
        assert!(write_all(null(), 100).is_err());
        assert!(write_all(null(), 7000).is_err(), "at the end");
        write_all(null(), u64::MAX).unwrap();
    }
}
