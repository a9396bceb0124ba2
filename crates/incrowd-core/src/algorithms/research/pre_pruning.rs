//! Levels that are unsafe whatever the other columns do.

use crate::algorithms::boxes::{Goal, Search};
use crate::lattice::{Level, Node};
use crate::problem::{Interruption, Meter, Problem};

/// For each attribute the lowest level that can be part of a safe node: all below are ruled out even with every other
/// attribute at its highest acceptable level.
pub(super) fn lowest_levels(
    problem: &Problem<'_>,
    search: &mut Search<'_>,
) -> Result<Node, Interruption> {
    let highest = &problem.max_levels;
    let mut lowest = problem.lattice().bottom();
    for attribute in 0..highest.len() {
        // What rules out a level rules out those below it, so the boundary is found by halving.
        let (mut low, mut high) = (Level::RAW, highest.level(attribute));
        while low < high {
            let middle = Level(low.0 + high.steps_above(low) / 2);
            match search.rules_out_below(&highest.with(attribute, middle))? {
                true => low = middle.above(),
                false => high = middle,
            }
        }
        lowest = lowest.with(attribute, low);
    }
    Ok(lowest)
}

/// The attributes that are ruled out by themselves at their highest acceptable level, although a higher one exists.
pub(in crate::algorithms) fn unsafe_columns(
    problem: &Problem<'_>,
    meter: &Meter<'_>,
) -> Result<Vec<usize>, Interruption> {
    let lattice = problem.table.lattice();
    let top = lattice.top();
    let mut columns = Vec::new();
    for attribute in 0..top.len() {
        let level = problem.max_levels.level(attribute);
        if level == top.level(attribute) {
            continue;
        }
        let alone = top.with(attribute, level);
        let mut search = Search::new(problem, Goal::default(), meter);
        if search.rules_out_below(&alone)? {
            columns.push(attribute);
        }
    }
    Ok(columns)
}
