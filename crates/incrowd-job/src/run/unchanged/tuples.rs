//! Rows told apart by some of their cells, in bounded memory.

use super::told::Numbered;
use crate::run::sample::Sample;

/// Rows told apart by the cells of some columns: all, or a sample of them.
#[derive(Debug, Clone)]
pub(super) struct Tuples {
    /// Where the cells of each are.
    places: Sample<u32>,
    /// The hashes of their cells, end to end. Those of tuples that the sample has dropped are among them for a while.
    cells: Vec<u64>,
    columns: usize,
    /// The most tuples in `cells`.
    bound: usize,
}

impl Tuples {
    /// Counts at most `bound` tuples of so many columns, of which there is at least one.
    pub(super) fn new(bound: usize, columns: usize) -> Self {
        Tuples {
            places: Sample::new(bound),
            cells: Vec::new(),
            columns,
            bound,
        }
    }

    /// Counts so many rows that have these cells; `hash` is that of all of them.
    pub(super) fn add(&mut self, hash: u64, cells: &[u64], rows: u32) {
        let place = self.next_place();
        let mut is_new = false;
        let new = || {
            is_new = true;
            place
        };
        self.places.add_and(hash, rows, new, |_| ());
        if is_new {
            self.cells.extend_from_slice(cells);
            self.forget_dropped();
        }
    }

    /// Counts more rows of the tuple with this hash, if it is still there.
    pub(super) fn add_rows(&mut self, hash: u64, rows: u32) {
        self.places.add_rows(hash, rows);
    }

    /// Merges counts from elsewhere.
    pub(super) fn absorb(&mut self, other: Tuples) {
        let first = self.next_place();
        self.cells.extend(other.cells);
        let others = other.places.map(|place| first + place);
        self.places.absorb(others, |_, _| ());
        self.forget_dropped();
    }

    /// The rows of each tuple, and the values of every column, in arbitrary order.
    pub(super) fn numbered(&self) -> (Vec<u32>, Vec<Numbered>) {
        let counted = self.places.counted();
        let mut counted: Vec<_> = counted.map(|tuple| (tuple.thing, tuple.rows)).collect();
        // As they are in memory.
        counted.sort_unstable();
        let column = |at| Numbered::of_hashes(counted.iter().map(|&(place, _)| self.of(place)[at]));
        let columns = (0..self.columns).map(column).collect();
        (counted.into_iter().map(|(_, rows)| rows).collect(), columns)
    }

    fn next_place(&self) -> u32 {
        (self.cells.len() / self.columns) as u32
    }

    fn of(&self, place: u32) -> &[u64] {
        let start = place as usize * self.columns;
        &self.cells[start..start + self.columns]
    }

    /// Frees the memory of tuples that the sample has dropped, if all take more than they may.
    fn forget_dropped(&mut self) {
        if self.next_place() as usize <= self.bound {
            return;
        }
        let mut kept = Vec::with_capacity(self.bound * self.columns);
        let all = std::mem::take(&mut self.cells);
        for place in self.places.things_mut() {
            let start = *place as usize * self.columns;
            *place = (kept.len() / self.columns) as u32;
            kept.extend_from_slice(&all[start..start + self.columns]);
        }
        self.cells = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample::{hash, join};
    use std::collections::BTreeMap;

    /// The tuples that counters with this bound have in the end, if rows are dealt to them.
    fn counted(rows: &[[u64; 2]], bound: usize, counters: usize) -> BTreeMap<(u64, u64), u32> {
        let mut all = vec![Tuples::new(bound, 2); counters];
        for (at, row) in rows.iter().enumerate() {
            let cells = row.map(|cell| hash(&cell.to_le_bytes()));
            let hash = cells.into_iter().fold(0, join);
            let tuples = &mut all[at % counters];
            match at % 3 {
                0 => tuples.add(hash, &cells, 1),
                // As rows that waited.
                _ => {
                    tuples.add(hash, &cells, 0);
                    tuples.add_rows(hash, 1);
                }
            }
            assert!(tuples.cells.len() <= 2 * bound);
        }
        let mut first = all.remove(0);
        all.into_iter().for_each(|other| first.absorb(other));
        assert!(first.cells.len() <= 2 * bound);
        let (rows, _) = first.numbered();
        let places = first.places.counted();
        let found: BTreeMap<_, _> = places
            .map(|tuple| {
                (
                    (first.of(tuple.thing)[0], first.of(tuple.thing)[1]),
                    tuple.rows,
                )
            })
            .collect();
        let sums = |rows: &[u32]| (rows.len(), rows.iter().sum::<u32>());
        let of_found: Vec<u32> = found.values().copied().collect();
        assert_eq!(sums(&rows), sums(&of_found));
        found
    }

    #[test]
    fn tuples_keep_their_cells_whatever_is_dropped_and_whoever_counts() {
        let rows: Vec<[u64; 2]> = (0..9000u64).map(|at| [at % 70, at * at % 90]).collect();
        let cell = |value: u64| hash(&value.to_le_bytes());
        let mut expected: BTreeMap<(u64, u64), u32> = BTreeMap::new();
        for [a, b] in &rows {
            *expected.entry((cell(*a), cell(*b))).or_default() += 1;
        }
        for bound in [10, 100, 1000, 10_000] {
            let alone = counted(&rows, bound, 1);
            assert!(!alone.is_empty() && alone.len() <= bound);
            assert_eq!(alone.len() == expected.len(), bound >= expected.len());
            assert!(alone.iter().all(|(tuple, rows)| expected[tuple] == *rows));
            for counters in [2, 3, 7] {
                assert_eq!(counted(&rows, bound, counters), alone);
            }
        }
    }

    #[test]
    fn the_values_of_a_column_are_numbered_alike_where_they_are_equal() {
        let mut tuples = Tuples::new(100, 2);
        for (at, cells) in [[7, 1], [7, 2], [8, 1], [9, 1]].iter().enumerate() {
            tuples.add(at as u64, cells, 5);
        }
        let (rows, columns) = tuples.numbered();
        assert_eq!(rows, [5; 4]);
        assert_eq!(columns[0].values(), [0, 0, 1, 2]);
        assert_eq!(columns[1].values(), [0, 1, 0, 0]);
    }
}
