//! Counting a node from a counted node below it.
//!
//! Every class of the lower set is sent to its class of the upper set by replacing the bits of the attributes
//! that rise; sizes are added up, histograms merged. Nothing but the lower set is read. This is the kernel the
//! whole product runs on, so it avoids everything that is not arithmetic: one table lookup per attribute that
//! rises, one probe per class.

use super::{CountedTable, FrequencySet, Histograms};
use crate::lattice::Node;

/// Key spaces up to this many slots per lower class are addressed directly instead of hashed.
const DENSE_SLOTS_PER_CLASS: usize = 4;

/// Fibonacci hashing: spreads the low bits of a key over the high bits of the product.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

const EMPTY: u32 = u32::MAX;

/// Working memory of [`roll_up`], kept between calls.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Slot to class of the upper set.
    slots: Vec<u32>,
    /// Lower class to upper class.
    class_of: Vec<u32>,
    /// Lower classes sorted by upper class.
    order: Vec<u32>,
    /// Where each upper class starts in `order`.
    starts: Vec<u32>,
    /// Rows per value of the column being merged, all zero between classes.
    rows_of_values: Vec<u32>,
    /// The values with rows, a bit each.
    present: Vec<u64>,
}

/// Neighbouring attributes that rise together: the bits to flip for each combination of their groups.
struct Rise {
    word: usize,
    shift: u32,
    mask: u64,
    flips: Vec<u64>,
}

/// Neighbouring attributes' share of a class's slot in a directly addressed key space.
struct Digit {
    shift: u32,
    mask: u64,
    offsets: Vec<u32>,
}

/// The classes of node `to`, from those of `from` at or below it, into `upper`, whose memory is reused.
/// `columns` says whose histograms to carry along.
pub fn roll_up(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    debug_assert!(from.is_at_or_below(to));
    upper.words = lower.words;
    upper.keys.clear();
    upper.sizes.clear();
    if columns.is_empty() {
        group::<false>(table, (from, lower), to, scratch, upper);
    } else {
        group::<true>(table, (from, lower), to, scratch, upper);
        sort_by_class(scratch, upper.len());
    }
    upper.histograms.clear();
    upper.histograms.resize(table.columns.len(), None);
    for &column in columns {
        let values = table.columns[column].values.len();
        let merged = merge_histograms(lower.histograms(column), values, upper.len(), scratch);
        upper.histograms[column] = Some(merged);
    }
}

/// Forms the classes. Where each lower class went is kept in `scratch.class_of` when `TRACKED`.
fn group<const TRACKED: bool>(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let Scratch {
        slots, class_of, ..
    } = scratch;
    class_of.clear();
    let rises = rises(table, from, to, lower.len());
    if lower.words > 1 {
        group_wide::<TRACKED>(lower, &rises, upper, slots, class_of);
    } else if let Some(dense) = dense_slots(table, to, lower.len()) {
        slots.clear();
        slots.resize(dense, EMPTY);
        let digits = digits(table, from, to, lower.len());
        group_dense::<TRACKED>(lower, &rises, &digits, upper, slots, class_of);
    } else {
        group_hashed::<TRACKED>(lower, &rises, upper, slots, class_of);
    }
}

/// Tables for combinations of attributes are worth making up to this many entries per lower class.
const CLASSES_PER_TABLE_ENTRY: usize = 8;

fn rises(table: &CountedTable, from: &Node, to: &Node, lower_classes: usize) -> Vec<Rise> {
    let mut rises: Vec<Rise> = Vec::new();
    for attribute in 0..from.len() {
        let (below, above) = (from.level(attribute), to.level(attribute));
        if below == above {
            continue;
        }
        let field = table.layout.field(attribute);
        let groups = table.attributes[attribute].groups_between(below, above);
        let flips = groups
            .iter()
            .enumerate()
            .map(|(below, &above)| below as u64 ^ u64::from(above));
        match rises.last_mut() {
            Some(last) if last.word == field.word => {
                let bits = u64::BITS - (field.mask << (field.shift - last.shift)).leading_zeros();
                if CLASSES_PER_TABLE_ENTRY << bits.min(40) <= lower_classes {
                    let flips: Vec<u64> = flips.map(|flip| flip << field.shift).collect();
                    let places = field.shift - last.shift;
                    last.flips = (0..1u64 << bits)
                        .map(|combination| {
                            let first = last.flips.get((combination & last.mask) as usize);
                            let second = flips.get((combination >> places) as usize);
                            first.unwrap_or(&0) ^ second.unwrap_or(&0)
                        })
                        .collect();
                    last.mask = (1 << bits) - 1;
                    continue;
                }
            }
            _ => {}
        }
        rises.push(Rise {
            word: field.word,
            shift: field.shift,
            mask: field.mask,
            flips: flips.map(|flip| flip << field.shift).collect(),
        });
    }
    rises
}

fn digits(table: &CountedTable, from: &Node, to: &Node, lower_classes: usize) -> Vec<Digit> {
    let mut stride = 1;
    let mut digits: Vec<Digit> = Vec::new();
    for attribute in 0..from.len() {
        let groups = table.attributes[attribute]
            .hierarchy
            .groups(to.level(attribute)) as u32;
        if groups == 1 {
            continue;
        }
        let field = table.layout.field(attribute);
        let above =
            table.attributes[attribute].groups_between(from.level(attribute), to.level(attribute));
        let offsets: Vec<u32> = above.iter().map(|&above| above * stride).collect();
        stride *= groups;
        match digits.last_mut() {
            Some(last) => {
                let places = field.shift - last.shift;
                let bits = u64::BITS - (field.mask << places).leading_zeros();
                if CLASSES_PER_TABLE_ENTRY << bits.min(40) <= lower_classes {
                    last.offsets = (0..1u64 << bits)
                        .map(|combination| {
                            let first = last.offsets.get((combination & last.mask) as usize);
                            let second = offsets.get((combination >> places) as usize);
                            first.unwrap_or(&0) + second.unwrap_or(&0)
                        })
                        .collect();
                    last.mask = (1 << bits) - 1;
                    continue;
                }
            }
            None => {}
        }
        digits.push(Digit {
            shift: field.shift,
            mask: field.mask,
            offsets,
        });
    }
    digits
}

/// The size of the upper key space when it is small enough to address directly.
fn dense_slots(table: &CountedTable, to: &Node, lower_classes: usize) -> Option<usize> {
    let limit = (lower_classes * DENSE_SLOTS_PER_CLASS).clamp(1 << 8, 1 << 24);
    let mut slots = 1usize;
    for (attribute, level) in table.attributes.iter().zip(to.levels()) {
        slots = slots.checked_mul(attribute.hierarchy.groups(level))?;
        if slots > limit {
            return None;
        }
    }
    Some(slots)
}

#[inline]
fn risen(key: u64, rises: &[Rise]) -> u64 {
    rises.iter().fold(key, |risen, rise| {
        risen ^ rise.flips[((key >> rise.shift) & rise.mask) as usize]
    })
}

fn group_dense<const TRACKED: bool>(
    lower: &FrequencySet,
    rises: &[Rise],
    digits: &[Digit],
    upper: &mut FrequencySet,
    slots: &mut [u32],
    class_of: &mut Vec<u32>,
) {
    for (&key, &size) in lower.keys.iter().zip(&lower.sizes) {
        let slot = digits
            .iter()
            .map(|digit| digit.offsets[((key >> digit.shift) & digit.mask) as usize])
            .sum::<u32>();
        let class = &mut slots[slot as usize];
        if *class == EMPTY {
            *class = upper.sizes.len() as u32;
            upper.keys.push(risen(key, rises));
            upper.sizes.push(size);
        } else {
            upper.sizes[*class as usize] += size;
        }
        if TRACKED {
            class_of.push(*class);
        }
    }
}

/// Slots for a hash table that is at most half full.
fn clear_hash_slots(slots: &mut Vec<u32>, classes: usize) -> u32 {
    let bits = (2 * classes.max(8)).next_power_of_two().trailing_zeros();
    slots.clear();
    slots.resize(1 << bits, EMPTY);
    64 - bits
}

fn group_hashed<const TRACKED: bool>(
    lower: &FrequencySet,
    rises: &[Rise],
    upper: &mut FrequencySet,
    slots: &mut Vec<u32>,
    class_of: &mut Vec<u32>,
) {
    let shift = clear_hash_slots(slots, lower.len());
    let last = slots.len() - 1;
    for (&key, &size) in lower.keys.iter().zip(&lower.sizes) {
        let key = risen(key, rises);
        let mut slot = (key.wrapping_mul(GOLDEN) >> shift) as usize;
        let class = loop {
            let class = slots[slot];
            if class == EMPTY {
                let class = upper.sizes.len() as u32;
                slots[slot] = class;
                upper.keys.push(key);
                upper.sizes.push(size);
                break class;
            }
            if upper.keys[class as usize] == key {
                upper.sizes[class as usize] += size;
                break class;
            }
            slot = (slot + 1) & last;
        };
        if TRACKED {
            class_of.push(class);
        }
    }
}

fn group_wide<const TRACKED: bool>(
    lower: &FrequencySet,
    rises: &[Rise],
    upper: &mut FrequencySet,
    slots: &mut Vec<u32>,
    class_of: &mut Vec<u32>,
) {
    let words = lower.words;
    let shift = clear_hash_slots(slots, lower.len());
    let last = slots.len() - 1;
    let mut key = vec![0; words];
    for (below, &size) in lower.keys.chunks_exact(words).zip(&lower.sizes) {
        key.copy_from_slice(below);
        for rise in rises {
            key[rise.word] ^= rise.flips[((below[rise.word] >> rise.shift) & rise.mask) as usize];
        }
        let hash = key.iter().fold(0u64, |hash, word| {
            (hash.rotate_left(29) ^ word).wrapping_mul(GOLDEN)
        });
        let mut slot = (hash >> shift) as usize;
        let class = loop {
            let class = slots[slot];
            if class == EMPTY {
                let class = upper.sizes.len() as u32;
                slots[slot] = class;
                upper.keys.extend_from_slice(&key);
                upper.sizes.push(size);
                break class;
            }
            if *upper.key(class as usize) == *key {
                upper.sizes[class as usize] += size;
                break class;
            }
            slot = (slot + 1) & last;
        };
        if TRACKED {
            class_of.push(class);
        }
    }
}

/// Lists the lower classes of each upper class one after the other (a counting sort).
fn sort_by_class(scratch: &mut Scratch, classes: usize) {
    let Scratch {
        class_of,
        order,
        starts,
        ..
    } = scratch;
    starts.clear();
    starts.resize(classes + 1, 0);
    for &class in class_of.iter() {
        starts[class as usize + 1] += 1;
    }
    for class in 0..classes {
        starts[class + 1] += starts[class];
    }
    order.clear();
    order.resize(class_of.len(), 0);
    let mut next = starts.clone();
    for (below, &class) in class_of.iter().enumerate() {
        let at = &mut next[class as usize];
        order[*at as usize] = below as u32;
        *at += 1;
    }
}

fn merge_histograms(
    lower: &Histograms,
    values: usize,
    classes: usize,
    scratch: &mut Scratch,
) -> Histograms {
    let Scratch {
        order,
        starts,
        rows_of_values,
        present,
        ..
    } = scratch;
    rows_of_values.resize(rows_of_values.len().max(values), 0);
    present.resize(present.len().max(values.div_ceil(64)), 0);
    let mut upper = Histograms::default();
    upper.starts.reserve(classes);
    for class in 0..classes {
        let below = &order[starts[class] as usize..starts[class + 1] as usize];
        if let &[only] = below {
            let histogram = lower.class(only as usize);
            upper.values.extend_from_slice(histogram.values);
            upper.counts.extend_from_slice(histogram.counts);
        } else {
            let (mut first, mut last) = (usize::MAX, 0);
            for &below in below {
                let histogram = lower.class(below as usize);
                for (&value, &count) in histogram.values.iter().zip(histogram.counts) {
                    let word = value as usize / 64;
                    rows_of_values[value as usize] += count;
                    present[word] |= 1 << (value % 64);
                    first = first.min(word);
                    last = last.max(word + 1);
                }
            }
            // Reading the bits from low to high lists the values ascending without a sort.
            let first = first.min(last);
            for (word, bits) in present[first..last].iter_mut().enumerate() {
                let mut bits = std::mem::take(bits);
                while bits != 0 {
                    let value = 64 * (first + word) as u32 + bits.trailing_zeros();
                    upper.push(value, std::mem::take(&mut rows_of_values[value as usize]));
                    bits &= bits - 1;
                }
            }
        }
        upper.end_class();
    }
    upper
}
