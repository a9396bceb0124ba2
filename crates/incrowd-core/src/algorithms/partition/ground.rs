//! The search space: the values, spaces and classes of a problem, built once.

use super::NAME;
use super::blocks::Partition;
use super::classes::Classes;
use super::cost::{Cost, Judge};
use super::program::{Finished, Program};
use super::scheme::{Space, find};
use super::values::Values;
use crate::Error;
use crate::algorithms::partition::settings::{PartitionSettings, Scheme};
use crate::counts::Work;
use crate::problem::{Interruption, Meter, Problem};
use crate::recode::{ColumnRecoding, Grouping};
use std::ops::Deref;
use std::sync::Arc;

/// A problem as a search over partitions sees it, or a thread that does a part of it.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    data: Arc<GroundData<'a>>,
    pub(super) meter: &'a Meter<'a>,
}

/// What all threads share.
#[derive(Debug)]
pub(super) struct GroundData<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) values: Vec<Values>,
    pub(super) schemes: Vec<Scheme>,
    pub(super) spaces: Vec<Space>,
    pub(super) cost: Cost,
    pub(super) judge: Judge<'a>,
    /// The classes of the finest partitions.
    pub(super) finest: Classes,
    /// Rows of each value, by position.
    rows: Vec<Vec<u32>>,
}

/// One partition per attribute, and their cost.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solution {
    pub(super) partitions: Vec<Partition>,
    pub(super) cost: f64,
    pub(super) suppressed: u32,
}

impl Solution {
    /// Whether this is better by more than rounding differences of sums.
    pub(super) fn is_better_than(&self, other: Option<&Solution>) -> bool {
        other.is_none_or(|other| self.cost < below(other.cost))
    }
}

/// A cost lower than this one by more than rounding. No cost is below 0.
pub(super) fn below(cost: f64) -> f64 {
    cost.max(0.0) * (1.0 - 1e-11)
}

impl<'a> Deref for Ground<'a> {
    type Target = GroundData<'a>;

    fn deref(&self) -> &GroundData<'a> {
        &self.data
    }
}

impl<'a> Ground<'a> {
    /// For a thread that counts its work here.
    pub(super) fn of_thread(data: &Arc<GroundData<'a>>, meter: &'a Meter<'a>) -> Self {
        Ground {
            data: Arc::clone(data),
            meter,
        }
    }

    pub(super) fn data(&self) -> &Arc<GroundData<'a>> {
        &self.data
    }

    /// Refuses what it cannot search.
    pub(super) fn refuse(problem: &Problem<'_>, settings: &PartitionSettings) -> Result<(), Error> {
        if problem.crowds_overlap() {
            return Err(Error::MatchAnyRefused { algorithm: NAME });
        }
        let attributes = &problem.table.attributes;
        // The search keeps a bit for each attribute.
        if attributes.len() > u64::BITS as usize {
            return Err(Error::PartitionTooWide);
        }
        let named = (settings.schemes.iter().map(|(column, _)| column))
            .chain(settings.orders.iter().map(|(column, _)| column))
            .chain(settings.coarse.iter().map(|steps| &steps.column));
        for column in named {
            if !attributes.iter().any(|attribute| attribute.name == *column) {
                return Err(Error::PartitionColumnUnknown {
                    column: column.clone(),
                    known: attributes
                        .iter()
                        .map(|attribute| attribute.name.clone())
                        .collect(),
                });
            }
        }
        Cost::new(problem).map(drop)
    }

    pub(super) fn new(
        problem: &'a Problem<'a>,
        settings: &PartitionSettings,
        meter: &'a Meter<'a>,
    ) -> Result<Self, Error> {
        Self::refuse(problem, settings)?;
        let attributes = &problem.table.attributes;
        let cost = Cost::new(problem)?;
        let judge = Judge::new(problem);
        let schemes: Vec<Scheme> = (attributes.iter())
            .map(|attribute| settings.scheme_of(&attribute.name))
            .collect();
        let population = problem.table.population.as_deref();
        let population = population.filter(|_| judge.reads_people);
        let values = (attributes.iter().zip(&schemes).enumerate())
            .zip(problem.max_levels.levels())
            .map(|((at, (attribute, &scheme)), highest)| {
                let of_people = population.map(|it| &it.attributes[at].rows_of_groups[0]);
                let order = settings
                    .orders
                    .iter()
                    .find(|(column, _)| *column == attribute.name);
                let steps = settings
                    .coarse
                    .iter()
                    .find(|steps| steps.column == attribute.name);
                Values::new(
                    (attribute, of_people),
                    scheme,
                    highest,
                    order.map(|(_, order)| order.as_slice()),
                    steps,
                )
            })
            .collect::<Result<Vec<_>, _>>()?;
        let spaces: Vec<Space> = (values.iter().zip(&schemes))
            .map(|(values, scheme)| find(*scheme).space(values))
            .collect();
        let finest = Classes::new(problem.table, (&values, &spaces), &cost, &judge, meter)?;
        let rows = (values.iter().zip(&spaces))
            .map(|(values, space)| {
                let rows = space.order.iter().map(|&value| values.rows[value as usize]);
                rows.collect()
            })
            .collect();
        let data = GroundData {
            problem,
            values,
            schemes,
            spaces,
            cost,
            judge,
            finest,
            rows,
        };
        Ok(Ground {
            data: Arc::new(data),
            meter,
        })
    }

    pub(super) fn attributes(&self) -> usize {
        self.spaces.len()
    }

    /// The spaces, but where any neighbors may be joined only those partitions that the hierarchy guides to, unless that needs another
    /// order of the values. None if that leaves all.
    pub(super) fn guided_spaces(&self) -> Option<Vec<Space>> {
        let mut is_guided = false;
        let spaces = (self.spaces.iter().zip(&self.schemes)).zip(&self.values);
        let spaces = spaces.map(|((space, &scheme), values)| {
            let guided = (scheme == Scheme::Ops).then(|| find(Scheme::Gops).space(values));
            let guided = guided.filter(|guided| guided.order == space.order);
            // There may be too many partitions to count.
            is_guided |= (guided.as_ref()).is_some_and(|guided| guided.groups() > space.groups());
            guided.unwrap_or_else(|| space.clone())
        });
        let spaces = spaces.collect();
        is_guided.then_some(spaces)
    }

    pub(super) fn max_suppressed(&self) -> u32 {
        self.problem.max_suppressed.min(self.cost.rows)
    }

    /// Whether some rows may be suppressed and others may not.
    pub(super) fn is_budgeted(&self) -> bool {
        (1..self.cost.rows).contains(&self.problem.max_suppressed)
    }

    /// Rows of each block.
    pub(super) fn rows_of_blocks(&self, attribute: usize, partition: &Partition) -> Vec<u32> {
        let mut rows = vec![0; partition.blocks()];
        for (&block, &more) in partition.of_values().iter().zip(&self.rows[attribute]) {
            rows[block as usize] += more;
        }
        rows
    }

    pub(super) fn rows_of_all_blocks(&self, partitions: &[Partition]) -> Vec<Vec<u32>> {
        let all = partitions.iter().enumerate();
        all.map(|(attribute, partition)| self.rows_of_blocks(attribute, partition))
            .collect()
    }

    /// The classes of partitions, merged from those of finer ones.
    pub(super) fn merge(
        &self,
        classes: &Classes,
        from: &[Partition],
        to: &[Partition],
    ) -> Result<Classes, Interruption> {
        let changes: Vec<(usize, Partition)> = (from.iter().zip(to).enumerate())
            .filter(|(_, (from, to))| from != to)
            .map(|(attribute, (from, to))| (attribute, Partition::from_numbers(from.blocks_in(to))))
            .collect();
        let changes: Vec<(usize, &Partition)> = changes
            .iter()
            .map(|(attribute, change)| (*attribute, change))
            .collect();
        let values: usize = from.iter().map(|from| from.of_values().len()).sum();
        self.meter.spend(classes.work() + Work::of(values))?;
        Ok(classes.merged(&changes))
    }

    pub(super) fn all_finest(&self) -> Vec<Partition> {
        self.spaces
            .iter()
            .map(|space| Partition::finest(space.values()))
            .collect()
    }

    /// What partitions cost.
    pub(super) fn evaluate(&self, partitions: Vec<Partition>) -> Result<Solution, Interruption> {
        let classes = self.merge(&self.finest, &self.all_finest(), &partitions)?;
        self.evaluate_counted(&classes, partitions)
    }

    pub(super) fn evaluate_counted(
        &self,
        classes: &Classes,
        partitions: Vec<Partition>,
    ) -> Result<Solution, Interruption> {
        self.meter.spend(classes.work())?;
        let rows = self.rows_of_all_blocks(&partitions);
        let (cost, suppressed) = classes.cost(&self.cost, &self.judge, &rows);
        Ok(Solution {
            partitions,
            cost: if suppressed > self.max_suppressed() {
                f64::INFINITY
            } else {
                // Differences of similar numbers may be slightly negative.
                cost.max(0.0)
            },
            suppressed,
        })
    }

    /// The best partition of one attribute, whose values are alone in these classes, that costs less than the limit.
    pub(super) fn finish(
        &self,
        classes: &Classes,
        partitions: &[Partition],
        attribute: usize,
        limit: f64,
    ) -> Result<Option<Finished>, Interruption> {
        self.meter.spend(classes.work())?;
        let rows = self.rows_of_all_blocks(partitions);
        let program = Program::new(
            (&self.cost, &self.judge, self.meter),
            classes,
            &rows,
            (attribute, &self.spaces[attribute]),
            self.max_suppressed(),
            limit,
        );
        program.solve()
    }

    /// How the partitions are published.
    pub(super) fn recoding(&self, partitions: &[Partition]) -> ColumnRecoding {
        let attributes = self.problem.table.attributes.iter().enumerate();
        let groupings = attributes.map(|(at, attribute)| {
            let groups = self.values[at].groups_of_leaves(
                attribute,
                self.schemes[at],
                &self.spaces[at].order,
                &partitions[at],
            );
            Grouping::new(attribute, &groups)
        });
        ColumnRecoding::Partitions(groupings.collect())
    }
}
