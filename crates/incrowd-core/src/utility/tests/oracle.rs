//! The definitions, taken literally: a loop over rows for everything.

use super::sample::{Groups, Release, SPECS, Sample, any_sample, metric};
use crate::counts::CountedTable;
use crate::table::Kind;
use crate::utility::QueryError;
use proptest::prelude::*;

/// A row as the naive definitions see it.
struct Row<'a> {
    raw: &'a [u32],
    published: Vec<u32>,
    target: u32,
    suppressed: bool,
}

struct Naive<'a> {
    sample: &'a Sample,
    groups: &'a [Groups],
    rows: Vec<Row<'a>>,
}

impl<'a> Naive<'a> {
    fn new(sample: &'a Sample, release: &'a Release) -> Self {
        let rows = sample.rows.iter().map(|(raw, target)| {
            let published: Vec<u32> = (raw.iter().zip(&release.groups))
                .map(|(&leaf, groups)| groups.of_leaf[leaf as usize])
                .collect();
            let class = release.keys.iter().position(|key| *key == published);
            Row {
                raw,
                suppressed: !release.is_safe[class.unwrap()],
                published,
                target: *target,
            }
        });
        Naive {
            sample,
            groups: &release.groups,
            rows: rows.collect(),
        }
    }

    fn columns(&self) -> std::ops::Range<usize> {
        0..self.sample.columns.len()
    }

    /// The leaves published like this row's.
    fn under(&self, column: usize, group: u32) -> Vec<usize> {
        let of_leaf = &self.groups[column].of_leaf;
        (0..of_leaf.len())
            .filter(|&leaf| of_leaf[leaf] == group)
            .collect()
    }

    fn level(&self, column: usize, group: u32) -> u8 {
        if let Some(level) = self.groups[column].level {
            return level.0;
        }
        let under = self.under(column, group);
        let labels = &self.sample.columns[column].labels;
        let height = self.sample.columns[column].height();
        (0..height)
            .find(|&level| {
                let label = |leaf: usize| &labels[leaf][level as usize];
                under.iter().all(|&leaf| label(leaf) == label(under[0]))
            })
            .unwrap_or(height)
    }

    fn count(&self, is_counted: impl Fn(&Row<'_>) -> bool) -> f64 {
        self.rows.iter().filter(|row| is_counted(row)).count() as f64
    }

    fn span(&self, column: usize, leaves: &[usize]) -> f64 {
        let labels = &self.sample.columns[column].labels;
        let numbers: Vec<f64> = leaves
            .iter()
            .filter_map(|&leaf| labels[leaf][0].parse().ok())
            .collect();
        let mut widest: f64 = 0.0;
        for one in &numbers {
            for other in &numbers {
                widest = widest.max(one - other);
            }
        }
        widest
    }

    fn precision(&self, column: usize) -> f64 {
        let height = self.sample.columns[column].height();
        let mut sum = 0.0;
        for row in &self.rows {
            sum += match (row.suppressed, height) {
                (true, _) => 1.0,
                (false, 0) => 0.0,
                _ => f64::from(self.level(column, row.published[column])) / f64::from(height),
            };
        }
        sum / self.rows.len() as f64
    }

    fn loss(&self, column: usize) -> f64 {
        let rows = self.rows.len() as f64;
        let leaves = self.sample.columns[column].labels.len() as f64;
        if leaves == 1.0 {
            return self.count(|row| row.suppressed) / rows;
        }
        let mut sum = 0.0;
        for row in &self.rows {
            sum += match row.suppressed {
                true => 1.0,
                false => self.under(column, row.published[column]).len() as f64 / leaves,
            };
        }
        (sum - rows / leaves) / (rows - rows / leaves)
    }

    fn entropy(&self, column: usize) -> f64 {
        let suppressed = self.count(|row| row.suppressed);
        let mut sum = 0.0;
        for row in &self.rows {
            let group = row.published[column];
            let raw = self.count(|other| other.raw[column] == row.raw[column]);
            let published = self.count(|other| other.published[column] == group);
            sum -= (raw / published).log2();
            if row.suppressed {
                let alike =
                    self.count(|other| other.suppressed && other.published[column] == group);
                sum -= (alike / suppressed).log2();
            }
        }
        sum
    }

    fn ncp(&self, column: usize) -> f64 {
        let leaves = self.sample.columns[column].labels.len();
        let all: Vec<usize> = (0..leaves).collect();
        let mut sum = 0.0;
        for row in &self.rows {
            let under = self.under(column, row.published[column]);
            sum += match self.sample.columns[column].kind {
                _ if row.suppressed => 1.0,
                _ if under.len() == 1 => 0.0,
                Kind::Number if self.span(column, &all) == 0.0 => 0.0,
                Kind::Number => self.span(column, &under) / self.span(column, &all),
                _ => under.len() as f64 / leaves as f64,
            };
        }
        sum / self.rows.len() as f64
    }

    fn hdm(&self, column: usize) -> f64 {
        let all = self.rows.len() as f64;
        let mut sum = 0.0;
        for row in &self.rows {
            let same = self.count(|other| other.raw[column] == row.raw[column]);
            let together = self.count(|other| other.published[column] == row.published[column]);
            sum += match row.suppressed {
                true => 1.0,
                false if same == all => 0.0,
                false => (together - same) / (all - same),
            };
        }
        sum
    }

    fn value(&self, spec: &str, table: &CountedTable) -> f64 {
        let (name, options) = spec.split_once('(').unwrap_or((spec, ""));
        let first_weight = options
            .split_once("c0:")
            .map_or(1.0, |(_, rest)| rest.trim_end_matches(')').parse().unwrap());
        let weight = |column: usize| if column == 0 { first_weight } else { 1.0 };
        let weights: f64 = self.columns().map(weight).sum();
        let sum =
            |losses: &[f64]| -> f64 { self.columns().map(|at| weight(at) * losses[at]).sum() };
        let aggregate = |default: &str, loss: &dyn Fn(usize) -> f64| {
            let losses: Vec<f64> = match self.rows.len() {
                0 => return 0.0,
                _ => self.columns().map(loss).collect(),
            };
            let named = options.split_once("aggregate=").map(|(_, rest)| rest);
            match named.unwrap_or(default) {
                name if name.starts_with("sum") => sum(&losses),
                name if name.starts_with("arithmetic") => sum(&losses) / weights,
                name if name.starts_with("maximum") => {
                    let losses = self.columns().map(|at| weight(at) * losses[at]);
                    losses.fold(0.0, f64::max)
                }
                _ => {
                    let factors =
                        (self.columns()).map(|at| (1.0 + losses[at]).powf(weight(at) / weights));
                    factors.product::<f64>() - 1.0
                }
            }
        };
        let rows = self.rows.len() as f64;
        let suppressed = self.count(|row| row.suppressed);
        let class_size = |row: &Row<'_>| self.count(|other| other.published == row.published);
        let safe = || self.rows.iter().filter(|row| !row.suppressed);
        // Each row adds its share of its class.
        let classes = safe().map(|row| 1.0 / class_size(row)).sum::<f64>().round();
        match name {
            "height" => {
                let levels = self
                    .columns()
                    .map(|column| match self.groups[column].level {
                        Some(level) => level.0,
                        None => {
                            let rows = self.rows.iter();
                            let levels = rows.map(|row| self.level(column, row.published[column]));
                            levels.max().unwrap_or(0)
                        }
                    });
                levels.map(f64::from).sum()
            }
            "precision" => aggregate("arithmetic-mean", &|column| self.precision(column)),
            "discernibility" => {
                let cost = |row: &Row<'_>| {
                    if row.suppressed {
                        rows
                    } else {
                        class_size(row)
                    }
                };
                self.rows.iter().map(cost).sum()
            }
            "dm-star" => self.rows.iter().map(class_size).sum(),
            "average-class-size" if rows == 0.0 => 0.0,
            "average-class-size" if options == "k=2)" => match classes {
                0.0 => rows / 2.0,
                _ => (rows - suppressed) / (classes * 2.0),
            },
            "average-class-size" => rows / (classes + f64::from(suppressed > 0.0)),
            "loss" => aggregate("geometric-mean", &|column| self.loss(column)),
            "non-uniform-entropy" => aggregate("sum", &|column| self.entropy(column)),
            "ncp" => aggregate("arithmetic-mean", &|column| self.ncp(column)),
            "hdm" => aggregate("arithmetic-mean", &|column| self.hdm(column)),
            "ambiguity" => {
                let tuples = |row: &Row<'_>| {
                    let values = self.columns().map(|column| match row.suppressed {
                        true => self.groups[column].of_leaf.len(),
                        false => self.under(column, row.published[column]).len(),
                    });
                    values.product::<usize>() as f64
                };
                self.rows.iter().map(tuples).sum::<f64>() / rows.max(1.0)
            }
            "kl-divergence" => {
                let all: f64 = (self.groups.iter())
                    .map(|groups| groups.of_leaf.len() as f64)
                    .product();
                let mut bits = 0.0;
                for row in &self.rows {
                    let same = self.count(|other| other.raw == row.raw);
                    let (expected, size) = match row.suppressed {
                        true => (all, suppressed),
                        false => {
                            let tuples = self
                                .columns()
                                .map(|column| self.under(column, row.published[column]).len());
                            (tuples.product::<usize>() as f64, class_size(row))
                        }
                    };
                    bits += (same * expected / size).log2();
                }
                bits / rows.max(1.0)
            }
            "query-error" => {
                let metric = match options {
                    "" => QueryError::asking(100, 1, table),
                    _ => QueryError::asking(200, 7, table),
                };
                // Which queries are drawn is not what is judged here.
                let errors: Vec<f64> = (metric.queries())
                    .map(|query| {
                        let counted = |row: &Row<'_>| {
                            (query.iter()).all(|(at, leaves)| leaves.contains(&row.raw[*at]))
                        };
                        let share = |row: &Row<'_>| -> f64 {
                            let shares = query.iter().map(|(at, leaves)| {
                                let under = self.under(*at, row.published[*at]);
                                let met = under.iter().filter(|&&it| leaves.contains(&(it as u32)));
                                met.count() as f64 / under.len() as f64
                            });
                            shares.product()
                        };
                        let answer = self.count(counted);
                        let estimate: f64 = safe().map(share).sum();
                        (estimate - answer).abs() / answer.max(1.0).max(rows / 1000.0)
                    })
                    .collect();
                errors.iter().sum::<f64>() / errors.len().max(1) as f64
            }
            "classification-metric" => {
                let frequency = |row: &Row<'_>, target: u32| {
                    self.count(|other| other.published == row.published && other.target == target)
                };
                let right = safe().map(|row| {
                    let majority = (0..3)
                        .map(|target| frequency(row, target))
                        .fold(0.0, f64::max);
                    majority / class_size(row)
                });
                (rows - right.sum::<f64>()) / rows.max(1.0)
            }
            other => panic!("no definition of {other}"),
        }
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-3)
}

fn compare(sample: &Sample, release: &Release) -> Result<(), TestCaseError> {
    let table = sample.table();
    let naive = Naive::new(sample, release);
    for spec in SPECS {
        let metric = metric(spec, &table);
        let loss = release.loss(&table, &*metric);
        let expected = naive.value(spec, &table);
        prop_assert!(close(loss, expected), "{spec}: {loss}, not {expected}");
        let reversed = release.reversed().loss(&table, &*metric);
        prop_assert_eq!(loss, reversed, "{} depends on the order of classes", spec);
    }
    Ok(())
}

proptest! {
    #[test]
    fn losses_at_a_node_are_those_of_the_definitions(
        sample in any_sample(),
        levels in prop::collection::vec(0u8..4, 3),
        safe in any::<u32>(),
    ) {
        let levels = sample.columns.iter().zip(levels).map(|(column, level)| level.min(column.height()));
        let node = crate::lattice::Node::from_levels(levels);
        let release = sample.release(sample.at(&node), |class, _| safe >> (class % 32) & 1 == 1);
        compare(&sample, &release)?;
    }

    #[test]
    fn losses_of_groups_from_several_levels_are_those_of_the_definitions(
        sample in any_sample(),
        levels in prop::collection::vec(0u8..4, 7),
        safe in any::<u32>(),
    ) {
        // Below each group of the top level, another level.
        let tops = sample.at(&sample.top());
        let groups = tops.iter().zip(&sample.columns).map(|(top, column)| {
            let labels: Vec<String> = (column.labels.iter().zip(&top.of_leaf))
                .map(|(row, &group)| row[levels[group as usize].min(column.height()) as usize].clone())
                .collect();
            let first = |label: &String| labels.iter().position(|other| other == label).unwrap();
            let firsts: std::collections::BTreeSet<usize> = labels.iter().map(first).collect();
            let firsts: Vec<usize> = firsts.into_iter().collect();
            let number = |label| firsts.iter().position(|&at| at == first(label)).unwrap() as u32;
            Groups { level: None, of_leaf: labels.iter().map(number).collect() }
        });
        let release = sample.release(groups.collect(), |class, _| safe >> (class % 32) & 1 == 1);
        compare(&sample, &release)?;
    }
}
