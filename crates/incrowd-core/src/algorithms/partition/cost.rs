//! The cost of a class, and its lower bound wherever it ends up.
//!
//! Both costs are sums over rows. A published row costs the size of its class (DM), or what its values were merged with
//! (HDM); a suppressed row costs a fixed charge that no published row exceeds. Merging classes never makes a published
//! row cheaper. The bounds depend on nothing else.

use crate::Error;
use crate::counts::{Histogram, Histograms, Work};
use crate::privacy::{ClassView, PrivacyModel};
use crate::problem::Problem;
use crate::utility::ByRow;

/// Which of the two costs, with what it needs to know about the table.
#[derive(Debug, Clone)]
pub(super) struct Cost {
    pub(super) rows: u32,
    /// What a suppressed row costs.
    pub(super) charge: f64,
    /// The weight of every attribute, summing to 1; empty for DM.
    pub(super) weights: Vec<f64>,
}

impl Cost {
    pub(super) fn new(problem: &Problem<'_>) -> Result<Self, Error> {
        let rows = problem.table.rows;
        match problem.metric.by_row() {
            Some(ByRow::ClassSizes) => Ok(Cost {
                rows,
                charge: f64::from(rows),
                weights: Vec::new(),
            }),
            Some(ByRow::ValuesShared { weights }) => {
                let total: f64 = weights.iter().sum();
                Ok(Cost {
                    rows,
                    charge: 1.0,
                    weights: weights.iter().map(|weight| weight / total).collect(),
                })
            }
            None => Err(Error::PartitionMetric {
                metric: problem.metric.name(),
            }),
        }
    }

    /// Whether what values are merged with matters, and not only the sizes of classes.
    pub(super) fn reads_values(&self) -> bool {
        !self.weights.is_empty()
    }

    /// What a row pays for each row published like it, given how many rows have its raw value: 1 / (the others).
    pub(super) fn share(&self, same: u32) -> f64 {
        match self.rows - same {
            0 => 0.0,
            others => 1.0 / f64::from(others),
        }
    }
}

/// Decides which classes may be published.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    models: Vec<&'a dyn PrivacyModel>,
    /// The counted columns whose values the models read.
    pub(super) columns: Vec<usize>,
    /// Whether a model reads the people of the population who match a class.
    pub(super) reads_people: bool,
    /// If no model reads a column: whether a class with a given number of rows may be published.
    is_safe_by_size: Vec<bool>,
    /// No smaller class may be published.
    pub(super) smallest: u32,
}

/// What models read of one class beside its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contents {
    /// The values of the columns that models read, with their rows.
    pub(super) values: Vec<(Vec<u32>, Vec<u32>)>,
    /// Rows of the population that match the class.
    pub(super) people: u32,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        let models: Vec<&dyn PrivacyModel> = problem.models.iter().map(|model| &**model).collect();
        let mut columns: Vec<usize> = models.iter().filter_map(|model| model.column()).collect();
        columns.sort_unstable();
        columns.dedup();
        let holds = |size| {
            models
                .iter()
                .all(|model| model.holds(&ClassView::of_size(size)))
        };
        let reads_people = models.iter().any(|model| model.reads_population());
        let is_safe_by_size = match columns.is_empty() && !reads_people {
            true => (0..=problem.table.rows).map(holds).collect(),
            false => Vec::new(),
        };
        Judge {
            smallest: problem.smallest_safe(),
            models,
            columns,
            reads_people,
            is_safe_by_size,
        }
    }

    /// Whether every class that is large enough may be published, whatever else it is.
    pub(super) fn is_by_size(&self) -> bool {
        let by_size = (1..).zip(self.is_safe_by_size.iter().skip(1));
        self.reads_sizes_only()
            && by_size
                .into_iter()
                .all(|(size, &is_safe)| is_safe == (size >= self.smallest))
    }

    /// Whether sizes alone decide.
    pub(super) fn reads_sizes_only(&self) -> bool {
        self.columns.is_empty() && !self.reads_people
    }

    #[inline]
    pub(super) fn is_safe(&self, size: u32, contents: Option<&Contents>) -> bool {
        match contents {
            None => self.is_safe_by_size[size as usize],
            Some(contents) => size >= self.smallest && self.holds(size, contents),
        }
    }

    fn holds(&self, size: u32, contents: &Contents) -> bool {
        self.models.iter().all(|model| match model.column() {
            None => model.holds(&ClassView::of_size(size).with_people(contents.people)),
            Some(column) => {
                let at = self.columns.iter().position(|&other| other == column);
                let (values, counts) = &contents.values[at.expect("collected from the models")];
                let histogram = Histogram { values, counts };
                model.holds(&ClassView::new(size, histogram))
            }
        })
    }

    /// The most rows of a class with these contents that any division of it into classes keeps, or more. What is kept keeps
    /// every promise, so the promise that keeps least decides.
    pub(super) fn most_kept(&self, size: u32, contents: &Merged) -> u32 {
        let mut most = size;
        for model in &self.models {
            let view = match model.column() {
                None => ClassView::of_size(size).with_people(contents.people),
                Some(column) => {
                    let at = self.columns.iter().position(|&other| other == column);
                    let at = at.expect("collected from the models");
                    ClassView::new(size, contents.columns[at].histogram())
                }
            };
            if !model.holds(&view) {
                most = most.min(model.most_kept_if_broken(&view, self.smallest));
                // A part that is too small is not kept either.
                if most < self.smallest {
                    return 0;
                }
            }
        }
        most
    }

    /// The contents of a raw tuple.
    pub(super) fn contents(&self, histograms: &[&Histograms], tuple: usize) -> Contents {
        let histogram = |histograms: &&Histograms| {
            let histogram = histograms.class(tuple);
            (histogram.values.to_vec(), histogram.counts.to_vec())
        };
        Contents {
            values: histograms.iter().map(histogram).collect(),
            people: 0,
        }
    }

    /// The contents of people whom no row is about.
    pub(super) fn contents_of_people(&self, people: u32) -> Contents {
        Contents {
            values: vec![Default::default(); self.columns.len()],
            people,
        }
    }
}

/// The contents of many classes together, in room that is used again.
#[derive(Debug, Default)]
pub(super) struct Merged {
    people: u32,
    columns: Vec<MergedColumn>,
}

/// The values of one column.
#[derive(Debug, Default)]
struct MergedColumn {
    /// Rows of every value; all 0 between two uses.
    rows_of_values: Vec<u32>,
    values: Vec<u32>,
    counts: Vec<u32>,
}

impl Merged {
    /// Forgets what it held and adds up these. Returns the work.
    pub(super) fn fill<'c>(&mut self, contents: impl Iterator<Item = &'c Contents>) -> Work {
        self.people = 0;
        for column in &mut self.columns {
            column.values.clear();
        }
        let mut looks = 0;
        for contents in contents {
            self.people += contents.people;
            if self.columns.len() < contents.values.len() {
                (self.columns).resize_with(contents.values.len(), MergedColumn::default);
            }
            for (column, (values, counts)) in self.columns.iter_mut().zip(&contents.values) {
                column.add(values, counts);
                looks += 1 + values.len();
            }
        }
        for column in &mut self.columns {
            looks += 2 * column.values.len();
            column.finish();
        }
        Work::of(looks)
    }
}

impl MergedColumn {
    fn add(&mut self, values: &[u32], counts: &[u32]) {
        // Values ascend.
        let most = values.last().map_or(0, |&last| last as usize + 1);
        if self.rows_of_values.len() < most {
            self.rows_of_values.resize(most, 0);
        }
        for (&value, &count) in values.iter().zip(counts) {
            let rows = &mut self.rows_of_values[value as usize];
            if *rows == 0 {
                self.values.push(value);
            }
            *rows += count;
        }
    }

    /// Puts the values in order and takes their rows out.
    fn finish(&mut self) {
        self.values.sort_unstable();
        self.counts.clear();
        for &value in &self.values {
            let rows = &mut self.rows_of_values[value as usize];
            self.counts.push(std::mem::take(rows));
        }
    }

    fn histogram(&self) -> Histogram<'_> {
        Histogram {
            values: &self.values,
            counts: &self.counts,
        }
    }
}

/// Adds the contents of another class.
pub(super) fn add_contents(to: &mut Contents, from: &Contents) {
    to.people += from.people;
    for ((values, counts), (more, more_counts)) in to.values.iter_mut().zip(&from.values) {
        let (mut merged, mut merged_counts) = (
            Vec::with_capacity(values.len() + more.len()),
            Vec::with_capacity(values.len() + more.len()),
        );
        let (mut one, mut other) = (0, 0);
        while one < values.len() || other < more.len() {
            let take_one = other == more.len() || one < values.len() && values[one] <= more[other];
            let take_other =
                one == values.len() || other < more.len() && more[other] <= values[one];
            merged.push(if take_one { values[one] } else { more[other] });
            let mut count = 0;
            if take_one {
                count += counts[one];
                one += 1;
            }
            if take_other {
                count += more_counts[other];
                other += 1;
            }
            merged_counts.push(count);
        }
        (*values, *counts) = (merged, merged_counts);
    }
}
