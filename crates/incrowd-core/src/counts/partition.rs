//! The tuples of one share of all keys.
//!
//! Looking every row up in one table of millions of tuples means waiting for memory at every row. So tuples are first
//! only collected, by the hash of their values, and a partition looks for equal ones among its own when it holds twice
//! as many as after the last time: its table is then small enough for the cache, exists only while it is needed, and
//! every tuple is looked up two or three times in all.

use super::outside::{joined, unjoined};
use super::{Layout, NotHeld, Overflow};
use std::sync::Arc;

/// Tuples with their rows; the first [`settled`](Partition::settled) of them are all different.
#[derive(Debug, Default)]
pub(super) struct Partition {
    layout: Arc<Layout>,
    keys: Vec<u64>,
    sizes: Vec<u32>,
    settled: usize,
    /// Tuples held outside memory: how many were moved there at once, and how they are packed.
    moved: Vec<(Arc<Layout>, usize)>,
}

impl Partition {
    /// Adds tuples packed by a layout. Of two layouts, one is never narrower than the other in any column.
    pub(super) fn add(&mut self, layout: &Arc<Layout>, keys: &[u64], sizes: &[u32]) {
        if Arc::ptr_eq(&self.layout, layout) {
            self.keys.extend_from_slice(keys);
        } else if self.sizes.is_empty() || layout.is_wider_than(&self.layout) {
            self.widen(layout);
            self.keys.extend_from_slice(keys);
        } else {
            self.keys.extend(layout.repack(keys, &self.layout));
        }
        self.sizes.extend_from_slice(sizes);
    }

    /// Packs the tuples by a layout at least as wide.
    fn widen(&mut self, layout: &Arc<Layout>) {
        if !self.sizes.is_empty() {
            self.keys = self.layout.repack(&self.keys, layout);
        }
        self.layout = Arc::clone(layout);
    }

    /// Whether there are enough new tuples, of at least `fewest`, to look for equal ones.
    pub(super) fn is_full(&self, fewest: usize) -> bool {
        self.sizes.len() - self.settled >= self.settled.max(fewest)
    }

    /// Makes equal tuples one. `seed` makes hashes unpredictable, `slots` is working memory.
    pub(super) fn settle(&mut self, seed: u64, slots: &mut Vec<u32>) {
        if self.settled == self.sizes.len() {
            return;
        }
        match self.layout.words() {
            1 => self.settle_words::<1>(seed, slots),
            2 => self.settle_words::<2>(seed, slots),
            _ => self.settle_any(seed, slots),
        }
    }

    /// The same, for keys of so many words: nearly all have one or two.
    fn settle_words<const WORDS: usize>(&mut self, seed: u64, slots: &mut Vec<u32>) {
        let keys = self.keys.as_chunks_mut::<WORDS>().0;
        let shift = make_slots(slots, keys.len());
        let mut distinct = 0;
        for at in 0..keys.len() {
            let key = keys[at];
            let mut slot = hash(&key, seed) >> shift;
            let number = loop {
                let here = &mut slots[slot as usize];
                match *here {
                    FREE => {
                        *here = distinct;
                        break FREE;
                    }
                    number if keys[number as usize] == key => break number,
                    _ => slot = (slot + 1) & (slots.len() as u64 - 1),
                }
            };
            if number == FREE {
                keys[distinct as usize] = key;
                self.sizes[distinct as usize] = self.sizes[at];
                distinct += 1;
            } else {
                self.sizes[number as usize] += self.sizes[at];
            }
        }
        self.truncate(distinct as usize, WORDS);
    }

    fn settle_any(&mut self, seed: u64, slots: &mut Vec<u32>) {
        let words = self.layout.words();
        let shift = make_slots(slots, self.sizes.len());
        let mut distinct = 0;
        for at in 0..self.sizes.len() {
            let (before, key) = self.keys.split_at_mut(at * words);
            let key = &mut key[..words];
            let mut slot = hash(key, seed) >> shift;
            let number = loop {
                let here = &mut slots[slot as usize];
                match *here {
                    FREE => {
                        *here = distinct;
                        break FREE;
                    }
                    number if before[number as usize * words..][..words] == *key => break number,
                    _ => slot = (slot + 1) & (slots.len() as u64 - 1),
                }
            };
            if number == FREE {
                let place = distinct as usize * words;
                self.keys.copy_within(at * words..(at + 1) * words, place);
                self.sizes[distinct as usize] = self.sizes[at];
                distinct += 1;
            } else {
                self.sizes[number as usize] += self.sizes[at];
            }
        }
        self.truncate(distinct as usize, words);
    }

    fn truncate(&mut self, distinct: usize, words: usize) {
        self.keys.truncate(distinct * words);
        self.sizes.truncate(distinct);
        self.settled = distinct;
    }

    /// The tuples in memory, some of them perhaps equal.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        8 * self.keys.capacity() + 4 * self.sizes.capacity()
    }

    /// Whether tuples are held outside memory.
    pub(super) fn is_outside(&self) -> bool {
        !self.moved.is_empty()
    }

    /// Moves all tuples to the part of this number.
    pub(super) fn move_out(
        &mut self,
        overflow: &dyn Overflow,
        part: usize,
        seed: u64,
        slots: &mut Vec<u32>,
    ) -> Result<(), NotHeld> {
        self.settle(seed, slots);
        if self.sizes.is_empty() {
            return Ok(());
        }
        overflow.append(part, &joined(&self.keys, &self.sizes, self.layout.words()))?;
        self.moved
            .push((Arc::clone(&self.layout), self.sizes.len()));
        (self.keys, self.sizes, self.settled) = (Vec::new(), Vec::new(), 0);
        Ok(())
    }

    /// Brings back what was moved to the part of this number.
    pub(super) fn bring_back(
        &mut self,
        overflow: &dyn Overflow,
        part: usize,
    ) -> Result<(), NotHeld> {
        if !self.is_outside() {
            return Ok(());
        }
        let words = overflow.read(part)?;
        let mut rest = &words[..];
        for (layout, tuples) in std::mem::take(&mut self.moved) {
            let length = tuples * (layout.words() + 1);
            let Some((piece, after)) = rest.split_at_checked(length) else {
                return Err(NotHeld("a temporary file has changed".to_owned()));
            };
            let (keys, sizes) = unjoined(piece.to_vec(), layout.words(), tuples)?;
            self.add(&layout, &keys, &sizes);
            rest = after;
        }
        // All of them are new.
        self.settled = 0;
        Ok(())
    }

    /// All tuples, each once, packed by a layout at least as wide as every other, with their rows.
    pub(super) fn into_distinct(
        mut self,
        layout: &Arc<Layout>,
        seed: u64,
        slots: &mut Vec<u32>,
    ) -> (Vec<u64>, Vec<u32>) {
        if !Arc::ptr_eq(&self.layout, layout) {
            self.widen(layout);
        }
        self.settle(seed, slots);
        (self.keys, self.sizes)
    }
}

/// A slot without a tuple: there are fewer than 2^32 rows, so fewer tuples.
const FREE: u32 = u32::MAX;

/// Empties at least twice as many slots as there are tuples; returns how far a hash is shifted to point at one.
fn make_slots(slots: &mut Vec<u32>, tuples: usize) -> u32 {
    let wanted = (2 * tuples).next_power_of_two().max(2);
    slots.clear();
    slots.resize(wanted, FREE);
    u64::BITS - wanted.trailing_zeros()
}

/// The words are folded into each other by products of twice the width, whose halves depend on all bits of both.
#[inline]
fn hash(key: &[u64], seed: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = seed;
    for word in key {
        let product = u128::from(hash ^ word) * u128::from(ODD);
        hash = (product >> 64) as u64 ^ product as u64;
    }
    // The upper bits count.
    hash.wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn equal_tuples_become_one_however_they_are_packed_and_whenever_partitions_settle() {
        let layouts: Vec<Arc<Layout>> = [
            vec![4, 4],
            vec![4, 1 << 20],
            vec![1 << 20, 1 << 30],
            vec![1 << 31, 1 << 32],
            vec![1 << 32, 1 << 32],
        ]
        .into_iter()
        .map(|sizes: Vec<usize>| Arc::new(Layout::of_sizes(sizes)))
        .collect();
        let mut rng = fastrand::Rng::with_seed(1);
        for round in 0..200 {
            let mut partition = Partition::default();
            let mut expected: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut slots = Vec::new();
            let mut widest = 0;
            for _ in 0..rng.usize(1..30) {
                let at = rng.usize(0..layouts.len());
                widest = widest.max(at);
                let (mut keys, mut sizes) = (Vec::new(), Vec::new());
                for _ in 0..rng.usize(0..10) {
                    let tuple = (rng.u32(0..4), rng.u32(0..4));
                    let rows = rng.u32(1..5);
                    layouts[at].push_key(&mut keys, [tuple.0, tuple.1]);
                    sizes.push(rows);
                    *expected.entry(tuple).or_default() += rows;
                }
                partition.add(&layouts[at], &keys, &sizes);
                if partition.is_full(rng.usize(1..20)) {
                    partition.settle(round, &mut slots);
                }
            }
            let layout = &layouts[widest];
            let (keys, sizes) = partition.into_distinct(layout, round, &mut slots);
            let read = |key: &[u64]| (layout.field(0).read(key), layout.field(1).read(key));
            let tuples = keys.chunks_exact(layout.words()).map(read);
            let found: Vec<((u32, u32), u32)> = tuples.zip(sizes).collect();
            assert_eq!(found.len(), expected.len());
            assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), expected);
        }
    }

    #[test]
    fn keys_of_many_words_settle_alike() {
        let mut rng = fastrand::Rng::with_seed(2);
        for columns in [3, 5, 7] {
            // A word for each.
            let layout = Arc::new(Layout::of_sizes(vec![1 << 40; columns]));
            assert_eq!(layout.words(), columns);
            let mut partition = Partition::default();
            let mut expected: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
            for _ in 0..500 {
                let key: Vec<u64> = (0..columns).map(|_| rng.u64(0..3)).collect();
                partition.add(&layout, &key, &[1]);
                *expected.entry(key).or_default() += 1;
            }
            let (keys, sizes) = partition.into_distinct(&layout, 3, &mut Vec::new());
            let found = keys.chunks_exact(columns).map(<[u64]>::to_vec).zip(sizes);
            assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
        }
    }
}
