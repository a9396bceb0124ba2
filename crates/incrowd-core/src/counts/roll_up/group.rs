//! Forming the upper classes: every lower class is looked up by the key that its groups become.

use super::Step;
use crate::counts::lookups::{Lookup, Lookups, joined};
use crate::counts::{CountedTable, FrequencySet};
use std::ops::Range;

/// Key spaces up to this many slots per lower class are addressed directly instead of hashed.
const DENSE_SLOTS_PER_CLASS: usize = 8;

/// Fibonacci hashing: spreads the low bits of a key over the high bits of the product.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

const EMPTY: u32 = u32::MAX;

/// Classes to be grouped.
#[derive(Clone, Copy)]
pub(super) struct Lower<'l> {
    pub(super) words: usize,
    pub(super) keys: &'l [u64],
    pub(super) sizes: &'l [u32],
}

impl<'l> Lower<'l> {
    pub(super) fn all(set: &'l FrequencySet) -> Self {
        Lower {
            words: set.words,
            keys: &set.keys,
            sizes: &set.sizes,
        }
    }

    pub(super) fn range(self, range: Range<usize>) -> Self {
        Lower {
            keys: &self.keys[self.words * range.start..self.words * range.end],
            sizes: &self.sizes[range],
            ..self
        }
    }

    pub(super) fn len(self) -> usize {
        self.sizes.len()
    }
}

/// How keys become those of upper classes.
#[derive(Default)]
pub(super) struct Grouping {
    /// The bits to flip, for the attributes that rise.
    flips: Vec<Lookup<u64>>,
    /// If keys are addressed directly, the number of slots, and each attribute's share of a class's slot.
    dense: Option<(usize, Vec<Lookup<u32>>)>,
}

impl Grouping {
    /// For so many lower classes at a time.
    pub(super) fn new(table: &CountedTable, steps: &[Step<'_>], lower_classes: usize) -> Self {
        let is_wide = table.layout.words() > 1;
        let slots = dense_slots(steps, lower_classes).filter(|_| !is_wide);
        Grouping {
            flips: flips(table, steps, lower_classes),
            dense: slots.map(|slots| (slots, offsets(table, steps, lower_classes))),
        }
    }

    /// Forms the classes in `upper`, which is empty. The upper class of each lower class is kept in `class_of` if `TRACKED`.
    pub(super) fn group<const TRACKED: bool>(
        &self,
        lower: Lower<'_>,
        upper: &mut FrequencySet,
        slots: &mut Vec<u32>,
        class_of: &mut Vec<u32>,
    ) {
        class_of.clear();
        if lower.words > 1 {
            group_wide::<TRACKED>(lower, &self.flips, upper, slots, class_of);
        } else if let Some((dense, offsets)) = &self.dense {
            slots.clear();
            slots.resize(*dense, EMPTY);
            group_dense::<TRACKED>(lower, &self.flips, offsets, upper, slots, class_of);
        } else {
            group_hashed::<TRACKED>(lower, &self.flips, upper, slots, class_of);
        }
    }

    /// Only raises keys: the classes in `upper`, which is empty, are the lower ones, equal or not.
    pub(super) fn raise(&self, lower: Lower<'_>, upper: &mut FrequencySet) {
        let keys = upper.keys.in_memory();
        keys.extend_from_slice(lower.keys);
        upper.sizes.in_memory().extend_from_slice(lower.sizes);
        if lower.words == 1 {
            raise(keys, &self.flips);
            return;
        }
        let below = lower.keys.chunks_exact(lower.words);
        for (key, below) in keys.chunks_exact_mut(lower.words).zip(below) {
            flip(key, below, &self.flips);
        }
    }
}

/// The bits of a key to flip, for the attributes that rise.
fn flips(table: &CountedTable, steps: &[Step<'_>], lower_classes: usize) -> Vec<Lookup<u64>> {
    let rising = (table.layout.fields().iter().zip(steps))
        .filter_map(|(&field, step)| step.above.as_ref().map(|above| (field, above)));
    let singles = rising.map(|(field, above)| {
        let pairs = above.iter().enumerate();
        let flips = pairs.map(|(below, &above)| (below as u64 ^ u64::from(above)) << field.shift);
        (field, flips.collect())
    });
    joined(singles, lower_classes, |low, high| low ^ high)
}

/// Each attribute's share of a class's slot in a directly addressed key space.
fn offsets(table: &CountedTable, steps: &[Step<'_>], lower_classes: usize) -> Vec<Lookup<u32>> {
    let mut stride = 1;
    let wanted = (table.layout.fields().iter().zip(steps)).filter(|(_, step)| step.groups > 1);
    let singles = wanted.map(|(&field, step)| {
        let offsets = match &step.above {
            Some(above) => above.iter().map(|&above| above * stride).collect(),
            None => (0..step.groups as u32)
                .map(|group| group * stride)
                .collect(),
        };
        stride *= step.groups as u32;
        (field, offsets)
    });
    joined(singles, lower_classes, |low, high| low + high)
}

/// The size of the upper key space when it is small enough to address directly.
fn dense_slots(steps: &[Step<'_>], lower_classes: usize) -> Option<usize> {
    let limit = (lower_classes * DENSE_SLOTS_PER_CLASS).clamp(1 << 8, 1 << 24);
    let mut slots = 1usize;
    for step in steps {
        slots = slots.checked_mul(step.groups)?;
        if slots > limit {
            return None;
        }
    }
    Some(slots)
}

/// Classes as they are found: no branch depends on whether a class is new, which is anybody's guess.
///
/// `keys` and `sizes` have room for as many classes as there are below, `class_of` too if it is `TRACKED`. The compiler is
/// shown that they are of one length, so that it checks an index once and not three times.
struct Found<'u> {
    keys: &'u mut [u64],
    sizes: &'u mut [u32],
    class_of: &'u mut [u32],
    classes: u32,
}

impl Found<'_> {
    /// Adds the rows of a lower class to the class of this slot, which becomes the next one if it is empty.
    #[inline(always)]
    fn add<const TRACKED: bool>(&mut self, below: usize, slot: &mut u32, key: u64, size: u32) {
        let class = (*slot).min(self.classes);
        self.classes += u32::from(*slot == EMPTY);
        *slot = class;
        self.keys[class as usize] = key;
        self.sizes[class as usize] += size;
        if TRACKED {
            self.class_of[below] = class;
        }
    }
}

/// Lets `group` find the classes of all keys and sizes below, in memory that is used again.
#[inline(always)]
fn find_classes<const TRACKED: bool>(
    lower: Lower<'_>,
    upper: &mut FrequencySet,
    class_of: &mut Vec<u32>,
    group: impl FnOnce(&mut Found<'_>, &[u64], &[u32]),
) {
    let below = lower.len();
    let (keys, sizes) = (upper.keys.in_memory(), upper.sizes.in_memory());
    keys.resize(below, 0);
    sizes.resize(below, 0);
    if TRACKED {
        class_of.resize(below, 0);
    }
    let tracked = if TRACKED { below } else { 0 };
    let mut found = Found {
        keys: &mut keys[..below],
        sizes: &mut sizes[..below],
        class_of: &mut class_of[..tracked],
        classes: 0,
    };
    group(&mut found, &lower.keys[..below], &lower.sizes[..below]);
    let classes = found.classes as usize;
    keys.truncate(classes);
    sizes.truncate(classes);
}

fn group_dense<const TRACKED: bool>(
    lower: Lower<'_>,
    flips: &[Lookup<u64>],
    offsets: &[Lookup<u32>],
    upper: &mut FrequencySet,
    slots: &mut [u32],
    class_of: &mut Vec<u32>,
) {
    match offsets.len() {
        0 => group_dense_by::<TRACKED, 0>(lower, offsets, upper, slots, class_of),
        1 => group_dense_by::<TRACKED, 1>(lower, offsets, upper, slots, class_of),
        2 => group_dense_by::<TRACKED, 2>(lower, offsets, upper, slots, class_of),
        3 => group_dense_by::<TRACKED, 3>(lower, offsets, upper, slots, class_of),
        _ => group_dense_by::<TRACKED, 4>(lower, offsets, upper, slots, class_of),
    }
    // Whichever lower class a key is of, it rises to the same one.
    raise(upper.keys.in_memory(), flips);
}

/// Flips the bits of the attributes that rise in every key of one word.
fn raise(keys: &mut [u64], flips: &[Lookup<u64>]) {
    match flips.len() {
        0 => {}
        1 => raise_by::<1>(keys, flips),
        2 => raise_by::<2>(keys, flips),
        3 => raise_by::<3>(keys, flips),
        _ => raise_by::<4>(keys, flips),
    }
}

fn raise_by<const FIRST: usize>(keys: &mut [u64], flips: &[Lookup<u64>]) {
    let flips = Lookups::<u64, FIRST>::new(flips);
    for key in keys {
        *key = flips.join(*key, *key, |one, other| one ^ other);
    }
}

fn group_dense_by<const TRACKED: bool, const FIRST: usize>(
    lower: Lower<'_>,
    offsets: &[Lookup<u32>],
    upper: &mut FrequencySet,
    slots: &mut [u32],
    class_of: &mut Vec<u32>,
) {
    let offsets = Lookups::<u32, FIRST>::new(offsets);
    find_classes::<TRACKED>(lower, upper, class_of, |found, keys, sizes| {
        let classes = keys.iter().zip(sizes);
        for (below, (&key, &size)) in classes.enumerate() {
            let slot = offsets.join(key, 0, |one, other| one + other);
            found.add::<TRACKED>(below, &mut slots[slot as usize], key, size);
        }
    });
}

/// Slots for a hash table that is at most half full.
fn clear_hash_slots(slots: &mut Vec<u32>, classes: usize) -> u32 {
    let bits = (2 * classes.max(8)).next_power_of_two().trailing_zeros();
    slots.clear();
    slots.resize(1 << bits, EMPTY);
    64 - bits
}

fn group_hashed<const TRACKED: bool>(
    lower: Lower<'_>,
    flips: &[Lookup<u64>],
    upper: &mut FrequencySet,
    slots: &mut Vec<u32>,
    class_of: &mut Vec<u32>,
) {
    match flips.len() {
        0 => group_hashed_by::<TRACKED, 0>(lower, flips, upper, slots, class_of),
        1 => group_hashed_by::<TRACKED, 1>(lower, flips, upper, slots, class_of),
        2 => group_hashed_by::<TRACKED, 2>(lower, flips, upper, slots, class_of),
        3 => group_hashed_by::<TRACKED, 3>(lower, flips, upper, slots, class_of),
        _ => group_hashed_by::<TRACKED, 4>(lower, flips, upper, slots, class_of),
    }
}

fn group_hashed_by<const TRACKED: bool, const FIRST: usize>(
    lower: Lower<'_>,
    flips: &[Lookup<u64>],
    upper: &mut FrequencySet,
    slots: &mut Vec<u32>,
    class_of: &mut Vec<u32>,
) {
    let shift = clear_hash_slots(slots, lower.len());
    let last = slots.len() - 1;
    let flips = Lookups::<u64, FIRST>::new(flips);
    find_classes::<TRACKED>(lower, upper, class_of, |found, keys, sizes| {
        let classes = keys.iter().zip(sizes);
        for (below, (&key, &size)) in classes.enumerate() {
            let key = flips.join(key, key, |one, other| one ^ other);
            let mut slot = (key.wrapping_mul(GOLDEN) >> shift) as usize;
            // An empty slot stands for the next class, which has this key as long as it is not found elsewhere.
            found.keys[found.classes as usize] = key;
            while found.keys[slots[slot].min(found.classes) as usize] != key {
                slot = (slot + 1) & last;
            }
            found.add::<TRACKED>(below, &mut slots[slot], key, size);
        }
    });
}

/// Flips the bits of the attributes that rise in a key of several words, which is as it is `below`.
fn flip(key: &mut [u64], below: &[u64], flips: &[Lookup<u64>]) {
    for flips in flips {
        key[flips.word] ^= flips.entry(below[flips.word]);
    }
}

fn group_wide<const TRACKED: bool>(
    lower: Lower<'_>,
    flips: &[Lookup<u64>],
    upper: &mut FrequencySet,
    slots: &mut Vec<u32>,
    class_of: &mut Vec<u32>,
) {
    let words = lower.words;
    let shift = clear_hash_slots(slots, lower.len());
    let last = slots.len() - 1;
    let mut key = vec![0; words];
    let (keys, sizes) = (upper.keys.in_memory(), upper.sizes.in_memory());
    for (below, &size) in lower.keys.chunks_exact(words).zip(lower.sizes) {
        key.copy_from_slice(below);
        flip(&mut key, below, flips);
        let hash = key.iter().fold(0u64, |hash, word| {
            (hash.rotate_left(29) ^ word).wrapping_mul(GOLDEN)
        });
        let mut slot = (hash >> shift) as usize;
        let class = loop {
            let class = slots[slot];
            if class == EMPTY {
                let class = sizes.len() as u32;
                slots[slot] = class;
                keys.extend_from_slice(&key);
                sizes.push(size);
                break class;
            }
            if keys[class as usize * words..][..words] == *key {
                sizes[class as usize] += size;
                break class;
            }
            slot = (slot + 1) & last;
        };
        if TRACKED {
            class_of.push(class);
        }
    }
}
