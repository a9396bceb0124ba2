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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histograms {
    /// Where each class starts, and after the last class the end.
    pub(crate) starts: Vec<u32>,
    pub(crate) values: Vec<u32>,
    pub(crate) counts: Vec<u32>,
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
}

/// The classes of a node: keys, sizes, histograms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrequencySet {
    /// `words` words per class.
    pub(crate) keys: Vec<u64>,
    pub(crate) words: usize,
    pub(crate) sizes: Vec<u32>,
    pub(crate) histograms: Vec<Histograms>,
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

    /// The histograms of a counted column.
    pub fn histograms(&self, column: usize) -> &Histograms {
        &self.histograms[column]
    }
}
