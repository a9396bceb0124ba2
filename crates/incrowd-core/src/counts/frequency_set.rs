//! Classes, their sizes and their histograms.

/// How often each value of one column occurs in one class: values ascending, counts at least 1.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    /// Codes of the values present, ascending.
    pub values: &'a [u32],
    /// Rows with each of them.
    pub counts: &'a [u32],
}

/// The histograms of one column in every class, end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histograms {
    /// Where each class starts, and after the last class the end.
    pub(crate) starts: Vec<u32>,
    pub(crate) values: Vec<u32>,
    pub(crate) counts: Vec<u32>,
}

impl Default for Histograms {
    fn default() -> Self {
        Histograms {
            starts: vec![0],
            values: Vec::new(),
            counts: Vec::new(),
        }
    }
}

impl Histograms {
    /// The histogram of one class.
    #[inline]
    pub fn class(&self, class: usize) -> Histogram<'_> {
        let range = self.starts[class] as usize..self.starts[class + 1] as usize;
        Histogram {
            values: &self.values[range.clone()],
            counts: &self.counts[range],
        }
    }

    /// Forgets all classes and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.starts.truncate(1);
        self.values.clear();
        self.counts.clear();
    }

    /// Adds a value to the class being filled; values must come ascending.
    pub(crate) fn push(&mut self, value: u32, count: u32) {
        self.values.push(value);
        self.counts.push(count);
    }

    /// Ends the class being filled.
    pub(crate) fn end_class(&mut self) {
        let end = u32::try_from(self.values.len()).expect("fewer entries than rows");
        self.starts.push(end);
    }
}

/// The classes of a node: keys, sizes, histograms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrequencySet {
    /// `words` words per class, packed as the table's [`Layout`](super::Layout) says.
    pub(crate) keys: Vec<u64>,
    pub(crate) words: usize,
    pub(crate) sizes: Vec<u32>,
    /// One per counted column; empty where nobody asked for it.
    pub(crate) histograms: Vec<Option<Histograms>>,
}

impl FrequencySet {
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

    /// The histograms of a counted column. Only for columns that were asked for when the set was rolled up.
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

    /// Gives back memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.sizes.shrink_to_fit();
    }

    /// Bytes held, for caches with a limit.
    pub(crate) fn memory(&self) -> usize {
        let entries: usize = self
            .histograms
            .iter()
            .flatten()
            .map(|histograms| histograms.values.len())
            .sum();
        8 * self.keys.len() + 4 * self.sizes.len() + 8 * entries
    }
}
