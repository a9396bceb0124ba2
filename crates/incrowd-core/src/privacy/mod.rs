//! The promises a release can make, each in a file of its own.
//!
//! A model says of one class at a time whether the promise is kept, and by which number; a few say it of all published classes
//! together, see [`ReleaseView`]. How that answer behaves
//! when classes merge decides what a search may skip; see [`Monotonicity`]. Parameters are exact decimals and are
//! compared with counts in integers, so a class exactly on the bound is judged right.
//!
//! ```
//! use incrowd_core::privacy::{ClassView, KAnonymity, ModelSpec, PrivacyModel};
//! let model = KAnonymity { k: 5 };
//! assert!(model.holds(&ClassView::of_size(5)) && !model.holds(&ClassView::of_size(4)));
//! assert_eq!(model.describe(None), "k-anonymity(k=5)");
//! let spec: ModelSpec = "k-anonymity(k=5)".parse().unwrap();
//! assert_eq!(spec, model.spec());
//! ```

mod alpha_k_anonymity;
mod average_risk;
mod beta_likeness;
mod delta_disclosure;
mod delta_presence;
mod distinct_l_diversity;
mod distribution;
mod entropy_l_diversity;
mod frequency_l_diversity;
mod k_anonymity;
mod k_map;
mod p_sensitive_k_anonymity;
mod part;
mod recursive_cl_diversity;
mod registry;
mod sample_uniqueness;
mod small_classes;
mod t_closeness;
#[cfg(test)]
mod tests;

pub use crate::table::{Decimal, NotADecimal};
pub use alpha_k_anonymity::AlphaKAnonymity;
pub use average_risk::AverageRisk;
pub use beta_likeness::{BetaLikeness, Likeness};
pub use delta_disclosure::{Absent, DeltaDisclosure};
pub use delta_presence::DeltaPresence;
pub use distinct_l_diversity::DistinctLDiversity;
pub use entropy_l_diversity::EntropyLDiversity;
pub use frequency_l_diversity::FrequencyLDiversity;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use p_sensitive_k_anonymity::PSensitiveKAnonymity;
pub use recursive_cl_diversity::RecursiveClDiversity;
pub use registry::{Build, ModelEntry, ModelKind, ModelSpec, Subject};
pub use sample_uniqueness::SampleUniqueness;
pub use t_closeness::{Distance, TCloseness};

use crate::counts::{FrequencySet, Histogram, HistogramBuffer};
use crate::error::Error;
use crate::table::decimal;
use std::fmt::Debug;

/// Every model there is: a new one is a file and a line here.
pub static MODELS: &[ModelEntry] = &[
    k_anonymity::ENTRY,
    distinct_l_diversity::ENTRY,
    entropy_l_diversity::ENTRY,
    recursive_cl_diversity::ENTRY,
    frequency_l_diversity::ENTRY,
    alpha_k_anonymity::ENTRY,
    p_sensitive_k_anonymity::ENTRY,
    t_closeness::ENTRY,
    delta_disclosure::ENTRY,
    beta_likeness::ENTRY,
    k_map::ENTRY,
    delta_presence::ENTRY,
    average_risk::ENTRY,
    sample_uniqueness::ENTRY,
];

/// One class, as a model sees it. What else a promise may look at belongs here.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ClassView<'a> {
    /// Rows in the class.
    pub size: u32,
    /// The values of the model's column; empty when the model needs none.
    pub histogram: Histogram<'a>,
    /// Rows of the population that match the class; 0 when there is no population, or the model does not read it.
    pub people: u32,
    /// Published rows that could be about one of these people: those of the class and, where published values overlap, those
    /// of every other class that one of these people matches as well.
    pub rows_among_people: u32,
}

impl<'a> ClassView<'a> {
    /// A class of so many rows with these values of the model's column.
    pub fn new(size: u32, histogram: Histogram<'a>) -> Self {
        ClassView {
            size,
            histogram,
            people: 0,
            rows_among_people: size,
        }
    }

    /// The same class, matched by so many rows of the population.
    #[must_use]
    pub fn with_people(self, people: u32) -> Self {
        ClassView { people, ..self }
    }

    /// The same class, if so many published rows could be about one of the people who match it.
    #[must_use]
    pub fn with_rows_among_people(self, rows: u32) -> Self {
        ClassView {
            rows_among_people: rows,
            ..self
        }
    }
}

impl ClassView<'_> {
    /// A class of which only the size is known.
    pub fn of_size(size: u32) -> Self {
        let histogram = Histogram {
            values: &[],
            counts: &[],
        };
        ClassView::new(size, histogram)
    }

    /// The number of distinct values.
    #[inline]
    fn distinct(&self) -> u32 {
        // A class has no more values than rows.
        self.histogram.values.len() as u32
    }

    /// Rows with the most frequent value.
    #[inline]
    fn greatest_count(&self) -> u32 {
        self.histogram.counts.iter().copied().max().unwrap_or(0)
    }
}

/// All published classes together, as promises about the whole release see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReleaseView {
    /// Rows published.
    pub rows: u32,
    /// The number of classes.
    pub classes: u32,
    /// Rows that are the only one of their class.
    pub rows_alone: u32,
}

impl ReleaseView {
    /// Classes with so many rows each.
    pub fn of_sizes(sizes: impl IntoIterator<Item = u32>) -> Self {
        let mut release = ReleaseView::default();
        for size in sizes {
            release.add_class(size);
        }
        release
    }

    /// Adds a class of so many rows.
    pub(crate) fn add_class(&mut self, size: u32) {
        self.rows += size;
        self.classes += 1;
        self.rows_alone += u32::from(size == 1);
    }

    /// Adds the classes of another.
    pub(crate) fn add(&mut self, other: ReleaseView) {
        self.rows += other.rows;
        self.classes += other.classes;
        self.rows_alone += other.rows_alone;
    }

    /// Removes classes that were added.
    pub(crate) fn remove(&mut self, other: ReleaseView) {
        self.rows -= other.rows;
        self.classes -= other.classes;
        self.rows_alone -= other.rows_alone;
    }
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

/// What a measure may count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counted {
    /// The rows of the class.
    Rows,
    /// The different values of the class in the column of the model.
    Values,
}

/// On which side of the parameter a class must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The measure must reach the parameter; higher is safer, and a lower parameter is a weaker promise.
    AtLeast,
    /// The measure must not exceed the parameter; lower is safer, and a higher parameter is a weaker promise.
    AtMost,
    /// The measure must stay below the parameter; otherwise as `AtMost`.
    Below,
}

impl Direction {
    /// Whether a class of this measure keeps the promise.
    pub fn meets(self, measure: f64, parameter: f64) -> bool {
        match self {
            Direction::AtLeast => measure >= parameter,
            Direction::AtMost => measure <= parameter,
            Direction::Below => measure < parameter,
        }
    }

    /// The less safe of two measures.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        match self {
            Direction::AtLeast => a.min(b),
            Direction::AtMost | Direction::Below => a.max(b),
        }
    }
}

/// The number of a setting that was checked to be whole.
fn whole(parameter: Decimal) -> u32 {
    parameter.whole().expect("a count is checked to be whole")
}

/// The least whole number that is not below a setting of at least 0.
fn ceiling(parameter: Decimal) -> u32 {
    let whole = parameter.numerator().div_ceil(parameter.denominator());
    u32::try_from(whole).unwrap_or(u32::MAX)
}

/// Whether a part of some rows is at most a share of them, which is at most 1. Nothing is at most any share of nothing.
fn is_at_most(part: u32, all: u32, share: Decimal) -> bool {
    // 2^32 times 10^9.
    u64::from(part) * share.denominator() <= u64::from(all) * share.numerator()
}

/// What is known of the classes of a node, while models say [how much](PrivacyModel::lower_kept) can be kept of those that are
/// not safe.
#[derive(Debug)]
pub struct UnsafeClasses<'a> {
    /// All classes of the node.
    pub classes: &'a FrequencySet,
    /// Which of them are safe, or presumed to be until they are judged.
    pub is_safe: &'a mut [bool],
    /// Rows of the population that match each of them, or zeros.
    pub people: &'a [u32],
    /// No smaller class is safe.
    pub smallest: u32,
    /// Whether it is this model that the unsafe ones break, being the only one.
    pub broken_by_this: bool,
    /// The most rows of each class that can be kept, as far as known.
    pub kept: &'a mut [u32],
    /// Rows that are not kept.
    pub lost: u32,
    /// Once more are lost, it does not matter how many.
    pub most_lost: u32,
}

impl UnsafeClasses<'_> {
    /// No more rows of a class can be kept than these. A part that is too small is not kept either.
    #[inline]
    fn lower(&mut self, class: usize, most: u32) {
        let most = if most < self.smallest { 0 } else { most };
        let kept = &mut self.kept[class];
        self.lost += kept.saturating_sub(most);
        *kept = most.min(*kept);
    }

    /// Whether it does not matter how many more are lost.
    #[inline]
    pub(crate) fn are_too_many_lost(&self) -> bool {
        self.lost > self.most_lost
    }
}

/// A promise about every class of a release, or about all of them together.
pub trait PrivacyModel: Debug + Send + Sync {
    /// Its line of the registry.
    fn entry(&self) -> &'static ModelEntry;

    /// The name in the registry, such as `k-anonymity`.
    fn name(&self) -> &'static str {
        self.entry().name
    }

    /// The counted column whose histogram the model reads, if any.
    fn column(&self) -> Option<usize> {
        None
    }

    /// Whether the class keeps the promise: the whole meaning of the model. Allocates nothing.
    fn holds(&self, class: &ClassView<'_>) -> bool;

    /// The number of the class that the promise bounds; never NaN.
    ///
    /// A class that no parameter could make safe, because another part of the promise is broken, is at the unsafe
    /// end: 0 or infinity. Otherwise correctly rounded where counts decide. Then a class that holds also
    /// [meets](Direction::meets) the parameter, and one that does not hold meets it only if it misses it by less
    /// than `f64` can tell.
    fn measure(&self, class: &ClassView<'_>) -> f64;

    /// On which side of [`PrivacyModel::parameter`] the measure must be.
    fn direction(&self) -> Direction;

    /// No class with fewer rows keeps the promise.
    fn smallest_class(&self) -> u32 {
        1
    }

    /// No class with fewer rows keeps the promise, given how often values occur in the table; more than
    /// [`PrivacyModel::smallest_class`] where the promise itself does not say it.
    fn smallest_safe(&self) -> u32 {
        self.smallest_class()
    }

    /// Whether it matters how often the values of the column occur and which they are. When not, the model looks at
    /// their number only, and may be shown any values and counts, as many as there are.
    fn reads_counts(&self) -> bool {
        true
    }

    /// Whether a class is compared with the distribution of the whole table, so that the class alone does not tell
    /// whether the promise holds. Tested with random tables, not believed.
    fn reads_table(&self) -> bool {
        false
    }

    /// Whether the promise is about the rows of a population that match a class. Such models read no column, and a class of
    /// which no people are known does not satisfy them.
    fn reads_population(&self) -> bool {
        self.entry().kind.needs_population
    }

    /// Whether the promise is about all published classes together. Then every single class keeps it.
    fn is_about_release(&self) -> bool {
        self.entry().kind.is_about_release
    }

    /// Whether a release keeps the promise, for models about the whole release; true for others, which say it class by class.
    fn holds_in_release(&self, _: ReleaseView) -> bool {
        true
    }

    /// The number of a release that the promise bounds, for models about the whole release; none if nothing is published.
    fn measure_release(&self, _: ReleaseView) -> Option<f64> {
        None
    }

    /// For models about the whole release: a release whose classes all have so many rows keeps the promise.
    fn class_size_that_suffices(&self) -> u32 {
        1
    }

    /// Whether it matters which other classes the people who match a class match as well.
    fn reads_overlaps(&self) -> bool {
        false
    }

    /// What merging does to the promise. Tested with random histograms, not believed.
    fn monotonicity(&self) -> Monotonicity;

    /// The most rows of a class that any division of it into smaller classes may keep; at least that many.
    fn most_kept(&self, class: &ClassView<'_>) -> u32 {
        match self.holds(class) {
            true => class.size,
            false => self.most_kept_if_broken(class, 0),
        }
    }

    /// [`PrivacyModel::most_kept`] of a class that is known to break the promise; where it is below the smallest of interest, any
    /// number below will do.
    fn most_kept_if_broken(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        match self.monotonicity() {
            // If a part of it were kept, it would be too.
            Monotonicity::UnionWithAny => 0,
            Monotonicity::UnionOfKept | Monotonicity::None => {
                self.most_kept_of_broken(class, smallest)
            }
        }
    }

    /// [`PrivacyModel::most_kept_if_broken`] for models that do not survive merging with any class.
    fn most_kept_of_broken(&self, class: &ClassView<'_>, _smallest: u32) -> u32 {
        class.size
    }

    /// No class that contains all rows of this one and keeps the promise has fewer rows.
    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        // More people may match the same rows further up.
        match self.reads_population() || self.holds(class) {
            true => class.size,
            false => class.size.saturating_add(1),
        }
    }

    /// The parameter that [`PrivacyModel::measure`] is compared with: the first setting.
    fn parameter(&self) -> Decimal;

    /// The settings after the first, in the order of the entry, as text says them; the column left out.
    fn other_settings(&self) -> Vec<Option<String>> {
        Vec::new()
    }

    /// The same promise with another parameter, which is known to be in range.
    fn with_checked(&self, parameter: Decimal) -> Box<dyn PrivacyModel>;

    /// The same promise with another parameter.
    fn with_parameter(&self, parameter: Decimal) -> Result<Box<dyn PrivacyModel>, Error> {
        ModelSpec::bare(self.entry()).with_main(parameter)?;
        Ok(self.with_checked(parameter))
    }

    /// The model as text says it, every setting included, the column not.
    fn spec(&self) -> ModelSpec {
        let first = Some(self.parameter().to_string());
        ModelSpec::of(
            self.entry(),
            [first].into_iter().chain(self.other_settings()),
        )
    }

    /// The canonical text, such as `t-closeness(t=0.2,distance=equal)`, with `column=` when a name is given.
    fn describe(&self, column: Option<&str>) -> String {
        self.spec().with_column(column).to_string()
    }

    /// Clears `is_safe` for every class that breaks the promise. One call per node; the loop inside is compiled
    /// for each model.
    fn judge(&self, classes: &FrequencySet, is_safe: &mut [bool]) {
        match self.column() {
            None if self.reads_population() => {
                for (class, (&size, safe)) in classes.sizes().iter().zip(is_safe).enumerate() {
                    let view = ClassView::of_size(size).with_people(classes.people(class));
                    *safe = *safe && self.holds(&view);
                }
            }
            None => {
                for (&size, safe) in classes.sizes().iter().zip(is_safe) {
                    *safe &= self.holds(&ClassView::of_size(size));
                }
            }
            Some(column) => {
                let histograms = classes.histograms(column);
                let mut buffer = HistogramBuffer::default();
                for (class, (&size, safe)) in classes.sizes().iter().zip(is_safe).enumerate() {
                    if *safe {
                        let histogram = histograms.read(class, &mut buffer);
                        *safe = self.holds(&ClassView::new(size, histogram));
                    }
                }
            }
        }
    }

    /// Lowers the rows kept of every class that was judged unsafe to [what can be kept](PrivacyModel::most_kept) of it. One
    /// call per node. Ends when too many are lost.
    fn lower_kept(&self, unsafe_classes: &mut UnsafeClasses<'_>) {
        let classes = unsafe_classes.classes;
        let histograms = self.column().map(|column| classes.histograms(column));
        let mut buffer = HistogramBuffer::default();
        for (class, &size) in classes.sizes().iter().enumerate() {
            if unsafe_classes.is_safe[class] | (unsafe_classes.kept[class] == 0) {
                continue;
            }
            let view = match histograms {
                Some(histograms) => ClassView::new(size, histograms.read(class, &mut buffer)),
                None => ClassView::of_size(size).with_people(unsafe_classes.people[class]),
            };
            if !unsafe_classes.broken_by_this && self.holds(&view) {
                continue;
            }
            let most = self.most_kept_if_broken(&view, unsafe_classes.smallest);
            unsafe_classes.lower(class, most);
            if unsafe_classes.are_too_many_lost() {
                break;
            }
        }
    }

    /// [`PrivacyModel::judge`] and [`PrivacyModel::lower_kept`] with one look at every class, for a model that reads a column and
    /// is the only one that any class which is not too small can break.
    fn judge_and_lower_kept(&self, column: usize, judged: &mut UnsafeClasses<'_>) {
        debug_assert_eq!(self.column(), Some(column));
        let classes = judged.classes;
        let histograms = classes.histograms(column);
        let mut buffer = HistogramBuffer::default();
        for (class, &size) in classes.sizes().iter().enumerate() {
            let is_too_small = judged.kept[class] == 0;
            let was_safe = judged.is_safe[class] && !is_too_small;
            let is_enough = is_too_small || judged.are_too_many_lost();
            judged.is_safe[class] = false;
            if !was_safe && is_enough {
                continue;
            }
            let view = ClassView::new(size, histograms.read(class, &mut buffer));
            if was_safe && self.holds(&view) {
                judged.is_safe[class] = true;
            } else if !is_enough {
                let most = self.most_kept_if_broken(&view, judged.smallest);
                judged.lower(class, most);
            }
        }
    }

    /// Raises the rows of every class to the [fewest](PrivacyModel::fewest_around) of a class around it. One call per node.
    fn raise_around(&self, classes: &FrequencySet, around: &mut [u32]) {
        let histograms = self.column().map(|column| classes.histograms(column));
        let mut buffer = HistogramBuffer::default();
        for (class, (&size, around)) in classes.sizes().iter().zip(around).enumerate() {
            let view = match histograms {
                Some(histograms) => ClassView::new(size, histograms.read(class, &mut buffer)),
                None => ClassView::of_size(size),
            };
            *around = (*around).max(self.fewest_around(&view));
        }
    }

    /// Appends the measure of every class, to annotate a node. One call per node.
    fn measure_all(&self, classes: &FrequencySet, measures: &mut Vec<f64>) {
        measures.reserve(classes.len());
        for (class, &size) in classes.sizes().iter().enumerate() {
            let view = match self.column() {
                None => ClassView::of_size(size).with_people(classes.people(class)),
                Some(column) => ClassView::new(size, classes.histograms(column).class(class)),
            };
            measures.push(self.measure(&view));
        }
    }

    /// What it counts in a class, if its measure is this count and nothing else. Only a model with a column counts values. A
    /// model that counts rows holds for every class that is not [too small](PrivacyModel::smallest_class).
    fn counted(&self) -> Option<Counted> {
        None
    }
}
