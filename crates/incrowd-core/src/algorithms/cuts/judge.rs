//! Whether a class satisfies the models, if classes change one at a time.

use crate::counts::{FrequencySet, Histogram};
use crate::privacy::{ClassView, PrivacyModel};
use crate::problem::Problem;

/// Values of a column with their rows, ascending by value.
pub(in crate::algorithms) type RowsOfValues = Vec<(u32, u32)>;

/// Evaluates the models of a problem on single classes.
#[derive(Debug)]
pub(in crate::algorithms) struct Judge<'a> {
    models: &'a [Box<dyn PrivacyModel>],
    /// The columns the models read.
    columns: Vec<usize>,
    smallest_safe: u32,
    /// Rows per value of the current column; all zero between calls.
    rows: Vec<u32>,
    present: Vec<u32>,
    values: Vec<u32>,
    counts: Vec<u32>,
}

impl<'a> Judge<'a> {
    pub(in crate::algorithms) fn new(problem: &Problem<'a>) -> Self {
        let mut columns: Vec<usize> = (problem.models.iter())
            .filter_map(|model| model.column())
            .collect();
        columns.sort_unstable();
        columns.dedup();
        let sizes = columns
            .iter()
            .map(|&at| problem.table.columns[at].values.len());
        Judge {
            models: problem.models,
            smallest_safe: problem.smallest_safe(),
            rows: vec![0; sizes.max().unwrap_or(0)],
            columns,
            present: Vec::new(),
            values: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The columns whose values a class must provide.
    pub(in crate::algorithms) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The most tuples that [`Judge::is_safe`] examines: none if only sizes matter.
    pub(in crate::algorithms) fn visits(&self, members: &[u32]) -> u64 {
        (members.len() * self.columns.len()) as u64
    }

    /// Whether a class of these tuples satisfies all models.
    pub(in crate::algorithms) fn is_safe(
        &mut self,
        size: u32,
        tuples: &FrequencySet,
        members: &[u32],
    ) -> bool {
        if !self.size_is_safe(size) {
            return false;
        }
        for at in 0..self.columns.len() {
            let column = self.columns[at];
            for &tuple in members {
                let histogram = tuples.histograms(column).class(tuple as usize);
                for (&value, &count) in histogram.values.iter().zip(histogram.counts) {
                    if self.rows[value as usize] == 0 {
                        self.present.push(value);
                    }
                    self.rows[value as usize] += count;
                }
            }
            self.present.sort_unstable();
            self.values.clear();
            self.counts.clear();
            for value in self.present.drain(..) {
                self.values.push(value);
                self.counts
                    .push(std::mem::take(&mut self.rows[value as usize]));
            }
            if !self.column_is_safe(size, column) {
                return false;
            }
        }
        true
    }

    /// Whether a class with these values of [`Judge::columns`] satisfies all models.
    pub(in crate::algorithms) fn is_safe_with(
        &mut self,
        size: u32,
        rows_of_values: &[RowsOfValues],
    ) -> bool {
        self.size_is_safe(size)
            && (0..self.columns.len()).all(|at| {
                self.values.clear();
                self.counts.clear();
                let rows = rows_of_values[at].iter();
                self.values.extend(rows.clone().map(|(value, _)| value));
                self.counts.extend(rows.map(|(_, rows)| rows));
                self.column_is_safe(size, self.columns[at])
            })
    }

    /// Whether a class of this size satisfies the models about sizes.
    pub(in crate::algorithms) fn size_is_safe(&self, size: u32) -> bool {
        let mut without_column = self.models.iter().filter(|it| it.column().is_none());
        size >= self.smallest_safe
            && without_column.all(|model| model.holds(&ClassView::of_size(size)))
    }

    /// Evaluates the models on one column, whose values are in `values` and `counts`.
    fn column_is_safe(&self, size: u32, column: usize) -> bool {
        let histogram = Histogram {
            values: &self.values,
            counts: &self.counts,
        };
        let view = ClassView::new(size, histogram);
        let mut models = self.models.iter();
        models.all(|model| model.column() != Some(column) || model.holds(&view))
    }
}
