//! Annotating every node the fast way: the histograms are those of counting node by node.

use crate::adult;
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{self, Options};
use incrowd_core::negotiate::AnnotatedLattice;
use incrowd_core::privacy::{DistinctLDiversity, KAnonymity, PSensitiveKAnonymity, PrivacyModel};
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

/// A table of four attributes of so many values, with two sensitive columns.
fn table(
    values: [usize; 4],
    sensitive: [usize; 2],
    levels: impl Fn(usize, usize) -> String,
) -> CountedTable {
    let sizes: Vec<usize> = values.into_iter().chain(sensitive).collect();
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
    let hierarchies = (0..).zip(values).map(|(column, values)| {
        let listed: Vec<String> = (0..values)
            .map(|value| format!("v{value}{}", levels(column, value)))
            .collect();
        let options = Options::new(&names[column]);
        hierarchy::parse(listed.join("\n").as_bytes(), options).unwrap()
    });
    let finished = counter.finish(hierarchies.collect(), vec![None; 2], Missing::default());
    finished.unwrap()
}

fn check_all_models(table: &CountedTable, case: &str) {
    let sizes = KAnonymity { k: 1 };
    let [one, other] = [0, 1].map(|column| DistinctLDiversity { column, l: 1 });
    let both = PSensitiveKAnonymity {
        column: 1,
        p: 1,
        k: 3,
    };
    let all: [&dyn PrivacyModel; 4] = [&sizes, &one, &other, &both];
    for models in [&all[..], &all[..2], &all[1..2], &all[3..]] {
        check(table, models, &[1, 3], case);
    }
}

#[test]
fn groups_may_be_listed_in_any_order_and_columns_have_many_values() {
    let levels = |_: usize, value: usize| format!(",of7 {},of3 {},*", value % 7, value % 7 % 3);
    for sensitive in [[3, 2], [90, 3], [200, 30], [300, 190], [600, 2]] {
        let table = table([50, 23, 11, 6], sensitive, levels);
        check_all_models(&table, &format!("{sensitive:?} values"));
    }
}

#[test]
fn levels_may_merge_nothing_or_be_many() {
    let nothing_merged = table([9, 2, 4, 2], [70, 4], |column, value| match column {
        3 => format!(",once {value},again {value},*"),
        _ => ",any,*".to_owned(),
    });
    check_all_models(&nothing_merged, "nothing merged");
    let many = table([20, 9, 8, 5], [70, 4], |column, value| match column {
        2 => (1..9)
            .map(|times| format!(",{times} {}", value >> times))
            .collect(),
        _ => ",*".to_owned(),
    });
    check_all_models(&many, "many levels");
}
