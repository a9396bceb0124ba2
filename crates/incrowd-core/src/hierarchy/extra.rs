//! Leaves that were not listed: the missing value, and unlisted values.

use super::{ANY, Groups, Hierarchy};

/// How a value that the hierarchy does not list is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtraLeaf {
    /// As itself on every level below the last. The natural choice for the missing value.
    OwnBranch,
    /// As `*` on every level. All such values share one leaf, labeled `*`.
    Suppressed,
}

impl Hierarchy {
    /// Adds a value after the existing leaves; a value that is already listed stays where it is.
    ///
    /// Below the last level the value joins a group that already has its label and follows that group from there on, so
    /// that levels still only merge. On the last level it joins the only group, whatever its name.
    ///
    /// ```
    /// use incrowd_core::hierarchy::{ExtraLeaf, Hierarchy};
    /// let rows = [["Male", "*"], ["Female", "*"]];
    /// let sex = Hierarchy::from_rows("sex", rows)?
    ///     .with_extra_leaf("", ExtraLeaf::OwnBranch)
    ///     .with_extra_leaf("femal", ExtraLeaf::Suppressed);
    /// assert_eq!(sex.text(sex.leaf("").expect("just added")), "");
    /// assert_eq!(sex.text(sex.leaf("femal").expect("just added")), "*");
    /// assert_eq!(sex.leaves(), 4);
    /// # Ok::<(), incrowd_core::Error>(())
    /// ```
    #[must_use]
    pub fn with_extra_leaf(mut self, text: &str, extra: ExtraLeaf) -> Hierarchy {
        if self.leaf(text).is_some() {
            return self;
        }
        match extra {
            ExtraLeaf::OwnBranch => self.push_leaf(text),
            ExtraLeaf::Suppressed => {
                self.suppressed.encode(text);
                if self.listed_leaf(ANY).is_none() {
                    self.push_leaf(ANY);
                }
            }
        }
        self
    }

    /// Adds a leaf that has the same label on every level below the last.
    fn push_leaf(&mut self, label: &str) {
        let height = self.levels.len() - 1;
        // Below the group joined, the new leaf has its own groups; above, it follows that group.
        let mut joined = None;
        for (level, groups) in self.levels.iter_mut().enumerate() {
            let group = match joined {
                Some(group) => group,
                None if level == height => 0,
                None => groups.labels.encode(label).0,
            };
            let is_new = group as usize == groups.leaves.len();
            groups.of_leaf.push(group);
            if is_new {
                groups.leaves.push(1);
            } else {
                groups.leaves[group as usize] += 1;
                joined = groups.parents.get(group as usize).copied();
            }
        }
        self.complete_parents();
    }

    /// Gives a parent to the groups of the newest leaf.
    fn complete_parents(&mut self) {
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let (
                Groups {
                    parents, leaves, ..
                },
                above,
            ) = (&mut below[level - 1], &above[0]);
            if parents.len() < leaves.len() {
                parents.push(*above.of_leaf.last().expect("the newest leaf is there"));
            }
        }
    }
}
