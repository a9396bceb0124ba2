//! How values may be generalized: the levels of a column, from raw values up to `*`.
//!
//! A [`Hierarchy`] lists the raw values (*leaves*, level 0) and maps each to a *group* at every level above. Going up
//! only merges groups, and the last level is one group. Leaves are numbered in the order they were listed, groups in
//! the order of their first leaf. A label is unique on its level; the same text may occur on several levels.
//!
//! Hierarchies are listed by people ([`Hierarchy::from_rows`], [`parse`]), built by rule ([`build`], [`HierarchySpec`])
//! or chosen automatically ([`automatic()`]). The caller reads the files.
//!
//! ```
//! use incrowd_core::hierarchy::{Hierarchy, Level};
//! let rows = [
//!     ["Bachelors", "Higher", "*"],
//!     ["Masters", "Higher", "*"],
//!     ["9th", "School", "*"],
//! ];
//! let education = Hierarchy::from_rows("education", rows)?;
//! assert_eq!(education.height(), Level(2));
//! let masters = education.leaf("Masters").expect("listed above");
//! let group = education.group_of(Level(1), masters);
//! assert_eq!(education.label(Level(1), group), "Higher");
//! # Ok::<(), incrowd_core::Error>(())
//! ```

mod automatic;
pub mod build;
mod csv;
mod extra;
mod known;
mod listed;
mod spec;
#[cfg(test)]
mod tests;

pub use automatic::{Automatic, automatic};
pub use csv::{Header, Options, parse};
pub use extra::ExtraLeaf;
pub use known::KnownList;
pub use spec::HierarchySpec;

pub use crate::numbers::{Group, Leaf, Level};
use crate::table::{Dictionary, ValueCode};

/// The text that stands for every value.
pub const ANY: &str = "*";

/// The greatest number of levels a hierarchy may have, including the raw values.
pub const MAX_LEVELS: usize = 127;

/// A column's levels, from raw values (level 0) to the last.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    levels: Vec<Groups>,
    /// Values that are published as `*` without being listed; see [`ExtraLeaf::Suppressed`].
    suppressed: Dictionary,
    /// Whether the order of the leaves is meaningful.
    is_ordered: bool,
}

/// The groups of one level.
#[derive(Debug, Clone)]
struct Groups {
    name: String,
    labels: Dictionary,
    /// The group of each leaf.
    of_leaf: Vec<u32>,
    /// How many leaves each group contains.
    leaves: Vec<u32>,
    /// The group one level up of each group; empty at the last level.
    parents: Vec<u32>,
}

impl Groups {
    fn new(name: String) -> Self {
        Groups {
            name,
            labels: Dictionary::default(),
            of_leaf: Vec::new(),
            leaves: Vec::new(),
            parents: Vec::new(),
        }
    }

    /// The last level: every leaf in one group.
    fn top(label: &str, leaves: usize) -> Self {
        let mut top = Groups::new("any".into());
        top.labels.encode(label);
        top.of_leaf = vec![0; leaves];
        top.leaves = vec![leaves as u32];
        top
    }
}

impl Hierarchy {
    /// The last level, which is the number of steps to it from the raw values; at least 1.
    pub fn height(&self) -> Level {
        Level((self.levels.len() - 1) as u8)
    }

    /// The number of raw values listed.
    pub fn leaves(&self) -> usize {
        self.levels[0].of_leaf.len()
    }

    /// Whether the order of the leaves is meaningful: people listed them that way, or a rule knows their order, as for
    /// dates and levels of education. Other rules use an order that suits their groups.
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// What the level is called.
    pub fn level_name(&self, level: Level) -> &str {
        &self.levels[level.index()].name
    }

    /// The number of groups of a level.
    pub fn groups(&self, level: Level) -> usize {
        self.levels[level.index()].leaves.len()
    }

    /// The text published for a group.
    pub fn label(&self, level: Level, group: Group) -> &str {
        self.levels[level.index()].labels.text(ValueCode(group.0))
    }

    /// The raw value that a leaf stands for.
    pub fn text(&self, leaf: Leaf) -> &str {
        self.levels[0].labels.text(ValueCode(leaf.0))
    }

    /// The group of a leaf at a level.
    pub fn group_of(&self, level: Level, leaf: Leaf) -> Group {
        Group(self.levels[level.index()].of_leaf[leaf.index()])
    }

    /// The number of the group of every leaf at a level.
    pub fn groups_of_leaves(&self, level: Level) -> &[u32] {
        &self.levels[level.index()].of_leaf
    }

    /// How many leaves each group of a level holds.
    pub fn leaves_of_groups(&self, level: Level) -> &[u32] {
        &self.levels[level.index()].leaves
    }

    /// The number of the group one level up of each group of a level; empty at the last level.
    pub fn parents(&self, level: Level) -> &[u32] {
        &self.levels[level.index()].parents
    }

    /// The leaf that stands for this value of the data.
    pub fn leaf(&self, text: &str) -> Option<Leaf> {
        self.listed_leaf(text)
            .or_else(|| self.suppressed_leaf(text.as_bytes()))
    }

    /// The leaf of a value that is not listed and published as `*`.
    #[cold]
    fn suppressed_leaf(&self, value: &[u8]) -> Option<Leaf> {
        self.suppressed.lookup(value)?;
        self.listed_leaf(ANY)
    }

    /// The leaf that is listed under this text.
    pub(crate) fn listed_leaf(&self, text: &str) -> Option<Leaf> {
        let leaf = self.levels[0].labels.lookup(text.as_bytes());
        leaf.map(|code| Leaf(code.0))
    }

    /// Every value of the data that a leaf stands for, with the number of its leaf: those listed, in the order of the
    /// leaves, then those that are not listed and published as `*`.
    pub(crate) fn values(&self) -> (Dictionary, Vec<u32>) {
        let mut values = self.levels[0].labels.clone();
        let mut leaves: Vec<u32> = (0..self.leaves() as u32).collect();
        if let Some(any) = self.listed_leaf(ANY) {
            for text in self.suppressed.iter() {
                if values.encode(text).index() == leaves.len() {
                    leaves.push(any.0);
                }
            }
        }
        (values, leaves)
    }

    /// The group of a level with this label.
    pub fn group(&self, level: Level, label: &str) -> Option<Group> {
        let group = self.levels[level.index()].labels.lookup(label.as_bytes());
        group.map(|code| Group(code.0))
    }

    /// The positions, from 0, of the values that no leaf stands for.
    pub fn unlisted<'a>(&self, values: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let values = values.into_iter().enumerate();
        values
            .filter(|(_, value)| self.leaf(value).is_none())
            .map(|(at, _)| at)
            .collect()
    }

    /// Renames the levels, from level 0 up. Levels without a new name, or with an empty one, keep theirs; extra names
    /// are dropped.
    #[must_use]
    pub fn with_level_names<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Hierarchy {
        for (level, name) in self.levels.iter_mut().zip(names) {
            let name = name.into();
            if !name.is_empty() {
                level.name = name;
            }
        }
        self
    }
}
