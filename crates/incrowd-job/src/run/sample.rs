//! Counting in bounded memory.
//!
//! Things are distinguished by 64-bit hashes. While there are few, all are counted; once there are more than the bound,
//! only those are whose hash begins with one more zero, then two more, and so on. So a thing that is still there at the
//! end was counted from its first row to its last, and the result is a sample of all things that depends only on the
//! things themselves: not on the order of rows, nor on how they were distributed over threads. (M. Wegman's adaptive
//! sampling, in P. Flajolet, On Adaptive Sampling, Computing 34, 1990.)

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// Values, or cells, that are counted in all columns together.
pub(crate) const MOST_COUNTED: usize = 1 << 22;

/// Values of one column, or rows, that are counted: fewer if there are very many columns.
pub(crate) fn bound(columns: usize) -> usize {
    (MOST_COUNTED / columns.max(1)).clamp(1 << 10, 1 << 16)
}

/// Things counted, all or a sample of them.
#[derive(Debug, Clone)]
pub(crate) struct Sample<T> {
    bound: usize,
    /// Zeros that hashes begin with.
    level: u32,
    counted: HashMap<u64, Counted<T>>,
}

/// A thing, and how many rows have it.
#[derive(Debug, Clone)]
pub(crate) struct Counted<T> {
    pub(crate) rows: u32,
    pub(crate) thing: T,
}

impl<T> Sample<T> {
    /// Counts at most `bound` things.
    pub(crate) fn new(bound: usize) -> Self {
        Sample {
            bound: bound.max(1),
            level: 0,
            counted: HashMap::new(),
        }
    }

    /// Counts a row that has the thing with this hash.
    pub(crate) fn add(&mut self, hash: u64, thing: impl FnOnce() -> T) {
        self.add_and(hash, 1, thing, |_| ());
    }

    /// Counts so many rows that have the thing with this hash, and notes what they say about a thing that was already
    /// there.
    pub(crate) fn add_and(
        &mut self,
        hash: u64,
        rows: u32,
        thing: impl FnOnce() -> T,
        note: impl FnOnce(&mut T),
    ) {
        if hash.leading_zeros() < self.level {
            return;
        }
        match self.counted.entry(hash) {
            Entry::Occupied(mut counted) => {
                let counted = counted.get_mut();
                counted.rows = counted.rows.saturating_add(rows);
                note(&mut counted.thing);
            }
            Entry::Vacant(place) => {
                let thing = thing();
                place.insert(Counted { rows, thing });
                self.shrink();
            }
        }
    }

    /// Counts more rows that have the thing with this hash, if it is still there.
    pub(crate) fn add_rows(&mut self, hash: u64, rows: u32) {
        if let Some(counted) = self.counted.get_mut(&hash) {
            counted.rows = counted.rows.saturating_add(rows);
        }
    }

    /// Merges counts from elsewhere. `join` joins what is known about a thing here and there; it must be symmetric.
    pub(crate) fn absorb(&mut self, other: Sample<T>, join: impl Fn(&mut T, T)) {
        self.level = self.level.max(other.level);
        let level = self.level;
        self.counted.retain(|hash, _| hash.leading_zeros() >= level);
        // Whatever their order, the same things remain.
        other.counted.into_iter().for_each(|(hash, theirs)| {
            if hash.leading_zeros() < self.level {
                return;
            }
            match self.counted.entry(hash) {
                Entry::Occupied(mut ours) => {
                    let ours = ours.get_mut();
                    ours.rows = ours.rows.saturating_add(theirs.rows);
                    join(&mut ours.thing, theirs.thing);
                }
                Entry::Vacant(place) => {
                    place.insert(theirs);
                    self.shrink();
                }
            }
        });
    }

    /// The same, with other things.
    pub(crate) fn map<U>(self, mut thing: impl FnMut(T) -> U) -> Sample<U> {
        let counted = self.counted.into_iter();
        let counted = counted.map(|(hash, Counted { rows, thing: of })| {
            let thing = thing(of);
            (hash, Counted { rows, thing })
        });
        Sample {
            bound: self.bound,
            level: self.level,
            counted: counted.collect(),
        }
    }

    fn shrink(&mut self) {
        while self.counted.len() > self.bound {
            self.level += 1;
            let level = self.level;
            self.counted.retain(|hash, _| hash.leading_zeros() >= level);
        }
    }

    /// Whether everything was counted.
    pub(crate) fn is_exact(&self) -> bool {
        self.level == 0
    }

    /// What was counted, in arbitrary order.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Counted<T>> {
        self.counted.values()
    }

    /// Everything counted, in arbitrary order.
    pub(crate) fn things_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.counted.values_mut().map(|counted| &mut counted.thing)
    }

    /// The estimated total if `found` were sampled.
    pub(crate) fn estimate(&self, found: u64) -> u64 {
        found.saturating_mul(1u64.checked_shl(self.level).unwrap_or(u64::MAX))
    }
}

/// The hash that stands for a cell. Written out here because certificates depend on it, so it must not change with the
/// version of a library.
pub(crate) fn hash(cell: &[u8]) -> u64 {
    let (words, rest) = cell.as_chunks();
    let mut hash = cell.len() as u64;
    for &word in words {
        hash = join(hash, u64::from_le_bytes(word));
    }
    if !rest.is_empty() {
        hash = join(hash, up_to_seven(rest));
    }
    mix(hash)
}

/// One to seven bytes as a number, the lowest first. Nearly all cells end in so few, and a call to copy them takes
/// longer.
#[inline]
fn up_to_seven(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        // Where they overlap, they agree.
        return u64::from(first) | u64::from(last) << (8 * (length - 4));
    }
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    byte(0) | byte(length / 2) | byte(length - 1)
}

/// The hash of a sequence of things.
pub(crate) fn join(hash: u64, next: u64) -> u64 {
    // The digits of pi and of e: odd and arbitrary.
    const PI: u64 = 0x243f_6a88_85a3_08d3;
    const E: u64 = 0xb7e1_5162_8aed_2a6b;
    let product = (u128::from(hash ^ PI) * u128::from(E)) ^ u128::from(next);
    let product = u128::from(product as u64 ^ (product >> 64) as u64) * u128::from(PI);
    product as u64 ^ (product >> 64) as u64
}

/// Makes every bit depend on every other.
fn mix(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What a sample of these things, dealt to some counters, has in the end.
    fn sampled(bound: usize, things: &[u32], counters: usize) -> (u32, BTreeMap<u32, u32>) {
        let mut samples = vec![Sample::new(bound); counters];
        for (at, thing) in things.iter().enumerate() {
            let hash = hash(thing.to_string().as_bytes());
            samples[at % counters].add(hash, || *thing);
        }
        let mut all = samples.remove(0);
        samples
            .into_iter()
            .for_each(|sample| all.absorb(sample, |_, _| ()));
        let counted = all.counted().map(|counted| (counted.thing, counted.rows));
        (all.level, counted.collect())
    }

    #[test]
    fn few_things_are_counted_one_by_one() {
        let (level, counted) = sampled(3, &[1, 2, 1, 3, 1], 1);
        assert_eq!(
            (level, counted),
            (0, BTreeMap::from([(1, 3), (2, 1), (3, 1)]))
        );
    }

    #[test]
    fn the_sample_of_many_does_not_depend_on_order_or_on_counters() {
        // Each thing t of 10 000 occurs 1 + t mod 3 times.
        let mut things: Vec<u32> = (0..10_000)
            .flat_map(|t| vec![t; 1 + t as usize % 3])
            .collect();
        let expected = sampled(500, &things, 1);
        assert!(expected.0 > 0 && expected.1.len() <= 500);
        // Whoever is in it was counted from the first row to the last.
        assert!(
            expected
                .1
                .iter()
                .all(|(thing, rows)| *rows == 1 + thing % 3)
        );
        things.reverse();
        for counters in [1, 2, 3, 8] {
            assert_eq!(sampled(500, &things, counters), expected, "{counters}");
        }
        things.sort_by_key(|thing| thing % 97);
        assert_eq!(sampled(500, &things, 5), expected);
    }

    #[test]
    fn a_hash_is_that_of_the_bytes_in_eights() {
        let bytes: Vec<u8> = (1..=40).map(|at| at * 6).collect();
        for length in 0..=bytes.len() {
            let cell = &bytes[..length];
            let words = cell.chunks(8).map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            });
            assert_eq!(hash(cell), mix(words.fold(length as u64, join)), "{length}");
        }
    }

    #[test]
    fn different_cells_have_different_hashes() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..100_000u32 {
            assert!(seen.insert(hash(number.to_string().as_bytes())), "{number}");
            assert!(seen.insert(hash(format!("a longer text {number}").as_bytes())));
        }
        // Neither length nor order nor where a cell ends may be lost.
        let cells: [&[u8]; 5] = [b"", b"\0", b"\0\0", b"12345678", b"12345678\0"];
        assert!(
            cells
                .iter()
                .all(|cell| seen.insert(hash(cell)) || *cell == b"12345678")
        );
        let (a, b) = (hash(b"a"), hash(b"b"));
        assert_ne!(join(join(0, a), b), join(join(0, b), a));
        assert_ne!(
            join(join(0, hash(b"ab")), hash(b"c")),
            join(join(0, a), hash(b"bc"))
        );
    }

    #[test]
    fn estimates_are_near_what_they_estimate() {
        let mut sample = Sample::new(4096);
        for thing in 0..200_000u32 {
            sample.add(hash(format!("person {thing}").as_bytes()), || ());
        }
        let estimate = sample.estimate(sample.counted().count() as u64) as f64;
        // Six times the standard error of 1 / sqrt(2048).
        assert!(
            (estimate / 200_000.0 - 1.0).abs() < 6.0 / 2048f64.sqrt(),
            "{estimate}"
        );
    }
}
