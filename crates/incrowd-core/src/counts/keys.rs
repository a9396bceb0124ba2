//! Distinct keys, numbered.

use crate::table::{NOBODY, Slots};
use hashbrown::DefaultHashBuilder;
use std::hash::{BuildHasher, Hasher};

/// Key to number and back. Numbers count up from 0 in the order of first sight; a key is a few words, packed as a
/// [`Layout`](super::Layout) says.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    words: usize,
    /// The words of every key, end to end.
    keys: Vec<u64>,
    slots: Slots,
    hasher: DefaultHashBuilder,
    /// The hashes of the current keys.
    hashes: Vec<u64>,
}

impl Keys {
    pub(crate) fn new(words: usize) -> Self {
        Keys {
            words,
            keys: Vec::new(),
            slots: Slots::default(),
            hasher: DefaultHashBuilder::default(),
            hashes: Vec::new(),
        }
    }

    /// Keys that are all different, end to end, numbered in their order.
    pub(crate) fn of_distinct(words: usize, keys: Vec<u64>) -> Self {
        Keys {
            keys,
            ..Keys::new(words)
        }
    }

    /// Forgets all keys but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.slots.clear();
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len() / self.words
    }

    /// The words of all keys, end to end.
    pub(crate) fn words(&self) -> &[u64] {
        &self.keys
    }

    /// The keys in the order of their numbers.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.keys.chunks_exact(self.words)
    }

    /// The words of a key.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u64] {
        slice(&self.keys, self.words, number)
    }

    /// The number of a key that was [numbered](Keys::number_all) before.
    #[inline]
    pub(crate) fn find(&self, key: &[u64]) -> Option<u32> {
        self.find_hashed(hash(&self.hasher, key), key)
    }

    /// Replaces `numbers` by those of keys, end to end, that were [numbered](Keys::number_all) before; none if one was not.
    pub(crate) fn find_all(&self, words: &[u64], numbers: &mut Vec<u32>) -> Option<()> {
        let hash_of = |key| hash(&self.hasher, key);
        let keys = words.chunks_exact(self.words);
        numbers.clear();
        numbers.extend(keys.clone().map(|key| self.slots.first(hash_of(key))));
        for (key, number) in keys.zip(numbers) {
            if !self.is_number_of(*number, key) {
                *number = self.find_hashed(hash_of(key), key)?;
            }
        }
        Some(())
    }

    /// Replaces `numbers` by those of all the keys, end to end; new ones on first sight.
    ///
    /// Lookups spend their time waiting for memory. With all hashes computed beforehand, and where each search begins
    /// looked at before any of them ends, the processor can run many at once.
    pub(crate) fn number_all(&mut self, words: &[u64], numbers: &mut Vec<u32>) {
        self.index();
        let mut hashes = std::mem::take(&mut self.hashes);
        let keys = words.chunks_exact(self.words);
        hashes.clear();
        match self.words {
            1 => hashes.extend(words.iter().map(|&word| hash(&self.hasher, &[word]))),
            _ => hashes.extend(keys.clone().map(|key| hash(&self.hasher, key))),
        }
        numbers.clear();
        numbers.extend(hashes.iter().map(|&hash| self.slots.first(hash)));
        for ((key, &hash), number) in keys.zip(&hashes).zip(&mut *numbers) {
            if !self.is_number_of(*number, key) {
                *number = match self.find_hashed(hash, key) {
                    Some(number) => number,
                    None => self.insert(hash, key),
                };
            }
        }
        self.hashes = hashes;
    }

    #[inline(always)]
    fn is_number_of(&self, number: u32, key: &[u64]) -> bool {
        number != NOBODY && is_equal(self.get(number), key)
    }

    /// Makes every key one that is found.
    fn index(&mut self) {
        let (keys, words, hasher) = (&self.keys, self.words, &self.hasher);
        let hash_of = |number| hash(hasher, slice(keys, words, number));
        for number in self.slots.len()..(keys.len() / words) as u32 {
            self.slots.push(hash_of(number), hash_of);
        }
    }

    #[inline(always)]
    fn find_hashed(&self, hash: u64, key: &[u64]) -> Option<u32> {
        self.slots
            .find(hash, |number| is_equal(self.get(number), key))
    }

    #[cold]
    fn insert(&mut self, hash_of_key: u64, key: &[u64]) -> u32 {
        let (keys, words, hasher) = (&self.keys, self.words, &self.hasher);
        let number = self
            .slots
            .push(hash_of_key, |other| hash(hasher, slice(keys, words, other)));
        self.keys.extend_from_slice(key);
        number
    }
}

/// Keys are a word or two: a loop is faster than a call to compare bytes.
#[inline(always)]
fn is_equal(one: &[u64], other: &[u64]) -> bool {
    let pairs = one.iter().zip(other);
    pairs.fold(0, |differences, (one, other)| differences | (one ^ other)) == 0
}

#[inline]
fn slice(keys: &[u64], words: usize, number: u32) -> &[u64] {
    &keys[number as usize * words..][..words]
}

#[inline]
fn hash(hasher: &DefaultHashBuilder, key: &[u64]) -> u64 {
    let mut state = hasher.build_hasher();
    for &word in key {
        state.write_u64(word);
    }
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_number_of_words_are_told_apart() {
        for words in 1..5 {
            let key = |at: u32| (0..words).map(move |place| u64::from(at / 3_u32.pow(place) % 3));
            let count = 3_u32.pow(words);
            let all: Vec<u64> = (0..count).flat_map(key).collect();
            let mut keys = Keys::new(words as usize);
            let mut numbers = Vec::new();
            assert_eq!(keys.find_all(&all[..words as usize], &mut numbers), None);
            for _ in 0..2 {
                keys.number_all(&all, &mut numbers);
                assert!(numbers.iter().copied().eq(0..count));
                assert_eq!(keys.find_all(&all, &mut numbers), Some(()));
                assert!(numbers.iter().copied().eq(0..count));
            }
            let unknown = vec![3; words as usize];
            let with_unknown = [&all[..], &unknown].concat();
            assert_eq!(keys.find_all(&with_unknown, &mut numbers), None);
            for (number, found) in (0..).zip(keys.iter()) {
                assert!(found.iter().copied().eq(key(number)));
                assert_eq!(keys.find(found), Some(number));
                assert_eq!(keys.get(number), found);
            }
        }
    }
}
