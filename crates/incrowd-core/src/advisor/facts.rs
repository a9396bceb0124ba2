//! What was measured of a table, as far as it bears on the choice of an algorithm.

use crate::counts::{Attribute, CountedTable};
use crate::problem::{DEFAULT_WORK_LIMIT, Problem};
use crate::table::Kind;

/// The most combinations of levels that are still listed one by one: their list has to fit into memory.
pub const MOST_LISTED: u128 = 1_000_000;

/// The most choices of partitions, as a power of two, for which a proof is in reach: about as many nodes are visited in a
/// minute.
pub const MOST_PARTITIONS: u64 = 22;

/// What was measured of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Rows that take part.
    pub rows: u64,
    /// Distinct combinations of quasi-identifiers.
    pub distinct_tuples: u64,
    /// Acceptable combinations of levels.
    pub lattice_nodes: u128,
    /// Quasi-identifiers.
    pub quasi_identifiers: usize,
    /// Quasi-identifiers with numbers or dates.
    pub numbers: usize,
    /// Missing cells of quasi-identifiers.
    pub missing_cells: u64,
    /// Ways to part the values of all quasi-identifiers but the one with the most values into neighbors, as a power of two.
    pub partitions: u64,
    /// The work that a search may do; no limit if none.
    pub work_limit: Option<u64>,
}

impl Facts {
    /// Measures the table of a problem.
    pub fn of(problem: &Problem<'_>, work_limit: Option<u64>) -> Self {
        let CountedTable {
            rows,
            attributes,
            tuples,
            ..
        } = problem.table;
        let missing = |attribute: &Attribute| {
            let leaf = attribute.missing?;
            let rows_of_values = attribute.rows_of_groups.first()?;
            rows_of_values.get(leaf.index()).copied()
        };
        let bounds = attributes.iter().map(|attribute| {
            let values = attribute.rows_of_groups.first();
            let present = values.map_or(0, |rows| rows.iter().filter(|&&rows| rows > 0).count());
            present.saturating_sub(1) as u64
        });
        Facts {
            rows: u64::from(*rows),
            distinct_tuples: tuples.len() as u64,
            lattice_nodes: problem.lattice().nodes(),
            quasi_identifiers: attributes.len(),
            numbers: (attributes.iter())
                .filter(|attribute| attribute.kind != Kind::Text)
                .count(),
            missing_cells: attributes.iter().filter_map(missing).map(u64::from).sum(),
            partitions: bounds.clone().sum::<u64>() - bounds.max().unwrap_or(0),
            work_limit,
        }
    }

    /// Whether judging every combination of levels would take more than a search may do, or more memory than there is.
    pub fn is_large(&self) -> bool {
        let work = (self.lattice_nodes).saturating_mul(self.distinct_tuples.into());
        // Without a limit a user has to wait all the same.
        let limit = self.work_limit.unwrap_or(DEFAULT_WORK_LIMIT);
        self.lattice_nodes > MOST_LISTED || work > u128::from(limit)
    }

    /// Whether it is beyond hope to prove that no partition of values is better.
    pub fn has_too_many_partitions(&self) -> bool {
        self.partitions > MOST_PARTITIONS
    }
}
