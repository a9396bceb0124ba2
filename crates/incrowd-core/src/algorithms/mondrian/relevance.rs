//! How much each quasi-identifier says about the targets, and so how much its width counts.

use super::cut_regions;
use super::median::AtMedian;
use super::space::Space;
use crate::Error;
use crate::algorithms::{AlgorithmEntry, Found};
use crate::problem::{Meter, Problem};

/// Of some rows with a target: how many there are, and how much of it is unknown in all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Unknown {
    pub(super) rows: f64,
    pub(super) amount: f64,
}

/// What rows say about one target.
pub(super) trait Target {
    /// Takes the rows of a tuple in.
    fn add(&mut self, tuple: u32);
    /// What is unknown in the rows taken in, which are forgotten.
    fn take(&mut self) -> Unknown;
    /// The share of the unknown that so many groups of rows explain, beyond what they would explain by chance.
    fn explained(&self, whole: Unknown, within: f64, groups: u32) -> f64;
}

/// Cuts at the median of the side that is widest for the targets.
pub(super) fn cut_for_targets(
    problem: &Problem<'_>,
    entry: &'static AlgorithmEntry,
    targets: &mut [Box<dyn Target + '_>],
    meter: &Meter<'_>,
) -> Result<Found, Error> {
    let space = Space::new(problem);
    let relevance = (0..space.dimensions.len()).map(|dimension| {
        let targets = targets.iter_mut();
        let explained = targets.map(|target| explained(problem, &space, dimension, &mut **target));
        explained.sum()
    });
    let emphasis = relevance.map(emphasis).collect();
    let choose = AtMedian {
        emphasis,
        ..AtMedian::default()
    };
    cut_regions(problem, entry, choose, meter)
}

/// How much a width counts. Measured on Adult: with the share itself, columns that say little are published as `*`, and
/// a linear model learned less from that; with its fourth root every model learned more than from widths alone.
fn emphasis(explained: f64) -> f64 {
    explained.sqrt().sqrt()
}

/// The share of a target that the values of a column explain.
fn explained(
    problem: &Problem<'_>,
    space: &Space,
    dimension: usize,
    target: &mut dyn Target,
) -> f64 {
    let table = problem.table;
    let axis = &space.dimensions[dimension];
    let tuples = 0..table.tuples.len() as u32;
    let place = |tuple: u32| axis.place(table.leaf(tuple as usize, dimension));
    let mut order: Vec<(u32, u32)> = tuples.map(|tuple| (place(tuple), tuple)).collect();
    order.sort_unstable();
    order.iter().for_each(|&(_, tuple)| target.add(tuple));
    let whole = target.take();
    let (mut within, mut groups) = (0.0, 0);
    for rows in order.chunk_by(|one, other| one.0 == other.0) {
        rows.iter().for_each(|&(_, tuple)| target.add(tuple));
        let unknown = target.take();
        within += unknown.amount;
        groups += u32::from(unknown.rows > 0.0);
    }
    match target.explained(whole, within, groups) {
        // What rounding left of nothing.
        share if share > 1e-9 => share,
        _ => 0.0,
    }
}
