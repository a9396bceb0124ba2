//! Words that memory has no room for, in a file without a name.
//!
//! The file is never seen in any folder, so the system removes it when the process ends, however that happens: nothing
//! is left behind by an error, by Ctrl-C or by a process that is killed.

use crate::mapped_list::{ListFile, not_held};
use incrowd_core::counts::{ListOutside, NotHeld, Overflow};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Holds words in a file without a name.
#[derive(Debug)]
pub struct OverflowFile {
    folder: PathBuf,
    pieces: Mutex<Pieces>,
}

#[derive(Debug)]
struct Pieces {
    file: File,
    bytes: u64,
    /// For each part, where its pieces begin, and their lengths in words.
    parts: Vec<Vec<(u64, usize)>>,
}

impl OverflowFile {
    /// A file in the folder that the system has for temporary files.
    pub fn create() -> Result<OverflowFile, NotHeld> {
        Self::create_in(&std::env::temp_dir())
    }

    /// A file in this folder.
    pub fn create_in(folder: &Path) -> Result<OverflowFile, NotHeld> {
        let file = tempfile::tempfile_in(folder).map_err(|error| not_held(folder, &error))?;
        Ok(OverflowFile {
            folder: folder.into(),
            pieces: Mutex::new(Pieces {
                file,
                bytes: 0,
                parts: Vec::new(),
            }),
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Pieces) -> io::Result<T>) -> Result<T, NotHeld> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut pieces).map_err(|error| not_held(&self.folder, &error))
    }
}

impl Overflow for OverflowFile {
    fn append(&self, part: usize, words: &[u64]) -> Result<(), NotHeld> {
        let mut bytes = Vec::with_capacity(8 * words.len());
        words
            .iter()
            .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        self.with(|pieces| {
            pieces.file.seek(SeekFrom::Start(pieces.bytes))?;
            pieces.file.write_all(&bytes)?;
            if pieces.parts.len() <= part {
                pieces.parts.resize_with(part + 1, Vec::new);
            }
            pieces.parts[part].push((pieces.bytes, words.len()));
            pieces.bytes += bytes.len() as u64;
            Ok(())
        })
    }

    fn read(&self, part: usize) -> Result<Vec<u64>, NotHeld> {
        let bytes = self.with(|pieces| {
            let places = pieces.parts.get(part).map_or(&[][..], Vec::as_slice);
            let words: usize = places.iter().map(|&(_, words)| words).sum();
            let mut bytes = vec![0; 8 * words];
            let mut rest = &mut bytes[..];
            for &(start, words) in places {
                let (piece, after) = rest.split_at_mut(8 * words);
                pieces.file.seek(SeekFrom::Start(start))?;
                pieces.file.read_exact(piece)?;
                rest = after;
            }
            Ok(bytes)
        })?;
        let (words, _) = bytes.as_chunks();
        Ok(words.iter().map(|&word| u64::from_le_bytes(word)).collect())
    }

    fn another(&self) -> Result<Box<dyn Overflow>, NotHeld> {
        Ok(Box::new(Self::create_in(&self.folder)?))
    }

    fn list(&self) -> Result<Box<dyn ListOutside>, NotHeld> {
        Ok(Box::new(ListFile::create_in(&self.folder)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_added_and_the_folder_stays_empty() {
        let folder = tempfile::tempdir().unwrap();
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let file = OverflowFile::create_in(folder.path()).unwrap();
        let mut expected = vec![Vec::new(); 5];
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..200 {
            let part = rng.usize(0..4);
            let words: Vec<u64> = (0..rng.usize(0..9)).map(|_| rng.u64(..)).collect();
            file.append(part, &words).unwrap();
            expected[part].extend(words);
        }
        let other = file.another().unwrap();
        other.append(0, &[7]).unwrap();
        for (part, expected) in expected.iter().enumerate() {
            assert_eq!(file.read(part).unwrap(), *expected);
        }
        assert_eq!(other.read(0).unwrap(), [7]);
        assert_eq!(names(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let NotHeld(why) = OverflowFile::create_in(&missing).unwrap_err();
        assert!(why.contains("missing"), "{why}");
    }
}
