//! Whether bytes are those that were read before.
//!
//! SHA-256 names an input for everybody and for ever. Where the processor has no instructions for it, it takes longer
//! than all else that is done with a byte. To tell within a run whether an input is still the same, short hashes of its
//! blocks will do, with a random key that nobody knows: they are taken together with the fingerprint, in the first pass,
//! and compared in the passes after it. Then it does not matter which pass takes the fingerprint: it may be left to the
//! second, whose threads have less to do than those of the first.

use crate::fingerprint::Fingerprint;
use crate::hashing::Hasher;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a block. Whoever wants a few bytes of a sealed file reads the blocks around them, so they are small.
pub(crate) const BLOCK: usize = 64 * 1024;

/// Hashes blocks of an input, for whoever reads it elsewhere than its seal is taken.
#[derive(Debug, Clone)]
pub(crate) struct BlockHasher(DefaultHashBuilder);

impl BlockHasher {
    /// The hashes of the whole blocks of bytes that begin with one.
    pub(crate) fn hashes(&self, bytes: &[u8], hashes: &mut Vec<u64>) {
        let blocks = bytes.chunks_exact(BLOCK);
        hashes.extend(blocks.map(|block| self.0.hash_one(block)));
    }
}

/// Hashes of the blocks of some bytes; the last block may be shorter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocks {
    hasher: DefaultHashBuilder,
    hashes: Vec<u64>,
    /// The block that is not complete yet.
    begun: Vec<u8>,
    bytes: u64,
}

impl Blocks {
    /// Of no bytes yet, to be compared with these.
    fn like(other: &Blocks) -> Self {
        Blocks {
            hasher: other.hasher.clone(),
            ..Blocks::default()
        }
    }

    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            let missing = BLOCK - self.begun.len();
            if self.begun.is_empty() && bytes.len() >= BLOCK {
                self.hashes.push(self.hasher.hash_one(&bytes[..BLOCK]));
                bytes = &bytes[BLOCK..];
                continue;
            }
            let (here, after) = bytes.split_at(missing.min(bytes.len()));
            self.begun.extend_from_slice(here);
            bytes = after;
            if self.begun.len() == BLOCK {
                self.hashes.push(self.hasher.hash_one(&self.begun[..]));
                self.begun.clear();
            }
        }
    }

    /// The same for bytes whose whole blocks were hashed elsewhere, if they begin with one.
    fn add_hashed(&mut self, bytes: &[u8], hashes: &[u64]) {
        let mut hashed = 0;
        if self.begun.is_empty() {
            self.hashes.extend(hashes);
            hashed = hashes.len() * BLOCK;
            self.bytes += hashed as u64;
        }
        self.add(&bytes[hashed..]);
    }

    /// The same with the last block as it is, of which nothing but a hash is left.
    fn ended(&mut self) -> Blocks {
        let begun = std::mem::take(&mut self.begun);
        let mut ended = self.clone();
        if !begun.is_empty() {
            ended.hashes.push(self.hasher.hash_one(&begun[..]));
        }
        self.begun = begun;
        ended
    }

    fn is_same(&self, other: &Blocks) -> bool {
        self.bytes == other.bytes && self.hashes == other.hashes
    }
}

/// Bytes of which a whole pass was made.
#[derive(Debug)]
pub(crate) struct Seal {
    /// None if it is left to the next pass.
    fingerprint: Option<Fingerprint>,
    blocks: Blocks,
}

impl Seal {
    /// SHA-256 of all bytes; none if that is left to the next pass.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint
    }

    /// The same with the fingerprint, which was not known yet.
    #[cfg(feature = "parquet")]
    pub(crate) fn with_fingerprint(&self, fingerprint: Fingerprint) -> Seal {
        Seal {
            fingerprint: Some(fingerprint),
            blocks: self.blocks.clone(),
        }
    }

    /// How many there were.
    #[cfg(feature = "parquet")]
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.bytes
    }

    /// Whether the block of this number was the same.
    #[cfg(feature = "parquet")]
    pub(crate) fn has_block(&self, number: usize, block: &[u8]) -> bool {
        let Blocks { hasher, hashes, .. } = &self.blocks;
        hashes.get(number) == Some(&hasher.hash_one(block))
    }
}

/// Where passes over an input leave its seal for those after them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastSeal(Arc<Mutex<Option<Arc<Seal>>>>);

impl LastSeal {
    pub(crate) fn keep(&self, seal: &Arc<Seal>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(seal));
    }

    /// The seal of the pass before, if it was over bytes of this fingerprint.
    pub(crate) fn of(&self, fingerprint: &Fingerprint) -> Option<Arc<Seal>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.as_ref();
        last.filter(|seal| seal.fingerprint.as_ref() == Some(fingerprint))
            .cloned()
    }
}

/// What a pass over rows knows of them in the end, for the next to be compared with.
#[derive(Debug, Clone)]
pub enum RowsSeal {
    /// Their fingerprint.
    Fingerprint(Fingerprint),
    /// Enough to tell whether they are the same. The fingerprint is left to the next pass.
    Left(LeftFingerprint),
}

/// Bytes whose fingerprint is left to the next pass.
#[derive(Debug, Clone)]
pub struct LeftFingerprint(pub(crate) Arc<Seal>);

impl RowsSeal {
    /// The fingerprint, unless it is left to the next pass.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        match self {
            RowsSeal::Fingerprint(fingerprint) => Some(*fingerprint),
            RowsSeal::Left(_) => None,
        }
    }
}

impl From<Arc<Seal>> for RowsSeal {
    fn from(seal: Arc<Seal>) -> Self {
        match seal.fingerprint {
            Some(fingerprint) => RowsSeal::Fingerprint(fingerprint),
            None => RowsSeal::Left(LeftFingerprint(seal)),
        }
    }
}

/// What a pass over an input knows of it.
#[derive(Debug, Clone)]
pub(crate) enum Pass {
    /// Nothing; its seal is to be left here.
    First(LastSeal),
    /// What it must still be.
    Again(Arc<Seal>),
}

impl Pass {
    /// Whether the fingerprint was left to this pass.
    pub(crate) fn takes_what_was_left(&self) -> bool {
        matches!(self, Pass::Again(seal) if seal.fingerprint.is_none())
    }
}

/// Reads all of an input in order, and seals it or compares it with its seal.
#[derive(Debug)]
pub(crate) struct Sealing<R> {
    inner: R,
    pass: Pass,
    /// None if the fingerprint is known, or left to the next pass.
    hasher: Option<Hasher>,
    blocks: Blocks,
}

impl<R: Read> Sealing<R> {
    pub(crate) fn new(inner: R, pass: Pass) -> Self {
        let (blocks, is_hashed) = match &pass {
            Pass::First(_) => (Blocks::default(), true),
            Pass::Again(seal) => (Blocks::like(&seal.blocks), pass.takes_what_was_left()),
        };
        Sealing {
            inner,
            pass,
            hasher: is_hashed.then(Hasher::new),
            blocks,
        }
    }

    /// Leaves the fingerprint to the next pass; whether it does, which only the first can.
    pub(crate) fn leave_fingerprint(&mut self) -> bool {
        let is_first = matches!(self.pass, Pass::First(_));
        if is_first {
            self.hasher = None;
        }
        is_first
    }

    /// Has the thread that reads take the fingerprint, and none beside it.
    pub(crate) fn fingerprint_here(&mut self) {
        if let Some(hasher) = &mut self.hasher {
            hasher.stay_here();
        }
    }

    /// How many bytes have been read.
    pub(crate) fn byte_count(&self) -> u64 {
        self.blocks.bytes
    }

    /// The seal, once all was read; none if it was to be the same and is not.
    pub(crate) fn seal(&mut self) -> Option<Arc<Seal>> {
        let taken = self.hasher.as_mut().map(Hasher::fingerprint);
        let blocks = self.blocks.ended();
        match &self.pass {
            Pass::First(last) => {
                let seal = Arc::new(Seal {
                    fingerprint: taken,
                    blocks,
                });
                if taken.is_some() {
                    last.keep(&seal);
                }
                Some(seal)
            }
            Pass::Again(seal) => seal.blocks.is_same(&blocks).then(|| {
                Arc::new(Seal {
                    fingerprint: seal.fingerprint.or(taken),
                    blocks,
                })
            }),
        }
    }
}

impl<R> Sealing<R> {
    /// Who reads.
    pub(crate) fn inner(&self) -> &R {
        &self.inner
    }

    pub(crate) fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    pub(crate) fn block_hasher(&self) -> BlockHasher {
        BlockHasher(self.blocks.hasher.clone())
    }

    /// Takes bytes that follow those read so far and were read by somebody else, with the hashes of their blocks if they begin
    /// with one; otherwise there are none.
    pub(crate) fn take(&mut self, bytes: &[u8], hashes: &[u64]) {
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
        self.blocks.add_hashed(bytes, hashes);
    }
}

impl<R: Read> Read for Sealing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..count]);
        }
        self.blocks.add(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], piece: usize, pass: Pass, leaves_it: bool) -> Option<Arc<Seal>> {
        let mut reader = Sealing::new(bytes, pass);
        if leaves_it {
            reader.leave_fingerprint();
        }
        let mut buffer = vec![0; piece];
        while reader.read(&mut buffer).unwrap() > 0 {}
        assert_eq!(reader.byte_count(), bytes.len() as u64);
        reader.seal()
    }

    #[test]
    fn bytes_are_the_same_however_they_are_read_and_others_are_not() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            for leaves_it in [false, true] {
                let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
                let (last, fingerprint) = (LastSeal::default(), Fingerprint::of(&bytes));
                let sealed = read(&bytes, 1000, Pass::First(last.clone()), leaves_it).unwrap();
                let taken = (!leaves_it).then_some(&fingerprint);
                assert_eq!(sealed.fingerprint().as_ref(), taken);
                assert!(last.of(&Fingerprint::of(b"others")).is_none());
                let seal = match leaves_it {
                    true => sealed,
                    false => last.of(&fingerprint).unwrap(),
                };
                for piece in [999, BLOCK - 1, BLOCK, 2 * BLOCK + 1, 10 * BLOCK] {
                    // Only a first pass can leave it to another.
                    let again = |bytes: &[u8]| {
                        let seal = read(bytes, piece, Pass::Again(Arc::clone(&seal)), true)?;
                        Some(seal.fingerprint().unwrap())
                    };
                    assert_eq!(again(&bytes), Some(fingerprint), "{length} bytes");
                    assert!(again(&[&bytes[..], b"x"].concat()).is_none());
                    for at in [0, length / 2, length.saturating_sub(1)] {
                        let mut other = bytes.clone();
                        if let Some(byte) = other.get_mut(at) {
                            *byte ^= 1;
                            assert!(again(&other).is_none(), "byte {at} of {length}");
                            assert!(again(&bytes[..at]).is_none());
                        }
                    }
                }
            }
        }
    }
}
