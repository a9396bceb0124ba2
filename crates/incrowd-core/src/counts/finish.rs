//! From counted rows to a counted table: tuples of leaves, sorted.

use super::counting_column::{CountingColumn, NO_ROW, SortedValues};
use super::in_parallel::{in_parallel, pieces};
use super::outside::{ClassesOutside, Outside, bytes_of_class, unjoined};
use super::row_counter::expect_one_each;
use super::{
    Attribute, CountedColumn, CountedTable, FrequencySet, Histograms, Keys, Layout, Missing,
    MissingCells, RowCounter,
};
use crate::Error;
use crate::hierarchy::{Hierarchy, Leaf};
use crate::lattice::Level;
use crate::table::{Dictionary, Kind};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

impl RowCounter {
    /// The counted table. `hierarchies` has one per quasi-identifier, each listing every value seen;
    /// `distances` one per counted column where a model moves along a hierarchy.
    pub fn finish(
        self,
        hierarchies: Vec<Hierarchy>,
        distances: Vec<Option<Hierarchy>>,
        missing: Missing,
    ) -> Result<CountedTable, Error> {
        let (quasi, counted) = self.columns.split_at(self.quasi_identifiers);
        expect_one_each("hierarchies", hierarchies.len(), quasi.len())?;
        expect_one_each("distances", distances.len(), counted.len())?;
        let layout = Layout::new(&hierarchies);
        let leaves = quasi
            .iter()
            .zip(&hierarchies)
            .map(|(column, hierarchy)| leaves_of_values(column, hierarchy, &missing))
            .collect::<Result<Vec<_>, _>>()?;
        let (columns, ranks): (Vec<_>, Vec<_>) = counted
            .iter()
            .zip(distances)
            .map(|(column, hierarchy)| sorted_column(column, hierarchy, &missing))
            .unzip();
        let codes = Codes {
            leaves,
            ranks,
            excluded: excluded_values(&self.columns, &missing),
        };
        let sorting = Sorting {
            counter: &self,
            layout: &layout,
            codes: &codes,
        };
        let (tuples, rows_excluded) = match &self.outside {
            None => sorting.sorted(),
            Some(outside) => sorting.sorted_outside(outside)?,
        };
        let mut table = CountedTable {
            rows: (self.rows - u64::from(rows_excluded)) as u32,
            rows_excluded,
            attributes: quasi
                .iter()
                .zip(hierarchies)
                .map(|(column, hierarchy)| attribute(column, hierarchy, &missing))
                .collect(),
            missing,
            columns,
            layout,
            tuples,
            rows_are_apart: self.rows_are_apart,
            population: None,
            threads: self.threads,
            room: self.room,
        };
        table.sum_rows(self.threads);
        Ok(table)
    }
}

/// For each column, whether rows with a value are excluded; none if no row is.
fn excluded_values(columns: &[CountingColumn], missing: &Missing) -> Option<Vec<Vec<bool>>> {
    let of_column = |column: &CountingColumn| -> Vec<bool> {
        let texts = column.values.iter();
        texts
            .map(|text| missing.normalize(text).is_empty())
            .collect()
    };
    let excludes = missing.cells == MissingCells::ExcludeRow;
    excludes.then(|| columns.iter().map(of_column).collect())
}

/// Turns the tuples of a counter into sorted classes.
struct Sorting<'a> {
    counter: &'a RowCounter,
    /// Of the classes.
    layout: &'a Layout,
    codes: &'a Codes,
}

/// What codes of a counter stand for.
struct Codes {
    /// For each quasi-identifier, the leaf of every code.
    leaves: Vec<Vec<u32>>,
    /// For each counted column, the rank of every code.
    ranks: Vec<Vec<u32>>,
    /// For each column, whether a code excludes its rows.
    excluded: Option<Vec<Vec<bool>>>,
}

/// A tuple that is not excluded: the first word of the key of its leaves, its number in the counter, and its rows, which
/// would be far away otherwise.
type Entry = (u64, u32, u32);

/// The tuples of a range of the counter.
struct Keyed {
    /// In buckets, such that a bucket has the smaller keys than all after it.
    buckets: Vec<Vec<Entry>>,
    /// Of every tuple, excluded or not, the words of its key after the first.
    more_words: Vec<u64>,
    rows_excluded: u32,
}

/// Buckets are the upper bits of the first word. More than this many bits make too many buckets to be filled at once.
const BUCKET_BITS: u32 = 10;

/// The same for buckets outside memory.
const OUTSIDE_BITS: u32 = 8;

/// About so many tuples make a bucket: they are sorted in the cache.
const TUPLES_OF_BUCKET: usize = 1 << 12;

impl Sorting<'_> {
    /// The classes in the order of their keys, and the rows excluded.
    fn sorted(&self) -> (FrequencySet, u32) {
        let (tuples, threads) = (self.counter.sizes.len(), self.counter.threads);
        let used = self.layout.bits_of_first_word();
        let bits = (tuples / TUPLES_OF_BUCKET).checked_ilog2().unwrap_or(0);
        let shift = used
            .saturating_sub(bits.min(BUCKET_BITS))
            .min(u64::BITS - 1);
        let mut keyed = in_parallel(threads, pieces(tuples, threads), |range| {
            self.keyed(range, shift)
        });
        let rows_excluded = keyed.iter().map(|keyed| keyed.rows_excluded).sum();
        let more_words: Vec<Vec<u64>> = keyed
            .iter_mut()
            .map(|keyed| std::mem::take(&mut keyed.more_words))
            .collect();
        let more_words = more_words.concat();
        let buckets = keyed.first().map_or(0, |keyed| keyed.buckets.len());
        // Whole buckets, of which each is taken out where it is sorted.
        let mut parts: Vec<Vec<Vec<Vec<Entry>>>> = Vec::new();
        for range in pieces(buckets, threads) {
            let taken = range.map(|bucket| {
                let of_pieces = keyed.iter_mut();
                of_pieces
                    .map(|keyed| std::mem::take(&mut keyed.buckets[bucket]))
                    .collect()
            });
            parts.push(taken.collect());
        }
        drop(keyed);
        let parts = in_parallel(threads, parts, |buckets| {
            let mut classes = self.no_classes();
            for bucket in buckets {
                let mut pieces = bucket.into_iter();
                let mut entries = pieces.next().unwrap_or_default();
                pieces.for_each(|piece| entries.extend(piece));
                self.sort(&mut entries, &more_words);
                self.add_classes(&entries, &more_words, &mut classes);
            }
            classes
        });
        drop(more_words);
        let mut parts = parts.into_iter();
        let mut classes = parts.next().unwrap_or_else(|| self.no_classes());
        parts.for_each(|part| classes.append(part));
        (classes, rows_excluded)
    }

    fn no_classes(&self) -> FrequencySet {
        FrequencySet {
            words: self.layout.words(),
            histograms: vec![Some(Histograms::default()); self.codes.ranks.len()],
            ..FrequencySet::default()
        }
    }

    /// The keys of a range of tuples.
    fn keyed(&self, range: Range<usize>, shift: u32) -> Keyed {
        let buckets = 1_usize << (self.layout.bits_of_first_word() - shift);
        let mut keyed = Keyed {
            buckets: vec![Vec::new(); buckets],
            more_words: Vec::new(),
            rows_excluded: 0,
        };
        let mut key = vec![0; self.layout.words()];
        for number in range {
            let tuple = self.counter.tuples.get(number as u32);
            self.read_key(tuple, &mut key);
            keyed.more_words.extend_from_slice(&key[1..]);
            let rows = self.counter.sizes[number];
            if self.is_excluded(tuple) {
                keyed.rows_excluded += rows;
                continue;
            }
            keyed.buckets[(key[0] >> shift) as usize].push((key[0], number as u32, rows));
        }
        keyed
    }

    /// Replaces `key` by that of the leaves of a tuple.
    #[inline]
    fn read_key(&self, tuple: &[u64], key: &mut [u64]) {
        key.fill(0);
        let fields = self.counter.layout.fields().iter();
        for ((from, to), leaves) in fields.zip(self.layout.fields()).zip(&self.codes.leaves) {
            let leaf = leaves[from.read(tuple) as usize];
            key[to.word] |= u64::from(leaf) << to.shift;
        }
    }

    #[inline]
    fn is_excluded(&self, tuple: &[u64]) -> bool {
        let Some(excluded) = &self.codes.excluded else {
            return false;
        };
        let mut fields = self.counter.layout.fields().iter().zip(excluded);
        fields.any(|(field, excluded)| excluded[field.read(tuple) as usize])
    }

    /// The same as [`Sorting::sorted`], for tuples outside memory: they are brought into buckets outside memory as well,
    /// of which each is sorted by itself. Only a few buckets are in memory, and the classes if it has room for them.
    fn sorted_outside(&self, outside: &Outside) -> Result<(FrequencySet, u32), Error> {
        let buckets = outside.overflow.another()?;
        let shift = self
            .layout
            .bits_of_first_word()
            .saturating_sub(OUTSIDE_BITS);
        let threads = self.counter.threads;
        let tuples_of_buckets: Vec<AtomicUsize> = (0..1 << OUTSIDE_BITS)
            .map(|_| AtomicUsize::new(0))
            .collect();
        let sent = in_parallel(threads, (0..outside.parts.len()).collect(), |part| {
            let (keys, sizes) = outside.read(part)?;
            let mut sent = vec![Vec::new(); 1 << OUTSIDE_BITS];
            let mut key = vec![0; self.layout.words()];
            let mut rows_excluded = 0;
            for (tuple, &size) in keys.chunks_exact(outside.words).zip(&sizes) {
                if self.is_excluded(tuple) {
                    rows_excluded += size;
                    continue;
                }
                self.read_key(tuple, &mut key);
                let bucket: &mut Vec<u64> = &mut sent[(key[0] >> shift) as usize];
                bucket.extend_from_slice(tuple);
                bucket.push(u64::from(size));
            }
            for (bucket, tuples) in sent.iter().enumerate().filter(|(_, it)| !it.is_empty()) {
                let count = tuples.len() / (outside.words + 1);
                tuples_of_buckets[bucket].fetch_add(count, Ordering::Relaxed);
                buckets.append(bucket, tuples)?;
            }
            Ok(rows_excluded)
        });
        let rows_excluded = sent.into_iter().sum::<Result<u32, Error>>()?;
        let mut classes = self.no_classes();
        let (words, columns) = (classes.words, classes.histograms.len());
        let limit = (self.counter.room.as_ref()).map_or(usize::MAX, |room| room.limit);
        let classes_at_most = match self.counter.rows_are_apart {
            true => self.counter.rows as usize,
            false => outside.tuples(),
        };
        let mut written =
            match classes_at_most.saturating_mul(bytes_of_class(words, columns)) > limit {
                true => Some(ClassesOutside::new(&*buckets, words, columns)?),
                false => None,
            };
        let tuples_of_buckets = tuples_of_buckets.into_iter().map(AtomicUsize::into_inner);
        let bytes_each =
            2 * 8 * (outside.words + 1) + size_of::<Entry>() + bytes_of_class(words, columns);
        let tuples_at_once = limit / bytes_each;
        for some in buckets_at_once(tuples_of_buckets, tuples_at_once, 2 * threads.max(1)) {
            let sorted = in_parallel(
                threads,
                some.collect(),
                |bucket| -> Result<FrequencySet, Error> {
                    let tuples = buckets.read(bucket)?;
                    let count = tuples.len() / (outside.words + 1);
                    let (keys, sizes) = unjoined(tuples, outside.words, count)?;
                    let counter = self
                        .counter
                        .of_tuples(Keys::of_distinct(outside.words, keys), sizes);
                    let sorting = Sorting {
                        counter: &counter,
                        ..*self
                    };
                    Ok(sorting.sorted().0)
                },
            );
            for part in sorted {
                match &mut written {
                    Some(written) => written.append(&part?)?,
                    None => classes.append(part?),
                }
            }
        }
        match written {
            Some(written) => Ok((written.end()?, rows_excluded)),
            None => Ok((classes, rows_excluded)),
        }
    }

    /// The words of a tuple's key after the first.
    #[inline]
    fn more<'w>(&self, more_words: &'w [u64], number: u32) -> &'w [u64] {
        let more = self.layout.words() - 1;
        &more_words[number as usize * more..][..more]
    }

    /// The ranks of a tuple's values in the counted columns.
    fn values(&self, number: u32) -> impl Iterator<Item = u32> {
        let tuple = self.counter.tuples.get(number);
        let fields = &self.counter.layout.fields()[self.counter.quasi_identifiers..];
        let codes = fields.iter().map(|field| field.read(tuple));
        codes
            .zip(&self.codes.ranks)
            .map(|(code, ranks)| ranks[code as usize])
    }

    fn sort(&self, entries: &mut [Entry], more_words: &[u64]) {
        if self.layout.words() == 1 && !self.counter.rows_are_apart {
            entries.sort_unstable_by_key(|entry| entry.0);
            return;
        }
        entries.sort_unstable_by(|a, b| {
            let more = |entry: &Entry| self.more(more_words, entry.1);
            let by_key = a.0.cmp(&b.0).then_with(|| more(a).cmp(more(b)));
            // Values of tuples that become one are sorted later.
            match self.counter.rows_are_apart {
                true => by_key.then_with(|| self.values(a.1).cmp(self.values(b.1))),
                false => by_key,
            }
        });
    }

    /// Adds the classes of sorted entries: those of equal keys are one class, or every row is.
    fn add_classes(&self, entries: &[Entry], more_words: &[u64], classes: &mut FrequencySet) {
        let rows_of = |entry: &Entry| entry.2;
        let mut values = Vec::new();
        if self.counter.rows_are_apart {
            for entry in entries {
                for _ in 0..rows_of(entry) {
                    self.add_class(&[*entry], |_| 1, more_words, &mut values, classes);
                }
            }
            return;
        }
        let more = |entry: &Entry| self.more(more_words, entry.1);
        for class in entries.chunk_by(|a, b| a.0 == b.0 && more(a) == more(b)) {
            self.add_class(class, rows_of, more_words, &mut values, classes);
        }
    }

    #[inline]
    fn add_class(
        &self,
        class: &[Entry],
        size_of: impl Fn(&Entry) -> u32,
        more_words: &[u64],
        values: &mut Vec<(u32, u32)>,
        classes: &mut FrequencySet,
    ) {
        let (word, number, _) = class[0];
        let keys = classes.keys.in_memory();
        keys.push(word);
        keys.extend_from_slice(self.more(more_words, number));
        (classes.sizes.in_memory()).push(class.iter().map(&size_of).sum());
        for (column, histograms) in classes.histograms.iter_mut().flatten().enumerate() {
            let field = self
                .counter
                .layout
                .field(self.counter.quasi_identifiers + column);
            values.clear();
            values.extend(class.iter().map(|entry| {
                let code = field.read(self.counter.tuples.get(entry.1));
                (self.codes.ranks[column][code as usize], size_of(entry))
            }));
            values.sort_unstable();
            for same in values.chunk_by(|a, b| a.0 == b.0) {
                histograms.push(same[0].0, same.iter().map(|&(_, rows)| rows).sum());
            }
            histograms.end_class();
        }
    }
}

impl CountedTable {
    /// Fills the row counts of groups and values.
    fn sum_rows(&mut self, threads: usize) {
        let (layout, tuples) = (&self.layout, &self.tuples);
        let attributes: Vec<_> = self.attributes.iter_mut().enumerate().collect();
        in_parallel(threads, attributes, |(position, attribute)| {
            let hierarchy = &attribute.hierarchy;
            let field = layout.field(position);
            let mut rows_of_leaves = vec![0; hierarchy.leaves()];
            for (class, &size) in tuples.sizes.iter().enumerate() {
                rows_of_leaves[field.read(tuples.key(class)) as usize] += size;
            }
            attribute.rows_of_groups = Level::up_to(hierarchy.height())
                .map(|level| {
                    let mut rows = vec![0; hierarchy.groups(level)];
                    for (&group, leaf_rows) in hierarchy
                        .groups_of_leaves(level)
                        .iter()
                        .zip(&rows_of_leaves)
                    {
                        rows[group as usize] += leaf_rows;
                    }
                    rows
                })
                .collect();
        });
        for (column, histograms) in self.columns.iter_mut().zip(&self.tuples.histograms) {
            let histograms = histograms
                .as_ref()
                .expect("the counting pass makes all histograms");
            column.rows_of_values = vec![0; column.values.len()];
            for (&value, &count) in histograms.values.iter().zip(&*histograms.counts) {
                column.rows_of_values[value as usize] += count;
            }
        }
    }
}

/// Buckets that are sorted at once: so many tuples, if a single bucket has no more, in so many buckets.
fn buckets_at_once(
    tuples_of_buckets: impl Iterator<Item = usize>,
    most_tuples: usize,
    most_buckets: usize,
) -> Vec<Range<usize>> {
    let (mut ranges, mut tuples): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for (bucket, more) in tuples_of_buckets.enumerate() {
        match ranges.last_mut() {
            Some(last) if last.len() < most_buckets && tuples + more <= most_tuples => {
                last.end = bucket + 1;
                tuples += more;
            }
            _ => {
                ranges.push(bucket..bucket + 1);
                tuples = more;
            }
        }
    }
    ranges
}

fn attribute(column: &CountingColumn, hierarchy: Hierarchy, missing: &Missing) -> Attribute {
    let texts = column.values.iter().map(|text| missing.normalize(text));
    Attribute {
        name: column.name.clone(),
        kind: Kind::of(texts.filter(|text| !text.is_empty())),
        missing: hierarchy.leaf(""),
        hierarchy,
        rows_of_groups: Vec::new(),
    }
}

/// The number of the leaf of each value, or an error that counts the values that are not listed.
fn leaves_of_values(
    column: &CountingColumn,
    hierarchy: &Hierarchy,
    missing: &Missing,
) -> Result<Vec<u32>, Error> {
    let leaf = |text| hierarchy.leaf(missing.normalize(text));
    let leaves: Vec<Option<Leaf>> = column.values.iter().map(leaf).collect();
    let unlisted = leaves
        .iter()
        .zip(&column.first_rows)
        .filter(|(leaf, _)| leaf.is_none());
    if let Some(row) = unlisted.clone().map(|(_, &row)| row).min() {
        return Err(Error::HierarchyLacksValues {
            column: column.name.clone(),
            values: unlisted.count(),
            row: Some(row).filter(|&row| row != NO_ROW),
            leaves: hierarchy.leaves(),
        });
    }
    Ok(leaves.into_iter().flatten().map(|leaf| leaf.0).collect())
}

/// The column with its values sorted, and the rank of each code.
fn sorted_column(
    column: &CountingColumn,
    hierarchy: Option<Hierarchy>,
    missing: &Missing,
) -> (CountedColumn, Vec<u32>) {
    let sorted = SortedValues::of(column, missing);
    let mut values = Dictionary::default();
    for text in sorted.values {
        values.encode(text);
    }
    let column = CountedColumn {
        name: column.name.clone(),
        kind: sorted.kind,
        values,
        rows_of_values: Vec::new(),
        hierarchy,
    };
    (column, sorted.ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::HierarchySpec;
    use crate::table::RowBatch;

    /// So many different tuples of two columns and a counted one, the first twice.
    fn finished(tuples: usize, threads: usize) -> CountedTable {
        let names = ["a", "b", "s"].map(str::to_owned);
        let mut counter = RowCounter::new(&names, &[0, 1], &[2]);
        let mut batch = RowBatch::new(names.len());
        for at in (0..tuples).chain([0]) {
            // Far from the order of their numbers.
            let at = (at * 7919) % tuples;
            for cell in [at / 100, at % 100, at % 3] {
                batch.push_cell(cell.to_string().as_bytes());
            }
        }
        counter.add(&batch).unwrap();
        counter.threads = threads;
        let missing = Missing::default();
        let hierarchies = (0..2).map(|at| {
            let values = counter.values(at, &missing);
            HierarchySpec::Suppress.build(&names[at], &values).unwrap()
        });
        let hierarchies = hierarchies.collect();
        counter.finish(hierarchies, vec![None], missing).unwrap()
    }

    #[test]
    fn every_bucket_is_sorted_once_and_no_more_at_once_than_there_is_room_for() {
        let tuples = [3, 0, 9, 1, 1, 1, 0, 0, 0, 2];
        let ranges = buckets_at_once(tuples.into_iter(), 4, 3);
        assert_eq!(ranges, [0..2, 2..3, 3..6, 6..9, 9..10]);
        let ranges = buckets_at_once(tuples.into_iter(), usize::MAX, 4);
        assert_eq!(ranges, [0..4, 4..8, 8..10]);
        let ranges = buckets_at_once(tuples.into_iter(), 0, 4);
        assert!(ranges.iter().all(|range| !range.is_empty()));
        let all: Vec<usize> = ranges.into_iter().flatten().collect();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn classes_are_sorted_however_many_buckets_there_are() {
        for tuples in [1, 4095, 4096, 8191, 8192, 40_000] {
            let alone = finished(tuples, 1);
            let classes = &alone.tuples;
            assert_eq!(classes.len(), tuples);
            let keys: Vec<u64> = (0..tuples).map(|class| classes.key(class)[0]).collect();
            assert!(keys.is_sorted_by(|one, next| one < next), "{tuples}");
            let mut sizes = classes.sizes.to_vec();
            sizes.sort_unstable();
            assert!(sizes.pop() == Some(2) && sizes.iter().all(|&size| size == 1));
            for threads in [2, 3] {
                assert_eq!(finished(tuples, threads).tuples, *classes, "{tuples}");
            }
        }
    }
}
