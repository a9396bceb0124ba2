//! Whether a class satisfies the models, if classes change one at a time.

use crate::algorithms::people::PeopleInBoxes;
use crate::counts::{FrequencySet, Histogram};
use crate::privacy::{ClassView, PrivacyModel, ReleaseView};
use crate::problem::Problem;

/// Values of a column with their rows, ascending by value.
pub(in crate::algorithms) type RowsOfValues = Vec<(u32, u32)>;

/// What is published of a class, now and of its parts.
#[derive(Debug, Clone, Copy)]
pub(in crate::algorithms) struct Kept {
    /// Whether it satisfies all models.
    pub(in crate::algorithms) is_safe: bool,
    /// However it is divided, no more of its rows are in classes that satisfy all models. All of them if it is safe.
    pub(in crate::algorithms) most: u32,
}

/// Why a class is not safe.
#[derive(Debug, Clone, Copy)]
enum Broken {
    /// A model that reads no column is not satisfied.
    Numbers,
    /// A model is not satisfied that reads this column, of which the judge still has the values.
    Column(usize),
}

/// Evaluates the models of a problem on single classes.
#[derive(Debug)]
pub(in crate::algorithms) struct Judge<'a> {
    models: &'a [Box<dyn PrivacyModel>],
    /// Those that read neither a column nor the population, and those that read the population.
    about_size: Vec<&'a dyn PrivacyModel>,
    about_people: Vec<&'a dyn PrivacyModel>,
    /// The columns the models read.
    columns: Vec<usize>,
    /// Who matches a class that is published as a box.
    in_boxes: Option<&'a PeopleInBoxes<'a>>,
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
        let models = || problem.models.iter().map(|model| &**model);
        let about_people = |model: &&dyn PrivacyModel| model.reads_population();
        let about_size =
            |model: &&dyn PrivacyModel| model.column().is_none() && !about_people(model);
        Judge {
            models: problem.models,
            about_size: models().filter(about_size).collect(),
            about_people: models().filter(about_people).collect(),
            in_boxes: None,
            smallest_safe: problem.smallest_safe(),
            rows: vec![0; sizes.max().unwrap_or(0)],
            columns,
            present: Vec::new(),
            values: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The same for classes that are published as boxes.
    pub(in crate::algorithms) fn of_boxes(
        problem: &Problem<'a>,
        in_boxes: Option<&'a PeopleInBoxes<'a>>,
    ) -> Self {
        Judge {
            in_boxes,
            ..Judge::new(problem)
        }
    }

    /// Whether published classes together satisfy the models about the whole release.
    pub(in crate::algorithms) fn whole_is_safe(&self, release: ReleaseView) -> bool {
        let mut models = self.models.iter();
        models.all(|model| model.holds_in_release(release))
    }

    /// Whether the number of rows alone decides.
    pub(in crate::algorithms) fn reads_sizes_only(&self) -> bool {
        self.columns.is_empty() && self.about_people.is_empty()
    }

    /// Whether it matters how many people of the population match a class.
    pub(in crate::algorithms) fn reads_people(&self) -> bool {
        !self.about_people.is_empty()
    }

    /// The columns whose values a class must provide.
    pub(in crate::algorithms) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The most tuples that [`Judge::is_safe`] examines: none if only sizes matter.
    pub(in crate::algorithms) fn visits(&self, members: &[u32]) -> u64 {
        let of_columns = members.len() * self.columns.len();
        let in_boxes = self.in_boxes.map_or(0, |people| people.visits(members));
        (of_columns + in_boxes) as u64
    }

    /// Whether a class of these tuples satisfies all models. Who in the population matches it is known of boxes only.
    pub(in crate::algorithms) fn is_safe(
        &mut self,
        size: u32,
        tuples: &FrequencySet,
        members: &[u32],
    ) -> bool {
        if !self.size_is_safe(size) {
            return false;
        }
        let people = self.in_boxes.map_or(0, |people| people.matching(members));
        self.is_safe_among(size, people, tuples, members)
    }

    /// Whether a class of these tuples, which so many people of the population match, satisfies all models.
    pub(in crate::algorithms) fn is_safe_among(
        &mut self,
        size: u32,
        people: u32,
        tuples: &FrequencySet,
        members: &[u32],
    ) -> bool {
        self.broken_among(size, people, tuples, members).is_none()
    }

    /// Whether a class of these tuples, which so many people of the population match, satisfies all models, and what of it may
    /// do so once it is divided, as far as the first ones tell that are not satisfied.
    pub(in crate::algorithms) fn kept_among(
        &mut self,
        size: u32,
        people: u32,
        tuples: &FrequencySet,
        members: &[u32],
    ) -> Kept {
        let broken = self.broken_among(size, people, tuples, members);
        let most = match broken {
            None => size,
            Some(Broken::Numbers) => self.most_kept_by_numbers(size, people),
            Some(Broken::Column(column)) => self.most_kept_by_column(size, column),
        };
        Kept {
            is_safe: broken.is_none(),
            // A part that is too small is not kept either.
            most: if most < self.smallest_safe { 0 } else { most },
        }
    }

    /// [`Judge::kept_among`], if [only sizes matter](Judge::reads_sizes_only).
    pub(in crate::algorithms) fn kept_of_size(&self, size: u32) -> Kept {
        match self.size_is_safe(size) {
            true => Kept {
                is_safe: true,
                most: size,
            },
            false => Kept {
                is_safe: false,
                most: self.most_kept_by_numbers(size, 0),
            },
        }
    }

    /// What a class of these tuples, which so many people match, breaks first.
    fn broken_among(
        &mut self,
        size: u32,
        people: u32,
        tuples: &FrequencySet,
        members: &[u32],
    ) -> Option<Broken> {
        if !self.numbers_are_safe(size, people) {
            return Some(Broken::Numbers);
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
                return Some(Broken::Column(column));
            }
        }
        None
    }

    /// Whether a class with these values of [`Judge::columns`] satisfies all models.
    pub(in crate::algorithms) fn is_safe_with(
        &mut self,
        size: u32,
        people: u32,
        rows_of_values: &[RowsOfValues],
    ) -> bool {
        self.numbers_are_safe(size, people)
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
        let view = ClassView::of_size(size);
        size >= self.smallest_safe && self.about_size.iter().all(|model| model.holds(&view))
    }

    /// Whether a class of this size, which so many people match, satisfies the models that read no column.
    pub(in crate::algorithms) fn numbers_are_safe(&self, size: u32, people: u32) -> bool {
        let view = ClassView::of_size(size).with_people(people);
        self.size_is_safe(size) && self.about_people.iter().all(|model| model.holds(&view))
    }

    /// The most rows of a class of this size, which so many people match, that models which read no column let be kept. The people
    /// of its parts are among them, and match one part each.
    fn most_kept_by_numbers(&self, size: u32, people: u32) -> u32 {
        if size < self.smallest_safe {
            return 0;
        }
        let view = ClassView::of_size(size).with_people(people);
        let models = self.about_size.iter().chain(&self.about_people);
        models
            .map(|model| model.most_kept(&view))
            .min()
            .unwrap_or(size)
    }

    /// The most rows of a class that models let be kept which read one column, whose values are in `values` and `counts`.
    fn most_kept_by_column(&self, size: u32, column: usize) -> u32 {
        let view = self.view_of_column(size);
        let models = self
            .models
            .iter()
            .filter(|model| model.column() == Some(column));
        models
            .map(|model| model.most_kept(&view))
            .min()
            .unwrap_or(size)
    }

    /// Evaluates the models on one column, whose values are in `values` and `counts`.
    fn column_is_safe(&self, size: u32, column: usize) -> bool {
        let view = self.view_of_column(size);
        let mut models = self.models.iter();
        models.all(|model| model.column() != Some(column) || model.holds(&view))
    }

    /// A class with the values in `values` and `counts`.
    fn view_of_column(&self, size: u32) -> ClassView<'_> {
        let histogram = Histogram {
            values: &self.values,
            counts: &self.counts,
        };
        ClassView::new(size, histogram)
    }
}
