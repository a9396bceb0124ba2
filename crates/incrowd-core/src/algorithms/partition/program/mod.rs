//! The best partition of one attribute when those of all others are fixed.
//!
//! Both costs are then sums over the blocks of the attribute: whether and for how much a class is published depends
//! on its own block only. So the best partition follows from the costs of blocks: of neighbours by a dynamic program
//! over where the last block begins, of any sets by one over subsets, and along the tree from the values up.
//!
//! A budget for suppressed rows couples the blocks. Then the programs keep, instead of the one least cost, every
//! pair of cost and suppressed rows that no other beats in both; the answer stays exact.

mod block_costs;
mod joins;
mod steps;

use super::blocks::Partition;
use super::classes::{Classes, Lines};
use super::cost::{Cost, Judge};
use super::scheme::{Joins, Shape, Space};
use super::tree::Tree;
use crate::counts::Work;
use crate::problem::{Interruption, Meter};
use block_costs::Intervals;
use joins::components;
use steps::{Choice, Limits, Parts, Way, combined, runs, sets, side_by_side};

/// Any subset of so many parts is looked at.
const MOST_PARTS: usize = 15;
/// The same when a budget has to be kept.
const MOST_PARTS_IN_BUDGET: usize = 10;

/// What every run of so many values costs is kept in a table. Of columns with more values only some partitions are
/// looked at.
const MOST_VALUES: usize = 2048;
/// What every run of so many values, or of as many stretches of them, costs is kept in a table when there are more.
const MOST_STRETCHES: usize = 1024;

/// One attribute, all others fixed.
#[derive(Debug)]
pub(super) struct Program<'a> {
    meter: &'a Meter<'a>,
    cost: &'a Cost,
    judge: &'a Judge<'a>,
    classes: &'a Classes,
    lines: Lines,
    space: &'a Space,
    /// Rows of each value, by its place.
    rows: &'a [u32],
    max_suppressed: u32,
    /// Partitions that do not cost less are of no interest.
    limit: f64,
}

/// A partition of the attribute and what it costs.
#[derive(Debug, Clone)]
pub(super) struct Finished {
    pub(super) partition: Partition,
    pub(super) cost: f64,
    pub(super) suppressed: u32,
}

/// Whether the program for a space gives the optimum, and in bearable time.
pub(super) fn is_exact(space: &Space, is_budgeted: bool) -> bool {
    let most = if is_budgeted {
        MOST_PARTS_IN_BUDGET
    } else {
        MOST_PARTS
    };
    match &space.shape {
        Shape::Tree {
            tree,
            joins: Joins::Any,
        } => tree.nodes().iter().all(|node| node.children.len() <= most),
        _ => space.values() <= MOST_VALUES,
    }
}

impl<'a> Program<'a> {
    /// `rows` of each block of each attribute; the one asked for must have every value in a block of its own.
    pub(super) fn new(
        (cost, judge, meter): (&'a Cost, &'a Judge<'a>, &'a Meter<'a>),
        classes: &'a Classes,
        rows: &'a [Vec<u32>],
        (attribute, space): (usize, &'a Space),
        max_suppressed: u32,
        limit: f64,
    ) -> Self {
        Program {
            meter,
            cost,
            judge,
            lines: classes.lines(cost, rows, attribute),
            classes,
            space,
            rows: &rows[attribute],
            max_suppressed,
            limit,
        }
    }

    /// The best partition that costs less than the limit, if there is one that does not suppress too much.
    pub(super) fn solve(&self) -> Result<Option<Finished>, Interruption> {
        self.meter.spend(Work::of(self.classes.len()))?;
        if self.limit.is_finite() && self.floor() >= self.limit {
            return Ok(None);
        }
        let unlimited = self.cost.rows;
        let free = match self.max_suppressed {
            0 => self.ways(Limits::Forbidden)?,
            _ => self.ways(Limits::None)?,
        };
        let mut best = free.into_iter().next();
        let is_within = |way: &Way| way.cost.is_finite() && way.suppressed <= self.max_suppressed;
        if !best.as_ref().is_some_and(is_within) {
            if self.max_suppressed == 0 || self.max_suppressed >= unlimited {
                return Ok(None);
            }
            let within = self.ways(Limits::Budget(self.max_suppressed))?;
            best = within
                .into_iter()
                .min_by(|one, other| one.cost.total_cmp(&other.cost));
        }
        Ok(best.map(|way| Finished {
            partition: Partition::from_numbers(way.blocks),
            cost: way.cost,
            suppressed: way.suppressed,
        }))
    }

    /// The ways to partition all values that may be part of the best.
    fn ways(&self, limits: Limits) -> Result<Vec<Way>, Interruption> {
        match &self.space.shape {
            Shape::Tree { joins, .. } if *joins == Joins::Any => {}
            _ if self.space.values() <= MOST_VALUES => {}
            shape => return self.some_ways(shape, limits),
        }
        match &self.space.shape {
            Shape::Chain(chain) => {
                let intervals = self.intervals()?;
                let ways = chain.iter().map(|partition| {
                    let mut way = Way {
                        cost: 0.0,
                        suppressed: 0,
                        blocks: partition.of_values().to_vec(),
                    };
                    for block in partition.members() {
                        let block = intervals.get(block[0], block[block.len() - 1]);
                        way.cost += limits.cost(block);
                        way.suppressed += block.suppressed;
                    }
                    way
                });
                Ok(limits.best(ways))
            }
            Shape::Tree { tree, joins } => {
                let intervals = match joins {
                    Joins::Any => None,
                    _ => Some(self.intervals()?),
                };
                let roots = tree.roots().iter();
                let ways = roots
                    .map(|&root| self.ways_of_node(tree, *joins, root, limits, intervals.as_ref()));
                side_by_side(ways, limits, self.meter)
            }
        }
    }

    fn ways_of_node(
        &self,
        tree: &Tree,
        joins: Joins,
        at: usize,
        limits: Limits,
        intervals: Option<&Intervals>,
    ) -> Result<Vec<Way>, Interruption> {
        let node = &tree.nodes()[at];
        if node.is_value() {
            let block = match intervals {
                Some(intervals) => intervals.get(node.first, node.first),
                None => self.single(node.first)?,
            };
            return Ok(limits.best(std::iter::once(Way {
                cost: limits.cost(block),
                suppressed: block.suppressed,
                blocks: vec![0],
            })));
        }
        let nodes = tree.nodes();
        let children = Parts {
            ways: (node.children.iter())
                .map(|&child| self.ways_of_node(tree, joins, child, limits, intervals))
                .collect::<Result<_, _>>()?,
            lengths: (node.children.iter())
                .map(|&child| (nodes[child].end - nodes[child].first) as usize)
                .collect(),
        };
        let count = children.ways.len();
        match (joins, intervals) {
            (Joins::All, Some(intervals)) => {
                let whole = intervals.get(node.first, node.end - 1);
                let whole = Way {
                    cost: limits.cost(whole),
                    suppressed: whole.suppressed,
                    blocks: vec![0; (node.end - node.first) as usize],
                };
                let apart = side_by_side(children.ways.into_iter().map(Ok), limits, self.meter)?;
                Ok(limits.best(apart.into_iter().chain([whole])))
            }
            (Joins::Runs, Some(intervals)) => {
                let block = |from: usize, to: usize| {
                    intervals.get(
                        nodes[node.children[from]].first,
                        nodes[node.children[to]].end - 1,
                    )
                };
                let order: Vec<usize> = (0..count).collect();
                runs(&order, &children, block, limits, self.meter)
            }
            _ => {
                let mut unit_of_value = vec![u32::MAX; self.rows.len()];
                for (unit, &child) in (0..).zip(&node.children) {
                    for value in nodes[child].values() {
                        unit_of_value[value as usize] = unit;
                    }
                }
                if count > u64::BITS as usize {
                    return self.some_runs(&unit_of_value, &children, limits);
                }
                let mates = self.mates(&unit_of_value, count)?;
                let components = components(&mates);
                let most = match limits {
                    Limits::Budget(_) => MOST_PARTS_IN_BUDGET,
                    _ => MOST_PARTS,
                };
                if components.iter().any(|component| component.len() > most) {
                    return self.some_runs(&unit_of_value, &children, limits);
                }
                let choices = components.iter().map(|members| match members.as_slice() {
                    [single] => {
                        let ways = (0..).zip(&children.ways[*single]);
                        let choice = |(at, way): (u32, &Way)| Choice {
                            cost: way.cost,
                            suppressed: way.suppressed,
                            chosen: vec![(vec![*single], Some(at))],
                        };
                        Ok(ways.map(choice).collect())
                    }
                    _ => {
                        let blocks = self.sets(&unit_of_value, members, &mates)?;
                        sets(&children, members, &blocks, limits, self.meter)
                    }
                });
                combined(&children, choices, limits, self.meter)
            }
        }
    }

    /// Too many parts for all subsets: the best runs of two orders, as listed and by rows.
    fn some_runs(
        &self,
        unit_of_value: &[u32],
        children: &Parts,
        limits: Limits,
    ) -> Result<Vec<Way>, Interruption> {
        let count = children.ways.len();
        let rows_of_units = self.rows_of_units(unit_of_value, count);
        let listed: Vec<usize> = (0..count).collect();
        let mut by_rows = listed.clone();
        by_rows.sort_by_key(|&unit| rows_of_units[unit]);
        let mut ways = Vec::new();
        for order in [listed, by_rows] {
            let mut rank = vec![0; order.len()];
            for (place, &unit) in (0..).zip(&order) {
                rank[unit] = place;
            }
            let ranks: Vec<u32> = (unit_of_value.iter())
                .map(|&unit| {
                    if unit == u32::MAX {
                        unit
                    } else {
                        rank[unit as usize]
                    }
                })
                .collect();
            let intervals = self.intervals_of(&ranks, order.len())?;
            let block = |from: usize, to: usize| intervals.get(from as u32, to as u32);
            ways.extend(runs(&order, children, block, limits, self.meter)?);
        }
        Ok(limits.best(ways.into_iter()))
    }

    /// Too many values for a table of all runs: what the levels make of them, and the best runs of stretches of equal
    /// length where any neighbours may be joined.
    fn some_ways(&self, shape: &Shape, limits: Limits) -> Result<Vec<Way>, Interruption> {
        let mut ways = Vec::new();
        let mut consider = |partition: &Partition| -> Result<(), Interruption> {
            let (blocks, count) = (partition.of_values(), partition.blocks());
            let block = self.whole(blocks, count)?;
            ways.push(Way {
                cost: limits.cost(block),
                suppressed: block.suppressed,
                blocks: blocks.to_vec(),
            });
            Ok(())
        };
        match shape {
            Shape::Chain(chain) => chain.iter().try_for_each(consider)?,
            Shape::Tree { tree, joins } => {
                let mut level = 0;
                while let Some(partition) = tree.at_depth(level) {
                    consider(&partition)?;
                    level += 1;
                }
                // A tree without levels: neighbours may be joined whatever they are.
                let is_flat = *joins == Joins::Runs && tree.roots().len() == 1 && level == 2;
                if is_flat {
                    ways.extend(self.runs_of_stretches(limits)?);
                }
            }
        }
        Ok(limits.best(ways.into_iter()))
    }

    fn runs_of_stretches(&self, limits: Limits) -> Result<Vec<Way>, Interruption> {
        let values = self.space.values();
        let length = values.div_ceil(MOST_STRETCHES);
        let stretches = values.div_ceil(length);
        let unit_of_value: Vec<u32> = (0..values).map(|value| (value / length) as u32).collect();
        let intervals = self.intervals_of(&unit_of_value, stretches)?;
        let lengths: Vec<usize> = (0..stretches)
            .map(|at| length.min(values - at * length))
            .collect();
        let parts = Parts {
            ways: (0..stretches as u32)
                .map(|at| {
                    let block = intervals.get(at, at);
                    vec![Way {
                        cost: limits.cost(block),
                        suppressed: block.suppressed,
                        blocks: vec![0; lengths[at as usize]],
                    }]
                })
                .collect(),
            lengths,
        };
        let order: Vec<usize> = (0..stretches).collect();
        let block = |from: usize, to: usize| intervals.get(from as u32, to as u32);
        runs(&order, &parts, block, limits, self.meter)
    }
}
