//! Small tables and their releases, made without the counting code.

use crate::counts::{
    Attribute, CountedColumn, CountedTable, FrequencySet, Histograms, Layout, Missing,
};
use crate::hierarchy::Hierarchy;
use crate::lattice::{Level, Node};
use crate::table::{Dictionary, Kind};
use crate::utility::{Cover, MetricSpec, Published, PublishedAttribute, UtilityMetric};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A quasi-identifier: its kind and, for each leaf, the labels from raw to top.
#[derive(Debug, Clone)]
pub(super) struct SampleColumn {
    pub(super) kind: Kind,
    pub(super) labels: Vec<Vec<String>>,
}

impl SampleColumn {
    /// From lines such as `"17 young *"`.
    pub(super) fn new(kind: Kind, lines: &[&str]) -> Self {
        let labels = lines
            .iter()
            .map(|line| line.split(' ').map(str::to_owned).collect());
        SampleColumn {
            kind,
            labels: labels.collect(),
        }
    }

    pub(super) fn height(&self) -> u8 {
        (self.labels[0].len() - 1) as u8
    }
}

/// Rows as leaves of each column and a target value.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) columns: Vec<SampleColumn>,
    pub(super) rows: Vec<(Vec<u32>, u32)>,
}

/// How a column's leaves are published: a group for each, and the level when there is one.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    pub(super) level: Option<Level>,
    pub(super) of_leaf: Vec<u32>,
}

impl Sample {
    /// The table, its target column named `target`.
    pub(super) fn table(&self) -> CountedTable {
        let attributes: Vec<Attribute> = (self.columns.iter().enumerate())
            .map(|(at, column)| {
                let hierarchy = Hierarchy::from_rows("sample", &column.labels).unwrap();
                let rows_of_groups = Level::up_to(hierarchy.height())
                    .map(|level| {
                        let mut rows = vec![0; hierarchy.groups(level)];
                        for (leaves, _) in &self.rows {
                            let leaf = leaves[at] as usize;
                            rows[hierarchy.groups_of_leaves(level)[leaf] as usize] += 1;
                        }
                        rows
                    })
                    .collect();
                Attribute {
                    name: format!("c{at}"),
                    kind: column.kind,
                    hierarchy,
                    rows_of_groups,
                    missing: None,
                }
            })
            .collect();
        let layout = Layout::new(attributes.iter().map(|attribute| &attribute.hierarchy));
        let raw: Vec<Groups> = (self.columns.iter())
            .map(|column| Groups {
                level: Some(Level(0)),
                of_leaf: (0..column.labels.len() as u32).collect(),
            })
            .collect();
        let classes = self.classes(&raw);
        let mut keys = Vec::new();
        for groups in classes.keys() {
            layout.push_key(&mut keys, groups.iter().copied());
        }
        let mut values = Dictionary::default();
        let targets = self.rows.iter().map(|(_, target)| *target).max();
        for value in 0..=targets.unwrap_or(0) {
            values.encode(&value.to_string());
        }
        CountedTable {
            rows: self.rows.len() as u32,
            rows_excluded: 0,
            rows_are_apart: false,
            room: None,
            threads: 1,
            population: None,
            missing: Missing::default(),
            attributes,
            columns: vec![CountedColumn {
                name: "target".into(),
                kind: Kind::Number,
                rows_of_values: vec![0; values.len()],
                values,
                hierarchy: None,
            }],
            tuples: FrequencySet {
                keys: keys.into(),
                words: layout.words(),
                sizes: sizes(&classes).into(),
                people: Vec::new(),
                histograms: vec![Some(histograms(&classes))],
            },
            layout,
        }
    }

    /// The groups of each column at a node's levels.
    pub(super) fn at(&self, node: &Node) -> Vec<Groups> {
        (self.columns.iter().zip(node.levels()))
            .map(|(column, level)| Groups {
                level: Some(level),
                of_leaf: numbered(column.labels.iter().map(|row| &row[level.index()])),
            })
            .collect()
    }

    pub(super) fn top(&self) -> Node {
        Node::from_levels(self.columns.iter().map(SampleColumn::height))
    }

    fn classes(&self, groups: &[Groups]) -> BTreeMap<Vec<u32>, Vec<u32>> {
        let mut classes: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (leaves, target) in &self.rows {
            classes
                .entry(class_of(leaves, groups))
                .or_default()
                .push(*target);
        }
        classes
    }

    /// Publishes; `is_safe` judges classes by their number in key order and by their size.
    pub(super) fn release(
        &self,
        groups: Vec<Groups>,
        is_safe: impl Fn(usize, u32) -> bool,
    ) -> Release {
        let classes = self.classes(&groups);
        let sizes = sizes(&classes);
        let is_safe: Vec<bool> = (sizes.iter().enumerate())
            .map(|(class, &size)| is_safe(class, size))
            .collect();
        let safe_of_class: BTreeMap<&Vec<u32>, bool> =
            (classes.keys()).zip(is_safe.iter().copied()).collect();
        let is_row_safe: Vec<bool> = (self.rows.iter())
            .map(|(leaves, _)| safe_of_class[&class_of(leaves, &groups)])
            .collect();
        let marginals = (groups.iter().enumerate())
            .map(|(at, column)| {
                let count = column.of_leaf.iter().max().map_or(0, |last| last + 1) as usize;
                let mut marginal = Marginal {
                    leaves: vec![0; count],
                    rows: vec![0; count],
                    rows_suppressed: vec![0; count],
                    leaves_suppressed: vec![0; column.of_leaf.len()],
                };
                for &group in &column.of_leaf {
                    marginal.leaves[group as usize] += 1;
                }
                for ((class, targets), safe) in classes.iter().zip(&is_safe) {
                    let (group, size) = (class[at] as usize, targets.len() as u32);
                    marginal.rows[group] += size;
                    marginal.rows_suppressed[group] += if *safe { 0 } else { size };
                }
                for ((leaves, _), safe) in self.rows.iter().zip(&is_row_safe) {
                    marginal.leaves_suppressed[leaves[at] as usize] += u32::from(!safe);
                }
                marginal
            })
            .collect();
        Release {
            groups,
            marginals,
            rows_suppressed: (sizes.iter().zip(&is_safe))
                .map(|(&size, &safe)| if safe { 0 } else { size })
                .sum(),
            keys: classes.keys().cloned().collect(),
            target: histograms(&classes),
            sizes,
            is_safe,
        }
    }

    /// Publishes a node without its classes under k rows.
    pub(super) fn at_least(&self, levels: &[u8], k: u32) -> Release {
        let node = Node::from_levels(levels.iter().copied());
        self.release(self.at(&node), |_, size| size >= k)
    }
}

/// The groups that some leaves are published as.
fn class_of(leaves: &[u32], groups: &[Groups]) -> Vec<u32> {
    (leaves.iter().zip(groups))
        .map(|(&leaf, groups)| groups.of_leaf[leaf as usize])
        .collect()
}

fn numbered<'a>(labels: impl Iterator<Item = &'a String>) -> Vec<u32> {
    let mut numbers: Vec<&String> = Vec::new();
    labels
        .map(|label| {
            let known = numbers.iter().position(|other| *other == label);
            known.unwrap_or_else(|| {
                numbers.push(label);
                numbers.len() - 1
            }) as u32
        })
        .collect()
}

fn sizes(classes: &BTreeMap<Vec<u32>, Vec<u32>>) -> Vec<u32> {
    let sizes = classes.values().map(|targets| targets.len() as u32);
    sizes.collect()
}

fn histograms(classes: &BTreeMap<Vec<u32>, Vec<u32>>) -> Histograms {
    let mut histograms = Histograms::default();
    for targets in classes.values() {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &target in targets {
            *counts.entry(target).or_default() += 1;
        }
        for (value, count) in counts {
            histograms.push(value, count);
        }
        histograms.end_class();
    }
    histograms
}

#[derive(Debug, Clone)]
struct Marginal {
    leaves: Vec<u32>,
    rows: Vec<u32>,
    rows_suppressed: Vec<u32>,
    leaves_suppressed: Vec<u32>,
}

/// A release with everything a metric may ask for.
#[derive(Debug, Clone)]
pub(super) struct Release {
    pub(super) groups: Vec<Groups>,
    marginals: Vec<Marginal>,
    /// The groups of each class, ascending.
    pub(super) keys: Vec<Vec<u32>>,
    pub(super) sizes: Vec<u32>,
    pub(super) is_safe: Vec<bool>,
    pub(super) rows_suppressed: u32,
    pub(super) target: Histograms,
}

impl Release {
    pub(super) fn loss(&self, table: &CountedTable, metric: &dyn UtilityMetric) -> f64 {
        let attributes: Vec<PublishedAttribute<'_>> = (self.groups.iter().zip(&self.marginals))
            .map(|(groups, marginal)| PublishedAttribute {
                level: groups.level,
                cover: Cover::Disjoint(&groups.of_leaf),
                leaves: &marginal.leaves,
                rows: &marginal.rows,
                rows_suppressed: &marginal.rows_suppressed,
                leaves_suppressed: &marginal.leaves_suppressed,
            })
            .collect();
        let loss = metric.loss(&Published {
            table,
            rows_suppressed: self.rows_suppressed,
            attributes: &attributes,
            sizes: &self.sizes,
            is_safe: &self.is_safe,
            groups: &self.keys.concat(),
            target: Some(&self.target),
        });
        loss.0
    }

    /// The same classes, listed the other way round.
    pub(super) fn reversed(&self) -> Release {
        let mut release = self.clone();
        release.keys.reverse();
        release.sizes.reverse();
        release.is_safe.reverse();
        release.target = Histograms::default();
        for class in (0..self.sizes.len()).rev() {
            let histogram = self.target.class(class);
            for (&value, &count) in histogram.values.iter().zip(histogram.counts) {
                release.target.push(value, count);
            }
            release.target.end_class();
        }
        release
    }
}

/// Every metric, with the options that change its course.
pub(super) const SPECS: &[&str] = &[
    "height",
    "precision",
    "precision(aggregate=maximum,weights=c0:3)",
    "discernibility",
    "hdm",
    "hdm(weights=c0:2)",
    "dm-star",
    "average-class-size",
    "average-class-size(k=2)",
    "loss",
    "loss(aggregate=arithmetic-mean,weights=c0:2)",
    "loss(aggregate=sum,weights=c0:0.5)",
    "loss(aggregate=maximum)",
    "loss(weights=c0:2.5)",
    "non-uniform-entropy",
    "non-uniform-entropy(aggregate=geometric-mean)",
    "ncp",
    "ncp(weights=c0:2)",
    "ambiguity",
    "kl-divergence",
    "query-error",
    "query-error(queries=200,seed=7)",
    "classification-metric(column=target)",
];

pub(super) fn metric(spec: &str, table: &CountedTable) -> Box<dyn UtilityMetric> {
    spec.parse::<MetricSpec>().unwrap().build(table).unwrap()
}

/// A column of up to seven leaves, up to two levels above them, and the top.
fn any_column() -> impl Strategy<Value = SampleColumn> {
    let merges = prop::collection::vec(prop::collection::vec(0u32..4, 7), 0..=2);
    (1usize..=7, merges, any::<bool>(), any::<bool>()).prop_map(
        |(leaves, merges, numeric, has_missing)| {
            let labels = (0..leaves)
                .map(|leaf| {
                    let raw = match (numeric, has_missing && leaf == 1) {
                        (true, true) => String::new(),
                        (true, false) => (leaf * leaf * 3 % 23).to_string(),
                        (false, _) => format!("v{leaf}"),
                    };
                    let mut row = vec![raw];
                    let mut group = leaf;
                    for (level, merge) in merges.iter().enumerate() {
                        group = merge[group] as usize;
                        row.push(format!("l{level}g{group}"));
                    }
                    row.push("*".into());
                    row
                })
                .collect();
            let kind = if numeric { Kind::Number } else { Kind::Text };
            SampleColumn { kind, labels }
        },
    )
}

/// Up to 14 rows over one to three columns.
pub(super) fn any_sample() -> impl Strategy<Value = Sample> {
    let row = (prop::collection::vec(0u32..7, 3), 0u32..3);
    let rows = prop::collection::vec(row, 0..=14);
    let columns = prop::collection::vec(any_column(), 1..=3);
    (columns, rows).prop_map(|(columns, rows)| {
        let rows = rows.into_iter().map(|(leaves, target)| {
            let leaves = (leaves.iter().zip(&columns))
                .map(|(&leaf, column)| leaf % column.labels.len() as u32)
                .collect();
            (leaves, target)
        });
        Sample {
            rows: rows.collect(),
            columns,
        }
    })
}
