//! How many rows each parameter of a model suppresses at a node.
//!
//! A model that is a number per class cuts the classes of a node in two: those on the safe side of its parameter
//! and those to suppress. Sorted by that number, from the least safe class to the safest, with the rows added up,
//! one binary search answers for any parameter. For k-anonymity this is the paper's cumKA, for distinct l-diversity
//! its cumSLD.
//!
//! # When the number and the model disagree
//! Class sizes and numbers of values are whole, and reading them is exact. Other measures are `f64`, and a class may
//! be so close to the parameter that `f64` cannot tell. Two things keep the reading exact. While a histogram is made,
//! a class exactly on a number that could be a parameter is shown to the model with that parameter; if the model's
//! own answer differs, the class is moved off the number. And a reading tells how many rows are too close to call
//! ([`Rows::close`]): whoever needs to know then counts that node and asks the model itself.

use crate::counts::{FrequencySet, in_parallel, pieces};
use crate::error::Error;
use crate::privacy::{ClassView, Decimal, Direction, PrivacyModel};
use crate::registry::Kind;
use hashbrown::HashMap;
use std::ops::Range;

/// Measures that differ from the parameter by less than this share of it are too close to call. Entropies have the
/// widest tolerance of all models, 1e-11.
pub(super) const NOISE: f64 = 4e-11;

/// Up to here every `f64` is nearest to at most one decimal of nine digits.
const ONE_DECIMAL_EACH: f64 = 4e6;

/// Whole measures below this are counted in an array, others sorted.
const BUCKETS: usize = 1 << 10;

/// The rows a parameter suppresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Rows in classes that surely break the promise.
    pub suppressed: u32,
    /// Rows in classes so close to the parameter that only the model can tell.
    pub close: u32,
}

/// Whether the model counts: its measure and its parameter are whole numbers.
pub(super) fn is_whole(model: &dyn PrivacyModel) -> bool {
    model.entry().settings[0].kind == Kind::Count
}

/// The numbers a measure takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Measures {
    Whole(Vec<u32>),
    Real(Vec<f64>),
}

impl Measures {
    fn of(model: &dyn PrivacyModel) -> Self {
        match is_whole(model) {
            true => Measures::Whole(Vec::new()),
            false => Measures::Real(Vec::new()),
        }
    }

    fn whole(&self) -> &[u32] {
        match self {
            Measures::Whole(values) => values,
            Measures::Real(_) => unreachable!("all stores are of one model"),
        }
    }

    fn real(&self) -> &[f64] {
        match self {
            Measures::Real(values) => values,
            Measures::Whole(_) => unreachable!("all stores are of one model"),
        }
    }

    fn get(&self, at: usize) -> f64 {
        match self {
            Measures::Whole(values) => values[at].into(),
            Measures::Real(values) => values[at],
        }
    }
}

/// The histograms of many nodes for one model, end to end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Histograms {
    pub(super) direction: Direction,
    /// Where each node starts, and after the last node the end.
    pub(super) starts: Vec<u32>,
    /// The distinct measures of each node, from the least safe to the safest.
    pub(super) measures: Measures,
    /// Rows of the node with this measure or a less safe one.
    pub(super) rows: Vec<u32>,
    /// What else is known of the classes; none when the measure is the class size, which says it all.
    pub(super) classes: Option<ClassSteps>,
}

/// Parallel to the measures.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClassSteps {
    /// Classes of the node with this measure or a less safe one.
    pub(super) counts: Vec<u32>,
    /// Rows of the smallest class with this measure or a safer one.
    pub(super) smallest: Vec<u32>,
}

impl Histograms {
    pub(super) fn new(model: &dyn PrivacyModel) -> Self {
        Histograms {
            direction: model.direction(),
            starts: vec![0],
            measures: Measures::of(model),
            rows: Vec::new(),
            classes: Some(ClassSteps::default()),
        }
    }

    pub(super) fn node(&self, at: usize) -> Histogram<'_> {
        Histogram {
            all: self,
            start: self.starts[at] as usize,
            end: self.starts[at + 1] as usize,
        }
    }

    /// The histograms of nodes from stores of the same model, one after the other, without what the measure says already.
    pub(super) fn gathered(
        model: &dyn PrivacyModel,
        nodes: &[Histogram<'_>],
        threads: usize,
    ) -> Result<Self, Error> {
        let (mut starts, mut end) = (vec![0], 0);
        for node in nodes {
            end += node.len();
            starts.push(position(end, starts.len())?);
        }
        let gathering = Gathering {
            nodes,
            starts: &starts,
            threads,
        };
        let measures = match is_whole(model) {
            true => Measures::Whole(gathering.list(|of| of.measures.whole())),
            false => Measures::Real(gathering.list(|of| of.measures.real())),
        };
        let classes = (!gathering.measures_are_sizes()).then(|| ClassSteps {
            counts: gathering.list(|of| &of.class_steps().counts),
            smallest: gathering.list(|of| &of.class_steps().smallest),
        });
        Ok(Histograms {
            direction: model.direction(),
            measures,
            rows: gathering.list(|of| &of.rows),
            classes,
            starts,
        })
    }

    fn class_steps(&self) -> &ClassSteps {
        let known = self.classes.as_ref();
        known.expect("left out only where the measures are sizes")
    }

    fn end_node(&mut self) -> Result<(), Error> {
        let end = position(self.rows.len(), self.starts.len())?;
        self.starts.push(end);
        Ok(())
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let measures = match &self.measures {
            Measures::Whole(values) => 4 * values.len(),
            Measures::Real(values) => 8 * values.len(),
        };
        let classes = if self.classes.is_some() { 8 } else { 0 };
        4 * self.starts.len() + measures + (4 + classes) * self.rows.len()
    }
}

/// Nodes whose histograms are copied to one store, on several threads, each into memory that it is the first to touch.
struct Gathering<'n> {
    nodes: &'n [Histogram<'n>],
    /// Where each node starts in the store, and after the last node the end.
    starts: &'n [u32],
    threads: usize,
}

impl Gathering<'_> {
    /// What all nodes have in a list of their stores.
    fn list<T: Copy + Default + Send>(&self, of: impl Fn(&Histograms) -> &[T] + Sync) -> Vec<T> {
        let length =
            |piece: &Range<usize>| (self.starts[piece.end] - self.starts[piece.start]) as usize;
        let mut all = vec![T::default(); length(&(0..self.nodes.len()))];
        let (mut rest, mut parts) = (&mut all[..], Vec::new());
        for piece in pieces(self.nodes.len(), self.threads) {
            let (part, after) = rest.split_at_mut(length(&piece));
            rest = after;
            parts.push((piece, part));
        }
        in_parallel(self.threads, parts, |(piece, mut room)| {
            for node in &self.nodes[piece] {
                let (own, after) = room.split_at_mut(node.len());
                own.copy_from_slice(&of(node.all)[node.start..node.end]);
                room = after;
            }
        });
        all
    }

    fn measures_are_sizes(&self) -> bool {
        let pieces = pieces(self.nodes.len(), self.threads);
        let are_sizes = in_parallel(self.threads, pieces, |piece| {
            self.nodes[piece].iter().all(Histogram::measure_is_size)
        });
        are_sizes.into_iter().all(|are| are)
    }
}

/// A position among all measures of so many nodes.
fn position(measures: usize, nodes: usize) -> Result<u32, Error> {
    u32::try_from(measures).map_err(|_| Error::LatticeTooLarge {
        nodes: nodes as u128,
        limit: u32::MAX.into(),
    })
}

/// How many rows of one node each parameter of a model suppresses.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    all: &'a Histograms,
    start: usize,
    end: usize,
}

impl<'a> Histogram<'a> {
    /// The number of distinct measures.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether the node has no class.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Rows with the first so many measures.
    fn rows_of_first(&self, steps: usize) -> u32 {
        match steps {
            0 => 0,
            steps => self.all.rows[self.start + steps - 1],
        }
    }

    /// The measure of a step, counted from the least safe.
    fn measure(&self, step: usize) -> f64 {
        self.all.measures.get(self.start + step)
    }

    /// The distinct measures from the least safe to the safest, each with the rows of all classes up to it: the
    /// curve of figure 2.9. A parameter just beyond a measure suppresses that many rows.
    pub fn curve(&self) -> impl ExactSizeIterator<Item = (f64, u32)> + use<'a> {
        let histogram = *self;
        (0..self.len())
            .map(move |step| (histogram.measure(step), histogram.rows_of_first(step + 1)))
    }

    /// The rows that a parameter suppresses.
    pub fn rows(&self, parameter: Decimal) -> Rows {
        match &self.all.measures {
            Measures::Whole(values) => {
                let values = &values[self.start..self.end];
                let steps = whole_steps(values, parameter);
                Rows {
                    suppressed: self.rows_of_first(steps),
                    close: 0,
                }
            }
            Measures::Real(values) => {
                let values = &values[self.start..self.end];
                let (sure, close) = real_steps(values, self.all.direction, parameter.to_f64());
                let suppressed = self.rows_of_first(sure);
                Rows {
                    suppressed,
                    close: self.rows_of_first(close) - suppressed,
                }
            }
        }
    }

    /// How many of the least safe measures break the promise; those too close to call are taken to break it.
    fn steps_suppressed(&self, parameter: Decimal) -> usize {
        match &self.all.measures {
            Measures::Whole(values) => whole_steps(&values[self.start..self.end], parameter),
            Measures::Real(values) => {
                let values = &values[self.start..self.end];
                real_steps(values, self.all.direction, parameter.to_f64()).1
            }
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.classes_of_first(self.len())
    }

    fn classes_of_first(&self, steps: usize) -> u32 {
        match (&self.all.classes, steps) {
            (_, 0) => 0,
            (Some(classes), _) => classes.counts[self.start + steps - 1],
            (None, _) => (0..steps)
                .map(|step| {
                    let rows = self.rows_of_first(step + 1) - self.rows_of_first(step);
                    rows / (self.measure(step) as u32).max(1)
                })
                .sum(),
        }
    }

    /// The number of classes that a parameter leaves. Classes too close to call count as suppressed.
    pub fn classes_published(&self, parameter: Decimal) -> u32 {
        self.classes() - self.classes_of_first(self.steps_suppressed(parameter))
    }

    /// Rows of the smallest class that a parameter leaves, if it leaves any.
    pub fn smallest_class(&self, parameter: Decimal) -> Option<u32> {
        let steps = self.steps_suppressed(parameter);
        (steps < self.len()).then(|| match &self.all.classes {
            Some(classes) => classes.smallest[self.start + steps],
            None => self.measure(steps) as u32,
        })
    }

    /// The measure of the first class that must be published to suppress at most so many rows; none when all may
    /// be suppressed.
    pub(super) fn measure_to_keep(&self, max_suppressed: u32) -> Option<f64> {
        let rows = &self.all.rows[self.start..self.end];
        let steps = rows.partition_point(|&rows| rows <= max_suppressed);
        (steps < self.len()).then(|| self.measure(steps))
    }

    fn measure_is_size(&self) -> bool {
        let Some(classes) = &self.all.classes else {
            return true;
        };
        let range = self.start..self.end;
        let rows = self.all.rows[range.clone()].iter();
        let known = classes.counts[range.clone()].iter();
        let known = known.zip(&classes.smallest[range]);
        let mut before = (0, 0);
        (0..)
            .zip(rows.zip(known))
            .all(|(step, (&rows, (&count, &size)))| {
                let (rows_before, count_before) = std::mem::replace(&mut before, (rows, count));
                let (rows, count) = (rows - rows_before, count - count_before);
                f64::from(size) == self.measure(step)
                    && u64::from(rows) == u64::from(size) * u64::from(count)
            })
    }
}

/// How many of the ascending measures are below a parameter.
fn whole_steps(values: &[u32], parameter: Decimal) -> usize {
    let (numerator, denominator) = (parameter.numerator(), parameter.denominator());
    let least = numerator.div_ceil(denominator);
    values.partition_point(|&value| u64::from(value) < least)
}

/// How many measures surely break the promise, and how many may.
fn real_steps(values: &[f64], direction: Direction, parameter: f64) -> (usize, usize) {
    let is_near = |value: f64| (value - parameter).abs() <= NOISE * parameter;
    let breaks = |value: f64| !direction.meets(value, parameter);
    // From the least safe on, measures first break the promise, then are near the parameter, then keep it.
    let mut sure = values.partition_point(|&value| breaks(value) && !is_near(value));
    let mut close = sure;
    let near = values[sure..].iter().take_while(|value| is_near(**value));
    for (at, &value) in (sure + 1..).zip(near) {
        let is_settled = value == parameter && parameter < ONE_DECIMAL_EACH;
        if is_settled && breaks(value) && at == sure + 1 {
            (sure, close) = (at, at);
        } else if !is_settled || breaks(value) {
            close = at;
        }
    }
    (sure, close)
}

/// Makes histograms from counted classes, reusing its memory.
#[derive(Debug)]
pub(super) struct Annotator<'m> {
    model: &'m dyn PrivacyModel,
    is_whole: bool,
    /// The sizes and the numbers of values of all classes, where the model asks for them.
    numbers: (Vec<u32>, Vec<u32>),
    measures: Vec<f64>,
    /// Classes (in the upper half) and rows of each small measure, in four sums; none between nodes.
    buckets: Vec<[u64; 4]>,
    /// Rows of the smallest class of each small measure.
    smallest: Vec<u32>,
    /// Classes of large measures; none between nodes.
    large: Vec<(f64, Step)>,
    steps: Vec<(f64, Step)>,
    /// The model with parameters that classes were exactly on, by billionths; none where it takes no such parameter.
    on_parameter: HashMap<u64, Option<Box<dyn PrivacyModel>>>,
}

/// Classes of one measure.
#[derive(Debug, Clone, Copy)]
struct Step {
    rows: u32,
    classes: u32,
    smallest: u32,
}

impl Step {
    fn of_class(size: u32) -> Self {
        Step {
            rows: size,
            classes: 1,
            smallest: size,
        }
    }

    fn join(&mut self, other: Step) {
        self.rows += other.rows;
        self.classes += other.classes;
        self.smallest = self.smallest.min(other.smallest);
    }
}

impl<'m> Annotator<'m> {
    /// Whether classes must come with the people who match them.
    pub(super) fn reads_people(&self) -> bool {
        self.model.reads_population()
    }

    pub(super) fn new(model: &'m dyn PrivacyModel) -> Self {
        Annotator {
            model,
            is_whole: is_whole(model),
            numbers: Default::default(),
            measures: Vec::new(),
            buckets: Vec::new(),
            smallest: Vec::new(),
            large: Vec::new(),
            steps: Vec::new(),
            on_parameter: HashMap::new(),
        }
    }

    /// Appends the histogram of a node's classes.
    pub(super) fn annotate(
        &mut self,
        classes: &FrequencySet,
        histograms: &mut Histograms,
    ) -> Result<(), Error> {
        self.measures.clear();
        self.model.measure_all(classes, &mut self.measures);
        self.steps.clear();
        if self.is_whole {
            self.sort_whole(classes.sizes());
        } else {
            self.settle(classes);
            self.sort_real(classes);
        }
        self.append(histograms)
    }

    /// The same for a model that reads no counts, from the size and the number of values of each class. A model without a column
    /// reads sizes only.
    pub(super) fn annotate_numbers(
        &mut self,
        classes: impl Iterator<Item = (u32, u32)>,
        histograms: &mut Histograms,
    ) -> Result<(), Error> {
        debug_assert!(self.is_whole);
        self.steps.clear();
        if self.model.column().is_none() {
            self.sort_sizes(classes.map(|(size, _)| size));
        } else if self.model.measures_distinct() {
            self.sort_counted(classes.map(|(size, distinct)| (distinct, size)));
        } else {
            debug_assert!(!self.model.reads_counts());
            let mut numbers = std::mem::take(&mut self.numbers);
            numbers.0.clear();
            numbers.1.clear();
            numbers.extend(classes);
            let (sizes, distinct) = numbers;
            self.measures.clear();
            self.model
                .measure_numbers(&sizes, &distinct, &mut self.measures);
            self.sort_whole(&sizes);
            self.numbers = (sizes, distinct);
        }
        self.append(histograms)
    }

    /// Appends the histogram of the measures.
    fn append(&mut self, histograms: &mut Histograms) -> Result<(), Error> {
        let steps = || self.steps.iter().map(|(_, step)| step);
        match &mut histograms.measures {
            Measures::Whole(values) => {
                values.extend(self.steps.iter().map(|&(measure, _)| measure as u32));
            }
            Measures::Real(values) => {
                values.extend(self.steps.iter().map(|&(measure, _)| measure));
            }
        }
        histograms.rows.extend(steps().scan(0, |rows, step| {
            *rows += step.rows;
            Some(*rows)
        }));
        if let Some(classes) = &mut histograms.classes {
            classes.counts.extend(steps().scan(0, |classes, step| {
                *classes += step.classes;
                Some(*classes)
            }));
            let start = classes.smallest.len();
            classes.smallest.extend(steps().map(|step| step.smallest));
            let mut smallest = u32::MAX;
            for step in classes.smallest[start..].iter_mut().rev() {
                smallest = smallest.min(*step);
                *step = smallest;
            }
        }
        histograms.end_node()
    }

    /// Classes of which the size says everything: the model is asked once for each size.
    fn sort_sizes(&mut self, sizes: impl Iterator<Item = u32>) {
        self.buckets.resize(BUCKETS, [0; 4]);
        let buckets = &mut self.buckets[..BUCKETS];
        let mut end = 0;
        for (class, size) in sizes.enumerate() {
            let at = size as usize;
            if at < BUCKETS {
                buckets[at][class % 4] += 1;
                end = end.max(at + 1);
            } else {
                let measure = self.model.measure(&ClassView::of_size(size));
                self.large.push((measure, Step::of_class(size)));
            }
        }
        for (size, counts) in (0..).zip(&mut buckets[..end]) {
            let classes = counts.iter().sum::<u64>() as u32;
            if classes > 0 {
                *counts = [0; 4];
                let step = Step {
                    rows: size * classes,
                    classes,
                    smallest: size,
                };
                let measure = self.model.measure(&ClassView::of_size(size));
                self.steps.push((measure, step));
            }
        }
        self.steps.append(&mut self.large);
        self.merge_from(0);
    }

    fn sort_whole(&mut self, sizes: &[u32]) {
        let measures = std::mem::take(&mut self.measures);
        let whole = measures.iter().map(|&measure| measure as u32);
        self.sort_counted(whole.zip(sizes.iter().copied()));
        self.measures = measures;
    }

    /// Classes by whole measures, most of them small, with their sizes: counted, not sorted.
    fn sort_counted(&mut self, classes: impl Iterator<Item = (u32, u32)>) {
        self.buckets.resize(BUCKETS, [0; 4]);
        self.smallest.resize(BUCKETS, u32::MAX);
        let (buckets, least) = (&mut self.buckets[..BUCKETS], &mut self.smallest[..BUCKETS]);
        let mut end = 0;
        for (class, (measure, size)) in classes.enumerate() {
            let at = measure as usize;
            if at < BUCKETS {
                // Many classes in a row have one measure, and adding to what was just added to would have to wait.
                buckets[at][class % 4] += (1 << 32) | u64::from(size);
                // Seldom smaller: where nothing is stored, the next class need not wait.
                if size < least[at] {
                    least[at] = size;
                }
                end = end.max(at + 1);
            } else {
                (self.large).push((f64::from(measure), Step::of_class(size)));
            }
        }
        let buckets = buckets[..end].iter_mut().zip(least);
        for (at, (sums, smallest)) in buckets.enumerate() {
            let sum: u64 = sums.iter().sum();
            if sum > 0 {
                *sums = [0; 4];
                let step = Step {
                    rows: sum as u32,
                    classes: (sum >> 32) as u32,
                    smallest: std::mem::replace(smallest, u32::MAX),
                };
                self.steps.push((at as f64, step));
            }
        }
        let counted = self.steps.len();
        self.steps.append(&mut self.large);
        self.merge_from(counted);
    }

    /// Moves classes off numbers that could be a parameter when the model does not judge them as their measure does.
    fn settle(&mut self, classes: &FrequencySet) {
        let column = self.model.column();
        for (class, measure) in self.measures.iter_mut().enumerate() {
            if *measure >= ONE_DECIMAL_EACH {
                continue;
            }
            let billionths = (*measure * 1e9).round();
            if billionths / 1e9 != *measure {
                continue;
            }
            let model = self.model;
            let on_it = self
                .on_parameter
                .entry(billionths as u64)
                .or_insert_with(|| {
                    Decimal::from_f64(*measure).and_then(|on_it| model.with_parameter(on_it).ok())
                });
            if let Some(on_it) = on_it {
                let size = classes.sizes()[class];
                let view = match column {
                    None => ClassView::of_size(size).with_people(classes.people(class)),
                    Some(column) => ClassView::new(size, classes.histograms(column).class(class)),
                };
                let direction = model.direction();
                if on_it.holds(&view) != direction.meets(*measure, *measure) {
                    // Either neighbour is too close to call, so that a reading says to ask the model.
                    *measure = measure.next_up();
                }
            }
        }
    }

    fn sort_real(&mut self, classes: &FrequencySet) {
        let sizes = classes.sizes().iter();
        let steps = self.measures.iter().zip(sizes).map(|(&measure, &size)| {
            // No negative zero, so that equal measures are equal bits.
            (measure + 0.0, Step::of_class(size))
        });
        self.steps.extend(steps);
        self.merge_from(0);
    }

    /// Sorts the steps from a position on by safety and merges equal measures.
    fn merge_from(&mut self, position: usize) {
        let ascending = self.model.direction() == Direction::AtLeast;
        self.steps[position..].sort_unstable_by(|one, other| {
            let ordering = one.0.total_cmp(&other.0);
            if ascending {
                ordering
            } else {
                ordering.reverse()
            }
        });
        self.steps.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1.join(later.1);
            }
            is_same
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::KAnonymity;

    fn of_sizes(sizes: &[u32]) -> Histograms {
        let model = KAnonymity { k: 2 };
        let mut classes = FrequencySet::default();
        classes.sizes.extend_from_slice(sizes);
        let mut histograms = Histograms::new(&model);
        let annotated = Annotator::new(&model).annotate(&classes, &mut histograms);
        annotated.expect("few classes");
        histograms
    }

    #[test]
    fn a_histogram_reads_what_each_k_suppresses() {
        let mut histograms = of_sizes(&[1, 5, 1, 3, 70_000, 3]);
        for _ in 0..2 {
            let histogram = histograms.node(0);
            let suppressed = |k: u32| histogram.rows(k.into()).suppressed;
            assert_eq!([1, 2, 3, 4, 5, 6].map(suppressed), [0, 2, 2, 8, 8, 13]);
            assert_eq!(suppressed(70_001), 70_013);
            assert_eq!(histogram.classes(), 6);
            assert_eq!(histogram.classes_published(4.into()), 2);
            assert_eq!(histogram.smallest_class(4.into()), Some(5));
            assert_eq!(histogram.smallest_class(70_001.into()), None);
            assert_eq!(histogram.measure_to_keep(7), Some(3.0));
            assert_eq!(histogram.measure_to_keep(8), Some(5.0));
            // The second round reads what is left once sizes speak for themselves.
            let model = KAnonymity { k: 2 };
            histograms = Histograms::gathered(&model, &[histogram], 1).expect("few classes");
            assert!(histograms.classes.is_none());
        }
    }

    #[test]
    fn measures_next_to_the_parameter_are_too_close_to_call() {
        let below = 0.3f64.next_down();
        let steps = |values: &[f64]| real_steps(values, Direction::AtMost, 0.3);
        assert_eq!(steps(&[0.5, 0.3, 0.1]), (1, 1));
        assert_eq!(steps(&[0.5, 0.3f64.next_up(), 0.3, below, 0.1]), (1, 4));
        assert_eq!(
            real_steps(&[0.1, 0.3, 0.4], Direction::AtLeast, 0.3),
            (1, 1)
        );
        assert_eq!(real_steps(&[0.4, 0.3, 0.1], Direction::Below, 0.3), (2, 2));
        assert_eq!(real_steps(&[0.0], Direction::AtMost, 0.0), (0, 0));
    }
}
