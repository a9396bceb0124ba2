//! Finds the nearest tuple among those with nearly the same values in two columns.
//!
//! Take n columns with many values each, here called *telling*. Of what another tuple loses in each of them let x be the least and y the
//! second least. All others are at least y, so it loses x + (n - 1) y or more. For every two telling columns the tuples are
//! kept in a grid by their values, and whoever may lose less than the best so far is in one of a few cells around the
//! tuple's own. Those with the same values in all other columns are listed too and looked at first. All the rest
//! lose something there as well.

use super::axes::Axes;
use super::ranks::Ranks;
use super::seen::{Found, NOBODY, Seen};
use super::side::{Side, bits};
use std::cmp::Reverse;

/// Fewer tuples are looked at one by one.
const FEWEST: usize = 1024;

/// More telling columns need too many grids.
const MOST_TELLING: usize = 4;

/// In a telling column no more than one of so many pairs of tuples have the same value.
const TELLING: f64 = 32.0;

/// A grid has no more cells in one direction.
const MOST_CELLS: usize = 1024;

/// Columns of which a tuple in a grid has a mark.
const MARKS: usize = 8;

/// For so many values on either side it is known what they lose.
const NEAR: usize = 32;

/// If more than one in so many tuples must be looked at, it is not worth its while.
const ONE_IN: usize = 8;

/// As many tuples with the same values in all other columns are looked at first, or none.
const MOST_ALIKE: usize = 4096;

/// Tuples in grids.
#[derive(Debug)]
pub(super) struct Twins {
    telling: Vec<usize>,
    /// One for each two telling columns.
    grids: Vec<Grid>,
    /// Those columns of which tuples have marks.
    marked: Vec<usize>,
    /// Columns that are not telling, and all tuples after a hash of their values there.
    others: Vec<usize>,
    alike: Vec<(u64, u32)>,
    fewest_rows: u32,
}

/// Tuples by their values in two columns.
#[derive(Debug)]
struct Grid {
    columns: (usize, usize),
    /// The first entry of each cell, one row of cells after the other.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The last byte of the place in each of the columns marked.
    marks: [u8; MARKS],
    number: u32,
}

/// What was found.
pub(super) struct Twin {
    pub(super) best: Found,
    /// Whether no other tuple is better.
    pub(super) is_all: bool,
    pub(super) looked_at: u64,
}

/// In how many cells the values of a column are.
fn cells(ranks: &Ranks) -> usize {
    ranks.count().min(MOST_CELLS)
}

/// The cell of a rank.
fn cell(ranks: &Ranks, rank: usize) -> usize {
    match ranks.count() <= MOST_CELLS {
        true => rank,
        false => rank * MOST_CELLS / ranks.count(),
    }
}

impl Twins {
    /// Nothing if there are too few tuples or telling columns. `side` and `rows` say what tuples are.
    pub(super) fn new(
        axes: &Axes<'_>,
        ranks: &[Ranks],
        tuples: &[u32],
        side: &dyn Fn(usize, u32) -> Side,
        rows: &dyn Fn(u32) -> u32,
    ) -> Option<Self> {
        if tuples.len() < FEWEST {
            return None;
        }
        let mut columns: Vec<usize> = (0..axes.dimensions()).collect();
        columns.retain(|&at| ranks[at].most_lost > 0);
        let places = |at: usize| -> Vec<u32> {
            let sides = tuples.iter().map(|&it| side(at, it));
            sides.map(|it| ranks[at].place(it)).collect()
        };
        let places: Vec<Vec<u32>> = (0..axes.dimensions()).map(places).collect();
        let may_tell = columns.iter().filter(|&&at| ranks[at].count() > 1);
        let shares = may_tell.map(|&at| (share_of_equals(&places[at]), at));
        let mut shares: Vec<(f64, usize)> = shares.filter(|it| it.0 * TELLING <= 1.0).collect();
        shares.sort_by(|one, other| one.0.total_cmp(&other.0));
        shares.truncate(MOST_TELLING);
        let telling: Vec<usize> = shares.into_iter().map(|it| it.1).collect();
        if telling.len() < 2 {
            return None;
        }
        let mut marked = columns.clone();
        marked.sort_by_key(|&at| Reverse(ranks[at].most_lost));
        marked.truncate(MARKS);
        let entry = |(it, &number): (usize, &u32)| {
            let mut marks = [0; MARKS];
            let places = marked.iter().map(|&at| places[at][it]);
            (marks.iter_mut().zip(places)).for_each(|(mark, place)| *mark = place as u8);
            Entry { marks, number }
        };
        let entries: Vec<Entry> = tuples.iter().enumerate().map(entry).collect();
        let mut grids = Vec::new();
        for (at, &one) in telling.iter().enumerate() {
            for &other in &telling[at + 1..] {
                let cell = |it: usize| {
                    let row = cell(&ranks[one], places[one][it] as usize);
                    row * cells(&ranks[other]) + cell(&ranks[other], places[other][it] as usize)
                };
                let cells = cells(&ranks[one]) * cells(&ranks[other]);
                grids.push(Grid::new((one, other), &entries, cells, cell));
            }
        }
        columns.retain(|at| !telling.contains(at));
        let mut alike = Vec::new();
        if !columns.is_empty() {
            let hash = |it: usize| hash(columns.iter().map(|&at| places[at][it]));
            alike.extend((0..tuples.len()).map(|it| (hash(it), tuples[it])));
            alike.sort_unstable();
        }
        Some(Twins {
            telling,
            grids,
            marked,
            others: columns,
            alike,
            fewest_rows: tuples.iter().map(|&it| rows(it)).min().unwrap_or(0),
        })
    }

    /// The nearest tuple that is found in cells near a tuple. `look` says which is better, one of them or the best so far.
    pub(super) fn nearest(
        &self,
        (axes, ranks): (&Axes<'_>, &[Ranks]),
        tuple: Seen<'_>,
        look: &dyn Fn(u32, Found) -> Found,
    ) -> Twin {
        let near = |&at: &usize| Near::new((axes, at), &ranks[at], tuple.sides[at]);
        let mut search = Search {
            twins: self,
            axes,
            ranks,
            rows: u64::from(tuple.rows) + u64::from(self.fewest_rows),
            near: self.telling.iter().map(near).collect(),
            tables: Box::new([[0; 256]; MARKS]),
            best: (u64::MAX, NOBODY),
            looked_at: 0,
            look,
        };
        search.draw_tables(tuple);
        let lost_by_others = search.look_at_alike(tuple);
        // Those nearest of all first, so that it is known how far to look.
        for steps in [0, 1] {
            search.look_into(&search.ranges_within(steps));
        }
        let ranges = search.ranges(lost_by_others);
        let ranges =
            ranges.filter(|it| ONE_IN * search.entries_in(it) <= self.grids[0].entries.len());
        if let Some(ranges) = &ranges {
            search.look_into(ranges);
        }
        Twin {
            best: search.best,
            is_all: ranges.is_some(),
            looked_at: search.looked_at,
        }
    }
}

impl Grid {
    /// Sorts entries, given the cell of each.
    fn new(
        columns: (usize, usize),
        entries: &[Entry],
        cells: usize,
        cell: impl Fn(usize) -> usize,
    ) -> Self {
        let mut starts = vec![0u32; cells + 1];
        (0..entries.len()).for_each(|it| starts[cell(it) + 1] += 1);
        (0..cells).for_each(|it| starts[it + 1] += starts[it]);
        let mut ends = starts.clone();
        let mut sorted = vec![Entry::default(); entries.len()];
        for (it, &entry) in entries.iter().enumerate() {
            let end = &mut ends[cell(it)];
            sorted[*end as usize] = entry;
            *end += 1;
        }
        Grid {
            columns,
            starts,
            entries: sorted,
        }
    }
}

/// What is lost with the values around one.
#[derive(Debug)]
struct Near {
    /// The rank of the first of them.
    first: usize,
    /// The rank of the value itself.
    own: usize,
    /// Never less farther away.
    lost: Vec<u32>,
    /// Whether there are values before the first and behind the last.
    is_cut: (bool, bool),
}

impl Near {
    fn new((axes, at): (&Axes<'_>, usize), ranks: &Ranks, side: Side) -> Self {
        let own = ranks.rank(side.0);
        let first = own.saturating_sub(NEAR);
        let end = (own + NEAR + 1).min(ranks.count());
        let lost = |rank: usize| {
            let value = ranks.value(rank);
            axes.loss(at, axes.join(at, side, (value, value)))
        };
        Near {
            first,
            own,
            lost: (first..end).map(lost).collect(),
            is_cut: (first > 0, end < ranks.count()),
        }
    }

    fn lost(&self, rank: usize) -> u32 {
        self.lost[rank - self.first]
    }

    /// What all those lose at least that are not around it.
    fn lost_by_far(&self) -> u32 {
        let before = self.is_cut.0.then_some(self.lost[0]);
        let behind = self.is_cut.1.then_some(self.lost[self.lost.len() - 1]);
        before.into_iter().chain(behind).min().unwrap_or(u32::MAX)
    }

    /// The first and last rank that lose no more than this; nothing if more of them may be farther away.
    fn within(&self, most: u64) -> Option<(usize, usize)> {
        let is_within = |lost: &&u32| u64::from(**lost) <= most;
        let (before, from) = self.lost.split_at(self.own - self.first);
        let behind = &from[1..];
        let count_before = before.iter().rev().take_while(is_within).count();
        let count_behind = behind.iter().take_while(is_within).count();
        let is_open = (self.is_cut.0 && count_before == before.len())
            || (self.is_cut.1 && count_behind == behind.len());
        (!is_open).then_some((self.own - count_before, self.own + count_behind))
    }
}

/// Some cells of a grid: its number, a rank in the first column, the first and the last one in the second.
type Range = (usize, usize, (usize, usize));

/// One search for the nearest tuple.
struct Search<'t> {
    twins: &'t Twins,
    axes: &'t Axes<'t>,
    ranks: &'t [Ranks],
    /// The fewest rows that two tuples have together.
    rows: u64,
    /// Around the tuple, for each telling column.
    near: Vec<Near>,
    /// For each column marked, what those lose at least that have a mark.
    tables: Box<[[u32; 256]; MARKS]>,
    best: Found,
    looked_at: u64,
    look: &'t dyn Fn(u32, Found) -> Found,
}

impl Search<'_> {
    fn draw_tables(&mut self, tuple: Seen<'_>) {
        let (axes, twins) = (self.axes, self.twins);
        for (table, &at) in self.tables.iter_mut().zip(&twins.marked) {
            let side = tuple.sides[at];
            if axes.measures[at].has_bits() {
                table.fill(axes.loss_with_another(at, side));
                table[bits(side).trailing_zeros() as usize] = 0;
                continue;
            }
            let own;
            let telling = twins.telling.iter().position(|it| *it == at);
            let near = match telling {
                Some(telling) => &self.near[telling],
                None => {
                    own = Near::new((axes, at), &self.ranks[at], side);
                    &own
                }
            };
            // One that is far may have the mark of one that is near.
            let far = near.lost_by_far();
            table.fill(far);
            for (rank, &lost) in (near.first..).zip(&near.lost) {
                table[usize::from(rank as u8)] = lost.min(far);
            }
        }
    }

    /// Looks at tuples with the same values in the columns that are not telling, and returns what all others lose there at
    /// least.
    fn look_at_alike(&mut self, tuple: Seen<'_>) -> u32 {
        let (axes, ranks, twins) = (self.axes, self.ranks, self.twins);
        if twins.others.is_empty() {
            return 0;
        }
        let places = twins.others.iter();
        let own = hash(places.map(|&at| ranks[at].place(tuple.sides[at])));
        let alike = &twins.alike[twins.alike.partition_point(|it| it.0 < own)..];
        let alike = alike.iter().take_while(|it| it.0 == own);
        if alike.clone().nth(MOST_ALIKE).is_some() {
            return 0;
        }
        for &(_, number) in alike {
            self.best = (self.look)(number, self.best);
            self.looked_at += 1;
        }
        let least = |&at: &usize| {
            let (ranks, side) = (&ranks[at], tuple.sides[at]);
            if axes.measures[at].has_bits() {
                return axes.loss_with_another(at, side);
            }
            let own = ranks.rank(side.0);
            let before = own.checked_sub(1);
            let behind = Some(own + 1).filter(|it| *it < ranks.count());
            let lost = |rank: usize| {
                let value = ranks.value(rank);
                axes.loss(at, axes.join(at, side, (value, value)))
            };
            let lost = before.into_iter().chain(behind).map(lost);
            lost.min().unwrap_or(u32::MAX)
        };
        twins.others.iter().map(least).min().unwrap_or(0)
    }

    /// The number of each grid, and of its two telling columns.
    fn pairs(&self) -> impl Iterator<Item = (usize, (usize, usize))> + use<> {
        let count = self.near.len();
        let pairs = (0..count).flat_map(move |one| (one + 1..count).map(move |it| (one, it)));
        (0..).zip(pairs)
    }

    /// All that is no farther away in two columns.
    fn ranges_within(&self, steps: usize) -> Vec<Range> {
        let around = |near: &Near| {
            let last = near.first + near.lost.len() - 1;
            let first = near.own.saturating_sub(steps).max(near.first);
            (first, (near.own + steps).min(last))
        };
        let mut ranges = Vec::new();
        for (grid, (one, other)) in self.pairs() {
            let (first, last) = around(&self.near[one]);
            let others = around(&self.near[other]);
            ranges.extend((first..=last).map(|rank| (grid, rank, others)));
        }
        ranges
    }

    /// All that may be better than the best so far and loses as much in other columns; nothing if that is not known.
    fn ranges(&self, lost_by_others: u32) -> Option<Vec<Range>> {
        let mut ranges = Vec::new();
        let most = self.axes.most_extent(self.best.0, self.rows);
        let Some(most) = most.checked_sub(lost_by_others.into()) else {
            return Some(ranges);
        };
        let rest = self.near.len() as u64 - 1;
        for (grid, (one, other)) in self.pairs() {
            let (first, last) = self.near[one].within(most / rest)?;
            for rank in first..=last {
                let lost = u64::from(self.near[one].lost(rank));
                // Whichever of both is less counts once, and the other one for all the rest.
                let most_of_other = match lost + rest * lost <= most {
                    true => (most - lost) / rest,
                    false => most - rest * lost,
                };
                ranges.push((grid, rank, self.near[other].within(most_of_other)?));
            }
        }
        Some(ranges)
    }

    fn entries(&self, (grid, rank, (first, last)): Range) -> &[Entry] {
        let grid = &self.twins.grids[grid];
        let (one, other) = (&self.ranks[grid.columns.0], &self.ranks[grid.columns.1]);
        let row = cell(one, rank) * cells(other);
        let start = grid.starts[row + cell(other, first)] as usize;
        let end = grid.starts[row + cell(other, last) + 1] as usize;
        &grid.entries[start..end]
    }

    fn entries_in(&self, ranges: &[Range]) -> usize {
        ranges.iter().map(|&it| self.entries(it).len()).sum()
    }

    fn look_into(&mut self, ranges: &[Range]) {
        let (mut best, mut most) = (self.best, self.most(self.best));
        let tables = &*self.tables;
        let mut looked_at = 0;
        for &range in ranges {
            let entries = self.entries(range);
            looked_at += entries.len() as u64;
            for entry in entries {
                let mut lost = 0u32;
                for at in 0..MARKS {
                    lost = lost.saturating_add(tables[at][usize::from(entry.marks[at])]);
                }
                if u64::from(lost) <= most {
                    let better = (self.look)(entry.number, best);
                    if better != best {
                        (best, most) = (better, self.most(better));
                    }
                }
            }
        }
        self.best = best;
        self.looked_at += looked_at;
    }

    /// What two tuples may lose without losing more than this, without regard to rows.
    fn most(&self, found: Found) -> u64 {
        self.axes.most_extent(found.0, self.rows)
    }
}

/// The share of pairs with the same place.
fn share_of_equals(places: &[u32]) -> f64 {
    let mut counts = vec![0u32; places.iter().max().map_or(0, |it| *it as usize + 1)];
    (places.iter()).for_each(|&it| counts[it as usize] += 1);
    let equal: f64 = counts.iter().map(|&it| f64::from(it).powi(2)).sum();
    equal / (places.len() as f64).powi(2)
}

/// The same for the same places. If others have it too, more is looked at than there is need for.
fn hash(places: impl Iterator<Item = u32>) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    places.fold(ODD, |hash, place| {
        (hash ^ u64::from(place)).wrapping_mul(ODD).rotate_left(29)
    })
}
