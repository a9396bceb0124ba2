//! Hierarchies as people list them: one row per value, the value first, then its groups.
//!
//! Rows are kept as text until all are known, since the longest row sets the number of levels. Then each becomes a path
//! of groups, and a group must have only one parent. [`Hierarchy::from_rows`] explains short rows.

use super::{ANY, Groups, Hierarchy, MAX_LEVELS};
use crate::error::Error;
use crate::numbers::Level;
use crate::table::{Dictionary, ValueCode};

impl Hierarchy {
    /// The hierarchy that these rows list: a value, then its groups from finest to coarsest.
    ///
    /// Leaves keep the order of the rows. A value may be listed again if all its groups are the same.
    ///
    /// # Ragged rows
    /// Rows need not be equally long. As section 2.2 of A. Pilalidou, *Online Negotiation for Privacy Preserving
    /// Data Publishing* (2010) proposes, a coarse value gets stand-ins on the detailed levels where it has none:
    /// - an empty cell between others takes the label of the next coarser level;
    /// - a row shorter than the longest must end in the last level that those share, and the label just below it is
    ///   repeated on the levels in between: among rows of four cells that end in `*`, `Without-pay, *` reads
    ///   `Without-pay, Without-pay, Without-pay, *`; a short row that ends in anything else is refused, since nobody
    ///   can tell which of its levels is missing;
    /// - empty cells at the end of a row do not count, and a row of empty cells is no row;
    /// - an empty first cell is the missing value; when all cells between it and a last level shared by all
    ///   rows are empty too, it stays its own group up to there.
    ///
    /// # The last level
    /// Rows whose last level is more than one group, or which have no level above the values, get `*` on top.
    ///
    /// # Errors
    /// No rows, a value with two parents, a group that splits on its way up, a row with too few levels among others
    /// that have more, or more than [`MAX_LEVELS`] levels. Lines in errors count rows from 1.
    pub fn from_rows<R, C>(
        column: &str,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Hierarchy, Error>
    where
        R: IntoIterator<Item = C>,
        C: AsRef<str>,
    {
        let mut listed = Rows::default();
        for (at, row) in rows.into_iter().enumerate() {
            for cell in row {
                listed.push_cell(cell.as_ref());
            }
            listed.end_row(at as u64 + 1);
        }
        listed.read(column)
    }
}

/// Rows as listed, end to end, without the empty cells at their ends.
#[derive(Debug, Default)]
pub(super) struct Rows {
    text: String,
    /// Where each cell ends in `text`.
    cell_ends: Vec<usize>,
    /// Where each row ends in `cell_ends`.
    row_ends: Vec<usize>,
    lines: Vec<u64>,
}

impl Rows {
    pub(super) fn push_cell(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.cell_ends.push(self.text.len());
    }

    /// Ends the row; an empty one is dropped.
    pub(super) fn end_row(&mut self, line: u64) {
        let start = self.row_ends.last().copied().unwrap_or(0);
        while self.cell_ends.len() > start && self.cell(self.cell_ends.len() - 1).is_empty() {
            self.cell_ends.pop();
        }
        if self.cell_ends.len() > start {
            self.row_ends.push(self.cell_ends.len());
            self.lines.push(line);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The cells of a row; the last is not empty.
    pub(super) fn row(&self, row: usize) -> impl DoubleEndedIterator<Item = &str> {
        let start = if row == 0 { 0 } else { self.row_ends[row - 1] };
        (start..self.row_ends[row]).map(|cell| self.cell(cell))
    }

    pub(super) fn cell_count(&self, row: usize) -> usize {
        let start = if row == 0 { 0 } else { self.row_ends[row - 1] };
        self.row_ends[row] - start
    }

    fn cell(&self, cell: usize) -> &str {
        let start = if cell == 0 {
            0
        } else {
            self.cell_ends[cell - 1]
        };
        &self.text[start..self.cell_ends[cell]]
    }

    /// The hierarchy of all rows.
    pub(super) fn read(&self, column: &str) -> Result<Hierarchy, Error> {
        self.read_from(column, 0)
    }

    /// The hierarchy of the rows from `first` on.
    pub(super) fn read_from(&self, column: &str, first: usize) -> Result<Hierarchy, Error> {
        let rows = first..self.len();
        let Some(levels) = rows.clone().map(|row| self.cell_count(row)).max() else {
            return Err(Error::HierarchyEmpty {
                column: column.into(),
            });
        };
        let top = |row| self.row(row).next_back();
        let mut longest = rows.clone().filter(|&row| self.cell_count(row) == levels);
        let shared = longest.next().and_then(top);
        let shared = shared.filter(|_| longest.all(|row| top(row) == shared));
        let one_top = shared.is_some() && rows.clone().all(|row| top(row) == shared);
        let mut listing = Listing::new(column, levels)?;
        let mut path = Vec::with_capacity(levels);
        for row in rows {
            path.clear();
            path.extend(self.row(row));
            let cells = path.len();
            let is_understood = cells == levels || (cells > 1 && top(row) == shared);
            if !is_understood {
                return Err(Error::HierarchyRowTooShort {
                    column: column.into(),
                    line: self.lines[row],
                    cells,
                    levels,
                });
            }
            fill(&mut path, levels, one_top);
            listing.add(&path, self.lines[row])?;
        }
        listing.finish()
    }
}

/// Completes a row that is as long as the longest, or ends where they do. `one_top` says whether all rows end in the
/// same cell.
fn fill(path: &mut Vec<&str>, levels: usize, one_top: bool) {
    if levels == 1 {
        return;
    }
    let below_last = path[path.len() - 2];
    while path.len() < levels {
        path.insert(path.len() - 1, below_last);
    }
    let last = levels - 1;
    let has_own_branch = one_top && path[..last].iter().all(|cell| cell.is_empty());
    if !has_own_branch {
        for level in (1..last).rev() {
            if path[level].is_empty() {
                path[level] = path[level + 1];
            }
        }
    }
}

/// A hierarchy being built. Everything added so far follows the rules: one parent per group.
struct Listing<'a> {
    column: &'a str,
    levels: Vec<Groups>,
    /// The line on which each group of each level was first seen.
    first_lines: Vec<Vec<u64>>,
    /// The groups of the previous row: neighbors are often similar, and comparing is cheaper than looking up.
    previous: Vec<u32>,
}

impl<'a> Listing<'a> {
    fn new(column: &'a str, levels: usize) -> Result<Self, Error> {
        check_levels(column, levels)?;
        let name = |level| match level {
            0 => "value".to_string(),
            level => format!("level-{level}"),
        };
        Ok(Listing {
            column,
            levels: (0..levels).map(|level| Groups::new(name(level))).collect(),
            first_lines: vec![Vec::new(); levels],
            previous: vec![u32::MAX; levels],
        })
    }

    fn add(&mut self, path: &[&str], line: u64) -> Result<(), Error> {
        let leaves = self.levels[0].labels.len();
        let mut parent = 0;
        for level in (0..path.len()).rev() {
            let group = self.group(level, path[level]);
            let groups = &mut self.levels[level];
            if level + 1 < path.len() {
                match groups.parents.get(group as usize) {
                    None => groups.parents.push(parent),
                    Some(&known) if known == parent => {}
                    Some(_) => return Err(self.contradiction(level, group, line)),
                }
            }
            if group as usize == self.first_lines[level].len() {
                self.first_lines[level].push(line);
            }
            self.previous[level] = group;
            parent = group;
        }
        if self.levels[0].labels.len() > leaves {
            for (groups, &group) in self.levels.iter_mut().zip(&self.previous) {
                groups.of_leaf.push(group);
                if group as usize == groups.leaves.len() {
                    groups.leaves.push(0);
                }
                groups.leaves[group as usize] += 1;
            }
        }
        Ok(())
    }

    fn group(&mut self, level: usize, label: &str) -> u32 {
        let labels = &mut self.levels[level].labels;
        let previous = self.previous[level];
        if previous != u32::MAX && labels.text(ValueCode(previous)) == label {
            return previous;
        }
        labels.encode(label).0
    }

    fn contradiction(&self, level: usize, group: u32, line: u64) -> Error {
        let first_line = self.first_lines[level][group as usize];
        let column = self.column.to_string();
        match level {
            0 => Error::HierarchyValueTwice {
                column,
                line,
                first_line,
            },
            level => Error::HierarchyLevelSplits {
                column,
                level: Level(level as u8),
                line,
                first_line,
            },
        }
    }

    fn finish(mut self) -> Result<Hierarchy, Error> {
        let last = self.levels.last_mut().expect("a row has a cell");
        if last.leaves.len() > 1 || self.levels.len() == 1 {
            self.levels = add_top(self.column, self.levels)?;
        }
        Ok(Hierarchy {
            levels: self.levels,
            suppressed: Dictionary::default(),
            is_ordered: true,
        })
    }
}

/// Puts `*` above the levels there are.
pub(super) fn add_top(column: &str, mut levels: Vec<Groups>) -> Result<Vec<Groups>, Error> {
    check_levels(column, levels.len() + 1)?;
    let last = levels.last_mut().expect("there are leaves");
    last.parents = vec![0; last.leaves.len()];
    let leaves = last.of_leaf.len();
    levels.push(Groups::top(ANY, leaves));
    Ok(levels)
}

pub(super) fn check_levels(column: &str, levels: usize) -> Result<(), Error> {
    if levels > MAX_LEVELS {
        return Err(Error::HierarchyTooManyLevels {
            column: column.into(),
            levels,
            limit: MAX_LEVELS,
        });
    }
    Ok(())
}
