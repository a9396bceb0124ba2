//! What a release costs, counted from its own classes and texts.

use super::classes::Classes;
use super::texts::{PublishedTexts, TextsOf};
use super::{Release, stopped};
use crate::Error;
use crate::counts::{CountedTable, LeafOrder, LeafSet, Work};
use crate::hierarchy::Group;
use crate::lattice::Level;
use crate::problem::{Meter, Watch, side_by_side};
use crate::utility::{
    AttributeValue, Cover, Detail, LeafRows, Loss, MetricSpec, OverlappingGroups, Published,
    PublishedAttribute, ResearchValue, UtilityMetric,
};
use std::sync::OnceLock;

/// A quasi-identifier as metrics see it. Its groups are the values of the recoding, in their order there.
#[derive(Debug, Clone)]
pub(super) struct MeasuredColumn {
    level: Option<Level>,
    cover: MeasuredCover,
    leaves: Vec<u32>,
    rows: Vec<u32>,
    rows_suppressed: Vec<u32>,
    leaves_suppressed: Vec<u32>,
}

#[derive(Debug, Clone)]
enum MeasuredCover {
    Disjoint(Vec<u32>),
    Overlapping(OverlappingGroups),
}

impl MeasuredColumn {
    /// Of a column whose classes are judged.
    pub(super) fn new(
        table: &CountedTable,
        position: usize,
        texts: &PublishedTexts,
        classes: &Classes,
    ) -> Self {
        let attribute = &table.attributes[position];
        let values = texts.values();
        let mut column = MeasuredColumn {
            level: texts.level(),
            cover: MeasuredCover::Disjoint(Vec::new()),
            leaves: vec![0; values.len()],
            rows: vec![0; values.len()],
            rows_suppressed: vec![0; values.len()],
            leaves_suppressed: vec![0; attribute.hierarchy.leaves()],
        };
        for class in classes.all() {
            let value = values[class.groups()[position] as usize] as usize;
            column.rows[value] += class.size();
            if class.is_suppressed() {
                column.rows_suppressed[value] += class.size();
            }
        }
        match texts.cells() {
            TextsOf::Leaves(texts) => {
                let tuples = classes.of_all_tuples().iter().zip(table.tuples.sizes());
                let suppressed = (tuples.enumerate())
                    .filter(|(_, (class, _))| classes.is_suppressed(**class as usize));
                for (tuple, (_, rows)) in suppressed {
                    column.leaves_suppressed[table.leaf(tuple, position).index()] += rows;
                }
                let groups: Vec<u32> = texts.iter().map(|&text| values[text as usize]).collect();
                for &group in &groups {
                    column.leaves[group as usize] += 1;
                }
                column.cover = MeasuredCover::Disjoint(groups);
            }
            TextsOf::Tuples { covers, .. } => {
                let mut leaves = vec![LeafSet::default(); values.len()];
                for (cover, &value) in covers.iter().zip(values) {
                    column.leaves[value as usize] = cover.len();
                    leaves[value as usize].clone_from(cover);
                }
                let tuples =
                    (table.tuples.sizes().iter().enumerate()).map(|(tuple, &rows)| LeafRows {
                        leaf: table.leaf(tuple, position),
                        group: Group(values[classes.of_tuple(tuple).groups()[position] as usize]),
                        rows,
                        rows_suppressed: match classes.of_tuple(tuple).is_suppressed() {
                            true => rows,
                            false => 0,
                        },
                    });
                column.leaves_suppressed.clear();
                column.cover = MeasuredCover::Overlapping(OverlappingGroups {
                    order: LeafOrder::new(attribute),
                    leaves,
                    rows: added_up(tuples.collect()),
                });
            }
        }
        column
    }

    pub(super) fn attribute(&self) -> PublishedAttribute<'_> {
        PublishedAttribute {
            level: self.level,
            cover: match &self.cover {
                MeasuredCover::Disjoint(groups_of_leaves) => Cover::Disjoint(groups_of_leaves),
                MeasuredCover::Overlapping(groups) => Cover::Overlapping(groups),
            },
            leaves: &self.leaves,
            rows: &self.rows,
            rows_suppressed: &self.rows_suppressed,
            leaves_suppressed: &self.leaves_suppressed,
        }
    }
}

/// One entry for each leaf and group, in their order.
fn added_up(mut rows: Vec<LeafRows>) -> Vec<LeafRows> {
    let place = |it: &LeafRows| (it.leaf, it.group);
    rows.sort_unstable_by_key(place);
    rows.chunk_by(|one, other| place(one) == place(other))
        .map(|same| LeafRows {
            rows: same.iter().map(|it| it.rows).sum(),
            rows_suppressed: same.iter().map(|it| it.rows_suppressed).sum(),
            ..same[0]
        })
        .collect()
}

/// What metrics see of a release.
struct Shown<'r> {
    release: &'r Release<'r>,
    attributes: Vec<PublishedAttribute<'r>>,
    is_safe: Vec<bool>,
    /// Made for the first metric that reads them, since they take much memory.
    groups: OnceLock<Vec<u32>>,
}

impl Shown<'_> {
    /// What this metric sees.
    fn to(&self, metric: &dyn UtilityMetric) -> Published<'_> {
        let Release { classes, texts, .. } = self.release;
        let groups = || {
            let texts_of_classes = classes
                .all()
                .flat_map(|class| class.groups().iter().zip(texts));
            let groups = texts_of_classes.map(|(&text, texts)| texts.values()[text as usize]);
            groups.collect()
        };
        Published {
            table: self.release.table,
            rows_suppressed: self.release.rows_suppressed,
            attributes: &self.attributes,
            sizes: classes.sizes(),
            is_safe: &self.is_safe,
            groups: match metric.detail() >= Detail::Groups {
                true => self.groups.get_or_init(groups),
                false => &[],
            },
            target: metric.column().map(|column| classes.histograms(column)),
        }
    }
}

impl Release<'_> {
    /// What the release costs.
    pub fn loss(&self, metric: &dyn UtilityMetric) -> Loss {
        metric.loss(&self.shown().to(metric))
    }

    /// What the release costs by each of these metrics.
    pub fn losses(&self, metrics: &[MetricSpec], watch: &dyn Watch) -> Result<Vec<Loss>, Error> {
        let (meter, tuples) = (Meter::new(watch), Work::of(self.table.tuples.len()));
        let (shown, threads) = (self.shown(), self.table.threads);
        let losses = side_by_side(&meter, threads, metrics.to_vec(), |spec, meter| {
            let metric = spec.build(self.table);
            let loss = metric.map(|metric| metric.loss(&shown.to(&*metric)));
            meter.spend(tuples).map(|()| loss)
        });
        losses.map_err(stopped)?.into_iter().collect()
    }

    /// What each quasi-identifier costs by itself; none if the metric does not look at single ones.
    pub fn loss_of_attributes(&self, metric: &dyn UtilityMetric) -> Option<Vec<Loss>> {
        metric.loss_of_attributes(&self.shown().to(metric))
    }

    /// The research value of each quasi-identifier, and which rules the release keeps.
    pub fn research_value(&self, metric: &ResearchValue) -> Vec<AttributeValue> {
        metric.of_attributes(&self.shown().to(metric))
    }

    fn shown(&self) -> Shown<'_> {
        let published = self.classes.all().map(|class| !class.is_suppressed());
        Shown {
            release: self,
            attributes: self.columns.iter().map(MeasuredColumn::attribute).collect(),
            is_safe: published.collect(),
            groups: OnceLock::new(),
        }
    }
}
