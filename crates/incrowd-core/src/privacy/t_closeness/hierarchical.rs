//! Values are as far apart as the level at which they meet.
//!
//! Li et al. move what children of a group have too much of to siblings that have too little, from the leaves up;
//! rows moved below a group of level L cost L / height. What still must leave the groups of level L is e(L), half the
//! sum over these groups of |c N - Q n|, so e(L-1) - e(L) is moved at level L, and the cost telescopes:
//! sum of L (e(L-1) - e(L)) = e(0) + ... + e(height-1), as e is 0 at the root. The distance is the mean of the equal
//! distances at all levels below the root, and one of these needs only the groups present in the class. At level 0
//! these are the values themselves, so values that share a leaf are still apart.

use super::super::ClassView;
use super::super::distribution::Distribution;
use super::{equal, leaves};
use crate::counts::CountedColumn;
use crate::error::Error;
use crate::lattice::Level;
use std::cell::RefCell;

/// The levels of a column's hierarchy, leaves and root left out.
#[derive(Debug)]
pub(super) struct Tree {
    height: u32,
    levels: Vec<GroupsOfLevel>,
}

#[derive(Debug)]
struct GroupsOfLevel {
    /// The group of each value code.
    of_codes: Vec<u32>,
    /// Rows of the table in each group, Q.
    rows: Vec<u32>,
}

/// Rows of a class in each group of a level. A group counts as empty until it bears the current stamp, so nothing
/// has to be cleared between levels and classes.
#[derive(Debug, Default)]
struct Scratch {
    stamp: u64,
    groups: Vec<(u64, u32)>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Tree {
    pub(super) fn of(column: &CountedColumn) -> Result<Self, Error> {
        let Some(hierarchy) = &column.hierarchy else {
            return Err(Error::ColumnHasNoHierarchy {
                column: column.name.clone(),
            });
        };
        let leaves = leaves(column, hierarchy)?;
        let level = |level: Level| {
            let of_leaf = hierarchy.groups_of_leaves(level);
            let of_codes: Vec<u32> = leaves.iter().map(|&leaf| of_leaf[leaf as usize]).collect();
            let mut rows = vec![0; hierarchy.groups(level)];
            for (&group, of_value) in of_codes.iter().zip(&column.rows_of_values) {
                rows[group as usize] += of_value;
            }
            GroupsOfLevel { of_codes, rows }
        };
        Ok(Tree {
            // With a root alone nothing is moved, in one step.
            height: hierarchy.height().0.max(1).into(),
            levels: Level::under(hierarchy.height())
                .skip(1)
                .map(level)
                .collect(),
        })
    }

    #[inline]
    pub(super) fn steps(&self) -> u32 {
        self.height
    }

    /// Below 2^64 per level, and there are fewer than 2^7.
    pub(super) fn moved(&self, table: &Distribution, class: &ClassView<'_>) -> u128 {
        SCRATCH.with_borrow_mut(|scratch| {
            let above = self.levels.iter();
            let above = above.map(|level| u128::from(level.moved(table.rows, class, scratch)));
            equal::moved(table, class) + above.sum::<u128>()
        })
    }

    /// As for the equal distance, level by level: a part takes from every group what it can, or less.
    pub(super) fn least_moved(
        &self,
        table: &Distribution,
        class: &ClassView<'_>,
        rows: u32,
    ) -> u128 {
        SCRATCH.with_borrow_mut(|scratch| {
            let above = self.levels.iter();
            let above =
                above.map(|level| u128::from(level.least_moved(table.rows, class, rows, scratch)));
            equal::least_moved(table, class, rows) + above.sum::<u128>()
        })
    }
}

impl GroupsOfLevel {
    /// As for the equal distance, of groups.
    #[inline]
    fn moved(&self, table_rows: u64, class: &ClassView<'_>, scratch: &mut Scratch) -> u64 {
        self.sum_of_groups(class, scratch, |group, rows| {
            let expected = u64::from(self.rows[group]) * u64::from(class.size);
            (u64::from(rows) * table_rows).saturating_sub(expected)
        })
    }

    fn least_moved(
        &self,
        table_rows: u64,
        class: &ClassView<'_>,
        part: u32,
        scratch: &mut Scratch,
    ) -> u64 {
        let taken = self.sum_of_groups(class, scratch, |group, rows| {
            let expected = u64::from(self.rows[group]) * u64::from(part);
            (u64::from(rows) * table_rows).min(expected)
        });
        u64::from(part) * table_rows - taken
    }

    /// The sum over the groups present of what their rows amount to, which grows with them: followed while values are added.
    #[inline]
    fn sum_of_groups(
        &self,
        class: &ClassView<'_>,
        scratch: &mut Scratch,
        amount_of: impl Fn(usize, u32) -> u64,
    ) -> u64 {
        scratch.stamp += 1;
        if scratch.groups.len() < self.rows.len() {
            scratch.groups.resize(self.rows.len(), (0, 0));
        }
        let mut amount = 0;
        for (&value, &count) in class.histogram.values.iter().zip(class.histogram.counts) {
            let group = self.of_codes[value as usize] as usize;
            let (stamp, rows) = &mut scratch.groups[group];
            if *stamp != scratch.stamp {
                (*stamp, *rows) = (scratch.stamp, 0);
            }
            let before = amount_of(group, *rows);
            *rows += count;
            amount += amount_of(group, *rows) - before;
        }
        amount
    }
}
