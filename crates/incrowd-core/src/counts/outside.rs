//! Counted tuples that are held outside memory.

use super::{NotHeld, Overflow};
use std::sync::Arc;

/// The tuples of a counter, each once, in the parts of an [`Overflow`].
#[derive(Debug, Clone)]
pub(super) struct Outside {
    pub(super) overflow: Arc<dyn Overflow>,
    /// The tuples of each part.
    pub(super) parts: Vec<usize>,
    /// For each column, the rows of every code.
    pub(super) rows_of_codes: Vec<Vec<u32>>,
    /// The words of a key.
    pub(super) words: usize,
}

impl Outside {
    /// The keys and sizes of a part.
    pub(super) fn read(&self, part: usize) -> Result<(Vec<u64>, Vec<u32>), NotHeld> {
        let words = self.overflow.read(part)?;
        unjoined(words, self.words, self.parts[part])
    }

    pub(super) fn tuples(&self) -> usize {
        self.parts.iter().sum()
    }
}

/// Tuples as words: each key with its size after it.
pub(super) fn joined(keys: &[u64], sizes: &[u32], words: usize) -> Vec<u64> {
    let mut joined = Vec::with_capacity(sizes.len() * (words + 1));
    for (key, &size) in keys.chunks_exact(words).zip(sizes) {
        joined.extend_from_slice(key);
        joined.push(u64::from(size));
    }
    joined
}

/// The keys and sizes of as many tuples as were held.
pub(super) fn unjoined(
    joined: Vec<u64>,
    words: usize,
    tuples: usize,
) -> Result<(Vec<u64>, Vec<u32>), NotHeld> {
    if joined.len() != tuples * (words + 1) {
        return Err(NotHeld("a temporary file has changed".to_owned()));
    }
    let mut keys = Vec::with_capacity(tuples * words);
    let mut sizes = Vec::with_capacity(tuples);
    for tuple in joined.chunks_exact(words + 1) {
        keys.extend_from_slice(&tuple[..words]);
        sizes.push(tuple[words] as u32);
    }
    Ok((keys, sizes))
}
