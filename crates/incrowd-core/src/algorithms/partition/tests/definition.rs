//! Spaces and walks against the definitions, with every set partition looked at.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Every set partition of so many values.
fn all(values: usize) -> Vec<Partition> {
    let mut found: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..values {
        found = found
            .iter()
            .flat_map(|numbers| {
                let blocks = numbers.iter().max().map_or(0, |most| most + 1);
                (0..=blocks).map(move |block| [numbers.as_slice(), &[block]].concat())
            })
            .collect();
    }
    found.into_iter().map(Partition::from_numbers).collect()
}

/// The height of the lowest common group.
fn distance(levels: &[Vec<u32>], one: usize, other: usize) -> usize {
    let together = |level: &Vec<u32>| level[one] == level[other];
    levels.iter().position(together).unwrap_or(levels.len())
}

/// By the words of the paper.
fn is_allowed(scheme: Scheme, levels: &[Vec<u32>], partition: &Partition) -> bool {
    let blocks = partition.of_values();
    let count = blocks.len();
    let within_highest = (0..count).all(|x| {
        (0..count).all(|y| blocks[x] != blocks[y] || distance(levels, x, y) < levels.len())
    });
    let consecutive = (0..count).all(|x| {
        (x..count).all(|y| blocks[x] != blocks[y] || (x..y).all(|z| blocks[z] == blocks[x]))
    });
    let guided = (0..count).all(|x| {
        (0..count).all(|y| {
            blocks[x] != blocks[y]
                || (0..count).all(|z| {
                    distance(levels, x, z) >= distance(levels, x, y) || blocks[z] == blocks[x]
                })
        })
    });
    let is_cut = partition.members().iter().all(|block| {
        levels.iter().any(|level| {
            let group = level[block[0] as usize];
            (0..count).filter(|&value| level[value] == group).count() == block.len()
                && block.iter().all(|&value| level[value as usize] == group)
        })
    });
    let is_level = levels
        .iter()
        .any(|level| Partition::from_numbers(level.iter().copied()) == *partition);
    within_highest
        && match scheme {
            Scheme::Bhs => is_level,
            Scheme::Ghs => is_cut,
            Scheme::Gops => guided && consecutive,
            Scheme::Gsps => guided,
            Scheme::Ops => consecutive,
            Scheme::Sps => true,
        }
}

/// Up to eight values, whose groups are runs of the order; the last level need not be one group.
pub(in super::super) fn any_values() -> impl Strategy<Value = Values> {
    let level = proptest::collection::vec(any::<bool>(), 8);
    (
        1usize..=8,
        proptest::collection::vec(level, 0..4),
        any::<bool>(),
    )
        .prop_map(|(count, cuts, top)| {
            let mut levels: Vec<Vec<u32>> = vec![(0..count as u32).collect()];
            for cuts in cuts {
                let below = &levels[levels.len() - 1];
                let mut group = 0;
                let level = (0..count).map(|value| {
                    let is_new = value > 0 && below[value] != below[value - 1] && cuts[value];
                    group += u32::from(is_new);
                    group
                });
                let level = level.collect();
                levels.push(level);
            }
            if top {
                levels.push(vec![0; count]);
            }
            Values {
                values_of_leaves: (0..count as u32).map(Some).collect(),
                rows: vec![1; count],
                levels,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn both_walks_visit_what_the_definition_allows_once(values in any_values()) {
        let every = all(values.rows.len());
        for scheme in Scheme::ALL {
            let space = find(scheme).space(&values);
            let expected: BTreeSet<&Partition> = every
                .iter()
                .filter(|partition| is_allowed(scheme, &values.levels, partition))
                .collect();
            prop_assert_eq!(space.size(), expected.len() as f64);
            for partition in &every {
                prop_assert_eq!(space.contains(partition), expected.contains(partition));
            }
            for found in [bottom_up(&space), top_down(&space)] {
                let distinct: BTreeSet<&Partition> = found.iter().collect();
                prop_assert_eq!(distinct.len(), found.len(), "{} visits one twice", scheme);
                prop_assert_eq!(&distinct, &expected, "{}", scheme);
            }
        }
    }

    #[test]
    fn corners_enclose_what_lies_below(values in any_values()) {
        for scheme in Scheme::ALL {
            let space = find(scheme).space(&values);
            for first in bottom_up(&space).into_iter().step_by(7) {
                let highest = space.highest_below(&first);
                for below in walk(first.clone(), |partition| space.joins(partition)) {
                    prop_assert!(first.is_within(&below) && below.is_within(&highest));
                }
                let lowest = space.lowest_below(&first);
                for below in walk(first.clone(), |partition| space.splits(partition).unwrap()) {
                    prop_assert!(below.is_within(&first) && lowest.is_within(&below));
                }
            }
        }
    }

    #[test]
    fn schemes_include_each_other_as_the_paper_says(values in any_values()) {
        let spaces = Scheme::ALL.map(|scheme| find(scheme).space(&values));
        let [bhs, ghs, gops, gsps, ops, sps] = &spaces;
        for (less, more) in [(bhs, ghs), (ghs, gops), (gops, ops), (gops, gsps), (ops, sps), (gsps, sps)] {
            for partition in bottom_up(less) {
                prop_assert!(more.contains(&partition));
            }
        }
    }
}
