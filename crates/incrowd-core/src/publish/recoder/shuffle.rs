//! Published rows in an order that reveals nothing about the order of the table.
//!
//! Rows in their original order can reveal who is who: a table sorted by name or by day of admission gives each row a
//! neighbor whom others may know. A random permutation alone would not do: the certificate contains the seed, which
//! leads back to the order. So rows are first sorted by their published contents and then permuted: the result depends
//! only on the published rows and the seed.
//!
//! All published rows are held in memory, plus four bytes per cell and sixteen per row.

use super::PublishedRows;
use crate::table::RowBatch;

/// Rows per batch.
const BATCH_ROWS: usize = 4096;

/// Takes all rows of a release, then returns them in another order.
///
/// ```
/// use incrowd_core::publish::{PublishedRows, Shuffle};
/// let mut shuffle = Shuffle::default();
/// shuffle.add(&PublishedRows::default());
/// assert_eq!(shuffle.finish(0).count(), 0);
/// ```
#[derive(Debug, Default)]
pub struct Shuffle {
    columns: usize,
    /// The cells of all rows, each with its length before it.
    text: Vec<u8>,
    /// Where each row begins in `text`.
    starts: Vec<usize>,
}

impl Shuffle {
    /// Takes the rows of a batch.
    pub fn add(&mut self, published: &PublishedRows) {
        let rows = published.rows();
        self.columns = self.columns.max(rows.columns());
        for row in 0..rows.rows() {
            self.starts.push(self.text.len());
            for column in 0..rows.columns() {
                let cell = rows.cell(row, column);
                let length = u32::try_from(cell.len()).expect("no reader takes so large a cell");
                self.text.extend_from_slice(&length.to_le_bytes());
                self.text.extend_from_slice(cell);
            }
        }
    }

    /// Returns the rows in an order that depends only on them and on `seed`.
    pub fn finish(self, seed: u64) -> impl Iterator<Item = PublishedRows> {
        let Shuffle {
            columns,
            text,
            starts,
        } = self;
        let ends = starts.iter().copied().skip(1).chain([text.len()]);
        let mut rows: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
        // Rows that are equal byte by byte are equal for everybody, so it does not matter which comes first.
        rows.sort_unstable_by(|one, other| text[one.0..one.1].cmp(&text[other.0..other.1]));
        draw(&mut rows, seed);
        let batches = rows.len().div_ceil(BATCH_ROWS);
        (0..batches).map(move |batch| {
            let first = batch * BATCH_ROWS;
            let mut published = RowBatch::new(columns);
            published.clear(first as u64);
            for &(start, end) in rows.iter().skip(first).take(BATCH_ROWS) {
                let mut rest = &text[start..end];
                while let Some((length, more)) = rest.split_first_chunk() {
                    let (cell, more) = more.split_at(u32::from_le_bytes(*length) as usize);
                    published.push_cell(cell);
                    rest = more;
                }
            }
            PublishedRows(published)
        })
    }
}

/// Permutes items with random numbers from `seed`. R. Durstenfeld, Algorithm 235: Random permutation, CACM 7(7), 1964.
fn draw<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..items.len()).rev() {
        // One of `last + 1` positions; the bias of one in 2^64 is negligible.
        let place = (u128::from(next(&mut state)) * (last as u128 + 1)) >> 64;
        items.swap(last, place as usize);
    }
}

/// The next number of a sequence that never changes, so that a release can be reproduced.
///
/// G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014 (SplitMix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut number = *state;
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(rows: &[[String; 2]]) -> PublishedRows {
        let mut batch = RowBatch::new(2);
        for cell in rows.iter().flatten() {
            batch.push_cell(cell.as_bytes());
        }
        PublishedRows(batch)
    }

    fn shuffled(rows: &[[String; 2]], seed: u64, batch_rows: usize) -> Vec<[String; 2]> {
        let mut shuffle = Shuffle::default();
        rows.chunks(batch_rows)
            .for_each(|rows| shuffle.add(&batch(rows)));
        let mut out = Vec::new();
        for published in shuffle.finish(seed) {
            let rows = published.rows();
            assert_eq!(rows.first_row(), out.len() as u64);
            for row in 0..rows.rows() {
                let text = |column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
                out.push([text(0), text(1)]);
            }
        }
        out
    }

    fn table(rows: usize) -> Vec<[String; 2]> {
        (0..rows)
            .map(|row| [(row % 97).to_string(), "x".repeat(row % 3)])
            .collect()
    }

    #[test]
    fn the_order_depends_on_the_rows_and_the_seed_and_on_nothing_else() {
        let rows = table(10_000);
        let first = shuffled(&rows, 7, 1000);
        let mut reversed = rows.clone();
        reversed.reverse();
        let mut sorted = rows.clone();
        sorted.sort();
        for (order, batch_rows) in [(&rows, 1), (&reversed, 33), (&sorted, 10_000)] {
            assert_eq!(shuffled(order, 7, batch_rows), first);
        }
        assert_ne!(shuffled(&rows, 8, 1000), first);
    }

    #[test]
    fn no_row_is_lost_and_the_order_is_another() {
        let mut rows = table(9000);
        let mut out = shuffled(&rows, 0, 500);
        assert_ne!(out, rows);
        rows.sort();
        assert_ne!(out, rows);
        out.sort();
        assert_eq!(out, rows);
    }

    #[test]
    fn every_place_is_as_likely_as_another() {
        // 6 orders of 3 items over 6000 seeds: 1000 of each, give or take; the bound is beyond five deviations.
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            let mut items = [0, 1, 2];
            draw(&mut items, seed);
            *counts.entry(items).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(
            counts.values().all(|count| (count - 1000).abs() < 150),
            "{counts:?}"
        );
    }

    #[test]
    fn the_drawn_order_is_fixed_for_ever() {
        let mut items: Vec<u8> = (0..10).collect();
        draw(&mut items, 42);
        // Worked out by another program.
        assert_eq!(items, [8, 3, 6, 5, 4, 0, 9, 2, 1, 7]);
    }
}
