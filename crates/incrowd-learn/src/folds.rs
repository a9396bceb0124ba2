//! Which rows are tested together.

use incrowd_core::draw::Draw;

/// The fold of every row: `folds` of them, whose sizes differ by at most one row. The seed decides.
pub fn folds(rows: usize, folds: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut draw = Draw::new(seed);
    for at in (1..rows).rev() {
        order.swap(at, draw.below(at + 1));
    }
    let mut fold_of_row = vec![0; rows];
    for (at, row) in order.into_iter().enumerate() {
        fold_of_row[row] = (at % folds.max(1)) as u32;
    }
    fold_of_row
}
