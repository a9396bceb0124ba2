//! Making the histograms of nodes from their classes.

use super::histogram::{Histograms, Measures, ONE_DECIMAL_EACH, is_whole};
use crate::counts::{FrequencySet, Histogram};
use crate::error::Error;
use crate::privacy::{ClassView, Counted, Decimal, Direction, PrivacyModel};
use hashbrown::HashMap;

/// Whole measures below this are counted in an array, others sorted.
const BUCKETS: usize = 1 << 10;

/// Many classes in a row have one measure, and adding to what was just added to would have to wait. So each goes to one
/// of several buckets in turn.
const WAYS: usize = 4;

/// All that a model reads of a class if it reads no counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    pub(super) size: u32,
    /// How many values it has in the column of the model.
    pub(super) distinct: u32,
}

/// The classes of a node of a chain. The nodes of a chain differ in one attribute, each a level above the one before.
#[derive(Debug, Default)]
pub(super) struct Link {
    /// Those that no node before it has, and every node after it.
    pub(super) lasting: Vec<Summary>,
    /// The others that neither it nor a node before it has listed as lasting.
    pub(super) passing: Vec<Summary>,
}

impl Link {
    pub(super) fn clear(&mut self) {
        self.lasting.clear();
        self.passing.clear();
    }
}

/// Makes histograms for one model, reusing its memory.
#[derive(Debug)]
pub(super) struct Annotator<'m> {
    model: &'m dyn PrivacyModel,
    is_whole: bool,
    measures: Vec<f64>,
    /// Whole measures, each with the size of the class.
    measured: Vec<(u32, u32)>,
    of_sizes: ChainBuckets<OfSize>,
    of_measures: ChainBuckets<OfMeasure>,
    steps: Vec<(f64, Step)>,
    /// The model with parameters that classes were exactly on, by billionths; none where it takes no such parameter.
    on_parameter: HashMap<u64, Option<Box<dyn PrivacyModel>>>,
}

/// The classes of a node that have one measure.
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

/// Some of the classes that have one small measure.
trait Bucket: Copy + Default {
    fn add(&mut self, size: u32);

    fn join(self, other: Self) -> Self;

    fn step(self, measure: u32) -> Step;
}

/// Classes whose measure is their size: how many.
#[derive(Debug, Clone, Copy, Default)]
struct OfSize(u32);

impl Bucket for OfSize {
    #[inline]
    fn add(&mut self, _: u32) {
        self.0 += 1;
    }

    #[inline]
    fn join(self, other: Self) -> Self {
        OfSize(self.0 + other.0)
    }

    #[inline]
    fn step(self, measure: u32) -> Step {
        Step {
            rows: measure * self.0,
            classes: self.0,
            smallest: measure,
        }
    }
}

/// Classes whose measure does not say their size.
#[derive(Debug, Clone, Copy)]
struct OfMeasure {
    /// Classes in the upper half, and rows.
    sum: u64,
    smallest: u32,
}

impl Default for OfMeasure {
    fn default() -> Self {
        OfMeasure {
            sum: 0,
            smallest: u32::MAX,
        }
    }
}

impl Bucket for OfMeasure {
    #[inline]
    fn add(&mut self, size: u32) {
        self.sum += (1 << 32) | u64::from(size);
        self.smallest = size.min(self.smallest);
    }

    #[inline]
    fn join(self, other: Self) -> Self {
        OfMeasure {
            sum: self.sum + other.sum,
            smallest: self.smallest.min(other.smallest),
        }
    }

    #[inline]
    fn step(self, _: u32) -> Step {
        Step {
            rows: self.sum as u32,
            classes: (self.sum >> 32) as u32,
            smallest: self.smallest,
        }
    }
}

/// Classes by whole measures, most of them small: counted, not sorted.
#[derive(Debug, Default)]
struct Buckets<B> {
    /// Classes of small measures, by measure.
    small: Vec<[B; WAYS]>,
    /// How many these are.
    classes: u32,
    /// Classes of large measures.
    large: Vec<(f64, Step)>,
}

impl<B: Bucket> Buckets<B> {
    /// Adds classes, of each its measure and its size.
    #[inline(always)]
    fn add<C>(&mut self, classes: &[C], measured: impl Fn(&C) -> (u32, u32)) {
        self.small.resize(BUCKETS, [B::default(); WAYS]);
        let small = &mut self.small[..BUCKETS];
        let before = self.large.len();
        let mut add = |way: usize, class: &C| {
            let (measure, size) = measured(class);
            match small.get_mut(measure as usize) {
                Some(ways) => ways[way].add(size),
                None => (self.large).push((measure.into(), Step::of_class(size))),
            }
        };
        let (rounds, rest) = classes.as_chunks::<WAYS>();
        for round in rounds {
            (0..).zip(round).for_each(|(way, class)| add(way, class));
        }
        (0..).zip(rest).for_each(|(way, class)| add(way, class));
        self.classes += (classes.len() - (self.large.len() - before)) as u32;
    }
}

/// Classes of the last node added of a chain; none between chains.
#[derive(Debug, Default)]
struct ChainBuckets<B> {
    /// Those that every node after it has too.
    lasting: Buckets<B>,
    /// The others; none between nodes.
    passing: Buckets<B>,
}

impl<B: Bucket> ChainBuckets<B> {
    /// Adds the classes of the next node and [reads](Self::read) what it has.
    #[inline(always)]
    fn add(
        &mut self,
        link: &Link,
        measured: impl Fn(&Summary) -> (u32, u32),
        steps: &mut Vec<(f64, Step)>,
    ) -> usize {
        self.lasting.add(&link.lasting, &measured);
        self.passing.add(&link.passing, &measured);
        self.read(steps)
    }

    fn clear(&mut self) {
        let Buckets {
            small,
            classes,
            large,
        } = &mut self.lasting;
        large.clear();
        for ways in small {
            if *classes == 0 {
                break;
            }
            let ways = std::mem::replace(ways, [B::default(); WAYS]);
            *classes -= ways
                .iter()
                .map(|bucket| bucket.step(0).classes)
                .sum::<u32>();
        }
    }

    /// Lists the measures of the node, the large ones last and in no order. Returns how many are small.
    fn read(&mut self, steps: &mut Vec<(f64, Step)>) -> usize {
        let ChainBuckets { lasting, passing } = self;
        lasting.small.resize(BUCKETS, [B::default(); WAYS]);
        steps.clear();
        let mut left = lasting.classes + passing.classes;
        let pairs = lasting.small.iter().zip(&mut passing.small);
        for (measure, (lasting, passing)) in (0..).zip(pairs) {
            if left == 0 {
                break;
            }
            let ways: [B; WAYS] = std::array::from_fn(|way| lasting[way].join(passing[way]));
            let step = ways.into_iter().fold(B::default(), B::join).step(measure);
            if step.classes > 0 {
                *passing = [B::default(); WAYS];
                left -= step.classes;
                steps.push((measure.into(), step));
            }
        }
        passing.classes = 0;
        let small = steps.len();
        steps.extend_from_slice(&lasting.large);
        steps.append(&mut passing.large);
        small
    }
}

impl<'m> Annotator<'m> {
    pub(super) fn new(model: &'m dyn PrivacyModel) -> Self {
        Annotator {
            model,
            is_whole: is_whole(model),
            measures: Vec::new(),
            measured: Vec::new(),
            of_sizes: ChainBuckets::default(),
            of_measures: ChainBuckets::default(),
            steps: Vec::new(),
            on_parameter: HashMap::new(),
        }
    }

    /// Whether classes must come with the people who match them.
    pub(super) fn reads_people(&self) -> bool {
        self.model.reads_population()
    }

    /// Appends the histogram of a node's classes.
    pub(super) fn annotate(
        &mut self,
        classes: &FrequencySet,
        histograms: &mut Histograms,
    ) -> Result<(), Error> {
        self.measures.clear();
        self.model.measure_all(classes, &mut self.measures);
        if self.is_whole {
            let measures = self.measures.iter().map(|&measure| measure as u32);
            self.measured.clear();
            self.measured
                .extend(measures.zip(classes.sizes().iter().copied()));
            let chain = &mut self.of_measures;
            chain.passing.add(&self.measured, |measured| *measured);
            let small = chain.read(&mut self.steps);
            self.merge_from(small);
        } else {
            self.settle(classes);
            self.sort_real(classes);
        }
        self.append(histograms)
    }

    /// Appends the histograms of the nodes of a chain, for a model that reads no counts.
    pub(super) fn annotate_chain(
        &mut self,
        links: &[Link],
        histograms: &mut Histograms,
    ) -> Result<(), Error> {
        let model = self.model;
        debug_assert!(self.is_whole && (model.column().is_none() || !model.reads_counts()));
        for link in links {
            let small = match model.counted() {
                Some(Counted::Rows) => {
                    let measured = |class: &Summary| (class.size, class.size);
                    self.of_sizes.add(link, measured, &mut self.steps)
                }
                Some(Counted::Values) => {
                    let measured = |class: &Summary| (class.distinct, class.size);
                    self.of_measures.add(link, measured, &mut self.steps)
                }
                None => {
                    let measured = |class: &Summary| {
                        let view = match model.column() {
                            None => ClassView::of_size(class.size),
                            Some(_) => {
                                ClassView::new(class.size, Histogram::of_any(class.distinct))
                            }
                        };
                        (model.measure(&view) as u32, class.size)
                    };
                    self.of_measures.add(link, measured, &mut self.steps)
                }
            };
            self.merge_from(small);
            self.append(histograms)?;
        }
        self.of_sizes.clear();
        self.of_measures.clear();
        Ok(())
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
        self.steps.clear();
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
    use super::super::histogram::ClassSteps;
    use super::*;
    use crate::privacy::{DistinctLDiversity, KAnonymity};

    #[test]
    fn a_histogram_reads_what_each_k_suppresses() {
        let model = KAnonymity { k: 2 };
        let mut classes = FrequencySet::default();
        classes.sizes.in_memory().extend([1, 5, 1, 3, 70_000, 3]);
        // Sizes say how many classes there are and which is the smallest, and must say the same as what is listed.
        for known in [None, Some(ClassSteps::default())] {
            let mut histograms = Histograms::new(&model);
            assert!(histograms.classes.is_none());
            histograms.classes = known;
            let annotated = Annotator::new(&model).annotate(&classes, &mut histograms);
            annotated.expect("few classes");
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
        }
    }

    /// Classes of these sizes and numbers of values.
    fn classes(of: &[(u32, u32)]) -> Vec<Summary> {
        let class = |&(size, distinct): &(u32, u32)| Summary { size, distinct };
        of.iter().map(class).collect()
    }

    #[test]
    fn lasting_classes_are_in_every_node_after_and_passing_ones_in_one() {
        let links = [
            Link {
                lasting: classes(&[(4, 2), (3000, 9)]),
                passing: classes(&[(1, 1), (2, 2), (2, 1), (2000, 5), (7, 3)]),
            },
            Link {
                lasting: classes(&[(5, 2)]),
                passing: classes(&[(2000, 5), (7, 3)]),
            },
            Link {
                lasting: classes(&[(2007, 6)]),
                passing: Vec::new(),
            },
        ];
        let sizes: [&[(f64, u32)]; 3] = [
            &[
                (1.0, 1),
                (2.0, 5),
                (4.0, 9),
                (7.0, 16),
                (2000.0, 2016),
                (3000.0, 5016),
            ],
            &[
                (4.0, 4),
                (5.0, 9),
                (7.0, 16),
                (2000.0, 2016),
                (3000.0, 5016),
            ],
            &[(4.0, 4), (5.0, 9), (2007.0, 2016), (3000.0, 5016)],
        ];
        let values: [&[(f64, u32)]; 3] = [
            &[(1.0, 3), (2.0, 9), (3.0, 16), (5.0, 2016), (9.0, 5016)],
            &[(2.0, 9), (3.0, 16), (5.0, 2016), (9.0, 5016)],
            &[(2.0, 9), (6.0, 2016), (9.0, 5016)],
        ];
        let k = KAnonymity { k: 1 };
        let l = DistinctLDiversity { column: 0, l: 1 };
        let models: [(&dyn PrivacyModel, _); 2] = [(&k, sizes), (&l, values)];
        for (model, expected) in models {
            let mut histograms = Histograms::new(model);
            let mut annotator = Annotator::new(model);
            // The second chain begins with nothing of the first.
            for chain in 0..2 {
                let annotated = annotator.annotate_chain(&links, &mut histograms);
                annotated.expect("few classes");
                for (node, expected) in expected.iter().enumerate() {
                    let histogram = histograms.node(links.len() * chain + node);
                    assert_eq!(histogram.curve().collect::<Vec<_>>(), *expected);
                }
                let smallest = |node: usize| {
                    let histogram = histograms.node(links.len() * chain + node);
                    (histogram.classes(), histogram.smallest_class(2.into()))
                };
                assert_eq!(smallest(0), (7, Some(2)));
                assert_eq!(smallest(1), (5, Some(4)));
                assert_eq!(smallest(2), (4, Some(4)));
            }
        }
    }
}
