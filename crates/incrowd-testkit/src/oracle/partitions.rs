//! Optimal partitions as they are written down: every set partition of every column, those that the scheme's
//! definition allows, every row.

use super::{OracleMetric, OracleProblem, RawHierarchy};
use std::collections::BTreeMap;

/// For each value of a column the block it is in.
pub type RawPartition<'a> = BTreeMap<&'a str, usize>;

/// Steps that numbers are put in and never taken apart: how wide they are and where one begins.
pub type RawSteps = Option<(i64, i64)>;

/// A column's values in the rows, in order, with what a scheme needs to know of them.
#[derive(Debug)]
pub struct OrderedValues<'a> {
    /// From first to last.
    pub values: Vec<&'a str>,
    /// The same by position, groups kept together: the order in which whole groups are neighbors.
    by_group: Vec<usize>,
    highest: usize,
    /// For each level, numbers that say which values are in one group there. Groups that share a step are one.
    groups: Vec<Vec<usize>>,
}

impl OracleProblem {
    /// The values of a quasi-identifier: of all rows, and of everyone if models are about people, or all that the hierarchy
    /// lists.
    pub fn ordered_values(&self, attribute: usize, listed: bool) -> OrderedValues<'_> {
        self.values_in_steps(attribute, listed, None)
    }

    /// The same when numbers are put in steps.
    pub fn values_in_steps(
        &self,
        attribute: usize,
        listed: bool,
        steps: RawSteps,
    ) -> OrderedValues<'_> {
        let (column, hierarchy) = &self.quasi_identifiers[attribute];
        let rows = self.rows();
        let mut present = self.values(&rows, column);
        if self.models.iter().any(|it| it.promise.is_about_people()) {
            let people = self.people().into_iter();
            present.extend(people.map(|person| person[attribute].as_str()));
        }
        let all_rows: Vec<usize> = (0..self.table.rows.len()).collect();
        let mut data = self.values(&all_rows, column);
        data.retain(|value| !value.is_empty());
        let is_number = |value: &str| value.parse::<f64>().is_ok();
        let numeric = !data.is_empty() && data.iter().all(|value| is_number(value));
        let mut values: Vec<&str> = (hierarchy.iter().map(|way| way[0].as_str()))
            .filter(|value| listed || present.contains(value))
            .collect();
        let mut by_group: Vec<usize> = (0..values.len()).collect();
        if numeric {
            let number = |value: &str| value.parse::<f64>().unwrap_or(f64::NEG_INFINITY);
            values.sort_by(|one, other| number(one).total_cmp(&number(other)));
        } else {
            // As listed; groups by where the group of each level is listed first.
            let first = |value: &str, level: usize| {
                let way = hierarchy.iter().find(|way| way[0] == value);
                let group = &way.expect("listed")[level];
                hierarchy.iter().position(|way| way[level] == *group)
            };
            let top = hierarchy[0].len();
            by_group.sort_by_key(|&at| {
                let levels = (0..top).rev();
                (levels.map(|level| first(values[at], level))).collect::<Vec<_>>()
            });
        }
        OrderedValues {
            groups: groups_by_level(hierarchy, &values, steps),
            values,
            by_group,
            highest: self.max_levels[attribute].into(),
        }
    }

    /// Whether some step holds values that are not in one group of the highest acceptable level.
    pub fn steps_reach_too_high(&self, attribute: usize, steps: RawSteps) -> bool {
        let (raw, in_steps) = (
            self.ordered_values(attribute, false),
            self.values_in_steps(attribute, false, steps),
        );
        in_steps.groups[in_steps.highest] != raw.groups[raw.highest]
    }

    /// What partitions cost, and whether they suppress no more than allowed.
    pub fn cost_of_partitions(
        &self,
        metric: &OracleMetric,
        partitions: &[RawPartition<'_>],
    ) -> (f64, bool) {
        let rows = self.rows();
        let cells: Vec<Vec<&str>> = (self.quasi_identifiers.iter())
            .map(|(column, _)| self.values(&rows, column))
            .collect();
        let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for row in 0..rows.len() {
            let look = cells
                .iter()
                .zip(partitions)
                .map(|(cells, partition)| partition[cells[row]]);
            classes.entry(look.collect()).or_default().push(row);
        }
        let all = rows.len() as f64;
        let (mut cost, mut suppressed) = (0.0, 0);
        let mut published: Vec<usize> = Vec::new();
        for (number, class) in classes.values().enumerate() {
            let members: Vec<usize> = class.iter().map(|&row| rows[row]).collect();
            let looks_so = |person: &&[String]| {
                let mut cells = person.iter().zip(partitions).zip(&cells);
                cells.all(|((value, partition), cells)| {
                    partition[value.as_str()] == partition[cells[class[0]]]
                })
            };
            let people = match self.population {
                Some(_) => self.people().into_iter().filter(looks_so).count(),
                None => 0,
            };
            let is_safe = self.models.iter().all(|model| {
                model.holds(self, &members, &rows)
                    && (model.promise).holds_among(class.len(), people, class.len())
            });
            match is_safe {
                true => published.extend(vec![number; class.len()]),
                false => suppressed += class.len(),
            }
            cost += match metric {
                OracleMetric::Discernibility if is_safe => (class.len() * class.len()) as f64,
                OracleMetric::Discernibility => class.len() as f64 * all,
                OracleMetric::Hdm { .. } if !is_safe => class.len() as f64,
                OracleMetric::Hdm { weights } => {
                    let of_row = |&row: &usize| {
                        let (mut sum, mut total) = (0.0, 0.0);
                        for (at, (column, _)) in self.quasi_identifiers.iter().enumerate() {
                            let given = weights.iter().find(|(name, _)| name == column);
                            let weight = given.map_or(1.0, |(_, weight)| *weight);
                            let value = cells[at][row];
                            let block = partitions[at][value];
                            let same =
                                cells[at].iter().filter(|other| **other == value).count() as f64;
                            let alike = cells[at]
                                .iter()
                                .filter(|other| partitions[at][**other] == block);
                            total += weight;
                            if same < all {
                                sum += weight * (alike.count() as f64 - same) / (all - same);
                            }
                        }
                        sum / total
                    };
                    class.iter().map(of_row).sum()
                }
                _ => panic!("partitions are not searched by {}", metric.name()),
            };
        }
        let is_feasible = suppressed <= self.max_suppressed && self.holds_of_all(&published);
        (cost, is_feasible)
    }

    /// The least cost of all partitions that the schemes, one for each quasi-identifier, allow within the budget.
    pub fn least_cost_of_partitions(&self, metric: &OracleMetric, schemes: &[&str]) -> Option<f64> {
        self.least_cost_in_steps(metric, schemes, &vec![None; schemes.len()])
    }

    /// The same when the numbers of columns are put in steps.
    pub fn least_cost_in_steps(
        &self,
        metric: &OracleMetric,
        schemes: &[&str],
        steps: &[RawSteps],
    ) -> Option<f64> {
        let ordered: Vec<OrderedValues<'_>> = (steps.iter().enumerate())
            .map(|(attribute, &steps)| self.values_in_steps(attribute, false, steps))
            .collect();
        let allowed: Vec<Vec<RawPartition<'_>>> = (ordered.iter().zip(schemes))
            .map(|(values, scheme)| values.allowed(scheme))
            .collect();
        let mut least: Option<f64> = None;
        let mut choice = vec![0; allowed.len()];
        loop {
            let partitions: Vec<RawPartition<'_>> = (allowed.iter().zip(&choice))
                .map(|(all, &at)| all[at].clone())
                .collect();
            let (cost, is_feasible) = self.cost_of_partitions(metric, &partitions);
            if is_feasible {
                least = Some(least.map_or(cost, |least| least.min(cost)));
            }
            let mut at = 0;
            loop {
                if at == choice.len() {
                    return least;
                }
                choice[at] += 1;
                if choice[at] < allowed[at].len() {
                    break;
                }
                choice[at] = 0;
                at += 1;
            }
        }
    }
}

impl<'a> OrderedValues<'a> {
    /// Every partition that a scheme allows.
    pub fn allowed(&self, scheme: &str) -> Vec<RawPartition<'a>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in &self.values {
            all = (all.iter())
                .flat_map(|blocks| {
                    let next = blocks.iter().max().map_or(0, |most| most + 1);
                    (0..=next).map(move |block| [blocks.as_slice(), &[block]].concat())
                })
                .collect();
        }
        (all.into_iter().filter(|blocks| self.allows(scheme, blocks)))
            .map(|blocks| self.values.iter().copied().zip(blocks).collect())
            .collect()
    }

    /// Whether each group of the highest acceptable level is a run of the order.
    pub fn groups_are_runs(&self) -> bool {
        let groups = &self.groups[self.highest];
        (0..groups.len()).all(|x| {
            (x..groups.len())
                .filter(|&y| groups[x] == groups[y])
                .all(|y| (x..y).all(|z| groups[z] == groups[x]))
        })
    }

    /// Whether groups kept together are in the order of the values.
    pub fn order_follows_groups(&self) -> bool {
        self.by_group.is_sorted()
    }

    /// The height of the lowest common group.
    fn distance(&self, one: usize, other: usize) -> usize {
        let mut levels = self.groups.iter();
        let together = levels.position(|groups| groups[one] == groups[other]);
        together.expect("the last level is one group")
    }

    /// Whether a scheme allows these blocks, given in the order of the values.
    pub fn allows(&self, scheme: &str, blocks: &[usize]) -> bool {
        let count = blocks.len();
        let pairs = || (0..count).flat_map(move |x| (0..count).map(move |y| (x, y)));
        let together = || pairs().filter(|&(x, y)| blocks[x] == blocks[y]);
        let consecutive = |order: &[usize]| {
            let mut pairs = pairs().filter(|&(x, y)| blocks[order[x]] == blocks[order[y]]);
            pairs.all(|(x, y)| (x..y).all(|z| blocks[order[z]] == blocks[order[x]]))
        };
        let listed: Vec<usize> = (0..count).collect();
        let guided = || {
            together().all(|(x, y)| {
                (0..count)
                    .all(|z| self.distance(x, z) >= self.distance(x, y) || blocks[z] == blocks[x])
            })
        };
        let at_level = |level: usize| {
            pairs().all(|(x, y)| {
                (blocks[x] == blocks[y]) == (self.groups[level][x] == self.groups[level][y])
            })
        };
        let is_cut = || {
            (0..count).all(|x| {
                (0..=self.highest).any(|level| {
                    (0..count).all(|y| {
                        (blocks[x] == blocks[y]) == (self.groups[level][x] == self.groups[level][y])
                    })
                })
            })
        };
        pairs().all(|(x, y)| self.distance(x, y) > 0 || blocks[x] == blocks[y])
            && together().all(|(x, y)| self.distance(x, y) <= self.highest)
            && match scheme {
                "bhs" => (0..=self.highest).any(at_level),
                "ghs" => is_cut(),
                "gops" => guided() && consecutive(&self.by_group),
                "gsps" => guided(),
                "ops" => consecutive(&listed),
                "sps" => true,
                _ => panic!("no scheme is called {scheme}"),
            }
    }
}

/// For each level, numbers that say which values are in one group there: those that the hierarchy puts together, and
/// whatever a step or a chain of steps and groups puts together with them.
fn groups_by_level(hierarchy: &RawHierarchy, values: &[&str], steps: RawSteps) -> Vec<Vec<usize>> {
    let way = |value: &str| {
        let way = hierarchy.iter().find(|way| way[0] == value);
        way.expect("a hierarchy lists every value")
    };
    let step = |value: &str| {
        let (width, origin) = steps?;
        Some((value.parse::<i64>().ok()? - origin).div_euclid(width))
    };
    let of_level = |level: usize| {
        let mut groups: Vec<usize> = (0..values.len()).collect();
        for (at, &one) in values.iter().enumerate() {
            for (other_at, &other) in values.iter().enumerate() {
                let in_one_step = step(one).is_some() && step(one) == step(other);
                if in_one_step || way(one)[level] == way(other)[level] {
                    let (from, to) = (groups[other_at], groups[at]);
                    let joined = groups.iter_mut().filter(|group| **group == from);
                    joined.for_each(|group| *group = to);
                }
            }
        }
        groups
    };
    (0..hierarchy[0].len()).map(of_level).collect()
}
