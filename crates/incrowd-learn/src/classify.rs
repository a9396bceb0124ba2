//! What every classifier is: something that learns the class of a row from its features.

use crate::column::Column;
use crate::{decision_tree, logistic_regression, naive_bayes};

/// Rows to learn classes from.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The features.
    pub features: &'a [Column],
    /// The class of every row, from 0.
    pub classes: &'a [u32],
    /// How many classes there are, whether rows have them or not.
    pub class_count: usize,
    /// The rows to learn from.
    pub rows: &'a [u32],
}

impl Sample<'_> {
    /// How many rows have each class.
    pub fn class_rows(&self) -> Vec<u32> {
        let mut counts = vec![0; self.class_count];
        for &row in self.rows {
            counts[self.classes[row as usize] as usize] += 1;
        }
        counts
    }

    /// The class that most rows have; of several, the first.
    pub fn majority(&self) -> u32 {
        most(&self.class_rows())
    }
}

/// The position of the greatest count; of several, the first.
pub(crate) fn most<T: PartialOrd + Copy>(counts: &[T]) -> u32 {
    let mut best = 0;
    for (at, count) in counts.iter().enumerate() {
        if *count > counts[best] {
            best = at;
        }
    }
    best as u32
}

/// What was learned.
pub trait Classifier {
    /// The class that is predicted for each of these rows, whose features have the domains that were learned from.
    fn predict(&self, features: &[Column], rows: &[u32]) -> Vec<u32>;
}

/// A way to learn classes.
#[derive(Debug, Clone, Copy)]
pub struct Learner {
    /// Its name, such as `decision-tree`.
    pub name: &'static str,
    /// Learns.
    pub learn: fn(&Sample<'_>) -> Box<dyn Classifier>,
}

/// Every classifier, in the order they are shown.
pub static CLASSIFIERS: &[Learner] = &[
    Learner {
        name: "decision-tree",
        learn: |sample| Box::new(decision_tree::DecisionTree::learn(sample)),
    },
    Learner {
        name: "logistic-regression",
        learn: |sample| Box::new(logistic_regression::LogisticRegression::learn(sample)),
    },
    Learner {
        name: "naive-bayes",
        learn: |sample| Box::new(naive_bayes::NaiveBayes::learn(sample)),
    },
];
