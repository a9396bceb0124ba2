//! A lower bound of the cost of everything below a node, from the sizes of classes and from what [promises](super::parts) say
//! of their values.

use super::super::blocks::Partition;
use super::super::classes::Classes;
use super::explore::Explorer;
use crate::problem::Interruption;

/// A lower bound of the cost of partitions.
pub(super) struct Bounds {
    /// Those as coarse as the fine corner.
    pub(super) wherever: f64,
    /// Those between the corners.
    pub(super) below: f64,
    /// Rows that all those between the corners suppress.
    pub(super) lost: u32,
    /// All those between the corners suppress too much.
    pub(super) is_over_budget: bool,
}

impl Explorer<'_, '_> {
    /// The finest and the coarsest partitions below a node.
    pub(super) fn corners(
        &self,
        partitions: &[Partition],
        changed: usize,
        fixed: u64,
    ) -> (Vec<Partition>, Vec<Partition>) {
        let (spaces, plan) = (&self.ground.spaces, self.plan);
        let mut fine = partitions.to_vec();
        let mut coarse = partitions.to_vec();
        if let Some(finished) = plan.finished {
            coarse[finished] = spaces[finished].coarsest();
        }
        for (place, &attribute) in plan.order.iter().enumerate().skip(changed) {
            let (space, partition) = (&spaces[attribute], &partitions[attribute]);
            match (plan.is_bottom_up, place == changed) {
                _ if fixed >> place & 1 == 1 => {}
                (true, true) => coarse[attribute] = space.highest_below(partition),
                (true, false) => coarse[attribute] = space.coarsest(),
                (false, true) => fine[attribute] = space.lowest_below(partition),
                (false, false) => fine[attribute] = space.finest(),
            }
        }
        (fine, coarse)
    }

    /// A lower bound of the cost of everything between two corners.
    pub(super) fn bound(
        &mut self,
        classes: &Classes,
        fine: &[Partition],
        coarse: &[Partition],
    ) -> Result<Bounds, Interruption> {
        let (ground, plan) = (self.ground, self.plan);
        let (rules, is_bottom_up) = (plan.rules, plan.is_bottom_up);
        ground.meter.spend(classes.work() + classes.work())?;
        let (cost, judge) = (&ground.cost, &ground.judge);
        let rows = ground.rows_of_all_blocks(fine);
        let looks_up = rules.tighter_bounds || rules.useful_applicators || !is_bottom_up;
        let looks_at_parts = self.may_look_at_parts();
        let wider = looks_up.then(|| {
            let maps: Vec<Vec<u32>> = (fine.iter().zip(coarse))
                .map(|(fine, coarse)| fine.blocks_in(coarse))
                .collect();
            let blocks: Vec<u32> = coarse.iter().map(|coarse| coarse.blocks() as u32).collect();
            classes.within(&maps, &blocks, judge.smallest)
        });
        let mut charged: Vec<f64> = Vec::new();
        let (mut wherever, mut added, mut lost) = (0.0, 0.0, 0u32);
        let uses_lost = rules.tighter_bounds || !is_bottom_up;
        for class in 0..classes.len() {
            let size = classes.sizes[class];
            let is_charged = !is_bottom_up
                || rules.tighter_bounds
                || judge.is_safe(size, classes.contents(class));
            let least = match cost.reads_values() {
                _ if !is_charged => 0.0,
                true => classes.published(cost, &rows, class),
                false => f64::from(size) * f64::from(size.max(judge.smallest.min(cost.rows))),
            };
            wherever += least;
            let Some(within) = wider.as_ref().map(|wider| wider.of(class)) else {
                continue;
            };
            let mut more = 0.0;
            if within.size < judge.smallest {
                lost += size;
                if uses_lost {
                    more = f64::from(size) * cost.charge - least;
                }
            } else if rules.tighter_bounds
                && !cost.reads_values()
                && size < judge.smallest
                && within.small < judge.smallest
            {
                // The classes that are too small form no safe class even together, so each of their rows is suppressed
                // or joins a large class; one of b rows that takes in t more costs at least 2bt more.
                let joined = (2.0 * f64::from(within.least_large)).min(cost.charge);
                more = (f64::from(size) * joined - least).max(0.0);
            }
            added += more;
            if looks_at_parts {
                charged.push(least + more);
            }
        }
        let mut bounds = Bounds {
            wherever,
            below: wherever + added,
            lost,
            is_over_budget: rules.useful_applicators && lost > ground.max_suppressed(),
        };
        // Adding up values takes longer than all of this, so not where sizes have said enough.
        let is_dropped = bounds.is_over_budget || self.is_too_much(bounds.below);
        if let Some(wider) = wider.filter(|_| looks_at_parts && !is_dropped) {
            self.raise_by_parts((classes, &wider), &charged, &mut bounds)?;
        }
        Ok(bounds)
    }
}
