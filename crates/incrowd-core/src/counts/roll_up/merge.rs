//! Merging the histograms of lower classes, once it is known which upper class each of them is in.

use crate::counts::Histograms;
use std::ops::Range;

/// Histograms are added up in a table of all values in all classes if it has no more cells than so many per entry of the
/// lower histograms.
const CELLS_PER_ENTRY: usize = 16;

/// Histograms are only added up if the column has no more values than this.
pub(super) const MOST_VALUES_ADDED: usize = 512;

/// Working memory, kept between calls.
#[derive(Debug, Default)]
pub(super) struct MergeScratch {
    /// Rows of every value in every upper class, class by class, all zero between calls.
    rows_of_classes: Vec<u32>,
    /// Rows per value of the column being merged, all zero between classes.
    rows_of_values: Vec<u32>,
    /// The values with rows, a bit each.
    present: Vec<u64>,
}

/// Whether histograms of a column with so many values are best merged by [`add_histograms`].
pub(super) fn is_best_added(entries: usize, values: usize, classes: usize) -> bool {
    classes * values <= CELLS_PER_ENTRY * entries && values <= MOST_VALUES_ADDED
}

/// The histograms of some lower classes, end to end.
#[derive(Clone, Copy)]
pub(super) struct Entries<'l> {
    /// Where each class starts, and after the last class the end, counted from wherever.
    starts: &'l [u32],
    values: &'l [u32],
    counts: &'l [u32],
}

impl<'l> Entries<'l> {
    pub(super) fn all(histograms: &'l Histograms) -> Self {
        Entries::of(histograms, 0..histograms.starts.len() - 1)
    }

    pub(super) fn of(histograms: &'l Histograms, classes: Range<usize>) -> Self {
        debug_assert!(histograms.cells.is_none());
        let starts = &histograms.starts[classes.start..=classes.end];
        let entries = starts[0] as usize..starts[classes.len()] as usize;
        Entries {
            starts,
            values: &histograms.values[entries.clone()],
            counts: &histograms.counts[entries],
        }
    }

    pub(super) fn len(self) -> usize {
        self.values.len()
    }
}

/// Which lower classes each upper class consists of.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Lower classes sorted by upper class.
    order: Vec<u32>,
    /// Where each upper class starts in `order`.
    starts: Vec<u32>,
}

impl Members {
    /// Lists the lower classes of each upper class one after the other (a counting sort): the numbers of lower classes with those
    /// of their upper ones, of which there are so many.
    pub(super) fn list(&mut self, pairs: impl Iterator<Item = (u32, u32)> + Clone, classes: usize) {
        let Members { order, starts } = self;
        starts.clear();
        starts.resize(classes + 1, 0);
        for (_, class) in pairs.clone() {
            starts[class as usize + 1] += 1;
        }
        for class in 0..classes {
            starts[class + 1] += starts[class];
        }
        order.clear();
        order.resize(starts[classes] as usize, 0);
        let mut next = starts.clone();
        for (below, class) in pairs {
            let at = &mut next[class as usize];
            order[*at as usize] = below;
            *at += 1;
        }
    }

    /// The lower classes of an upper class.
    pub(super) fn of_class(&self, class: usize) -> &[u32] {
        &self.order[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The lower classes of each upper class.
    fn of_classes(&self) -> impl Iterator<Item = &[u32]> {
        let classes = 0..self.starts.len() - 1;
        classes.map(|class| self.of_class(class))
    }
}

/// Merges histograms in a table of all values in all classes: no class is looked up twice, and nothing is sorted. For columns
/// with at most [`MOST_VALUES_ADDED`] values.
pub(super) fn add_histograms(
    (lower, class_of): (Entries<'_>, &[u32]),
    values: usize,
    classes: usize,
    scratch: &mut MergeScratch,
    upper: &mut Histograms,
) {
    let lower = (lower, class_of);
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
    (lower, class_of): (Entries<'_>, &[u32]),
    values: usize,
    classes: usize,
    scratch: &mut MergeScratch,
    upper: &mut Histograms,
) {
    debug_assert!(values <= ROOM);
    let cells = &mut scratch.rows_of_classes;
    cells.resize(cells.len().max(classes * ROOM), 0);
    let (cells, _) = cells[..classes * ROOM].as_chunks_mut::<ROOM>();
    // One pass over all entries: where a class begins need not be looked up.
    let mut entries = lower.values.iter().zip(lower.counts);
    let ends = lower.starts.iter().zip(&lower.starts[1..]);
    let lengths = ends.map(|(start, end)| end - start);
    for (&class, length) in class_of.iter().zip(lengths) {
        let rows = &mut cells[class as usize];
        for (&value, &count) in entries.by_ref().take(length as usize) {
            rows[value as usize % ROOM] += count;
        }
    }
    // Merging adds no entries; beyond them, there is room to write a value before it is known whether it has rows.
    let most = lower.values.len().min(classes * values);
    let starts = upper.starts.in_memory();
    let (values_of, counts_of) = (upper.values.in_memory(), upper.counts.in_memory());
    starts.truncate(1);
    starts.reserve(classes);
    values_of.resize(most + ROOM, 0);
    counts_of.resize(most + ROOM, 0);
    let mut end = 0;
    for rows in cells {
        let (listed, _) = values_of[end..].as_chunks_mut::<ROOM>();
        let (counts, _) = counts_of[end..].as_chunks_mut::<ROOM>();
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
        starts.push(end as u32);
    }
    values_of.truncate(end);
    counts_of.truncate(end);
}

pub(super) fn merge_histograms(
    lower: &Histograms,
    members: &Members,
    values: usize,
    scratch: &mut MergeScratch,
    upper: &mut Histograms,
) {
    let MergeScratch {
        rows_of_values,
        present,
        ..
    } = scratch;
    rows_of_values.resize(rows_of_values.len().max(values), 0);
    present.resize(present.len().max(values.div_ceil(64)), 0);
    upper.clear();
    let starts = upper.starts.in_memory();
    starts.reserve(members.starts.len());
    let (listed, counts) = (upper.values.in_memory(), upper.counts.in_memory());
    for below in members.of_classes() {
        if let &[only] = below {
            let histogram = lower.class(only as usize);
            listed.extend_from_slice(histogram.values);
            counts.extend_from_slice(histogram.counts);
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
                    listed.push(value);
                    counts.push(std::mem::take(&mut rows_of_values[value as usize]));
                    bits &= bits - 1;
                }
            }
        }
        starts.push(u32::try_from(listed.len()).expect("fewer entries than rows"));
    }
}
