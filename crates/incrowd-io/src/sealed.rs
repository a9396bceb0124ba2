//! A file whose bytes are checked each time they are read.
//!
//! Parquet is read out of order, so its fingerprint cannot be computed while reading. Computed before or after, it
//! could be that of another file if something writes to this one meanwhile. So the whole file is read once first, for
//! the fingerprint and a short hash of every block; every block read later must have the same hash, also in later passes.
//! What is decoded is what the fingerprint covers.

use crate::file::{CHUNK, SharedFile};
use crate::fingerprint::Fingerprint;
use crate::seal::{BLOCK, Pass, Seal, Sealing};
use bytes::Bytes;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A [`SharedFile`] as it was at one moment.
#[derive(Debug, Clone)]
pub(crate) struct SealedFile {
    file: SharedFile,
    seal: Arc<Seal>,
    fingerprint: Fingerprint,
    is_broken: Arc<AtomicBool>,
}

impl SealedFile {
    /// Seals a file, unless that was done in a pass before.
    pub(crate) fn new(file: SharedFile, pass: Pass) -> io::Result<Self> {
        let seal = match pass {
            Pass::Again(seal) => seal,
            first => {
                let mut reader = Sealing::new(file.read_from(0).take(file.bytes()), first);
                let mut chunk = vec![0; CHUNK];
                let mut left = file.bytes();
                while left > 0 {
                    let chunk = &mut chunk[..left.min(CHUNK as u64) as usize];
                    reader.read_exact(chunk)?;
                    left -= chunk.len() as u64;
                }
                // A first pass has nothing to compare with.
                reader.seal().ok_or(io::ErrorKind::InvalidData)?
            }
        };
        let is_broken = AtomicBool::new(file.bytes() != seal.bytes());
        Ok(SealedFile {
            file,
            // Whoever reads places in any order leaves it to nobody.
            fingerprint: seal.fingerprint().ok_or(io::ErrorKind::InvalidData)?,
            seal,
            is_broken: Arc::new(is_broken),
        })
    }

    /// The length.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// SHA-256 of the whole file.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Whether a read failed because the bytes had changed.
    pub(crate) fn has_changed(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// For reading places that are close to each other.
    pub(crate) fn region(&self) -> SealedRegion {
        SealedRegion {
            file: self.clone(),
            last: Arc::default(),
        }
    }

    fn read_block(&self, number: u64) -> io::Result<Bytes> {
        let SealedFile {
            file,
            seal,
            is_broken,
            ..
        } = self;
        let start = number * BLOCK as u64;
        let bytes = file.bytes().saturating_sub(start).min(BLOCK as u64);
        let mut block = vec![0; bytes as usize];
        let read = file.read_from(start).read_exact(&mut block);
        let is_cut = (read.as_ref()).is_err_and(|it| it.kind() == io::ErrorKind::UnexpectedEof);
        let is_same = || seal.has_block(number as usize, &block);
        let is_other_length = is_broken.load(Ordering::Relaxed);
        if is_other_length || is_cut || (read.is_ok() && !is_same()) {
            is_broken.store(true, Ordering::Relaxed);
            return Err(io::Error::other("the file changed while it was read"));
        }
        read?;
        Ok(block.into())
    }
}

/// Reads places of a [`SealedFile`] and holds on to the last block, where the next place often begins.
#[derive(Debug, Clone)]
pub(crate) struct SealedRegion {
    file: SealedFile,
    last: Arc<Mutex<Option<Block>>>,
}

#[derive(Debug, Clone)]
struct Block {
    number: u64,
    bytes: Bytes,
}

impl SealedRegion {
    /// The length of the whole file.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// A reader that begins at byte `at`.
    pub(crate) fn read_from(&self, at: u64) -> SealedReader {
        SealedReader {
            region: self.clone(),
            at,
        }
    }

    /// So many bytes from byte `at` on, which are not copied if they are in one block.
    pub(crate) fn bytes_from(&self, at: u64, length: usize) -> io::Result<Bytes> {
        // Memory is reserved for what is there, not for what is claimed: a damaged file may claim any length.
        if at
            .checked_add(length as u64)
            .is_none_or(|end| end > self.bytes())
        {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if length == 0 {
            return Ok(Bytes::new());
        }
        let first = self.rest_of_block(at)?;
        if first.len() >= length {
            return Ok(first.slice(..length));
        }
        let mut all = Vec::with_capacity(length);
        all.extend_from_slice(&first);
        while all.len() < length {
            let next = self.rest_of_block(at + all.len() as u64)?;
            all.extend_from_slice(&next[..next.len().min(length - all.len())]);
        }
        Ok(all.into())
    }

    /// What the block of byte `at`, which must be within the file, has from there on.
    fn rest_of_block(&self, at: u64) -> io::Result<Bytes> {
        let (number, within) = (at / BLOCK as u64, (at % BLOCK as u64) as usize);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = last.as_ref().filter(|block| block.number == number) {
            return Ok(block.bytes.slice(within..));
        }
        let bytes = self.file.read_block(number)?;
        let rest = bytes.slice(within..);
        *last = Some(Block { number, bytes });
        Ok(rest)
    }
}

/// Reads a [`SealedFile`] from its own position, a whole block at a time.
#[derive(Debug)]
pub(crate) struct SealedReader {
    region: SealedRegion,
    at: u64,
}

impl Read for SealedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.region.bytes() || buffer.is_empty() {
            return Ok(0);
        }
        let rest = self.region.rest_of_block(self.at)?;
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::LastSeal;
    use std::fs::File;
    use std::io::Write;

    fn sealed(folder: &std::path::Path, bytes: &[u8]) -> SealedFile {
        let path = folder.join("file");
        std::fs::write(&path, bytes).unwrap();
        let file = SharedFile::new(File::open(path).unwrap()).unwrap();
        SealedFile::new(file, Pass::First(LastSeal::default())).unwrap()
    }

    #[test]
    fn every_place_reads_as_it_was_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..2 * CHUNK + 1000).map(|at| (at % 251) as u8).collect();
        let file = sealed(folder.path(), &bytes);
        assert_eq!(file.fingerprint(), Fingerprint::of(&bytes));
        let region = file.region();
        for at in [
            0,
            1,
            BLOCK - 1,
            BLOCK,
            CHUNK - 1,
            CHUNK,
            2 * CHUNK + 999,
            2 * CHUNK + 1000,
        ] {
            let mut read = Vec::new();
            region.read_from(at as u64).read_to_end(&mut read).unwrap();
            assert!(read == bytes[at..], "from byte {at}");
            for length in [0, 1, 900, BLOCK, BLOCK + 1, CHUNK, bytes.len()] {
                let read = region.bytes_from(at as u64, length);
                match bytes[at..].get(..length) {
                    Some(expected) => assert!(read.unwrap() == expected, "{length} from byte {at}"),
                    None => assert!(read.is_err(), "{length} from byte {at}"),
                }
            }
        }
        assert!(region.bytes_from(u64::MAX, 1).is_err());
        assert!(!file.has_changed());
    }

    #[test]
    fn a_block_that_changed_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = vec![7; 3 * CHUNK];
        let file = sealed(folder.path(), &bytes);
        let mut changed = bytes.clone();
        changed[CHUNK + 5] = 8;
        let mut writer = File::options()
            .write(true)
            .open(folder.path().join("file"))
            .unwrap();
        writer.write_all(&changed).unwrap();
        let read = |at: usize| {
            let mut place = file.region().read_from(at as u64).take(10);
            place.read_to_end(&mut Vec::new())
        };
        assert!(read(0).is_ok() && read(2 * CHUNK).is_ok());
        assert!(!file.has_changed());
        assert!(read(CHUNK).is_err() && file.has_changed());
        writer.set_len(10).unwrap();
        assert!(read(2 * CHUNK).is_err());
    }
}
