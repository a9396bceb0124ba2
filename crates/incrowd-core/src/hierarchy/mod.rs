//! Which values may stand for which: the levels of a column, from raw values up to `*`.
//!
//! A [`Hierarchy`] lists the raw values (*leaves*, level 0) and maps each to a *group* at every level above.
//! Going up only merges groups. Leaves and groups are numbered in the order they were listed, which is also
//! the order that ordered schemes use.

use crate::table::Dictionary;

/// The text that stands for every value.
pub const ANY: &str = "*";

/// The greatest number of levels a hierarchy may have, the raw values included.
pub const MAX_LEVELS: usize = 127;

/// A column's levels, from raw values (level 0) to the last.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    levels: Vec<Groups>,
}

/// The groups of one level.
#[derive(Debug, Clone)]
struct Groups {
    name: String,
    labels: Dictionary,
    /// The group of each leaf.
    of_leaf: Vec<u32>,
    /// How many leaves each group holds.
    leaves: Vec<u32>,
}

impl Hierarchy {
    /// The number of steps from the raw values to the last level.
    pub fn height(&self) -> u8 {
        (self.levels.len() - 1) as u8
    }

    /// The number of raw values listed.
    pub fn leaves(&self) -> usize {
        self.levels[0].of_leaf.len()
    }

    /// What the level is called.
    pub fn level_name(&self, level: u8) -> &str {
        &self.levels[level as usize].name
    }

    /// The number of groups of a level.
    pub fn groups(&self, level: u8) -> usize {
        self.levels[level as usize].leaves.len()
    }

    /// The text published for a group.
    pub fn label(&self, level: u8, group: u32) -> &str {
        self.levels[level as usize].labels.text(group)
    }

    /// The group of every leaf at a level.
    pub fn groups_of_leaves(&self, level: u8) -> &[u32] {
        &self.levels[level as usize].of_leaf
    }

    /// How many leaves each group of a level holds.
    pub fn leaves_of_groups(&self, level: u8) -> &[u32] {
        &self.levels[level as usize].leaves
    }

    /// The leaf with this text.
    pub fn leaf(&self, text: &str) -> Option<u32> {
        self.levels[0].labels.lookup(text.as_bytes())
    }

    /// The group of a level with this label.
    pub fn group(&self, level: u8, label: &str) -> Option<u32> {
        self.levels[level as usize].labels.lookup(label.as_bytes())
    }
}

#[cfg(test)]
impl Hierarchy {
    /// The hierarchy with these labels per leaf, raw value first. Labels are taken on trust.
    pub(crate) fn for_tests(rows: &[Vec<String>]) -> Self {
        let levels = rows.first().map_or(1, Vec::len);
        let levels = (0..levels).map(|level| {
            let mut labels = Dictionary::default();
            let of_leaf: Vec<u32> = rows.iter().map(|row| labels.encode(&row[level])).collect();
            let mut leaves = vec![0; labels.len()];
            for &group in &of_leaf {
                leaves[group as usize] += 1;
            }
            Groups {
                name: level.to_string(),
                labels,
                of_leaf,
                leaves,
            }
        });
        Hierarchy {
            levels: levels.collect(),
        }
    }
}
