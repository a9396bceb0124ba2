//! Values are as far apart as the level at which they meet.
//!
//! Li et al. move what children of a group have too much of to siblings that have too little, from the leaves up;
//! rows moved below a group of level L cost L / height. What still must leave the groups of level L is e(L), half the
//! sum over these groups of |c N - Q n|, so e(L-1) - e(L) is moved at level L, and the cost telescopes:
//! sum of L (e(L-1) - e(L)) = e(0) + ... + e(height-1), as e is 0 at the root. The distance is the mean of the equal
//! distances at all levels below the root. One level needs only the groups present in the class.

use super::super::ClassView;
use super::with_positions;
use crate::counts::CountedColumn;
use crate::error::Error;

/// The groups of a column's hierarchy, numbered at each level so that a group's children are neighbours.
#[derive(Debug)]
pub(super) struct Tree {
    /// Rows of the table, N.
    rows: u64,
    /// The leaf of each value code.
    leaf_of_codes: Vec<u32>,
    /// From the leaves up, the root left out.
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    /// Rows of the table in each group, Q.
    rows: Vec<u32>,
    /// The group of the next level that each is in.
    parents: Vec<u32>,
}

impl Tree {
    pub(super) fn of(column: &CountedColumn) -> Result<Self, Error> {
        let Some(hierarchy) = &column.hierarchy else {
            return Err(Error::ColumnHasNoHierarchy {
                column: column.name.clone(),
            });
        };
        let leaves: Option<Vec<u32>> = (column.values.iter().take(column.rows_of_values.len()))
            .map(|text| hierarchy.leaf(text))
            .collect();
        let Some(leaves) = leaves else {
            let missing = column.values.iter();
            return Err(Error::ValuesOutsideHierarchy {
                column: column.name.clone(),
                values: missing
                    .filter(|text| hierarchy.leaf(text).is_none())
                    .count(),
            });
        };
        let levels: Vec<&[u32]> = (0..=hierarchy.height())
            .map(|level| hierarchy.groups_of_leaves(level))
            .collect();
        Ok(Self::new(&column.rows_of_values, &leaves, &levels))
    }

    /// `leaves` is the leaf of each value; `levels` the group of each leaf at each level, level 0 first.
    pub(super) fn new(rows_of_values: &[u32], leaves: &[u32], levels: &[&[u32]]) -> Self {
        // A value's path from the root down, itself last: sorted by it, every group is a run.
        let path = |&value: &usize| -> Vec<u32> {
            let groups = levels
                .iter()
                .rev()
                .map(|of_leaf| of_leaf[leaves[value] as usize]);
            groups.chain([leaves[value]]).collect()
        };
        let mut order: Vec<usize> = (0..rows_of_values.len()).collect();
        order.sort_by_cached_key(path);

        let group = |level: usize, value: usize| levels[level][leaves[value] as usize];
        let has_root = |of_leaf: &&[u32]| of_leaf.windows(2).all(|pair| pair[0] == pair[1]);
        // Levels below the root; a root is supposed above the last level when that has several groups.
        let below_root = levels.len() - usize::from(levels.last().is_some_and(has_root));
        // The run that each value, in order, belongs to at a level; all in one at the root.
        let runs = |level: usize| -> Vec<u32> {
            let mut run = 0;
            let mut previous = None;
            let of_value = |&value: &usize| {
                let group = (level < below_root).then(|| group(level, value));
                run += u32::from(previous.is_some_and(|previous| previous != group));
                previous = Some(group);
                run
            };
            order.iter().map(of_value).collect()
        };

        let mut leaf_of_codes = vec![0; rows_of_values.len()];
        for (&value, run) in order.iter().zip(runs(0)) {
            leaf_of_codes[value] = run;
        }
        let level = |level: usize| {
            let (groups, parents_of_values) = (runs(level), runs(level + 1));
            let count = groups.last().map_or(0, |&last| last as usize + 1);
            let (mut rows, mut parents) = (vec![0; count], vec![0; count]);
            for ((&value, group), parent) in order.iter().zip(groups).zip(parents_of_values) {
                rows[group as usize] += rows_of_values[value];
                parents[group as usize] = parent;
            }
            Level { rows, parents }
        };
        Tree {
            rows: rows_of_values.iter().map(|&rows| u64::from(rows)).sum(),
            leaf_of_codes,
            levels: (0..below_root).map(level).collect(),
        }
    }

    /// The height of the hierarchy; 1 when there is one group only, as nothing is moved then.
    #[inline]
    pub(super) fn steps(&self) -> u32 {
        self.levels.len().max(1) as u32
    }

    pub(super) fn moved(&self, class: &ClassView<'_>) -> u128 {
        let size = u64::from(class.size);
        with_positions(&self.leaf_of_codes, class, |groups| {
            let mut amount = 0;
            for level in &self.levels {
                // As for the equal distance; below 2^64 per level, and there are fewer than 2^7.
                let excess = |&(group, count): &(u32, u32)| {
                    let expected = u64::from(level.rows[group as usize]) * size;
                    (u64::from(count) * self.rows).saturating_sub(expected)
                };
                amount += u128::from(groups.iter().map(excess).sum::<u64>());
                for (group, _) in groups.iter_mut() {
                    *group = level.parents[*group as usize];
                }
                // Parents of ascending groups ascend, so equal ones are neighbours.
                groups.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    kept.1 += if same { next.1 } else { 0 };
                    same
                });
            }
            amount
        })
    }
}
