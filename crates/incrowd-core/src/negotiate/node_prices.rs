//! What every release of one node costs, for all parameters of a model at once.
//!
//! A model that counts (rows, distinct values) cuts the classes of a node in two by one whole number of each class. So
//! there are only as many releases of the node as there are different numbers, and each publishes all classes of the one
//! before it and some more. Starting with nothing published, classes are added from the safest to the least safe, sums
//! over them are carried along ([`ClassSum`]), and every metric is read off after each number: all releases together
//! cost little more than one.
//!
//! What is suppressed is added up in whole numbers, so every loss is to the last bit what
//! [`Negotiator::price`](super::Negotiator::price) computes for it alone.

use super::answer::Price;
use super::histogram::is_whole;
use crate::counts::{CountedTable, FrequencySet, Scratch, roll_up_tracked};
use crate::lattice::Node;
use crate::privacy::PrivacyModel;
use crate::utility::{ClassSum, Detail, Loss, Published, PublishedAttribute, UtilityMetric};
use smallvec::SmallVec;

/// Nodes with more different numbers than this are priced release by release.
const MOST_STEPS: usize = 1 << 10;

/// What the releases of one node cost.
#[derive(Debug, Clone, PartialEq)]
pub struct NodePrices {
    /// Rows of the table.
    rows: u32,
    /// From nothing published to everything.
    steps: Vec<Step>,
    /// The names of the metrics.
    metrics: Vec<&'static str>,
    /// The losses of every step, metric by metric.
    losses: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    rows_suppressed: u32,
    classes: u32,
    /// 0 if nothing is published.
    smallest_class: u32,
}

impl NodePrices {
    /// The price of the release that suppresses so many rows, if the model has one.
    pub fn of_rows_suppressed(&self, rows: u32) -> Option<Price> {
        // From the most suppressed rows to the fewest.
        let at = (self.steps).binary_search_by(|step| rows.cmp(&step.rows_suppressed));
        let at = at.ok()?;
        let step = self.steps[at];
        let losses = self.losses.chunks_exact(self.metrics.len().max(1)).nth(at);
        let losses = losses.unwrap_or_default().iter().map(|&loss| Loss(loss));
        Some(Price {
            metrics: self.metrics.iter().copied().zip(losses).collect(),
            ..Price::of_classes(
                self.rows,
                self.rows - step.rows_suppressed,
                (step.classes as usize, step.smallest_class),
            )
        })
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let metrics = size_of_val(&*self.metrics) + size_of_val(&*self.losses);
        size_of::<Self>() + size_of_val(&*self.steps) + metrics
    }

    /// Prices all releases of a node. None if the model does not count, a metric does not add up, or there are too many.
    pub(super) fn new(
        table: &CountedTable,
        model: &dyn PrivacyModel,
        node: &Node,
        metrics: &[Box<dyn UtilityMetric>],
    ) -> Option<Self> {
        if !is_whole(model) || model.reads_population() {
            return None;
        }
        let mut columns: Vec<usize> = model.column().into_iter().collect();
        columns.extend(metrics.iter().filter_map(|metric| metric.column()));
        columns.sort_unstable();
        columns.dedup();
        let (mut classes, mut scratch) = (FrequencySet::default(), Scratch::default());
        let bottom = table.lattice().bottom();
        let tuples = (&bottom, &table.tuples);
        roll_up_tracked(table, tuples, node, &columns, &mut scratch, &mut classes);

        let mut measures = Vec::new();
        model.measure_all(&classes, &mut measures);
        // Whole numbers, so none is unordered.
        let measure = |class: u32| measures[class as usize];
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        order.sort_unstable_by(|&one, &other| measure(other).total_cmp(&measure(one)));
        let is_same = |one: &u32, other: &u32| measure(*one) == measure(*other);
        if order.chunk_by(is_same).count() > MOST_STEPS {
            return None;
        }

        let groups = groups(table, &classes);
        let shown: Vec<PublishedAttribute<'_>> = (table.attributes.iter().zip(node.levels()))
            .map(|(attribute, level)| PublishedAttribute::at_level(attribute, level, &[]))
            .collect();
        // What each metric sees of the classes; which of them are published it is told one by one.
        let seen: Vec<Published<'_>> = (metrics.iter())
            .map(|metric| Published {
                sizes: classes.sizes(),
                groups: &groups,
                target: metric.column().map(|column| classes.histograms(column)),
                ..of_attributes(table, &shown, 0)
            })
            .collect();
        let sums = metrics.iter().zip(&seen);
        let mut sums: Vec<Option<Box<dyn ClassSum + '_>>> =
            sums.map(|(metric, seen)| metric.class_sum(seen)).collect();
        if !metrics
            .iter()
            .zip(&sums)
            .all(|(metric, sum)| sum.is_some() || !reads_classes(&**metric))
        {
            return None;
        }

        let mut suppressed = Suppressed::everything(table, &classes, scratch.class_of(), &shown);
        let mut prices = NodePrices {
            rows: suppressed.rows,
            steps: Vec::new(),
            metrics: metrics.iter().map(|metric| metric.name()).collect(),
            losses: Vec::new(),
        };
        let mut step = Step {
            rows_suppressed: suppressed.rows,
            classes: 0,
            smallest_class: 0,
        };
        prices.push(step, &suppressed, metrics, &sums);
        for equals in order.chunk_by(is_same) {
            for class in equals.iter().map(|&class| class as usize) {
                let size = classes.sizes()[class];
                suppressed.publish(class);
                sums.iter_mut().flatten().for_each(|sum| sum.publish(class));
                step.smallest_class = match step.classes {
                    0 => size,
                    _ => step.smallest_class.min(size),
                };
                step.classes += 1;
            }
            step.rows_suppressed = suppressed.rows;
            prices.push(step, &suppressed, metrics, &sums);
        }
        prices.steps.shrink_to_fit();
        prices.losses.shrink_to_fit();
        Some(prices)
    }

    /// Adds the release in which exactly this is suppressed.
    fn push(
        &mut self,
        step: Step,
        suppressed: &Suppressed<'_>,
        metrics: &[Box<dyn UtilityMetric>],
        sums: &[Option<Box<dyn ClassSum + '_>>],
    ) {
        self.steps.push(step);
        let attributes = suppressed.attributes();
        let release = of_attributes(suppressed.table, &attributes, suppressed.rows);
        let losses = metrics.iter().zip(sums).map(|(metric, sum)| match sum {
            Some(sum) => sum.loss(suppressed.rows).0,
            None => metric.loss(&release).0,
        });
        self.losses.extend(losses);
    }
}

/// Whether a metric cannot tell the loss from what is suppressed of each group and raw value.
fn reads_classes(metric: &dyn UtilityMetric) -> bool {
    metric.column().is_some() || matches!(metric.detail(), Detail::Classes | Detail::Groups)
}

/// A release without its classes.
fn of_attributes<'a>(
    table: &'a CountedTable,
    attributes: &'a [PublishedAttribute<'a>],
    rows_suppressed: u32,
) -> Published<'a> {
    Published {
        table,
        rows_suppressed,
        attributes,
        sizes: &[],
        is_safe: &[],
        groups: &[],
        target: None,
    }
}

/// The group of every class for every attribute, class by class.
fn groups(table: &CountedTable, classes: &FrequencySet) -> Vec<u32> {
    let attributes = table.attributes.len();
    let cells = (0..classes.len())
        .flat_map(|class| (0..attributes).map(move |attribute| (class, attribute)));
    let group = |(class, attribute)| table.group(classes, class, attribute).0;
    cells.map(group).collect()
}

/// Rows that are not published yet, by group and by raw value.
struct Suppressed<'a> {
    table: &'a CountedTable,
    classes: &'a FrequencySet,
    shown: &'a [PublishedAttribute<'a>],
    rows: u32,
    /// Attribute by attribute.
    groups: Vec<Vec<u32>>,
    leaves: Vec<Vec<u32>>,
    /// The raw tuples, class by class, and where each class starts.
    tuples: Vec<u32>,
    starts: Vec<u32>,
}

impl<'a> Suppressed<'a> {
    fn everything(
        table: &'a CountedTable,
        classes: &'a FrequencySet,
        class_of: &[u32],
        shown: &'a [PublishedAttribute<'a>],
    ) -> Self {
        let mut starts = vec![0; classes.len() + 1];
        for &class in class_of {
            starts[class as usize + 1] += 1;
        }
        for class in 0..classes.len() {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut tuples = vec![0; class_of.len()];
        for (tuple, &class) in (0..).zip(class_of) {
            let place = &mut next[class as usize];
            tuples[*place as usize] = tuple;
            *place += 1;
        }
        Suppressed {
            table,
            classes,
            shown,
            rows: classes.sizes().iter().sum(),
            groups: shown.iter().map(|shown| shown.rows.to_vec()).collect(),
            leaves: (table.attributes.iter())
                .map(|attribute| attribute.rows_of_groups[0].clone())
                .collect(),
            tuples,
            starts,
        }
    }

    fn publish(&mut self, class: usize) {
        let size = self.classes.sizes()[class];
        self.rows -= size;
        let key = self.classes.key(class);
        for (field, rows) in self.table.layout.fields().iter().zip(&mut self.groups) {
            rows[field.read(key) as usize] -= size;
        }
        let tuples = self.starts[class] as usize..self.starts[class + 1] as usize;
        for &tuple in &self.tuples[tuples] {
            let tuple = tuple as usize;
            let (key, size) = (
                self.table.tuples.key(tuple),
                self.table.tuples.sizes()[tuple],
            );
            for (field, rows) in self.table.layout.fields().iter().zip(&mut self.leaves) {
                rows[field.read(key) as usize] -= size;
            }
        }
    }

    /// The attributes as they are published now.
    fn attributes(&self) -> SmallVec<[PublishedAttribute<'_>; 16]> {
        (self.shown.iter().zip(&self.groups).zip(&self.leaves))
            .map(|((&shown, groups), leaves)| PublishedAttribute {
                rows_suppressed: groups,
                leaves_suppressed: if self.rows > 0 { leaves } else { &[] },
                ..shown
            })
            .collect()
    }
}
