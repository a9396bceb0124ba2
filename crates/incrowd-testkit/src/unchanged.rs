//! Rows published as they are, for tests of whoever writes rows.

use incrowd_core::counts::{Missing, RowCounter};
use incrowd_core::lattice::Node;
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::{Confirmation, PublishedRows, SuppressedRows, publish};
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::Height;

/// The rows of a release that promises nothing and changes nothing, with its confirmation.
pub fn unchanged(rows: &RowBatch) -> (PublishedRows, Confirmation) {
    let names: Vec<String> = (0..rows.columns()).map(|at| format!("c{at}")).collect();
    let mut counter = RowCounter::new(&names, &[], &[]);
    counter.add(rows).expect("rows can be counted");
    let table = counter.finish(Vec::new(), Vec::new(), Missing::default());
    let table = table.expect("nothing is generalized");
    let problem = Problem::new(&table, &[], &Height);
    let proposal = Proposal {
        recoding: ColumnRecoding::FullDomain(Node::bottom(0)).into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: 0,
        steps: Vec::new(),
    };
    let release = publish(&problem, &proposal).expect("nothing is promised");
    let mut recoder = release
        .recoder(&names, &[], SuppressedRows::Drop)
        .expect("every column is there");
    let mut published = PublishedRows::default();
    recoder.recode(rows, &mut published).expect("the same rows");
    let confirmation = release.confirm(recoder.tally()).expect("the same rows");
    (published, confirmation)
}
