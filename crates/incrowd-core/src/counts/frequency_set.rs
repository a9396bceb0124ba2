//! Classes, their sizes and their histograms.

use super::cells::{Below, Cells, HistogramBuffer, MOST_GROWTH};
use super::{Histogram, List, MOST_PRESENT, Work};

/// Which values of a column each class has, one bit each, so that merging classes takes only a few words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Present {
    /// Words per class.
    words: usize,
    bits: Vec<u64>,
}

impl Present {
    /// From classes whose histograms are known, for a column with this many values.
    pub(crate) fn of(histograms: &Histograms, values: usize) -> Self {
        debug_assert!(values <= MOST_PRESENT && histograms.present.is_none());
        debug_assert!(histograms.cells.is_none());
        let words = values.div_ceil(64).max(1);
        let classes = histograms.starts.len() - 1;
        let mut present = Present {
            words,
            bits: vec![0; words * classes],
        };
        for (class, bits) in present.bits.chunks_exact_mut(words).enumerate() {
            for &value in histograms.class(class).values {
                bits[value as usize / 64] |= 1 << (value % 64);
            }
        }
        present
    }

    /// The words of each class.
    pub(crate) fn classes(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.bits.chunks_exact(self.words)
    }

    /// Becomes the unions of lower classes; `class_of` maps each to its union.
    pub(crate) fn unite(&mut self, lower: &Present, class_of: &[u32], classes: usize) {
        let words = lower.words;
        self.words = words;
        self.bits.clear();
        self.bits.resize(classes * words, 0);
        // Most columns have few values, and a compiler that knows how few makes better use of it.
        match words {
            1 => unite::<1>(&lower.bits, class_of, &mut self.bits),
            2 => unite::<2>(&lower.bits, class_of, &mut self.bits),
            _ => {
                for (lower, &class) in lower.classes().zip(class_of) {
                    let upper = &mut self.bits[class as usize * words..][..words];
                    for (upper, lower) in upper.iter_mut().zip(lower) {
                        *upper |= lower;
                    }
                }
            }
        }
    }

    /// How many values a class has.
    #[inline]
    fn distinct(&self, class: usize) -> u32 {
        count_bits(&self.bits[class * self.words..][..self.words])
    }
}

/// Adds the bits of each lower class, so many words, to those of its upper class.
fn unite<const WORDS: usize>(lower: &[u64], class_of: &[u32], upper: &mut [u64]) {
    let (lower, upper) = (
        lower.as_chunks::<WORDS>().0,
        upper.as_chunks_mut::<WORDS>().0,
    );
    for (lower, &class) in lower.iter().zip(class_of) {
        let upper = &mut upper[class as usize];
        for (upper, lower) in upper.iter_mut().zip(lower) {
            *upper |= lower;
        }
    }
}

/// How many bits are set: the sums of two words are added up together, which processors without an instruction for
/// it are grateful for.
#[inline]
pub(crate) fn count_bits(words: &[u64]) -> u32 {
    const TWOS: u64 = 0x5555_5555_5555_5555;
    const FOURS: u64 = 0x3333_3333_3333_3333;
    const EIGHTS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let of_four = |word: u64| {
        let of_two = word - ((word >> 1) & TWOS);
        (of_two & FOURS) + ((of_two >> 2) & FOURS)
    };
    let (pairs, last) = words.as_chunks::<2>();
    let pairs = pairs.iter().map(|&[one, other]| {
        let sums = of_four(one) + of_four(other);
        let sums = (sums & EIGHTS) + ((sums >> 4) & EIGHTS);
        (sums.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    });
    let last = last.iter().map(|word| word.count_ones());
    pairs.chain(last).sum()
}

/// The histograms of one column in every class, end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histograms {
    /// Where each class starts, and after the last class the end.
    pub(crate) starts: List<u32>,
    pub(crate) values: List<u32>,
    pub(crate) counts: List<u32>,
    /// Kept instead of all the above if it suffices.
    pub(crate) present: Option<Present>,
    /// Kept instead of all the above by who [merges classes often](super::Scratch::with_cells).
    pub(super) cells: Option<Cells>,
}

impl Default for Histograms {
    fn default() -> Self {
        Histograms {
            starts: vec![0].into(),
            values: List::default(),
            counts: List::default(),
            present: None,
            cells: None,
        }
    }
}

impl Histograms {
    /// Classes of which only the presence of values is known.
    pub(crate) fn of_present(present: Present) -> Self {
        Histograms {
            present: Some(present),
            ..Histograms::default()
        }
    }

    /// [`Histograms::class`], which does not know cells. Whoever may meet the sets of a search uses this.
    #[inline(always)]
    pub(crate) fn read<'h>(
        &'h self,
        class: usize,
        buffer: &'h mut HistogramBuffer,
    ) -> Histogram<'h> {
        match &self.cells {
            None => self.class(class),
            Some(cells) => cells.class(class, buffer),
        }
    }

    /// The histogram of one class. If only the presence of values is kept, their number is still correct.
    #[inline(always)]
    pub fn class(&self, class: usize) -> Histogram<'_> {
        debug_assert!(self.cells.is_none());
        if let Some(present) = &self.present {
            return Histogram::of_any(present.distinct(class));
        }
        let range = self.starts[class] as usize..self.starts[class + 1] as usize;
        Histogram {
            values: &self.values[range.clone()],
            counts: &self.counts[range],
        }
    }

    /// Clears all classes but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.starts.in_memory().truncate(1);
        self.values.emptied();
        self.counts.emptied();
    }

    /// Becomes the sums of lower classes, kept as cells; `class_of` maps each to its sum.
    pub(super) fn add_up_in_cells(
        &mut self,
        lower: &Histograms,
        class_of: &[u32],
        values: usize,
        classes: usize,
    ) {
        self.clear();
        self.present = None;
        let below = match &lower.cells {
            Some(cells) => Below::Cells(cells),
            None => Below::Lists {
                starts: &lower.starts,
                values: &lower.values,
                counts: &lower.counts,
            },
        };
        let cells = self.cells.get_or_insert_default();
        cells.add_up(below, class_of, values, classes);
    }

    /// Forgets where classes are, so that none can be read. What was written stays, to be written over.
    pub(super) fn forget_classes(&mut self) {
        self.starts.in_memory().truncate(1);
        if let Some(present) = &mut self.present {
            present.bits.clear();
        }
        if let Some(cells) = &mut self.cells {
            cells.clear();
        }
    }

    /// Whether they are cells.
    #[cfg(test)]
    pub(crate) fn are_cells(&self) -> bool {
        self.cells.is_some()
    }

    /// Whether no class can be read.
    #[cfg(test)]
    pub(crate) fn have_no_class(&self) -> bool {
        let cells = self.cells.as_ref().map_or(0, Cells::memory);
        let bits = self
            .present
            .as_ref()
            .map_or(0, |present| present.bits.len());
        self.starts.len() == 1 && cells == 0 && bits == 0
    }

    /// Adds a value to the class being filled; values must come ascending.
    pub(crate) fn push(&mut self, value: u32, count: u32) {
        self.values.in_memory().push(value);
        self.counts.in_memory().push(count);
    }

    /// Bytes that the values take.
    pub(crate) fn memory(&self) -> usize {
        match (&self.present, &self.cells) {
            (Some(present), _) => 8 * present.bits.len(),
            (None, Some(cells)) => cells.memory(),
            (None, None) => 8 * self.values.len(),
        }
    }

    /// The steps in which all of it is gone through.
    fn steps(&self) -> usize {
        match (&self.present, &self.cells) {
            (Some(present), _) => present.bits.len(),
            (None, Some(cells)) => cells.steps(),
            (None, None) => self.values.len(),
        }
    }

    /// Adds classes after these.
    pub(crate) fn append(&mut self, other: Histograms) {
        debug_assert!(self.present.is_none() && other.present.is_none());
        debug_assert!(self.cells.is_none() && other.cells.is_none());
        let before = self.values.len() as u32;
        self.starts
            .in_memory()
            .extend(other.starts[1..].iter().map(|start| before + start));
        self.values.in_memory().extend_from_slice(&other.values);
        self.counts.in_memory().extend_from_slice(&other.counts);
    }

    /// Adds a class with this histogram.
    #[inline]
    pub(crate) fn push_class(&mut self, histogram: Histogram<'_>) {
        self.values.in_memory().extend_from_slice(histogram.values);
        self.counts.in_memory().extend_from_slice(histogram.counts);
        self.end_class();
    }

    /// Ends the class being filled.
    pub(crate) fn end_class(&mut self) {
        let end = u32::try_from(self.values.len()).expect("fewer entries than rows");
        self.starts.in_memory().push(end);
    }
}

/// The classes of a node: keys, sizes, histograms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrequencySet {
    /// `words` words per class, packed as the table's [`Layout`](super::Layout) says.
    pub(crate) keys: List<u64>,
    pub(crate) words: usize,
    pub(crate) sizes: List<u32>,
    /// Rows of the population that match each class; empty if nobody asked.
    pub(crate) people: Vec<u32>,
    /// One per counted column; empty if not requested.
    pub(crate) histograms: Vec<Option<Histograms>>,
}

impl FrequencySet {
    /// Adds classes after these, with histograms of the same columns.
    pub(super) fn append(&mut self, other: FrequencySet) {
        self.keys.in_memory().extend_from_slice(&other.keys);
        self.sizes.in_memory().extend_from_slice(&other.sizes);
        let pairs = self.histograms.iter_mut().zip(other.histograms);
        for (ours, theirs) in pairs {
            if let (Some(ours), Some(theirs)) = (ours, theirs) {
                ours.append(theirs);
            }
        }
    }

    /// The same classes, of which only keys and sizes are known.
    pub(crate) fn without_histograms(&self) -> Self {
        FrequencySet {
            keys: self.keys.clone(),
            words: self.words,
            sizes: self.sizes.clone(),
            people: Vec::new(),
            histograms: Vec::new(),
        }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Rows of each class.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Rows of the population that match a class; none if they were not counted.
    pub(crate) fn people(&self, class: usize) -> u32 {
        self.people.get(class).copied().unwrap_or(0)
    }

    /// The histograms of a counted column. Only for columns that were requested when the set was rolled up.
    pub fn histograms(&self, column: usize) -> &Histograms {
        self.histograms[column]
            .as_ref()
            .expect("whoever reads a column asks for it from the start")
    }

    /// The packed groups of a class.
    #[inline]
    pub(crate) fn key(&self, class: usize) -> &[u64] {
        &self.keys[class * self.words..(class + 1) * self.words]
    }

    /// The packed groups of all classes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u64]> {
        self.keys.chunks_exact(self.words.max(1))
    }

    /// The work of going through all classes and the values of these columns once.
    pub(crate) fn work(&self, columns: &[usize]) -> Work {
        Work::of(self.len() * self.words.max(1)) + self.work_of_columns(columns)
    }

    /// The part of it that the values take.
    pub(super) fn work_of_columns(&self, columns: &[usize]) -> Work {
        let steps = |&column: &usize| self.histograms(column).steps();
        Work::of(columns.iter().map(steps).sum())
    }

    /// No classes, of so many words each, in the memory of those that were here.
    pub(super) fn make_empty(&mut self, words: usize) {
        self.words = words;
        self.keys.emptied();
        self.sizes.emptied();
        self.people.clear();
    }

    /// Releases memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.keys.shrink();
        self.sizes.shrink();
    }

    /// Bytes held, for caches with a limit.
    pub(crate) fn memory(&self) -> usize {
        8 * self.keys.len() + 4 * (self.sizes.len() + self.people.len()) + self.memory_of_columns()
    }

    /// The most bytes that a set counted from this one holds, if nothing here is kept as cells.
    pub(crate) fn most_memory_above(&self) -> usize {
        self.memory() + (MOST_GROWTH - 1) * self.memory_of_columns()
    }

    fn memory_of_columns(&self) -> usize {
        let histograms = self.histograms.iter().flatten();
        histograms.map(Histograms::memory).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_in_any_number_of_words() {
        let words: Vec<u64> = (0..8u64)
            .map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15) | u64::MAX << (8 * word))
            .chain([u64::MAX, 0, u64::MAX, u64::MAX])
            .collect();
        for start in 0..words.len() {
            for end in start..=words.len() {
                let counted = words[start..end].iter().map(|word| word.count_ones());
                assert_eq!(count_bits(&words[start..end]), counted.sum::<u32>());
            }
        }
    }

    #[test]
    fn classes_unite_the_values_of_those_below_however_many_words_they_take() {
        let mut draw = crate::draw::Draw::new(5);
        for words in 1..=4 {
            let bits: Vec<u64> = (0..20 * words).map(|_| 1 << draw.below(64)).collect();
            let lower = Present { words, bits };
            let class_of: Vec<u32> = (0..20).map(|at| at % 3).collect();
            let mut united = Present::default();
            united.unite(&lower, &class_of, 3);
            for (class, bits) in (0..).zip(united.classes()) {
                let mut expected = vec![0; words];
                for (at, below) in lower.classes().enumerate() {
                    if class_of[at] == class {
                        (expected.iter_mut().zip(below)).for_each(|(sum, bits)| *sum |= bits);
                    }
                }
                assert_eq!(bits, expected);
                let ones: u32 = bits.iter().map(|bits| bits.count_ones()).sum();
                assert_eq!(united.distinct(class as usize), ones);
            }
        }
    }
}
