//! The levels of a quasi-identifier as a tree, with the rows of every label.

use super::Ground;
use crate::error::Error;
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::spec::HierarchySource;
use incrowd_core::hierarchy::Group;
use incrowd_core::hierarchy::Hierarchy;
use incrowd_core::lattice::Level;
use serde::Serialize;

/// More labels are not drawn.
const MOST_LABELS: usize = 2000;

/// The levels of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LevelsShown {
    /// The column.
    pub column: String,
    /// Where the levels come from, as a job file says it.
    pub source: String,
    /// Why they were chosen; `null` if the user gave them.
    pub reason: Option<String>,
    /// Every level, raw values first.
    pub levels: Vec<LevelShown>,
    /// The labels, from the highest level down.
    pub tree: Vec<Branch>,
}

/// A level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LevelShown {
    /// Its number.
    pub level: u8,
    /// Its name.
    pub name: String,
    /// How many labels it has.
    pub labels: u64,
}

/// A label and what is below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// The label.
    pub label: String,
    /// Rows of the table with it.
    pub rows: u64,
    /// Labels of the next level down; those with the same text are left out.
    pub children: Vec<Branch>,
    /// Labels below it that are not shown.
    pub more: u64,
}

impl Ground {
    /// The levels of a quasi-identifier, by its position.
    pub fn levels_shown(&self, attribute: usize) -> Option<LevelsShown> {
        let of = self.table.attributes.get(attribute)?;
        let levels = self.hierarchies.get(attribute)?;
        let shown = Shown {
            hierarchy: &of.hierarchy,
            rows: &of.rows_of_groups,
        };
        Some(shown.of_column(&of.name, levels))
    }

    /// The levels that another source would give a quasi-identifier, by its position. Nothing is changed.
    pub fn levels_tried(
        &self,
        attribute: usize,
        source: &HierarchySource,
    ) -> Result<Option<LevelsShown>, Error> {
        let Some(of) = self.table.attributes.get(attribute) else {
            return Ok(None);
        };
        let counted = of.rows_of_groups[0].iter().enumerate();
        let values: Vec<(&str, u32)> = counted
            .filter(|(_, rows)| **rows > 0)
            .map(|(leaf, &rows)| {
                let text = of.hierarchy.label(Level::RAW, Group(leaf as u32));
                (text, rows)
            })
            .collect();
        let unlisted = self.job.columns.unlisted.unwrap_or_default();
        let levels = hierarchies::resolve(&of.name, source, &values, unlisted)?;
        let hierarchy = &levels.hierarchy;
        let mut rows: Vec<Vec<u32>> = Level::up_to(hierarchy.height())
            .map(|level| vec![0; hierarchy.groups(level)])
            .collect();
        let mut unlisted = 0;
        for &(text, count) in &values {
            let Some(leaf) = hierarchy.leaf(text) else {
                unlisted += 1;
                continue;
            };
            for level in Level::up_to(hierarchy.height()) {
                rows[level.index()][hierarchy.group_of(level, leaf).index()] += count;
            }
        }
        if unlisted > 0 {
            return Err(Error::Unlisted {
                column: of.name.clone(),
                from: levels.from.clone(),
                input: incrowd_sql::shown(self.job.data.path.as_deref().unwrap_or_default()),
                has_padded_cells: false,
                source: Box::new(incrowd_core::Error::HierarchyLacksValues {
                    column: of.name.clone(),
                    values: unlisted,
                    leaves: hierarchy.leaves(),
                    row: None,
                }),
            });
        }
        let shown = Shown {
            hierarchy,
            rows: &rows,
        };
        Ok(Some(shown.of_column(&of.name, &levels)))
    }
}

/// A hierarchy with the rows of every label.
struct Shown<'a> {
    hierarchy: &'a Hierarchy,
    /// For each level, of each label.
    rows: &'a [Vec<u32>],
}

impl Shown<'_> {
    fn of_column(&self, name: &str, levels: &ColumnHierarchy) -> LevelsShown {
        let hierarchy = self.hierarchy;
        let numbered = Level::up_to(hierarchy.height());
        LevelsShown {
            column: name.to_owned(),
            source: levels.from.clone(),
            reason: levels.reason.clone(),
            levels: numbered
                .map(|level| LevelShown {
                    level: level.0,
                    name: hierarchy.level_name(level).to_owned(),
                    labels: hierarchy.groups(level) as u64,
                })
                .collect(),
            tree: self.tree(),
        }
    }

    /// The tree, level by level from the top until there are enough labels.
    fn tree(&self) -> Vec<Branch> {
        let top = self.hierarchy.height();
        let below = self.labels_below();
        let mut left = MOST_LABELS;
        let mut is_shown: Vec<Vec<bool>> =
            self.rows.iter().map(|of| vec![false; of.len()]).collect();
        for level in (0..=top.0).rev() {
            let level = usize::from(level);
            let mut labels: Vec<usize> = (0..self.rows[level].len()).collect();
            labels.sort_by_key(|&at| (std::cmp::Reverse(self.rows[level][at]), at));
            for at in labels.into_iter().take(left) {
                is_shown[level][at] = true;
            }
            left = left.saturating_sub(self.rows[level].len());
        }
        let roots = 0..self.rows[top.index()].len();
        roots
            .map(|group| self.branch(top.0, group, &below, &is_shown))
            .collect()
    }

    /// For each level above the raw values, the labels below each label.
    fn labels_below(&self) -> Vec<Vec<Vec<usize>>> {
        let mut below: Vec<Vec<Vec<usize>>> = self
            .rows
            .iter()
            .map(|of| vec![Vec::new(); of.len()])
            .collect();
        for level in 0..self.hierarchy.height().0 {
            let parents = self.hierarchy.parents(Level(level)).iter().enumerate();
            for (group, &parent) in parents {
                below[usize::from(level) + 1][parent as usize].push(group);
            }
        }
        below
    }

    fn branch(
        &self,
        level: u8,
        group: usize,
        below: &[Vec<Vec<usize>>],
        is_shown: &[Vec<bool>],
    ) -> Branch {
        let label =
            |level: u8, group: usize| self.hierarchy.label(Level(level), Group(group as u32));
        let text = label(level, group);
        let rows = self.rows[usize::from(level)][group].into();
        // A label that only repeats the one above it is passed over.
        let (mut level, mut group) = (level, group);
        let children = loop {
            let children = &below[usize::from(level)][group];
            match children.as_slice() {
                [only] if level > 0 && label(level - 1, *only) == text => {
                    (level, group) = (level - 1, *only);
                }
                _ => break children,
            }
        };
        let shown = children
            .iter()
            .filter(|&&child| is_shown[usize::from(level) - 1][child]);
        let children_shown: Vec<Branch> = shown
            .map(|&child| self.branch(level - 1, child, below, is_shown))
            .collect();
        Branch {
            label: text.to_owned(),
            rows,
            more: (children.len() - children_shown.len()) as u64,
            children: children_shown,
        }
    }
}
