//! Splits clusters that grew larger than they had to.

use super::axes::Axes;
use super::side::Side;
use crate::algorithms::cuts::Judge;
use crate::algorithms::people::PeopleInBoxes;
use crate::counts::{FrequencySet, Work};
use crate::problem::{Meter, Problem};

/// How many of the cuts that lose least are tried.
const CUTS_TRIED: usize = 32;

/// Splits clusters in two while both parts are safe and lose less than the whole.
pub(super) struct Splitter<'a> {
    axes: &'a Axes<'a>,
    judge: Judge<'a>,
    tuples: &'a FrequencySet,
    /// The tuple of each number.
    order: &'a [u32],
    /// No safe cluster has fewer rows.
    smallest: u64,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        people: Option<&'a PeopleInBoxes<'a>>,
        axes: &'a Axes<'a>,
        order: &'a [u32],
    ) -> Self {
        Splitter {
            axes,
            judge: Judge::of_boxes(problem, people),
            tuples: &problem.table.tuples,
            order,
            smallest: u64::from(problem.smallest_safe()),
        }
    }

    /// The parts of a cluster; once the meter says to stop, they are as they are.
    pub(super) fn split(&mut self, tuples: Vec<u32>, meter: &Meter<'_>) -> Vec<Vec<u32>> {
        let mut parts = Vec::new();
        let mut to_do = vec![tuples];
        while let Some(mut tuples) = to_do.pop() {
            let work = Work((tuples.len() * (1 + self.judge.columns().len())) as u64);
            let may_go_on = meter.stopped().is_none() && meter.spend(work).is_ok();
            match may_go_on.then(|| self.cut(&mut tuples)).flatten() {
                Some(other) => to_do.extend([tuples, other]),
                None => parts.push(tuples),
            }
        }
        parts
    }

    /// Cuts tuples in two and returns those cut off; none if nothing is gained.
    ///
    /// They are cut between two that lie far apart: each is nearer to one of them than the ones after it.
    fn cut(&mut self, tuples: &mut Vec<u32>) -> Option<Vec<u32>> {
        let axes = self.axes;
        let (order, sizes) = (self.order, self.tuples.sizes());
        let rows_of = |number: u32| sizes[order[number as usize] as usize];
        let rows: u32 = tuples.iter().map(|&it| rows_of(it)).sum();
        if tuples.len() < 2 || u64::from(rows) < 2 * self.smallest {
            return None;
        }
        let joint = |one: u32, other: u32| {
            let sides: Vec<Side> = axes.sides(one).collect();
            axes.joint_extent(&sides, axes.sides(other))
        };
        tuples.sort_unstable();
        let farthest = |from: u32| {
            let others = tuples.iter().copied().map(|it| (joint(from, it), it));
            // Of several the first.
            others.max_by_key(|&(extent, it)| (extent, u32::MAX - it))
        };
        let (_, one) = farthest(tuples[0])?;
        let (_, other) = farthest(one)?;
        tuples.sort_by_cached_key(|&it| i64::from(joint(one, it)) - i64::from(joint(other, it)));
        let costs = |tuples: &mut dyn Iterator<Item = u32>| -> Vec<u64> {
            let mut sides: Vec<Side> = Vec::new();
            let mut rows = 0;
            let mut cost = |tuple: u32| {
                match sides.is_empty() {
                    true => sides.extend(axes.sides(tuple)),
                    false => axes.widen(&mut sides, axes.sides(tuple)),
                }
                rows += rows_of(tuple);
                axes.of_rows(axes.extent(&sides), rows.into())
            };
            tuples.map(&mut cost).collect()
        };
        let before = costs(&mut tuples.iter().copied());
        let after = costs(&mut tuples.iter().rev().copied());
        let mut cuts = Vec::new();
        let mut rows_before = 0;
        for cut in 1..tuples.len() {
            rows_before += rows_of(tuples[cut - 1]);
            let cost = before[cut - 1] + after[tuples.len() - cut - 1];
            let fewest = u64::from(rows_before.min(rows - rows_before));
            if fewest >= self.smallest && cost < before[tuples.len() - 1] {
                cuts.push((cost, cut, rows_before));
            }
        }
        cuts.sort_unstable();
        let mut cuts = cuts.into_iter().take(CUTS_TRIED);
        let cut = cuts.find(|&(_, cut, rows_before)| {
            let members = tuples.iter().map(|&it| order[it as usize]);
            let members: Vec<u32> = members.collect();
            let (one, other) = members.split_at(cut);
            self.judge.is_safe(rows_before, self.tuples, one)
                && (self.judge).is_safe(rows - rows_before, self.tuples, other)
        });
        cut.map(|(_, cut, _)| tuples.split_off(cut))
    }
}
