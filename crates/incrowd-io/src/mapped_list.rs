//! Lists of numbers that memory has no room for, in files without a name.
//!
//! A list is written once, and then read as if it were in memory: the system loads parts of the file when they are looked at and
//! drops them when it needs the room.

use incrowd_core::counts::{ListOutside, NotHeld, NumbersOutside};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A list that is being written.
#[derive(Debug)]
pub(crate) struct ListFile {
    folder: PathBuf,
    file: BufWriter<File>,
}

/// A list that is read.
#[derive(Debug)]
struct MappedList(Mmap);

impl ListFile {
    /// An empty list in a file of this folder.
    pub(crate) fn create_in(folder: &Path) -> Result<ListFile, NotHeld> {
        let file = tempfile::tempfile_in(folder).map_err(|error| not_held(folder, &error))?;
        Ok(ListFile {
            folder: folder.into(),
            file: BufWriter::new(file),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), NotHeld> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| not_held(&self.folder, &error))
    }
}

impl ListOutside for ListFile {
    fn add_words(&mut self, words: &[u64]) -> Result<(), NotHeld> {
        self.write(words.as_bytes())
    }

    fn add_halves(&mut self, halves: &[u32]) -> Result<(), NotHeld> {
        self.write(halves.as_bytes())
    }

    fn end(self: Box<Self>) -> Result<Arc<dyn NumbersOutside>, NotHeld> {
        let ListFile { folder, file } = *self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        let mapped = file.and_then(|file| mapped(&file));
        let mapped = mapped.map_err(|error| not_held(&folder, &error))?;
        Ok(Arc::new(MappedList(mapped)))
    }
}

/// A file that [`ListFile`] made, as bytes.
#[expect(
    unsafe_code,
    reason = "a file can only be mapped so, as others might change it"
)]
fn mapped(file: &File) -> io::Result<Mmap> {
    // SAFETY: nobody may change the file or make it shorter while it is mapped. It is a temporary file that this process has just
    // made, without a name or, where systems do not know such files, with one that is gone by now or locked; this process never
    // hands it out, and closes it once it is mapped.
    unsafe { Mmap::map(file) }
}

impl MappedList {
    fn numbers<T: FromBytes + Immutable>(&self) -> &[T] {
        <[T]>::ref_from_bytes(&self.0)
            .expect("whole numbers were written, and files are mapped to even places")
    }
}

impl NumbersOutside for MappedList {
    fn words(&self) -> &[u64] {
        self.numbers()
    }

    fn halves(&self) -> &[u32] {
        self.numbers()
    }
}

/// What went wrong in a folder for temporary files.
pub(crate) fn not_held(folder: &Path, error: &io::Error) -> NotHeld {
    NotHeld(format!("{}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written_and_the_folder_stays_empty() {
        let folder = tempfile::tempdir().unwrap();
        let list = || Box::new(ListFile::create_in(folder.path()).unwrap());
        let mut rng = fastrand::Rng::with_seed(1);
        let mut halves: Vec<u32> = Vec::new();
        let (mut words, mut ours, mut theirs) = (Vec::new(), list(), list());
        for _ in 0..3000 {
            let some: Vec<u64> = (0..rng.usize(0..9)).map(|_| rng.u64(..)).collect();
            ours.add_words(&some).unwrap();
            words.extend(some);
            let some: Vec<u32> = (0..rng.usize(0..9)).map(|_| rng.u32(..)).collect();
            theirs.add_halves(&some).unwrap();
            halves.extend(some);
        }
        // There is no number of halves for which they could not be read.
        halves.push(7);
        theirs.add_halves(&[7]).unwrap();
        assert_eq!(ours.end().unwrap().words(), words);
        assert_eq!(theirs.end().unwrap().halves(), halves);
        let none = list().end().unwrap();
        assert!(none.words().is_empty() && none.halves().is_empty());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
