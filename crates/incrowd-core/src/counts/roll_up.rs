//! Counting a node from a counted node below it.
//!
//! Every class of the lower set is mapped to its class of the upper set by replacing the bits of the attributes that
//! rise; sizes are added, histograms merged. Only the lower set is read. This is the kernel of the whole product, so it
//! avoids everything but arithmetic: one table lookup per attribute that rises, one probe per class.

use super::lookups::{Lookup, Lookups, joined};
use super::{CountedTable, FrequencySet, Histograms};
use crate::lattice::Node;
use smallvec::SmallVec;
use std::borrow::Cow;

/// Key spaces up to this many slots per lower class are addressed directly instead of hashed.
const DENSE_SLOTS_PER_CLASS: usize = 8;

/// Fibonacci hashing: spreads the low bits of a key over the high bits of the product.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

const EMPTY: u32 = u32::MAX;

/// Histograms are added up in a table of all values in all classes if it has no more cells than so many per entry of the
/// lower histograms.
const CELLS_PER_ENTRY: usize = 16;

/// And if the column has no more values than this.
const MOST_VALUES_ADDED: usize = 512;

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
    /// Rows of every value in every upper class, class by class, all zero between calls.
    rows_of_classes: Vec<u32>,
    /// Rows per value of the column being merged, all zero between classes.
    rows_of_values: Vec<u32>,
    /// The values with rows, a bit each.
    present: Vec<u64>,
}

impl Scratch {
    /// The upper class of each lower class of the last roll-up that [tracked](roll_up_tracked) them.
    pub(crate) fn class_of(&self) -> &[u32] {
        &self.class_of
    }
}

/// The mapping of one attribute's groups.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    /// The upper group of each lower one; none if they do not change.
    pub(crate) above: Option<Cow<'a, [u32]>>,
    /// The number of upper groups.
    pub(crate) groups: usize,
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
    let steps = steps(table, from, to);
    regroup(table, lower, &steps, columns, scratch, upper);
}

/// [`roll_up`], after which `scratch` knows the upper class of each lower one.
pub(crate) fn roll_up_tracked(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let steps = steps(table, from, to);
    regroup_as::<true>(table, lower, &steps, columns, scratch, upper);
}

/// The first half of [`roll_up_tracked`]: keys and sizes. Histograms are left empty until [`roll_up_columns`] adds them.
pub(crate) fn roll_up_classes(
    table: &CountedTable,
    (from, lower): (&Node, &FrequencySet),
    to: &Node,
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    regroup_classes::<true>(table, lower, &steps(table, from, to), scratch, upper);
    // Nobody is to take them for those of the new classes.
    let outdated = upper.histograms.iter_mut().flatten();
    outdated.for_each(|histograms| histograms.forget_classes());
}

/// The second half of [`roll_up_tracked`]: the histograms of these columns, from the same lower classes and with the scratch
/// that the first half left behind.
pub(crate) fn roll_up_columns(
    table: &CountedTable,
    lower: &FrequencySet,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    debug_assert_eq!(scratch.class_of.len(), lower.len());
    regroup_columns(table, lower, columns, scratch, upper);
}

fn steps<'a>(table: &'a CountedTable, from: &Node, to: &Node) -> SmallVec<[Step<'a>; 16]> {
    debug_assert!(from.is_at_or_below(to));
    let levels = from.levels().zip(to.levels());
    (table.attributes.iter().zip(levels))
        .map(|(attribute, (from, to))| Step {
            above: (from != to).then(|| attribute.groups_between(from, to)),
            groups: attribute.hierarchy.groups(to),
        })
        .collect()
}

/// [`roll_up`] for arbitrary groups: one step per attribute.
pub(crate) fn regroup(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    if columns.is_empty() {
        regroup_as::<false>(table, lower, steps, columns, scratch, upper);
    } else {
        regroup_as::<true>(table, lower, steps, columns, scratch, upper);
    }
}

fn regroup_as<const TRACKED: bool>(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    regroup_classes::<TRACKED>(table, lower, steps, scratch, upper);
    regroup_columns(table, lower, columns, scratch, upper);
}

fn regroup_classes<const TRACKED: bool>(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    upper.words = lower.words;
    upper.keys.clear();
    upper.sizes.clear();
    upper.people.clear();
    group::<TRACKED>(table, lower, steps, scratch, upper);
}

fn regroup_columns(
    table: &CountedTable,
    lower: &FrequencySet,
    columns: &[usize],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let mut is_sorted = false;
    let mut spare = std::mem::take(&mut upper.histograms);
    spare.resize(table.columns.len(), None);
    upper.histograms.resize(table.columns.len(), None);
    for &column in columns {
        let values = table.columns[column].values.len();
        let mut merged = spare[column].take().unwrap_or_default();
        let classes = upper.len();
        let lower = lower.histograms(column);
        match &lower.present {
            Some(present) => {
                merged.clear();
                let united = merged.present.get_or_insert_default();
                united.unite(present, &scratch.class_of, classes);
            }
            None => {
                merged.present = None;
                let is_small = classes * values <= CELLS_PER_ENTRY * lower.values.len();
                if is_small && values <= MOST_VALUES_ADDED {
                    add_histograms(lower, values, classes, scratch, &mut merged);
                } else {
                    if !is_sorted {
                        sort_by_class(scratch, classes);
                        is_sorted = true;
                    }
                    merge_histograms(lower, values, classes, scratch, &mut merged);
                }
            }
        }
        upper.histograms[column] = Some(merged);
    }
}

/// Forms the classes. The upper class of each lower class is kept in `scratch.class_of` if `TRACKED`.
fn group<const TRACKED: bool>(
    table: &CountedTable,
    lower: &FrequencySet,
    steps: &[Step<'_>],
    scratch: &mut Scratch,
    upper: &mut FrequencySet,
) {
    let Scratch {
        slots, class_of, ..
    } = scratch;
    class_of.clear();
    let flips = flips(table, steps, lower.len());
    if lower.words > 1 {
        group_wide::<TRACKED>(lower, &flips, upper, slots, class_of);
    } else if let Some(dense) = dense_slots(steps, lower.len()) {
        slots.clear();
        slots.resize(dense, EMPTY);
        let offsets = offsets(table, steps, lower.len());
        group_dense::<TRACKED>(lower, &flips, &offsets, upper, slots, class_of);
    } else {
        group_hashed::<TRACKED>(lower, &flips, upper, slots, class_of);
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
    lower: &FrequencySet,
    upper: &mut FrequencySet,
    class_of: &mut Vec<u32>,
    group: impl FnOnce(&mut Found<'_>, &[u64], &[u32]),
) {
    let below = lower.len();
    upper.keys.resize(below, 0);
    upper.sizes.resize(below, 0);
    if TRACKED {
        class_of.resize(below, 0);
    }
    let tracked = if TRACKED { below } else { 0 };
    let mut found = Found {
        keys: &mut upper.keys[..below],
        sizes: &mut upper.sizes[..below],
        class_of: &mut class_of[..tracked],
        classes: 0,
    };
    group(&mut found, &lower.keys[..below], &lower.sizes[..below]);
    let classes = found.classes as usize;
    upper.keys.truncate(classes);
    upper.sizes.truncate(classes);
}

fn group_dense<const TRACKED: bool>(
    lower: &FrequencySet,
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
    match flips.len() {
        0 => {}
        1 => raise::<1>(&mut upper.keys, flips),
        2 => raise::<2>(&mut upper.keys, flips),
        3 => raise::<3>(&mut upper.keys, flips),
        _ => raise::<4>(&mut upper.keys, flips),
    }
}

/// Flips the bits of the attributes that rise in every key.
fn raise<const FIRST: usize>(keys: &mut [u64], flips: &[Lookup<u64>]) {
    let flips = Lookups::<u64, FIRST>::new(flips);
    for key in keys {
        *key = flips.join(*key, *key, |one, other| one ^ other);
    }
}

fn group_dense_by<const TRACKED: bool, const FIRST: usize>(
    lower: &FrequencySet,
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
    lower: &FrequencySet,
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
    lower: &FrequencySet,
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

fn group_wide<const TRACKED: bool>(
    lower: &FrequencySet,
    flips: &[Lookup<u64>],
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
        for flips in flips {
            key[flips.word] ^= flips.entry(below[flips.word]);
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

/// Merges histograms in a table of all values in all classes: no class is looked up twice, and nothing is sorted. For columns
/// with at most [`MOST_VALUES_ADDED`] values.
fn add_histograms(
    lower: &Histograms,
    values: usize,
    classes: usize,
    scratch: &mut Scratch,
    upper: &mut Histograms,
) {
    // Where a compiler knows the length of rows, and no index can be beyond it, nothing is checked.
    match values.next_power_of_two() {
        ..=8 => add_histograms_in::<8>(lower, values, classes, scratch, upper),
        16 => add_histograms_in::<16>(lower, values, classes, scratch, upper),
        32 => add_histograms_in::<32>(lower, values, classes, scratch, upper),
        64 => add_histograms_in::<64>(lower, values, classes, scratch, upper),
        128 => add_histograms_in::<128>(lower, values, classes, scratch, upper),
        256 => add_histograms_in::<256>(lower, values, classes, scratch, upper),
        _ => add_histograms_in::<MOST_VALUES_ADDED>(lower, values, classes, scratch, upper),
    }
}

/// The same in a table with room for so many values, which is a power of two and no less than there are.
fn add_histograms_in<const ROOM: usize>(
    lower: &Histograms,
    values: usize,
    classes: usize,
    scratch: &mut Scratch,
    upper: &mut Histograms,
) {
    debug_assert!(values <= ROOM);
    let cells = &mut scratch.rows_of_classes;
    cells.resize(cells.len().max(classes * ROOM), 0);
    let (cells, _) = cells[..classes * ROOM].as_chunks_mut::<ROOM>();
    // One pass over all entries: where a class begins need not be looked up.
    let mut entries = lower.values.iter().zip(&lower.counts);
    let ends = lower.starts.iter().zip(&lower.starts[1..]);
    let lengths = ends.map(|(start, end)| end - start);
    for (&class, length) in scratch.class_of.iter().zip(lengths) {
        let rows = &mut cells[class as usize];
        for (&value, &count) in entries.by_ref().take(length as usize) {
            rows[value as usize % ROOM] += count;
        }
    }
    // Merging adds no entries; beyond them, there is room to write a value before it is known whether it has rows.
    let most = lower.values.len().min(classes * values);
    upper.starts.truncate(1);
    upper.starts.reserve(classes);
    upper.values.resize(most + ROOM, 0);
    upper.counts.resize(most + ROOM, 0);
    let mut end = 0;
    for rows in cells {
        let (listed, _) = upper.values[end..].as_chunks_mut::<ROOM>();
        let (counts, _) = upper.counts[end..].as_chunks_mut::<ROOM>();
        let (listed, counts) = (&mut listed[0], &mut counts[0]);
        let mut present = 0;
        // Without a branch: whether a value has rows is anybody's guess.
        for (value, &count) in (0..).zip(&rows[..values]) {
            listed[present % ROOM] = value;
            counts[present % ROOM] = count;
            present += usize::from(count > 0);
        }
        end += present;
        *rows = [0; ROOM]; // while it is at hand
        // No more than the entries below, whose ends fit.
        upper.starts.push(end as u32);
    }
    upper.values.truncate(end);
    upper.counts.truncate(end);
}

fn merge_histograms(
    lower: &Histograms,
    values: usize,
    classes: usize,
    scratch: &mut Scratch,
    upper: &mut Histograms,
) {
    let Scratch {
        order,
        starts,
        rows_of_values,
        present,
        ..
    } = scratch;
    rows_of_values.resize(rows_of_values.len().max(values), 0);
    present.resize(present.len().max(values.div_ceil(64)), 0);
    upper.clear();
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn histograms_added_up_in_a_table_are_those_merged_one_by_one() {
        let mut draw = Draw::new(3);
        let mut scratch = Scratch::default(); // used again, whatever was added before
        for _ in 0..200 {
            let (below, classes) = (1 + draw.below(30), 1 + draw.below(8));
            let most = [10, 40, 150, MOST_VALUES_ADDED][draw.below(4)];
            let values = 1 + draw.below(most) as u32;
            let mut lower = Histograms::default();
            for _ in 0..below {
                let mut is_empty = true;
                for value in 0..values {
                    if draw.below(4) == 0 || is_empty && value + 1 == values {
                        lower.push(value, 1 + draw.below(9) as u32);
                        is_empty = false;
                    }
                }
                lower.end_class();
            }
            // Every upper class has a lower one.
            let class_of = (0..below).map(|at| match at < classes {
                true => at as u32,
                false => draw.below(classes) as u32,
            });
            scratch.class_of = class_of.collect();
            let classes = classes.min(below);
            let (mut added, mut merged) = (Histograms::default(), Histograms::default());
            let values = values as usize;
            add_histograms(&lower, values, classes, &mut scratch, &mut added);
            sort_by_class(&mut scratch, classes);
            merge_histograms(&lower, values, classes, &mut scratch, &mut merged);
            assert_eq!(added, merged);
        }
    }
}
