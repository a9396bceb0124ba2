//! What readers of a release meet in one of its columns.

use super::Release;
use super::texts::TextsOf;
use crate::counts::{LeafOrder, LeafSet};

/// A text of a quasi-identifier that published rows have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedValue<'r> {
    /// The text.
    pub text: &'r str,
    /// The published rows that have it; at least one.
    pub rows: u32,
    /// The leaves it stands for, as a set of the column's [`LeafOrder`].
    pub cover: LeafSet,
}

impl Release<'_> {
    /// The texts of a quasi-identifier in published rows, in byte order. A text that only suppressed rows would have
    /// had is not among them.
    pub fn published_values(&self, attribute: usize, order: &LeafOrder) -> Vec<PublishedValue<'_>> {
        let texts = &self.texts[attribute];
        let mut rows = vec![0; texts.texts().len()];
        for class in self.classes.published() {
            rows[class.groups()[attribute] as usize] += class.size();
        }
        let covers: Vec<LeafSet> = match texts.cells() {
            TextsOf::Leaves(texts) => {
                let mut leaves = vec![Vec::new(); rows.len()];
                for (leaf, &text) in (0..).zip(texts) {
                    leaves[text as usize].push(leaf);
                }
                leaves.into_iter().map(|it| order.set(it)).collect()
            }
            TextsOf::Tuples { covers, .. } => covers.clone(),
        };
        (texts.texts().zip(rows).zip(covers))
            .filter(|((_, rows), _)| *rows > 0)
            .map(|((text, rows), cover)| PublishedValue { text, rows, cover })
            .collect()
    }
}
