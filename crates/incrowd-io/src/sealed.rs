//! A file whose bytes are checked each time they are read.
//!
//! Parquet is read out of order, so its fingerprint cannot be computed while reading. Computed before or after, it
//! could be that of another file if something writes to this one meanwhile. So the whole file is read once first, for a
//! short hash of every block; every block read later must have the same hash, also in later passes and by the thread that
//! takes the fingerprint. What is decoded is what the fingerprint covers.

use crate::file::{CHUNK, SharedFile};
use crate::fingerprint::Fingerprint;
use crate::seal::{BLOCK, LastSeal, Pass, Seal, Sealing};
use crate::sha256::Sha256;
use bytes::Bytes;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A [`SharedFile`] as it was at one moment.
#[derive(Debug, Clone)]
pub(crate) struct SealedFile {
    file: SharedFile,
    seal: Arc<Seal>,
    is_broken: Arc<AtomicBool>,
}

impl SealedFile {
    /// Seals a file, unless that was done in a pass before, and begins to take its fingerprint.
    pub(crate) fn new(file: SharedFile, pass: Pass) -> io::Result<(Self, SealedFingerprint)> {
        let (seal, last) = match pass {
            Pass::Again(seal) => (seal, None),
            Pass::First(last) => {
                let pass = Pass::First(last.clone());
                let mut reader = Sealing::new(file.read_from(0).take(file.bytes()), pass);
                reader.leave_fingerprint();
                let mut chunk = vec![0; CHUNK];
                let mut left = file.bytes();
                while left > 0 {
                    let chunk = &mut chunk[..left.min(CHUNK as u64) as usize];
                    reader.read_exact(chunk)?;
                    left -= chunk.len() as u64;
                }
                // A first pass has nothing to compare with.
                let seal = reader.seal().ok_or(io::ErrorKind::InvalidData)?;
                (seal, Some(last))
            }
        };
        let is_broken = AtomicBool::new(file.bytes() != seal.bytes());
        let file = SealedFile {
            file,
            seal,
            is_broken: Arc::new(is_broken),
        };
        let fingerprint = match last {
            None => SealedFingerprint {
                // Whoever reads places in any order leaves it to nobody.
                taking: Taking::Done(file.seal.fingerprint().ok_or(io::ErrorKind::InvalidData)?),
                is_wanted: Arc::default(),
            },
            Some(last) => SealedFingerprint::take(&file, last),
        };
        Ok((file, fingerprint))
    }

    /// The length.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes()
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

    /// Whether the next bytes from this one on, which begins a block, are as they were sealed: an error if they are not. Where they
    /// end, which is where they begin at the end of the file.
    pub(crate) fn check_from(&self, byte: u64) -> io::Result<u64> {
        let blocks = byte.div_ceil(BLOCK as u64)..self.bytes().div_ceil(BLOCK as u64);
        let mut end = byte;
        for number in blocks.take(CHUNK / BLOCK) {
            end += self.read_block(number)?.len() as u64;
        }
        Ok(end)
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

/// SHA-256 of a whole [`SealedFile`]. A thread of its own takes it, while others read places of the file.
#[derive(Debug)]
pub(crate) struct SealedFingerprint {
    taking: Taking,
    is_wanted: Arc<AtomicBool>,
}

#[derive(Debug)]
enum Taking {
    Done(Fingerprint),
    /// By this thread, or by whoever asks if the system could not start one.
    Begun {
        file: SealedFile,
        last: LastSeal,
        thread: Option<JoinHandle<io::Result<Fingerprint>>>,
    },
}

impl SealedFingerprint {
    /// Begins to take it, and leaves the seal here once it is known.
    fn take(file: &SealedFile, last: LastSeal) -> Self {
        let is_wanted = Arc::new(AtomicBool::new(true));
        let thread = std::thread::Builder::new()
            .name("fingerprint".into())
            .spawn({
                let (file, is_wanted) = (file.clone(), Arc::clone(&is_wanted));
                move || hash(&file, &is_wanted)
            });
        SealedFingerprint {
            taking: Taking::Begun {
                file: file.clone(),
                last,
                thread: thread.ok(),
            },
            is_wanted,
        }
    }

    /// The fingerprint. An error if the file changed before it was taken.
    pub(crate) fn get(&mut self) -> io::Result<Fingerprint> {
        let (fingerprint, file, last) = match &mut self.taking {
            Taking::Done(fingerprint) => return Ok(*fingerprint),
            Taking::Begun { file, last, thread } => {
                let taken = match thread.take() {
                    Some(thread) => thread.join().expect("hashing does not panic"),
                    None => hash(file, &self.is_wanted),
                };
                (taken?, file, last)
            }
        };
        last.keep(&Arc::new(file.seal.with_fingerprint(fingerprint)));
        self.taking = Taking::Done(fingerprint);
        Ok(fingerprint)
    }
}

impl Drop for SealedFingerprint {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::Relaxed);
    }
}

/// SHA-256 of all blocks, as long as anybody wants to know it.
fn hash(file: &SealedFile, is_wanted: &AtomicBool) -> io::Result<Fingerprint> {
    let mut hashed = Sha256::default();
    for number in 0..file.bytes().div_ceil(BLOCK as u64) {
        if !is_wanted.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        hashed.update(&file.read_block(number)?);
    }
    Ok(Fingerprint::of_hashed(&hashed))
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
    use std::fs::File;
    use std::io::Write;

    fn open(folder: &std::path::Path, pass: Pass) -> (SealedFile, SealedFingerprint) {
        let file = File::open(folder.join("file")).unwrap();
        SealedFile::new(SharedFile::new(file).unwrap(), pass).unwrap()
    }

    fn sealed(folder: &std::path::Path, bytes: &[u8]) -> (SealedFile, SealedFingerprint) {
        std::fs::write(folder.join("file"), bytes).unwrap();
        open(folder, Pass::First(LastSeal::default()))
    }

    #[test]
    fn every_place_reads_as_it_was_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..2 * CHUNK + 1000).map(|at| (at % 251) as u8).collect();
        let (file, mut fingerprint) = sealed(folder.path(), &bytes);
        assert_eq!(fingerprint.get().unwrap(), Fingerprint::of(&bytes));
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
        let (file, mut fingerprint) = sealed(folder.path(), &bytes);
        fingerprint.get().unwrap();
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

    #[test]
    fn the_fingerprint_is_of_the_bytes_that_were_sealed_or_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        for length in [0, 1, BLOCK, 3 * BLOCK + 7] {
            let bytes = vec![7; length];
            std::fs::write(folder.path().join("file"), &bytes).unwrap();
            let last = LastSeal::default();
            let (file, mut fingerprint) = open(folder.path(), Pass::First(last.clone()));
            let expected = Fingerprint::of(&bytes);
            assert!(last.of(&expected).is_none(), "nobody waited for it yet");
            assert_eq!(fingerprint.get().unwrap(), expected);
            // A pass after it takes none.
            let again = Pass::Again(last.of(&expected).unwrap());
            assert_eq!(open(folder.path(), again).1.get().unwrap(), expected);
            if length > 0 {
                let (is_wanted, mut changed) = (AtomicBool::new(true), bytes);
                changed[length - 1] = 8;
                std::fs::write(folder.path().join("file"), changed).unwrap();
                assert!(hash(&file, &is_wanted).is_err() && file.has_changed());
            }
        }
        let (file, _) = sealed(folder.path(), &[7; 10]);
        assert!(hash(&file, &AtomicBool::new(false)).is_err());
        assert!(!file.has_changed());
    }
}
