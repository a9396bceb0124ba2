//! What two nodes together say of every node between them.

use super::{Assessor, Problem};
use crate::counts::{FrequencySet, Scratch, roll_up_tracked};
use crate::lattice::Node;
use crate::utility::{Between, Known, Loss};

/// The rows that every node between two nodes suppresses, at least, and a lower bound of its loss. Both nodes are counted. None
/// if rows with missing cells are in several crowds: then classes say too little.
pub fn bounds_between(problem: &Problem<'_>, low: &Node, high: &Node) -> Option<(u32, Loss)> {
    let (table, columns) = (problem.table, problem.columns_read());
    let (mut scratch, mut assessor) = (Scratch::default(), Assessor::new(problem));
    let (mut lower, mut upper) = (FrequencySet::default(), FrequencySet::default());
    let raw = (&table.lattice().bottom(), &table.tuples);
    roll_up_tracked(table, raw, low, &columns, &mut scratch, &mut lower);
    assessor.assess(low, &lower, None);
    let fewest_around = assessor.fewest_around(&lower)?;
    roll_up_tracked(
        table,
        (low, &lower),
        high,
        &columns,
        &mut scratch,
        &mut upper,
    );
    assessor.assess(high, &upper, None);
    let between = Between {
        sizes: lower.sizes(),
        fewest_around: &fewest_around,
        class_of: scratch.class_of(),
        most_kept: assessor.most_kept()?,
    };
    let known = Known {
        rows_suppressed: between.rows_lost(),
        smallest_safe: problem.smallest_safe(),
        added: &[],
    };
    let floor = problem.metric.floor_between(&between, known);
    Some((known.rows_suppressed, floor))
}
