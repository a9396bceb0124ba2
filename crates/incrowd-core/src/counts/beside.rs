//! Columns counted beside the tuples.
//!
//! What a tuple must not contain, since a release is not about it, may still have to be measured: columns that are
//! published as they are. Most tables have few combinations of all their values. Then a worker counts these, in place
//! of the tuples, which follow from them; what is measured about rows follows from them too, and no row has to be looked
//! at again. Where there are many, that is given up, and whoever wants to know looks at the rows.

use super::partition::Partition;
use super::row_order::{NumberedRows, RowNumbers, RowOrder};
use super::{Keys, Layout};
use crate::table::{CodedColumn, RowBatch, ValueList};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of a table, equal ones counted together.
#[derive(Debug, Clone)]
pub struct CountedRows {
    /// The rows, each once, in coded columns; empty in columns that were not counted.
    pub rows: RowBatch,
    /// How often each occurs.
    pub sizes: Vec<u32>,
    /// Whether all rows of the table are among them.
    pub are_all: bool,
    /// Which of them every row of the table is, in the order of the table, if that was [asked](super::SharedCounter::with_order)
    /// for and there was room for it.
    pub order: Option<RowNumbers>,
}

/// Combinations counted by all workers.
#[derive(Debug)]
pub(super) struct Beside {
    combinations: Mutex<Partition>,
    is_given_up: AtomicBool,
    /// The columns of the table.
    columns: usize,
    /// The most words that keys may take.
    most_words: usize,
    /// Which combination every row has, if that is wanted.
    pub(super) order: Option<RowOrder>,
}

/// Fewer new combinations than this are not worth looking for equal ones.
const FEWEST_NEW: usize = 1 << 12;

impl Beside {
    pub(super) fn new(columns: usize, most_words: usize) -> Self {
        Beside {
            combinations: Mutex::default(),
            is_given_up: AtomicBool::new(false),
            columns,
            most_words,
            order: None,
        }
    }

    /// Whether rows are to be counted still.
    pub(super) fn goes_on(&self) -> bool {
        !self.is_given_up.load(Ordering::Relaxed)
    }

    /// Has no more rows counted.
    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    /// Whether so many more rows are to be numbered.
    pub(super) fn has_room_for_order(&self, rows: usize) -> bool {
        let order = self.order.as_ref();
        order.is_some_and(|order| order.has_room(rows))
    }

    /// Adds combinations packed by a layout, with their rows, and which rows these are if they were numbered. If there are
    /// too many, these are the last of a worker.
    pub(super) fn add(
        &self,
        layout: &Arc<Layout>,
        (keys, sizes): (&[u64], &[u32]),
        numbered: NumberedRows,
        seed: u64,
        slots: &mut Vec<u32>,
    ) {
        let mut all = self
            .combinations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.add(layout, keys, sizes);
        if all.is_full(FEWEST_NEW) || all.len() * layout.words() > self.most_words {
            all.settle(seed, slots);
        }
        if all.len() * layout.words() > self.most_words {
            self.give_up();
        }
        drop(all);
        if let Some(order) = &self.order {
            order.take(layout, keys, numbered);
        }
    }
}

/// All that was counted by all workers, to be put together: on another thread perhaps.
#[derive(Debug)]
pub struct RowsBeside {
    pub(super) beside: Beside,
    /// At least as wide as every other.
    pub(super) layout: Arc<Layout>,
    /// Where each column is in a row, and which values its codes stand for.
    pub(super) columns: Vec<(usize, ValueList)>,
    pub(super) seed: u64,
}

impl RowsBeside {
    /// All rows, equal ones together, or those up to where that was given up.
    pub fn together(self) -> CountedRows {
        let RowsBeside {
            beside,
            layout,
            columns,
            seed,
        } = self;
        let goes_on = beside.goes_on();
        let all = beside.combinations.into_inner();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        let (keys, sizes) = all.into_distinct(&layout, seed, &mut Vec::new());
        let nothing = Arc::new(ValueList::from_iter([""]));
        let mut coded = vec![
            CodedColumn {
                values: nothing,
                codes: Vec::new(),
            };
            beside.columns
        ];
        for ((position, values), field) in columns.into_iter().zip(layout.fields()) {
            let keys = keys.chunks_exact(layout.words());
            coded[position] = CodedColumn {
                values: Arc::new(values),
                codes: keys.map(|key| field.read(key)).collect(),
            };
        }
        for column in &mut coded {
            column.codes.resize(sizes.len(), 0);
        }
        let mut rows = RowBatch::new(beside.columns);
        rows.set_coded(coded);
        let order = beside.order.filter(|_| goes_on);
        CountedRows {
            rows,
            sizes,
            are_all: goes_on,
            order: order.and_then(|order| {
                let keys = Keys::of_distinct(layout.words(), keys);
                order.resolve(&layout, keys)
            }),
        }
    }
}
