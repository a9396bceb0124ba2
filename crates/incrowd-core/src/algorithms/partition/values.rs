//! The values of a column that a search distinguishes, and their order.
//!
//! A value is a leaf of the hierarchy that some row has, or a step that contains several of them. Where models read who in a
//! population matches a class, it may also be a leaf that only somebody of the population has. Other leaves cost nothing
//! wherever they are; they are placed once the partition is found.

use super::blocks::Partition;
use crate::Error;
use crate::algorithms::partition::settings::{CoarseSteps, Scheme};
use crate::counts::Attribute;
use crate::hierarchy::Leaf;
use crate::hierarchy::build::interval;
use crate::lattice::Level;
use crate::table::{Kind, parse_date, parse_number};
use std::collections::BTreeMap;

/// The values of a column, in order.
#[derive(Debug, Clone)]
pub(super) struct Values {
    /// The value of each leaf; none if neither a row nor anybody has the leaf.
    pub values_of_leaves: Vec<Option<u32>>,
    /// Rows with each value.
    pub rows: Vec<u32>,
    /// The group of each value at each level, from the values themselves to the highest acceptable level. A group that
    /// a step crosses is merged with its neighbor.
    pub levels: Vec<Vec<u32>>,
}

impl Values {
    /// The highest acceptable level.
    fn highest(&self) -> Level {
        Level(self.levels.len() as u8 - 1)
    }

    /// The values of an attribute up to a level; in the order given, or the one that numbers, dates or the
    /// hierarchy have. If people matter, `of_people` says how many have each leaf.
    pub(super) fn new(
        (attribute, of_people): (&Attribute, Option<&Vec<u32>>),
        scheme: Scheme,
        highest: Level,
        order: Option<&[String]>,
        steps: Option<&CoarseSteps>,
    ) -> Result<Values, Error> {
        let has_people = |leaf: u32| of_people.is_some_and(|people| people[leaf as usize] > 0);
        let has_rows = |leaf: u32| attribute.rows_of_groups[0][leaf as usize] > 0;
        let present: Vec<u32> = (0..attribute.hierarchy.leaves() as u32)
            .filter(|&leaf| has_rows(leaf) || has_people(leaf))
            .collect();
        let ordered = match order {
            Some(order) => given_order(attribute, &present, order)?,
            None => natural_order(attribute, scheme, present),
        };
        let step_of = match steps {
            Some(steps) => {
                let step_of = steps_of(attribute, &ordered, steps)?;
                check_steps(attribute, highest, &ordered, &step_of)?;
                step_of
            }
            None => (0..ordered.len() as u32).collect(),
        };
        Ok(Values::of_steps(attribute, highest, &ordered, step_of))
    }

    /// From the leaves in order and the step of each, numbered in any way.
    fn of_steps(
        attribute: &Attribute,
        highest: Level,
        ordered: &[u32],
        step_of: Vec<u32>,
    ) -> Values {
        let steps = Partition::from_numbers(step_of);
        let mut values_of_leaves = vec![None; attribute.hierarchy.leaves()];
        let mut rows = vec![0; steps.blocks()];
        for (&leaf, &value) in ordered.iter().zip(steps.of_values()) {
            values_of_leaves[leaf as usize] = Some(value);
            rows[value as usize] += attribute.rows_of_groups[0][leaf as usize];
        }
        let level = |level: Level| {
            let groups = attribute.hierarchy.groups_of_leaves(level);
            let mut above = Merging::new(steps.blocks());
            let mut first_of_group = BTreeMap::new();
            for (&leaf, &value) in ordered.iter().zip(steps.of_values()) {
                let group = groups[leaf as usize];
                let first = *first_of_group.entry(group).or_insert(value);
                above.join(first, value);
            }
            (0..steps.blocks() as u32)
                .map(|value| above.find(value))
                .collect()
        };
        let mut levels = vec![(0..steps.blocks() as u32).collect()];
        levels.extend(Level::up_to(highest).skip(1).map(level));
        Values {
            values_of_leaves,
            rows,
            levels,
        }
    }

    /// The group of every leaf for a partition of the values. Leaves without rows join the nearest block if the scheme
    /// wants or allows it, and stay alone otherwise.
    pub(super) fn groups_of_leaves(
        &self,
        attribute: &Attribute,
        scheme: Scheme,
        order: &[u32],
        partition: &Partition,
    ) -> Vec<u32> {
        let mut block_of_value = vec![0; order.len()];
        for (&value, &block) in order.iter().zip(partition.of_values()) {
            block_of_value[value as usize] = block;
        }
        let leaves = self.values_of_leaves.len();
        let mut blocks: Vec<Option<u32>> = (self.values_of_leaves.iter())
            .map(|value| value.map(|value| block_of_value[value as usize]))
            .collect();
        let mut next = partition.blocks() as u32;
        match scheme {
            Scheme::Ops | Scheme::Sps => {
                // With the block before, in the order of leaves, or the first one; within the highest level.
                let highest = attribute.hierarchy.groups_of_leaves(self.highest());
                let natural = natural_order(attribute, scheme, (0..leaves as u32).collect());
                let first = natural
                    .iter()
                    .find(|&&leaf| blocks[leaf as usize].is_some());
                let mut before = first.map(|&leaf| (blocks[leaf as usize], highest[leaf as usize]));
                for leaf in natural {
                    let (block, above) = (&mut blocks[leaf as usize], highest[leaf as usize]);
                    if block.is_none() {
                        let joined = before.filter(|(_, group)| *group == above);
                        *block = joined.map_or(Some(next), |(block, _)| block);
                        next += u32::from(joined.is_none());
                    }
                    before = Some((*block, above));
                }
            }
            Scheme::Bhs => {
                let restricted = |level: Level| {
                    let groups = attribute.hierarchy.groups_of_leaves(level);
                    let present = (0..leaves).filter(|&leaf| blocks[leaf].is_some());
                    let pairs = present.map(|leaf| (groups[leaf], blocks[leaf].unwrap_or(0)));
                    let pairs: Vec<(u32, u32)> = pairs.collect();
                    let (groups, own): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
                    Partition::from_numbers(groups) == Partition::from_numbers(own)
                };
                let level = Level::up_to(self.highest()).find(|&level| restricted(level));
                for (leaf, block) in blocks.iter_mut().enumerate() {
                    match level {
                        Some(level) => {
                            *block = Some(attribute.hierarchy.groups_of_leaves(level)[leaf])
                        }
                        None if block.is_none() => {
                            *block = Some(next);
                            next += 1;
                        }
                        None => {}
                    }
                }
            }
            Scheme::Ghs | Scheme::Gops | Scheme::Gsps => {
                let hierarchy = &attribute.hierarchy;
                let mut places = vec![0; leaves];
                let natural = natural_order(attribute, scheme, (0..leaves as u32).collect());
                for (place, leaf) in (0..).zip(natural) {
                    places[leaf as usize] = place;
                }
                // The leaves of each block, and how high it reaches: the level at which they are in one group.
                let members: Vec<(Vec<usize>, Level)> = (0..next)
                    .map(|block| {
                        let within: Vec<usize> = (0..leaves)
                            .filter(|&leaf| blocks[leaf] == Some(block))
                            .collect();
                        let level = Level::up_to(hierarchy.height()).find(|&level| {
                            let groups = hierarchy.groups_of_leaves(level);
                            within.iter().all(|&leaf| groups[leaf] == groups[within[0]])
                        });
                        (within, level.unwrap_or(hierarchy.height()))
                    })
                    .collect();
                let belongs = |leaf: usize, (within, level): &(Vec<usize>, Level)| {
                    let shares = |level: Level| {
                        let groups = hierarchy.groups_of_leaves(level);
                        within.iter().any(|&other| groups[other] == groups[leaf])
                    };
                    let nearer = level.below().is_some_and(shares);
                    let between = || {
                        let place = |leaf: &usize| places[*leaf];
                        within.iter().map(place).min() < Some(places[leaf])
                            && within.iter().map(place).max() > Some(places[leaf])
                    };
                    match scheme {
                        Scheme::Ghs => shares(*level),
                        Scheme::Gops => nearer || between(),
                        _ => nearer,
                    }
                };
                let absent: Vec<usize> =
                    (0..leaves).filter(|&leaf| blocks[leaf].is_none()).collect();
                for leaf in absent {
                    let found = members.iter().position(|block| belongs(leaf, block));
                    blocks[leaf] = Some(found.map_or(next, |block| block as u32));
                    next += u32::from(found.is_none());
                }
            }
        }
        let blocks = blocks.into_iter().map(|block| block.unwrap_or(0));
        Partition::from_numbers(blocks).of_values().to_vec()
    }
}

/// Numbers and dates ascending, with a missing or unlisted one first. Text as listed in its hierarchy file or ordered
/// by its rule, by its bytes if the rule has no order, with a missing one last; schemes that follow the hierarchy keep
/// groups together, in the order of their first value.
fn natural_order(attribute: &Attribute, scheme: Scheme, mut leaves: Vec<u32>) -> Vec<u32> {
    let hierarchy = &attribute.hierarchy;
    let number = |leaf: u32| -> Option<f64> {
        let text = hierarchy.text(Leaf(leaf));
        match attribute.kind {
            Kind::Number => parse_number(text).map(|number| number.get()),
            Kind::Date => parse_date(text).map(|date| {
                let since = date.duration_since(jiff::civil::date(1970, 1, 1));
                since.as_hours() as f64
            }),
            Kind::Text => None,
        }
    };
    match attribute.kind {
        Kind::Text if scheme == Scheme::Ops => match hierarchy.is_ordered() {
            true => leaves.sort_unstable(),
            false => leaves.sort_by_key(|&leaf| {
                let is_missing = attribute.missing == Some(Leaf(leaf));
                (is_missing, hierarchy.text(Leaf(leaf)))
            }),
        },
        Kind::Text => {
            let path = |leaf: u32| -> Vec<u32> {
                let levels = Level::up_to(hierarchy.height()).rev();
                levels
                    .map(|level| hierarchy.groups_of_leaves(level)[leaf as usize])
                    .collect()
            };
            leaves.sort_by_cached_key(|&leaf| path(leaf));
        }
        Kind::Number | Kind::Date => leaves.sort_by(|&one, &other| {
            let (number_one, number_other) = (number(one), number(other));
            let by_number = match (number_one, number_other) {
                (Some(one), Some(other)) => one.total_cmp(&other),
                (one, other) => one.is_some().cmp(&other.is_some()),
            };
            by_number.then(one.cmp(&other))
        }),
    }
    leaves
}

fn given_order(
    attribute: &Attribute,
    present: &[u32],
    order: &[String],
) -> Result<Vec<u32>, Error> {
    let mut ordered = Vec::new();
    for text in order {
        if let Some(Leaf(leaf)) = attribute.hierarchy.leaf(text)
            && present.contains(&leaf)
            && !ordered.contains(&leaf)
        {
            ordered.push(leaf);
        }
    }
    match present.len() - ordered.len() {
        0 => Ok(ordered),
        missing => Err(Error::OrderIncomplete {
            column: attribute.name.clone(),
            missing,
        }),
    }
}

/// The step of each leaf, numbers only; anything else is a step by itself.
fn steps_of(
    attribute: &Attribute,
    ordered: &[u32],
    steps: &CoarseSteps,
) -> Result<Vec<u32>, Error> {
    if attribute.kind != Kind::Number {
        return Err(Error::StepsNeedNumbers {
            column: attribute.name.clone(),
        });
    }
    let text = |leaf: u32| attribute.hierarchy.text(Leaf(leaf));
    let is_number = |leaf: u32| parse_number(text(leaf)).is_some();
    let numbers: Vec<&str> = (ordered.iter())
        .filter(|&&leaf| is_number(leaf))
        .map(|&leaf| text(leaf))
        .collect();
    let steps = interval(&attribute.name, &numbers, &[steps.width], steps.origin)?;
    let groups = steps.groups_of_leaves(Level(1));
    let mut alone = steps.groups(Level(1)) as u32;
    let step = ordered.iter().map(|&leaf| {
        let step = steps.leaf(text(leaf)).filter(|_| is_number(leaf));
        match step {
            Some(leaf) => groups[leaf.index()],
            None => {
                alone += 1;
                alone
            }
        }
    });
    Ok(step.collect())
}

/// Refuses steps that no acceptable level publishes as a whole, since a step is never split.
fn check_steps(
    attribute: &Attribute,
    highest: Level,
    ordered: &[u32],
    step_of: &[u32],
) -> Result<(), Error> {
    let groups = attribute.hierarchy.groups_of_leaves(highest);
    let mut group_of_step = BTreeMap::new();
    let mut pairs = ordered.iter().zip(step_of);
    let is_within = pairs.all(|(&leaf, step)| {
        let group = groups[leaf as usize];
        *group_of_step.entry(step).or_insert(group) == group
    });
    match is_within {
        true => Ok(()),
        false => Err(Error::StepsAboveLevel {
            column: attribute.name.clone(),
            level: highest,
        }),
    }
}

/// Sets that can be merged; the smallest member represents each.
struct Merging(Vec<u32>);

impl Merging {
    fn new(members: usize) -> Self {
        Merging((0..members as u32).collect())
    }

    fn find(&self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            member = self.0[member as usize];
        }
        member
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}
