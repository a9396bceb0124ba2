//! What two nodes together say of every node between them, and the lower one of the upper.

use super::{Assessor, Problem};
use crate::counts::{FrequencySet, Scratch, roll_up_classes, roll_up_tracked};
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

/// The rows that a node suppresses, at least, and a lower bound of its loss, by the sizes of its classes and by how many rows must be
/// around those of a node below: no histograms are read but those of the lower node. None if rows with missing cells are in
/// several crowds: then classes say too little.
pub fn bounds_from_below(problem: &Problem<'_>, low: &Node, high: &Node) -> Option<(u32, Loss)> {
    let (table, columns) = (problem.table, problem.columns_read());
    let (mut scratch, mut assessor) = (Scratch::default(), Assessor::new(problem));
    let (mut lower, mut upper) = (FrequencySet::default(), FrequencySet::default());
    let raw = (&table.lattice().bottom(), &table.tuples);
    roll_up_tracked(table, raw, low, &columns, &mut scratch, &mut lower);
    let fewest_around = assessor.fewest_around(&lower)?;
    roll_up_classes(table, (low, &lower), high, &mut scratch, &mut upper);
    let may_be_safe = assessor.presume_from_below(&upper, &fewest_around, scratch.class_of());
    let sizes = upper.sizes().iter().zip(may_be_safe);
    let rows_suppressed = sizes.map(|(&size, &may)| if may { 0 } else { size }).sum();
    let floor = problem.metric.floor_at(upper.sizes(), may_be_safe);
    Some((rows_suppressed, floor))
}
