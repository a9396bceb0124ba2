//! What several floors are made of.

use crate::counts::CountedTable;
use crate::lattice::{Level, Node};

/// Sums of floats are taken in different orders for a floor and for a loss. This factor, far below any
/// difference that matters, keeps the floor under the loss all the same.
const SLACK: f64 = 1.0 - 1e-11;

/// A floor made of float sums of terms that are never negative.
pub(super) fn below(floor: f64) -> f64 {
    floor * SLACK
}

/// The rows of one attribute at one level, ordered by what each is charged.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    /// The distinct charges, ascending.
    charges: Vec<f64>,
    /// Rows charged less.
    rows_before: Vec<u32>,
    /// The sum of what these are charged.
    charged_before: Vec<f64>,
}

impl Ladder {
    /// From the charge and the rows of each group.
    pub(super) fn new(groups: impl Iterator<Item = (f64, u32)>) -> Self {
        let mut groups: Vec<(f64, u32)> = groups.filter(|&(_, rows)| rows > 0).collect();
        groups.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
        let mut ladder = Ladder {
            charges: Vec::new(),
            rows_before: Vec::new(),
            charged_before: Vec::new(),
        };
        let (mut rows_before, mut charged_before) = (0u32, 0.0);
        for (charge, rows) in groups {
            if ladder.charges.last() != Some(&charge) {
                ladder.charges.push(charge);
                ladder.rows_before.push(rows_before);
                ladder.charged_before.push(charged_before);
            }
            rows_before += rows;
            charged_before += charge * f64::from(rows);
        }
        ladder
    }

    /// The least that so many of the rows can be charged together.
    pub(super) fn least(&self, rows: u32) -> f64 {
        match self.rows_before.partition_point(|&before| before < rows) {
            0 => 0.0,
            steps => {
                let step = steps - 1;
                let within = f64::from(rows - self.rows_before[step]);
                self.charged_before[step] + within * self.charges[step]
            }
        }
    }
}

/// For every attribute and level a [`Ladder`].
#[derive(Debug, Clone)]
pub(super) struct Ladders {
    rows: u32,
    ladders: Vec<Vec<Ladder>>,
}

impl Ladders {
    /// `charge` is what each row of a group is charged, by attribute, level and group. Going up, no row may be
    /// charged less.
    pub(super) fn new(table: &CountedTable, charge: impl Fn(usize, Level, usize) -> f64) -> Self {
        let ladders = table.attributes.iter().enumerate().map(|(at, attribute)| {
            let levels = Level::up_to(attribute.hierarchy.height());
            let ladder = levels.map(|level| {
                let rows = attribute.rows_of_groups[level.index()].iter();
                Ladder::new(
                    rows.enumerate()
                        .map(|(group, &rows)| (charge(at, level, group), rows)),
                )
            });
            ladder.collect()
        });
        Ladders {
            rows: table.rows,
            ladders: ladders.collect(),
        }
    }

    /// The same, `charge` by attribute, level and leaf.
    pub(super) fn of_leaves(
        table: &CountedTable,
        charge: impl Fn(usize, Level, usize) -> f64,
    ) -> Self {
        let ladders = table.attributes.iter().enumerate().map(|(at, attribute)| {
            let levels = Level::up_to(attribute.hierarchy.height());
            let ladder = levels.map(|level| {
                let rows = attribute.rows_of_groups[0].iter().enumerate();
                Ladder::new(rows.map(|(leaf, &rows)| (charge(at, level, leaf), rows)))
            });
            ladder.collect()
        });
        Ladders {
            rows: table.rows,
            ladders: ladders.collect(),
        }
    }

    /// What all rows are charged for one attribute at one level.
    pub(super) fn all(&self, attribute: usize, level: Level) -> f64 {
        self.ladders[attribute][level.index()].least(self.rows)
    }

    /// The least that the rows left after suppressing so many are charged, for each attribute, at every node at
    /// or above this one.
    ///
    /// Let a release at a higher node suppress the rows X, |X| ≥ s. Its other rows are charged at least what they
    /// are charged at this node; X and they together make the table. So if a suppressed row costs c, never less
    /// than any charge, the release costs at least the minimum over X of c·|X| + Σ outside X, and that minimum is
    /// attained with the s rows of greatest charge: c·s + `kept`. It cannot fall when a level rises (every term
    /// rises), nor when s does (a charge is replaced by c).
    pub(super) fn kept<'a>(
        &'a self,
        node: &'a Node,
        rows_suppressed: u32,
    ) -> impl Iterator<Item = f64> + 'a {
        let kept = self.rows.saturating_sub(rows_suppressed);
        self.ladders
            .iter()
            .zip(node.levels())
            .map(move |(levels, level)| levels[level.index()].least(kept))
    }
}

/// How far the rows of a table can be spread over classes, from levels alone.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    rows: u32,
    /// Distinct raw tuples: no node has more classes.
    tuples: u64,
    levels: Vec<Vec<LevelSpread>>,
}

/// The non-empty groups of an attribute at a level, greatest first.
#[derive(Debug, Clone)]
struct LevelSpread {
    /// Rows in the first `j` groups.
    first: Vec<f64>,
    /// Rows that must go until none of the first `j` groups exceeds the next one (0 after the last).
    gone: Vec<f64>,
    /// Squares of all but the first `j` groups, summed.
    squares_after: Vec<f64>,
}

impl LevelSpread {
    fn new(rows_of_groups: &[u32]) -> Self {
        let mut rows: Vec<f64> = rows_of_groups
            .iter()
            .filter(|&&rows| rows > 0)
            .map(|&rows| f64::from(rows))
            .collect();
        rows.sort_unstable_by(|left, right| right.total_cmp(left));
        let groups = rows.len();
        rows.push(0.0);
        let (mut first, mut gone) = (vec![0.0], vec![0.0]);
        for group in 0..groups {
            first.push(first[group] + rows[group]);
            gone.push(first[group + 1] - (group + 1) as f64 * rows[group + 1]);
        }
        let mut squares_after = vec![0.0; groups + 1];
        for group in (0..groups).rev() {
            squares_after[group] = squares_after[group + 1] + rows[group] * rows[group];
        }
        LevelSpread {
            first,
            gone,
            squares_after,
        }
    }

    fn groups(&self) -> usize {
        self.first.len() - 1
    }

    fn greatest(&self) -> f64 {
        self.first.get(1).copied().unwrap_or(0.0)
    }

    /// The least sum of squared groups when so many rows are taken away: the greatest groups are cut down to one
    /// size.
    fn least_squares(&self, rows_gone: f64) -> f64 {
        let cut = self.gone.partition_point(|&gone| gone < rows_gone);
        let cut = cut.min(self.groups());
        if cut == 0 {
            return self.squares_after[0];
        }
        let left = (self.first[cut] - rows_gone).max(0.0);
        left * left / cut as f64 + self.squares_after[cut]
    }
}

impl Spread {
    pub(super) fn new(table: &CountedTable) -> Self {
        let levels = table.attributes.iter().map(|attribute| {
            let levels = attribute.rows_of_groups.iter();
            levels.map(|rows| LevelSpread::new(rows)).collect()
        });
        Spread {
            rows: table.rows,
            tuples: table.tuples.len() as u64,
            levels: levels.collect(),
        }
    }

    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    fn at<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a LevelSpread> + 'a {
        (self.levels.iter().zip(node.levels())).map(|(levels, level)| &levels[level.index()])
    }

    /// No node at or above this one has more classes: each is a combination of non-empty groups.
    pub(super) fn classes_at_most(&self, node: &Node) -> u64 {
        let combinations = self.at(node).fold(1u64, |classes, level| {
            classes.saturating_mul(level.groups() as u64)
        });
        combinations.min(self.tuples)
    }

    /// The least that squared classes sum to plus `charge` for every suppressed row, at every node at or above
    /// this one that suppresses at least so many rows; `charge` is at least the number of rows, or infinite when
    /// nothing is suppressed.
    ///
    /// Classes higher up are unions of classes here, so their squares sum to at least the squares of the classes
    /// here they keep. Within a group of an attribute there are at most P classes here, P the number of
    /// combinations of the other attributes' groups; r rows spread over P classes have squares of at least r²/P
    /// (Cauchy-Schwarz). Hence Σ over groups of r²/P, r the rows the group has left, for every attribute; and
    /// likewise for the table as one group. Taking rows away saves at most 2r/P each: never as much as the charge
    /// when P ≥ 2, and when P = 1 only while the greatest group has more than half the charge.
    pub(super) fn least_squares(&self, node: &Node, rows_suppressed: u32, charge: f64) -> f64 {
        let rows = f64::from(self.rows);
        let classes = self.classes_at_most(node);
        if classes <= 1 {
            // One class, kept or not: its square, or the charge for every row.
            return rows * rows;
        }
        let suppressed = f64::from(rows_suppressed);
        let kept = rows - suppressed;
        let charged = |rows: f64| if rows > 0.0 { rows * charge } else { 0.0 };
        let mut least = kept * kept / classes as f64 + charged(suppressed);
        let combinations: f64 = self.at(node).map(|level| level.groups() as f64).product();
        for level in self.at(node) {
            let others = combinations / level.groups() as f64;
            let gone = if others < 1.5 {
                suppressed.max(level.greatest() - charge / 2.0)
            } else {
                suppressed
            };
            least = least.max(level.least_squares(gone) / others + charged(gone));
        }
        least
    }
}
