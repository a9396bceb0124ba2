//! Texts that lie are refused. Only code inside the core could make them, so the tests are here too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::counts::{Missing, RowCounter};
use crate::hierarchy::Hierarchy;
use crate::problem::Guarantee;
use crate::recode::{ColumnRecoding, Grouping};
use crate::table::RowBatch;
use crate::utility::MetricSpec;

fn table() -> CountedTable {
    let names = ["zip".to_owned()];
    let mut batch = RowBatch::new(1);
    for zip in ["a", "b", "c", "d", "a", "b", "c", "d"] {
        batch.push_cell(zip.as_bytes());
    }
    let mut counter = RowCounter::new(&names, &[0], &[]);
    counter.add(&batch).unwrap();
    let ways_up: Vec<Vec<String>> = ["a n", "b n", "c s", "d s"]
        .map(|way| way.split(' ').chain(["*"]).map(String::from).collect())
        .into();
    let hierarchy = Hierarchy::from_rows("zip", &ways_up).unwrap();
    counter
        .finish(vec![hierarchy], Vec::new(), Missing::default())
        .unwrap()
}

/// Publishes the groups `{a, b}` and `{c, d}` under these labels.
fn publish_with_labels(labels: [&str; 2]) -> Result<Vec<String>, Error> {
    let table = table();
    let metric: MetricSpec = "loss".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    let problem = Problem::new(&table, &[], &*metric);
    let grouping = Grouping::new(&table.attributes[0], &[0, 0, 1, 1]);
    let proposal = Proposal {
        recoding: ColumnRecoding::Partitions(vec![grouping.with_labels(labels)]).into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: 0,
        steps: Vec::new(),
    };
    let release = publish(&problem, &proposal)?;
    Ok(release.texts(0).into_iter().map(String::from).collect())
}

#[test]
fn a_label_that_does_not_say_what_it_stands_for_is_refused() {
    assert_eq!(publish_with_labels(["n", "s"]).unwrap(), ["n", "s"]);
    assert_eq!(
        publish_with_labels(["{a, b}", "s"]).unwrap(),
        ["s", "{a, b}"]
    );
    for lie in [
        ["s", "n"],
        ["n", "n"],
        ["n", "*"],
        ["n", "c"],
        ["{a, b}", "{c}"],
        ["{a, b, c}", "s"],
        ["n", "elsewhere"],
        ["n", ""],
    ] {
        let refused = publish_with_labels(lie).unwrap_err();
        assert!(matches!(refused, Error::CheckFailed { .. }), "{lie:?}");
    }
}
