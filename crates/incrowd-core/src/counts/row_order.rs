//! Which of the counted rows every row of a table is, in the order of the table.
//!
//! Where there are few different rows, four bytes are enough to say which of them a row is. Whoever writes the rows again
//! then need not read them again. A worker numbers rows by itself and begins anew whenever it hands over what it has
//! counted; in the end, the numbers of all workers become those of the rows counted together.

use super::{Keys, Layout};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows that a worker has numbered since it handed over the last ones.
#[derive(Debug, Default)]
pub(super) struct NumberedRows {
    /// Where rows side by side begin in the table, and how many they are.
    runs: Vec<(u64, usize)>,
    /// Their numbers, run by run.
    numbers: Vec<u32>,
}

impl NumberedRows {
    /// Adds rows side by side.
    pub(super) fn add(&mut self, first_row: u64, numbers: &[u32]) {
        self.numbers.extend_from_slice(numbers);
        if let Some((first, count)) = self.runs.last_mut()
            && *first + *count as u64 == first_row
        {
            *count += numbers.len();
        } else {
            self.runs.push((first_row, numbers.len()));
        }
    }
}

/// Which of some rows every row of a table is, by their numbers.
#[derive(Debug, Clone)]
pub struct RowNumbers {
    rows: usize,
    /// What workers have handed over.
    numbered: Vec<Numbered>,
    /// In the order of the table.
    runs: Vec<NumberedRun>,
}

/// Rows side by side that one worker has numbered.
#[derive(Debug, Clone)]
struct NumberedRun {
    first_row: usize,
    /// Whose they are, and where among its own.
    worker: usize,
    own: Range<usize>,
}

/// The numbers that a worker gave, and the common number that each stands for: there are far fewer of these than rows.
#[derive(Debug, Clone)]
struct Numbered {
    own: Vec<u32>,
    common: Vec<u32>,
}

impl RowNumbers {
    /// How many rows the table has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The numbers of some rows of the table, in their order, in pieces that one worker has numbered each.
    ///
    /// # Panics
    /// If the range ends after the last row, or before it begins.
    pub fn of_rows(
        &self,
        rows: Range<usize>,
    ) -> impl Iterator<Item = impl ExactSizeIterator<Item = u32> + Clone + '_> + '_ {
        assert!(rows.end <= self.rows, "rows of the table");
        let first = (self.runs).partition_point(|run| run.first_row + run.own.len() <= rows.start);
        let runs = self.runs[first..].iter();
        let meet = runs.take_while(move |run| run.first_row < rows.end);
        meet.map(move |run| {
            let Numbered { own, common } = &self.numbered[run.worker];
            let start = run.own.start + rows.start.saturating_sub(run.first_row);
            let end = run.own.end.min(run.own.start + rows.end - run.first_row);
            let own = own[start..end].iter();
            own.map(|&number| common[number as usize])
        })
    }
}

/// Numbered rows, with what the numbers of their worker stand for.
#[derive(Debug)]
struct HandedOver {
    layout: Arc<Layout>,
    keys: Vec<u64>,
    rows: NumberedRows,
}

/// The numbered rows of all workers.
#[derive(Debug)]
pub(super) struct RowOrder {
    handed_over: Mutex<Vec<HandedOver>>,
    /// How many rows were to be numbered.
    rows: AtomicUsize,
    most_rows: usize,
}

impl RowOrder {
    /// Of no more rows than this; it is given up for tables that have more.
    pub(super) fn of_at_most(most_rows: usize) -> Self {
        RowOrder {
            handed_over: Mutex::default(),
            rows: AtomicUsize::new(0),
            most_rows,
        }
    }

    /// Makes room for so many more rows; whether there is any.
    pub(super) fn has_room(&self, rows: usize) -> bool {
        self.rows.fetch_add(rows, Ordering::Relaxed) + rows <= self.most_rows
    }

    /// Takes the rows of a worker, whose numbers stand for keys packed by a layout.
    pub(super) fn take(&self, layout: &Arc<Layout>, keys: &[u64], mut rows: NumberedRows) {
        let mut all = self
            .handed_over
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if self.rows.load(Ordering::Relaxed) > self.most_rows {
            all.clear(); // nobody will ask for them
        } else if !rows.runs.is_empty() {
            rows.numbers.shrink_to_fit(); // they stay until the rows are written
            all.push(HandedOver {
                layout: Arc::clone(layout),
                keys: keys.to_vec(),
                rows,
            });
        }
    }

    /// For every row of the table the number of its key, if each was numbered once. `keys` has those of all workers,
    /// packed by `layout`.
    pub(super) fn resolve(self, layout: &Layout, mut keys: Keys) -> Option<RowNumbers> {
        let all = self.handed_over.into_inner();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        let rows = self.rows.into_inner();
        if rows > self.most_rows {
            return None;
        }
        let (known, mut numbered, mut runs) = (keys.len(), Vec::new(), Vec::new());
        for (at, handed_over) in all.into_iter().enumerate() {
            let mut common = Vec::new();
            let theirs = handed_over.layout.repack(&handed_over.keys, layout);
            keys.number_all(&theirs, &mut common);
            let mut start = 0;
            for (first_row, count) in handed_over.rows.runs {
                runs.push(NumberedRun {
                    first_row: usize::try_from(first_row).ok()?,
                    worker: at,
                    own: start..start + count,
                });
                start += count;
            }
            numbered.push(Numbered {
                own: handed_over.rows.numbers,
                common,
            });
        }
        runs.sort_unstable_by_key(|run| run.first_row);
        let mut next = 0;
        for run in &runs {
            if run.first_row != next {
                return None;
            }
            next += run.own.len();
        }
        let is_complete = keys.len() == known && next == rows;
        is_complete.then_some(RowNumbers {
            rows,
            numbered,
            runs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(layout: &Layout, codes: &[[u32; 2]]) -> Vec<u64> {
        let mut keys = Vec::new();
        for &codes in codes {
            layout.push_key(&mut keys, codes);
        }
        keys
    }

    fn in_order(numbers: &RowNumbers) -> Vec<u32> {
        let rows = numbers.rows();
        let all: Vec<u32> = numbers.of_rows(0..rows).flatten().collect();
        for start in 0..=rows {
            for end in start..=rows {
                let some: Vec<u32> = numbers.of_rows(start..end).flatten().collect();
                assert_eq!(some, all[start..end]);
                assert!(
                    numbers
                        .of_rows(start..end)
                        .all(|piece| start == end || piece.len() > 0)
                );
            }
        }
        all
    }

    fn numbered(runs: &[(u64, &[u32])]) -> NumberedRows {
        let mut rows = NumberedRows::default();
        for &(first, numbers) in runs {
            rows.add(first, numbers);
        }
        rows
    }

    #[test]
    fn rows_of_all_workers_are_put_in_order_whatever_numbers_they_gave() {
        let narrow = Arc::new(Layout::of_sizes([2, 2]));
        let wide = Arc::new(Layout::of_sizes([900, 70_000]));
        let all = || Keys::of_distinct(wide.words(), packed(&wide, &[[1, 1], [0, 0], [0, 1]]));
        let [one, other] = [
            (&narrow, packed(&narrow, &[[0, 0], [1, 1]])),
            (&wide, packed(&wide, &[[0, 1], [0, 0]])),
        ];
        let order = RowOrder::of_at_most(6);
        assert!(order.has_room(3) && order.has_room(3));
        order.take(other.0, &other.1, numbered(&[(2, &[0, 1]), (5, &[0])]));
        order.take(one.0, &one.1, numbered(&[(4, &[1]), (0, &[0, 1])]));
        let resolved = order.resolve(&wide, all()).expect("every row has a number");
        assert_eq!(resolved.rows(), 6);
        assert_eq!(in_order(&resolved), [1, 0, 2, 1, 0, 2]);
    }

    #[test]
    fn there_is_no_order_if_a_row_is_missing_unknown_or_one_too_many() {
        let layout = Arc::new(Layout::of_sizes([2, 2]));
        let known = packed(&layout, &[[0, 0], [0, 1]]);
        let resolve = |most: usize, rows: usize, keys: &[[u32; 2]], runs: &[(u64, &[u32])]| {
            let order = RowOrder::of_at_most(most);
            let has_room = order.has_room(rows);
            assert_eq!(has_room, rows <= most);
            order.take(&layout, &packed(&layout, keys), numbered(runs));
            let all = Keys::of_distinct(layout.words(), known.clone());
            let resolved = order.resolve(&layout, all);
            resolved.as_ref().map(in_order)
        };
        let keys = [[0, 1], [0, 0]];
        assert_eq!(
            resolve(3, 3, &keys, &[(0, &[0, 1, 0])]),
            Some(vec![1, 0, 1])
        );
        assert_eq!(resolve(2, 3, &keys, &[(0, &[0, 1, 0])]), None);
        assert_eq!(resolve(3, 3, &keys, &[(0, &[0, 1])]), None);
        assert_eq!(resolve(3, 3, &keys, &[(0, &[0, 1]), (1, &[0])]), None);
        assert_eq!(resolve(3, 3, &keys, &[(1, &[0, 1, 0])]), None);
        assert_eq!(resolve(3, 3, &keys, &[(0, &[0]), (2, &[0])]), None);
        assert_eq!(resolve(3, 3, &[[1, 1], [0, 0]], &[(0, &[0, 1, 0])]), None);
    }
}
