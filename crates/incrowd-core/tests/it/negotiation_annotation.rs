//! Annotating every node the fast way: the histograms are those of counting node by node.

use crate::adult;
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{self, Options};
use incrowd_core::negotiate::AnnotatedLattice;
use incrowd_core::privacy::{DistinctLDiversity, KAnonymity, PrivacyModel};
use incrowd_core::problem::Unwatched;
use incrowd_core::table::RowBatch;

/// Every node is annotated as if it were counted by itself, with each of these numbers of threads.
fn check(table: &CountedTable, models: &[&dyn PrivacyModel], threads: &[usize], case: &str) {
    let nodes = table.lattice().walk();
    let simple = AnnotatedLattice::of_nodes(table, models, &nodes, &Unwatched).unwrap();
    for &threads in threads {
        let fast = AnnotatedLattice::full(table, models, threads, &Unwatched).unwrap();
        assert_eq!(fast, simple, "{case}, {threads} threads");
    }
}

#[test]
fn tables_with_many_bits_few_or_none_are_annotated_as_if_counted_node_by_node() {
    // Two columns of 94 and of 41 values; then attributes beside which few bits are left, or none at all.
    for quasi_identifiers in ["age education race workclass", "race", "sex race"] {
        let columns: Vec<&str> = quasi_identifiers.split(' ').collect();
        let table = adult::count(&columns, &["hours-per-week", "native-country"]);
        let sizes = KAnonymity { k: 1 };
        let hours = DistinctLDiversity { column: 0, l: 1 };
        let country = DistinctLDiversity { column: 1, l: 1 };
        let all: [&dyn PrivacyModel; 3] = [&sizes, &hours, &country];
        for models in [&all[..], &all[..1], &all[2..]] {
            check(&table, models, &[1, 2, 3, 4, 8], quasi_identifiers);
        }
    }
}

/// A table of four attributes, none of whose groups is listed in one stretch, with two sensitive columns of so many values.
fn scattered(sensitive: [usize; 2]) -> CountedTable {
    const VALUES: [usize; 4] = [50, 23, 11, 6];
    let sizes: Vec<usize> = VALUES.into_iter().chain(sensitive).collect();
    let names: Vec<String> = (0..sizes.len()).map(|at| format!("c{at}")).collect();
    let mut counter = RowCounter::new(&names, &[0, 1, 2, 3], &[4, 5]);
    let mut batch = RowBatch::new(sizes.len());
    for row in 0..3000_usize {
        for (column, size) in sizes.iter().enumerate() {
            let mixed = (row + 1).wrapping_mul(0x9e37_79b9 + 0x1_0002 * column);
            let value = (mixed >> 7) % size;
            batch.push_cell(format!("v{}", value.min((mixed >> 19) % size)).as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let hierarchies = VALUES.into_iter().zip(&names).map(|(values, name)| {
        let levels = |value: usize| format!("v{value},of7 {},of3 {},*", value % 7, value % 7 % 3);
        let listed: Vec<String> = (0..values).map(levels).collect();
        hierarchy::parse(listed.join("\n").as_bytes(), Options::new(name)).unwrap()
    });
    let finished = counter.finish(hierarchies.collect(), vec![None; 2], Missing::default());
    finished.unwrap()
}

#[test]
fn groups_may_be_listed_in_any_order_and_columns_have_many_values() {
    for sensitive in [[3, 2], [90, 3], [200, 30], [300, 190], [600, 2]] {
        let table = scattered(sensitive);
        let sizes = KAnonymity { k: 1 };
        let [one, other] = [0, 1].map(|column| DistinctLDiversity { column, l: 1 });
        let all: [&dyn PrivacyModel; 3] = [&sizes, &one, &other];
        for models in [&all[..], &all[..2], &all[1..2]] {
            check(&table, models, &[1, 3], &format!("{sensitive:?} values"));
        }
    }
}
