//! How many classes there are of every size.

use std::collections::BTreeMap;

/// The number of classes of every size: all that risk depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassSizes {
    /// Sizes ascending, each with its number of classes; neither is 0.
    classes_of_sizes: Vec<(u32, u32)>,
    rows: u64,
    classes: u64,
}

impl ClassSizes {
    /// Counts classes of these sizes. A class without rows is none.
    pub fn of(sizes: impl IntoIterator<Item = u32>) -> Self {
        let mut classes_of_sizes = BTreeMap::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *classes_of_sizes.entry(size).or_insert(0) += 1;
        }
        Self::of_counts(classes_of_sizes)
    }

    /// From the number of classes of each size, no size twice.
    pub fn of_counts(classes_of_sizes: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut counts: Vec<(u32, u32)> = (classes_of_sizes.into_iter())
            .filter(|&(size, classes)| size > 0 && classes > 0)
            .collect();
        counts.sort_unstable();
        ClassSizes {
            rows: (counts.iter())
                .map(|&(size, classes)| u64::from(size) * u64::from(classes))
                .sum(),
            classes: counts.iter().map(|&(_, classes)| u64::from(classes)).sum(),
            classes_of_sizes: counts,
        }
    }

    /// Rows of all classes.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of classes.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// Classes of one size.
    pub fn of_size(&self, size: u32) -> u32 {
        let place = (self.classes_of_sizes).binary_search_by_key(&size, |&(size, _)| size);
        place.map_or(0, |at| self.classes_of_sizes[at].1)
    }

    /// Rows that are alone in their class.
    pub fn uniques(&self) -> u64 {
        self.of_size(1).into()
    }

    /// Sizes ascending, each with its number of classes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + Clone {
        self.classes_of_sizes.iter().copied()
    }
}
