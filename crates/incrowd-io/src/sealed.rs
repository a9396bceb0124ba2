//! A file whose bytes are checked each time they are read.
//!
//! Parquet is read out of order, so its fingerprint cannot be computed while reading. Computed before or after, it
//! could be that of another file if something writes to this one meanwhile. So the whole file is read once first, for
//! the fingerprint and a short hash of every block; every block read later must have the same hash. What is decoded is
//! what the fingerprint covers.

use crate::file::{CHUNK, SharedFile};
use crate::fingerprint::{Fingerprint, Hashing};
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A [`SharedFile`] as it was at one moment.
#[derive(Debug, Clone)]
pub(crate) struct SealedFile {
    file: SharedFile,
    seal: Arc<Seal>,
}

#[derive(Debug)]
struct Seal {
    fingerprint: Fingerprint,
    /// The hash of each block of [`CHUNK`] bytes; the last may be shorter.
    blocks: Vec<u64>,
    hasher: DefaultHashBuilder,
    is_broken: AtomicBool,
}

impl SealedFile {
    pub(crate) fn new(file: SharedFile) -> io::Result<Self> {
        let hasher = DefaultHashBuilder::default();
        let mut reader = Hashing::new(file.read_from(0));
        let mut blocks = Vec::new();
        let mut block = Vec::with_capacity(CHUNK);
        for number in 0..file.bytes().div_ceil(CHUNK as u64) {
            read_block(&mut reader, block_bytes(&file, number), &mut block)?;
            blocks.push(hasher.hash_one(&block[..]));
        }
        let seal = Seal {
            fingerprint: reader.fingerprint(),
            blocks,
            hasher,
            is_broken: AtomicBool::new(false),
        };
        Ok(SealedFile {
            file,
            seal: Arc::new(seal),
        })
    }

    /// The length.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// SHA-256 of the whole file.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.seal.fingerprint
    }

    /// Whether a read failed because the bytes had changed.
    pub(crate) fn has_changed(&self) -> bool {
        self.seal.is_broken.load(Ordering::Relaxed)
    }

    /// A reader that begins at byte `at`.
    pub(crate) fn read_from(&self, at: u64) -> SealedReader {
        SealedReader {
            sealed: self.clone(),
            at,
            number: None,
            block: Vec::new(),
        }
    }
}

/// How many bytes the block has.
fn block_bytes(file: &SharedFile, number: u64) -> usize {
    let start = number * CHUNK as u64;
    (file.bytes().saturating_sub(start)).min(CHUNK as u64) as usize
}

fn read_block(reader: &mut impl Read, bytes: usize, block: &mut Vec<u8>) -> io::Result<()> {
    block.resize(bytes, 0);
    reader.read_exact(block)
}

/// Reads a [`SealedFile`] from its own position, a whole block at a time.
#[derive(Debug)]
pub(crate) struct SealedReader {
    sealed: SealedFile,
    at: u64,
    /// The current block.
    number: Option<u64>,
    block: Vec<u8>,
}

impl SealedReader {
    fn open_block(&mut self, number: u64) -> io::Result<()> {
        self.number = None;
        let SealedFile { file, seal } = &self.sealed;
        let mut reader = file.read_from(number * CHUNK as u64);
        let read = read_block(&mut reader, block_bytes(file, number), &mut self.block);
        let is_cut = (read.as_ref()).is_err_and(|it| it.kind() == io::ErrorKind::UnexpectedEof);
        let is_same = || seal.hasher.hash_one(&self.block[..]) == seal.blocks[number as usize];
        if is_cut || (read.is_ok() && !is_same()) {
            seal.is_broken.store(true, Ordering::Relaxed);
            return Err(io::Error::other("the file changed while it was read"));
        }
        read?;
        self.number = Some(number);
        Ok(())
    }
}

impl Read for SealedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.sealed.bytes() || buffer.is_empty() {
            return Ok(0);
        }
        let number = self.at / CHUNK as u64;
        if self.number != Some(number) {
            self.open_block(number)?;
        }
        let rest = &self.block[(self.at % CHUNK as u64) as usize..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;

    fn sealed(folder: &std::path::Path, bytes: &[u8]) -> SealedFile {
        let path = folder.join("file");
        std::fs::write(&path, bytes).unwrap();
        SealedFile::new(SharedFile::new(File::open(path).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn every_place_reads_as_it_was_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..2 * CHUNK + 1000).map(|at| (at % 251) as u8).collect();
        let file = sealed(folder.path(), &bytes);
        assert_eq!(file.fingerprint(), Fingerprint::of(&bytes));
        for at in [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK + 999, 2 * CHUNK + 1000] {
            let mut read = Vec::new();
            file.read_from(at as u64).read_to_end(&mut read).unwrap();
            assert!(read == bytes[at..], "from byte {at}");
        }
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
            let mut place = file.read_from(at as u64).take(10);
            place.read_to_end(&mut Vec::new())
        };
        assert!(read(0).is_ok() && read(2 * CHUNK).is_ok());
        assert!(!file.has_changed());
        assert!(read(CHUNK).is_err() && file.has_changed());
        writer.set_len(10).unwrap();
        assert!(read(2 * CHUNK).is_err());
    }
}
