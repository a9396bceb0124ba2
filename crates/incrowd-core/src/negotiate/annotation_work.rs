//! What it takes to annotate a lattice, and when that is too much.

use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::Lattice;
use crate::privacy::PrivacyModel;

/// The most nodes that are annotated.
pub const MOST_NODES: u128 = 1 << 22;

/// How many times as long it takes to annotate for a model that reads how often values occur, as measured: their
/// histograms are merged, not only sizes added up.
const WORK_OF_COUNTS: u128 = 5;

/// What annotating every node takes, at most: nodes times distinct tuples, more for models that read counts. Some 200
/// million a second on one core.
pub fn annotation_work(table: &CountedTable, models: &[&dyn PrivacyModel]) -> u128 {
    let nodes = table.lattice().nodes();
    let times = match models.iter().any(|model| reads_histograms(*model)) {
        true => WORK_OF_COUNTS,
        false => 1,
    };
    let tuples = table.tuples.len().max(1) as u128;
    nodes.saturating_mul(tuples).saturating_mul(times)
}

fn reads_histograms(model: &dyn PrivacyModel) -> bool {
    model.column().is_some() && model.reads_counts()
}

/// Refuses lattices that nobody could annotate.
pub(super) fn check_nodes(lattice: &Lattice) -> Result<(), Error> {
    let nodes = lattice.nodes();
    if nodes > MOST_NODES {
        return Err(Error::LatticeTooLarge {
            nodes,
            limit: MOST_NODES,
        });
    }
    Ok(())
}
