//! The promises a release can make, each in a file of its own.
//!
//! A model says of one class at a time whether the promise is kept. How that answer behaves when classes merge
//! decides what a search may skip; see [`Monotonicity`].

use crate::counts::{FrequencySet, Histogram};
use std::fmt::Debug;

/// One class, as a model sees it.
#[derive(Debug, Clone, Copy)]
pub struct ClassView<'a> {
    /// Rows in the class.
    pub size: u32,
    /// The values of the model's column; empty when the model needs none.
    pub histogram: Histogram<'a>,
}

/// What happens to a kept promise when classes merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Monotonicity {
    /// Nothing can be said.
    None,
    /// Two classes that keep the promise, merged, keep it.
    UnionOfKept,
    /// A class that keeps the promise, merged with any other, keeps it.
    UnionWithAny,
}

/// A promise about every class of a release.
pub trait PrivacyModel: Debug + Send + Sync {
    /// The name in the registry, such as `k-anonymity`.
    fn name(&self) -> &'static str;

    /// The counted column whose histogram the model reads, if any.
    fn column(&self) -> Option<usize>;

    /// Whether the class keeps the promise.
    fn holds(&self, class: &ClassView<'_>) -> bool;

    /// What merging does to the promise. Tested with random histograms, not believed.
    fn monotonicity(&self) -> Monotonicity;

    /// Clears `is_safe` for every class that breaks the promise. One call per node; the loop inside is compiled
    /// for each model.
    fn judge(&self, classes: &FrequencySet, is_safe: &mut [bool]) {
        match self.column() {
            None => {
                let histogram = Histogram {
                    values: &[],
                    counts: &[],
                };
                for (&size, safe) in classes.sizes().iter().zip(is_safe) {
                    *safe &= self.holds(&ClassView { size, histogram });
                }
            }
            Some(column) => {
                let histograms = classes
                    .histograms(column)
                    .expect("a model's column is always carried along");
                for (class, (&size, safe)) in classes.sizes().iter().zip(is_safe).enumerate() {
                    *safe = *safe
                        && self.holds(&ClassView {
                            size,
                            histogram: histograms.class(class),
                        });
                }
            }
        }
    }
}
