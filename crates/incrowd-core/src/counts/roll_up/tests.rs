use super::merge::MOST_VALUES_ADDED;
use super::*;
use crate::counts::{Histogram, Histograms, Missing, RowCounter};
use crate::draw::Draw;
use crate::hierarchy::HierarchySpec;
use crate::table::RowBatch;
use std::collections::BTreeMap;

#[test]
fn histograms_added_up_in_a_table_are_those_merged_one_by_one() {
    let mut draw = Draw::new(3);
    let mut scratch = MergeScratch::default(); // used again, whatever was added before
    for _ in 0..200 {
        let (below, classes) = (1 + draw.below(30), 1 + draw.below(8));
        let most = [10, 40, 150, 512][draw.below(4)];
        let values = 1 + draw.below(most) as u32;
        let mut lower = Histograms::default();
        for _ in 0..below {
            let mut is_empty = true;
            for value in 0..values {
                if draw.below(4) == 0 || is_empty && value + 1 == values {
                    lower.push(value, 1 + draw.below(9) as u32);
                    is_empty = false;
                }
            }
            lower.end_class();
        }
        // Every upper class has a lower one.
        let class_of = (0..below).map(|at| match at < classes {
            true => at as u32,
            false => draw.below(classes) as u32,
        });
        let class_of: Vec<u32> = class_of.collect();
        let classes = classes.min(below);
        let (mut added, mut merged) = (Histograms::default(), Histograms::default());
        let values = values as usize;
        let entries = (Entries::all(&lower), class_of.as_slice());
        add_histograms(entries, values, classes, &mut scratch, &mut added);
        let mut members = Members::default();
        members.list((0..).zip(class_of.iter().copied()), classes);
        merge_histograms(&lower, &members, values, &mut scratch, &mut merged);
        assert_eq!(added, merged);
    }
}

/// Columns that take one word or several, of values and `*`, and three that are counted, the last one with too many values to add up.
fn table(columns: usize, rows: usize, draw: &mut Draw) -> CountedTable {
    let names: Vec<String> = (0..columns + COUNTED).map(|at| at.to_string()).collect();
    let quasi: Vec<usize> = (0..columns).collect();
    let mut counter = RowCounter::new(&names, &quasi, &[columns, columns + 1, columns + 2]);
    let mut batch = RowBatch::new(names.len());
    for _ in 0..rows {
        for _ in 0..columns {
            batch.push_cell(draw.below(5).to_string().as_bytes());
        }
        for values in [3, 70, 5000] {
            batch.push_cell(draw.below(values).to_string().as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let missing = Missing::default();
    let hierarchies = quasi.iter().map(|&at| {
        let values = counter.values(at, &missing);
        HierarchySpec::Suppress.build(&names[at], &values).unwrap()
    });
    let hierarchies = hierarchies.collect();
    counter
        .finish(hierarchies, vec![None; COUNTED], missing)
        .unwrap()
}

/// Counted columns.
const COUNTED: usize = 3;

type Listed = BTreeMap<Vec<u64>, (u32, Vec<(Vec<u32>, Vec<u32>)>)>;

/// Size and histograms of every class, by key.
fn listed(set: &FrequencySet) -> Listed {
    let histogram = |class, column| {
        let Histogram { values, counts } = set.histograms(column).class(class);
        (values.to_vec(), counts.to_vec())
    };
    let histograms = |class| {
        (0..COUNTED)
            .map(|column| histogram(class, column))
            .collect()
    };
    let class = |class| {
        (
            set.key(class).to_vec(),
            (set.sizes[class], histograms(class)),
        )
    };
    (0..set.len()).map(class).collect()
}

#[test]
fn a_set_counted_in_pieces_is_the_one_counted_at_once_in_the_same_order_whatever_the_threads() {
    let draw = &mut Draw::new(11);
    let mut parts_met = 0;
    let mut bounded = FrequencySet::default(); // used again, whether it was complete or not
    let mut too_many_to_add = 0;
    for (columns, rows) in [(2, 1500), (4, 40), (4, 1000), (25, 200)] {
        let counted = table(columns, rows, draw);
        assert_eq!(counted.layout.words() > 1, columns == 25);
        let bottom = counted.lattice().bottom();
        let present = counted.with_present_only(&[0], &[1, 2]);
        for (table, columns_read) in [(&counted, [0, 1, 2]), (&present, [0, 1, 2])] {
            for _ in 0..20 {
                let levels = (0..columns).map(|_| draw.below(2) as u8);
                let node = Node::from_levels(levels.collect::<Vec<u8>>());
                let lower = (&bottom, &table.tuples);
                let roll_up = |scratch: &mut Scratch| {
                    let mut upper = FrequencySet::default();
                    roll_up_tracked(table, lower, &node, &columns_read, scratch, &mut upper);
                    upper
                };
                let mut scratch = Scratch::default();
                let at_once = roll_up(&mut scratch);
                let mut first: Option<FrequencySet> = None;
                let pieces_of = [5, 2000][draw.below(2)];
                for (threads, room) in [(1, usize::MAX), (2, 1), (3, 500), (8, 2000)] {
                    let mut divided = Scratch {
                        division: Division::with_pieces_of(pieces_of, room),
                        ..Scratch::helped_by(table, Arc::new(SpareThreads::new(threads - 1)))
                    };
                    let upper = roll_up(&mut divided);
                    assert_eq!(listed(&upper), listed(&at_once));
                    for (below, &class) in divided.class_of().iter().enumerate() {
                        let of_this = upper.key(class as usize);
                        assert_eq!(of_this, at_once.key(scratch.class_of()[below] as usize));
                    }
                    assert_eq!(divided.class_of().len(), table.tuples.len());
                    for (most, is_complete) in [(upper.len(), true), (upper.len() - 1, false)] {
                        let wanted = (&columns_read[..], true);
                        assert_eq!(
                            roll_up_at_most(
                                table,
                                lower,
                                &node,
                                wanted,
                                most,
                                &mut divided,
                                &mut bounded
                            ),
                            is_complete || table.tuples.len() < 8
                        );
                        assert!(!is_complete || bounded == upper);
                    }
                    let first = first.get_or_insert_with(|| upper.clone());
                    assert_eq!(*first, upper, "with {threads} threads");
                    parts_met += usize::from(pieces_of == 5 && upper.len() > 20);
                    let values = table.columns[2].values.len();
                    let is_few = values > MOST_VALUES_ADDED && values * upper.len() <= pieces_of;
                    too_many_to_add += usize::from(is_few);
                }
            }
        }
    }
    let met = [parts_met, too_many_to_add];
    assert!(met.iter().all(|&met| met > 20), "{met:?}");
}

#[test]
fn threads_that_are_lent_come_back() {
    let spare = SpareThreads::new(3);
    let own = spare.occupy_one();
    let lent = spare.borrow_all();
    assert_eq!(lent.count(), 2);
    assert_eq!(spare.borrow_all().count(), 0);
    let other = spare.occupy_one();
    assert_eq!(spare.borrow_all().count(), 0);
    drop(lent);
    assert_eq!(spare.borrow_all().count(), 1);
    drop((own, other));
    assert_eq!(spare.borrow_all().count(), 3);
}
